// SPDX-License-Identifier: MIT
// Any bytes through Simulation::load: refused, or a simulation that runs, stays on its map and can be saved again.
#include <drover/simulation.hpp>

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "base/digest.hpp"

namespace {

using Bytes = std::vector<std::byte>;

void must(bool holds) {
  if (!holds) __builtin_trap();
}

// With a checksum that fits, which no mutation would ever hit.
Bytes sealed(std::span<const std::byte> bytes) {
  Bytes out(bytes.begin(), bytes.end() - 8);
  drover::base::ByteWriter sum;
  sum.u64(drover::base::digest_of(out));
  out.insert(out.end(), sum.bytes().begin(), sum.bytes().end());
  return out;
}

Bytes saved(const drover::Simulation& simulation) {
  Bytes bytes;
  must(simulation.save(bytes).ok());
  return bytes;
}

void expect_on_the_map(const drover::Simulation& simulation) {
  std::vector<drover::Simulation::Entry> entries;
  simulation.on_map(entries);
  for (const drover::Simulation::Entry& entry : entries) must(simulation.map().shape().contains(entry.cell));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 8) return 0;
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  drover::Result<drover::Simulation> simulation = drover::Simulation::load(sealed(bytes));
  if (!simulation) {
    must(simulation.status().code() != drover::StatusCode::internal && !simulation.status().message().empty());
    return 0;
  }
  drover::Result<drover::Simulation> again = drover::Simulation::load(saved(*simulation));
  must(again.ok());
  for (int tick = 0; tick < 3; ++tick) {
    expect_on_the_map(*simulation);
    must(simulation->step().digests == again->step().digests);
  }
  expect_on_the_map(*simulation);
  must(saved(*simulation) == saved(*again));
  return 0;
}

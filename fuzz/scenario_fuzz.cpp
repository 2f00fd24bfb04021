// SPDX-License-Identifier: MIT
// Any bytes as a scenario or a gate instance: refused, or a simulation that starts and goes on. No file is read: the
// scenario's folder does not exist, and paths stay below it.
#include <string>

#include "check.hpp"

#include <drover/io.hpp>

namespace {

using drover::fuzz::expect_known;
using drover::fuzz::must;

constexpr std::int64_t kMostCells = 4096;
constexpr std::size_t kMostAgents = 200;

void expect_runs(const drover::io::Scenario& scenario) {
  must(scenario.map_file.empty());
  const drover::io::MapCells& map = scenario.map;
  if (map.width * map.height * map.layers > kMostCells || scenario.agents.size() > kMostAgents) return;
  drover::Result<drover::io::Instance> instance = drover::io::instantiate(scenario);
  if (!instance) return expect_known(instance.status());
  if (const drover::Status started = instance->simulation.start(); !started.ok()) return expect_known(started);
  for (int tick = 0; tick < 3 && !instance->simulation.finished(); ++tick) instance->simulation.step();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = drover::fuzz::text_of(data + 1, size - 1);
  const std::string file = "no-such-folder/of/a/fuzzer/s";
  const drover::Result<drover::io::Scenario> scenario = (data[0] & 1) != 0
                                                            ? drover::io::parse_gate(text, file + ".gate")
                                                            : drover::io::parse_scenario(text, file + ".toml");
  if (!scenario) return expect_known(scenario.status()), 0;
  expect_runs(*scenario);
  return 0;
}

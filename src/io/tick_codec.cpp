// SPDX-License-Identifier: MIT
// Steps as differences from the last one: a crowd that flows or stands packs to almost nothing.
#include "io/tick_codec.hpp"

#include <algorithm>

#include "sim/input_bytes.hpp"
#include "world/map_bytes.hpp"

namespace drover::io {

namespace {

constexpr std::uint8_t kStayed = 0, kWrittenOut = 15;

// Code of a step of one tick to a neighbour, else kWrittenOut.
std::uint8_t code_of(const MoveRecord& m, std::uint64_t tick) noexcept {
  constexpr std::uint8_t kCodes[3][3] = {{8, 1, 5}, {4, kWrittenOut, 2}, {7, 3, 6}};  // [dy + 1][dx + 1]
  const std::int64_t dx = std::int64_t{m.to.x} - m.from.x, dy = std::int64_t{m.to.y} - m.from.y;
  if (dx < -1 || dx > 1 || dy < -1 || dy > 1 || m.from.layer != m.to.layer || m.start_tick + 1 != tick ||
      m.ticks != 1 || m.remainder != 0)
    return kWrittenOut;
  return kCodes[dy + 1][dx + 1];
}

void write_adoptions(std::span<const Adoption> adoptions, base::ByteWriter& out) {
  out.number(adoptions.size());
  for (const Adoption& a : adoptions) {
    out.number(a.requested_tick);
    out.number(a.profile.index);
    out.number(a.goal.index);
    out.number(a.field_version);
  }
}

void read_adoptions(base::ByteReader& in, std::uint64_t tick, std::vector<Adoption>& out) {
  out.resize(in.count(4));
  for (Adoption& a : out) {
    a.tick = tick;
    a.requested_tick = in.number();
    a.profile = {in.number32(), 1};
    a.goal = {in.number32(), 1};
    a.field_version = in.number();
  }
}

std::vector<Simulation::Entry> sorted(std::span<const Simulation::Entry> entries) {
  std::vector<Simulation::Entry> result(entries.begin(), entries.end());
  std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
  return result;
}

void write_entries(const std::vector<Simulation::Entry>& entries, base::ByteWriter& out) {
  out.number(entries.size());
  for (const Simulation::Entry& e : entries) {
    out.number(e.key);
    out.number(e.profile.index);
    world::write_cell(out, e.cell);
  }
}

void read_entries(base::ByteReader& in, const GridShape& shape, std::vector<Simulation::Entry>& out) {
  out.resize(in.count(5));
  std::uint64_t last = 0;
  for (Simulation::Entry& e : out) {
    e.key = in.number();
    e.profile = {in.number32(), 1};
    e.cell = world::read_cell(in);
    in.expect(e.key >= last && shape.contains(e.cell));
    last = e.key;
  }
}

}  // namespace

void MapRoster::reset(const Simulation& simulation) {
  std::vector<Simulation::Entry> all;
  simulation.on_map(all);
  shape = simulation.map().shape();
  keys.clear();
  cells.clear();
  for (const Simulation::Entry& e : all) {
    keys.push_back(e.key);
    cells.push_back(e.cell);
  }
  last.assign(keys.size(), kStayed);
}

void MapRoster::enter(std::span<const Simulation::Entry> entries) {
  if (entries.empty()) return;
  MapRoster merged;
  merged.shape = shape;
  std::size_t next = 0;
  const auto take = [&](std::uint64_t key, Cell cell, std::uint8_t code) {
    merged.keys.push_back(key);
    merged.cells.push_back(cell);
    merged.last.push_back(code);
  };
  for (std::size_t i = 0; i <= keys.size(); ++i) {
    for (; next < entries.size() && (i == keys.size() || entries[next].key < keys[i]); ++next)
      take(entries[next].key, entries[next].cell, kStayed);
    if (i < keys.size()) take(keys[i], cells[i], last[i]);
  }
  *this = std::move(merged);
}

void MapRoster::leave(std::span<const std::uint64_t> gone) {
  if (gone.empty()) return;
  std::size_t kept = 0, next = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    while (next < gone.size() && gone[next] < keys[i]) ++next;
    if (next < gone.size() && gone[next] == keys[i]) continue;
    keys[kept] = keys[i];
    cells[kept] = cells[i];
    last[kept] = last[i];
    ++kept;
  }
  keys.resize(kept);
  cells.resize(kept);
  last.resize(kept);
}

void TickEncoder::encode(const Simulation& simulation, base::ByteWriter& out) {
  out.number(simulation.inputs().size());
  for (const Input& input : simulation.inputs()) sim::write_input(out, input);
  write_adoptions(simulation.adoptions(), out);
  encode_steps(simulation, out);
  const std::vector<Simulation::Entry> entered = sorted(simulation.entered());
  write_entries(entered, out);
  std::vector<std::uint64_t> left;
  for (const Simulation::Entry& e : sorted(simulation.left())) left.push_back(e.key);
  out.number(left.size());
  for (const std::uint64_t key : left) out.number(key);
  roster_.enter(entered);
  roster_.leave(left);
}

void TickEncoder::encode_steps(const Simulation& simulation, base::ByteWriter& out) {
  const std::size_t count = roster_.keys.size();
  now_.assign(count + 1, kStayed);  // one more: codes go in pairs
  written_out_.clear();
  std::size_t i = 0;
  for (const MoveRecord& move : simulation.moves()) {
    while (roster_.keys[i] < move.agent) ++i;
    now_[i] = code_of(move, simulation.tick());
    if (now_[i] == kWrittenOut) written_out_.push_back(&move);
  }
  roster_.last.resize(count + 1, kStayed);
  const auto nibble = [this](std::size_t k) {
    const std::uint8_t now = now_[k];
    return static_cast<unsigned>(now == kWrittenOut ? kWrittenOut : now == roster_.last[k] ? 0 : now + 1);
  };
  for (std::size_t k = 0; k < count; k += 2) out.u8(static_cast<std::uint8_t>(nibble(k) | nibble(k + 1) << 4));
  roster_.last.swap(now_);
  roster_.last.resize(count);
  for (std::uint8_t& code : roster_.last)
    if (code == kWrittenOut) code = kStayed;
  for (const MoveRecord* move : written_out_) {
    world::write_cell(out, move->to);
    out.number(simulation.tick() - move->start_tick);
    out.number(move->ticks);
    out.number(move->remainder);
  }
}

bool TickDecoder::decode(std::span<const std::byte> body, std::uint64_t tick, TickRecord& out) {
  base::ByteReader in(body);
  out.inputs.clear();
  for (std::size_t n = in.count(); n > 0 && in.ok(); --n) out.inputs.push_back(sim::read_input(in));
  read_adoptions(in, tick, out.adoptions);
  if (!decode_steps(in, tick, out)) return false;
  read_entries(in, roster_.shape, out.entered);
  out.left.resize(in.count());
  for (std::uint64_t& key : out.left) key = in.number();
  if (!in.ok() || in.left() != 0 || !std::is_sorted(out.left.begin(), out.left.end())) return false;
  roster_.enter(out.entered);
  roster_.leave(out.left);
  return true;
}

bool TickDecoder::decode_steps(base::ByteReader& in, std::uint64_t tick, TickRecord& out) {
  out.moves.clear();
  const std::size_t count = roster_.keys.size();
  const std::span<const std::byte> nibbles = in.raw((count + 1) / 2);
  if (!in.ok()) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned nibble = static_cast<unsigned>(nibbles[i / 2]) >> (i % 2 * 4) & 15;
    if (nibble > 9 && nibble != kWrittenOut) return false;
    std::uint8_t& last = roster_.last[i];
    Cell& cell = roster_.cells[i];
    if (nibble == kWrittenOut) {
      last = kStayed;
      MoveRecord move{roster_.keys[i],        cell,          world::read_cell(in),
                      tick - in.number(tick), in.number32(), in.number32()};
      if (!roster_.shape.contains(move.to)) return false;
      cell = move.to;
      out.moves.push_back(move);
      continue;
    }
    if (nibble != 0) last = static_cast<std::uint8_t>(nibble - 1);
    if (last == kStayed) continue;
    const Cell to{cell.x + kDx[last - 1], cell.y + kDy[last - 1], cell.layer};
    if (!roster_.shape.contains(to)) return false;
    out.moves.push_back({roster_.keys[i], cell, to, tick - 1, 1, 0});
    cell = to;
  }
  return in.ok();
}

}  // namespace drover::io

// SPDX-License-Identifier: MIT
// Steps as differences from the last one: a crowd that flows or stands packs to almost nothing.
#include "io/tick_codec.hpp"

#include <algorithm>
#include <variant>

#include "sim/input_bytes.hpp"
#include "world/map_bytes.hpp"

namespace drover::io {

namespace {

// More of all than this step otherwise than before: what is left is close to random.
constexpr std::size_t kDenseShare = 8;

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

// Without an order nobody jumps, and the list of moves need not be read (drover bench crowd).
void write_jumps(const Simulation& simulation, base::ByteWriter& out) {
  const auto orders = [](const Command& c) { return std::holds_alternative<Teleport>(c.change); };
  if (std::none_of(simulation.commands().begin(), simulation.commands().end(), orders)) return out.u8(0);
  const auto is_jump = [](const MoveRecord& m) { return m.ticks == 0; };
  const std::span<const MoveRecord> moves = simulation.moves();
  out.number(static_cast<std::uint64_t>(std::count_if(moves.begin(), moves.end(), is_jump)));
  for (const MoveRecord& m : moves) {
    if (!is_jump(m)) continue;
    out.number(m.agent);
    world::write_cell(out, m.to);
  }
}

// Maps without portals have no such part.
void write_passages(const Simulation& simulation, base::ByteWriter& out) {
  if (simulation.map().portals().empty()) return;
  const auto through = [](const MoveRecord& move) { return move.portal != kNoPortal; };
  const std::span<const MoveRecord> moves = simulation.moves();
  out.number(static_cast<std::uint64_t>(std::count_if(moves.begin(), moves.end(), through)));
  for (const MoveRecord& move : moves) {
    if (!through(move)) continue;
    out.number(move.agent);
    out.number(move.portal);
  }
}

/// Takes the values at these places out of a list.
template <class T>
void erase_all(std::vector<T>& list, std::span<const std::size_t> places) {
  if (places.empty()) return;
  auto kept = list.begin() + static_cast<std::ptrdiff_t>(places[0]);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::size_t end = i + 1 < places.size() ? places[i + 1] : list.size();
    kept = std::move(list.begin() + static_cast<std::ptrdiff_t>(places[i] + 1),
                     list.begin() + static_cast<std::ptrdiff_t>(end), kept);
  }
  list.erase(kept, list.end());
}

/// Puts value(i) before what stands at places[i] now.
template <class T, class Value>
void insert_all(std::vector<T>& list, std::span<const std::size_t> places, Value&& value) {
  std::size_t from = list.size();
  list.resize(from + places.size());
  for (std::size_t i = places.size(); i > 0; --i) {
    std::move_backward(list.begin() + static_cast<std::ptrdiff_t>(places[i - 1]),
                       list.begin() + static_cast<std::ptrdiff_t>(from),
                       list.begin() + static_cast<std::ptrdiff_t>(from + i));
    from = places[i - 1];
    list[from + i - 1] = value(i - 1);
  }
}

}  // namespace

void MapRoster::reset(std::span<const Simulation::Entry> all) {
  keys.clear();
  for (const Simulation::Entry& e : all) keys.push_back(e.key);
  last.assign(keys.size(), 0);
}

std::vector<std::size_t> MapRoster::enter(std::span<const Simulation::Entry> entries) {
  std::vector<std::size_t> places;
  for (const Simulation::Entry& e : entries)
    places.push_back(static_cast<std::size_t>(std::lower_bound(keys.begin(), keys.end(), e.key) - keys.begin()));
  insert_all(keys, places, [&](std::size_t i) { return entries[i].key; });
  insert_all(last, places, [](std::size_t) { return std::uint8_t{0}; });
  return places;
}

std::vector<std::size_t> MapRoster::leave(std::span<const Simulation::Entry> entries) {
  std::vector<std::size_t> places;
  for (const Simulation::Entry& e : entries) {
    const auto found = std::lower_bound(keys.begin(), keys.end(), e.key);
    const auto place = static_cast<std::size_t>(found - keys.begin());
    if (found != keys.end() && *found == e.key && (places.empty() || places.back() < place)) places.push_back(place);
  }
  erase_all(keys, places);
  erase_all(last, places);
  return places;
}

void TickEncoder::reset(const Simulation& simulation) {
  std::vector<Simulation::Entry> all;
  simulation.on_map(all);
  roster_.reset(all);
  in_state_ = simulation.inputs_waiting();
}

bool TickEncoder::encode(const Simulation& simulation, base::ByteWriter& out) {
  const std::span<const Input> inputs = simulation.inputs().subspan(std::min(in_state_, simulation.inputs().size()));
  in_state_ = 0;
  out.number(inputs.size());
  for (const Input& input : inputs) sim::write_input(out, input);
  write_adoptions(simulation.adoptions(), out);
  const std::vector<Simulation::Entry> entered = sorted(simulation.entered()), left = sorted(simulation.left());
  write_entries(entered, out);
  write_entries(left, out);
  write_jumps(simulation, out);
  write_passages(simulation, out);
  roster_.enter(entered);
  roster_.leave(left);
  return simulation.def().step == StepPolicy::unit ? encode_steps(simulation, out) : encode_begun(simulation, out);
}

// Plain loops over locals: to a compiler, bytes that are written could be anything.
bool TickEncoder::encode_steps(const Simulation& simulation, base::ByteWriter& out) {
  simulation.steps(now_);
  const std::size_t count = now_.size();
  if (count != roster_.last.size()) return false;
  const std::uint8_t *const now = now_.data(), *const last = roster_.last.data();
  std::byte* bits = out.extend((count + 7) / 8);
  for (std::size_t i = 0; i < count; i += 8) {
    unsigned byte = 0;
    for (std::size_t k = 0; k < 8 && i + k < count; ++k) byte |= (now[i + k] != last[i + k] ? 1u : 0u) << k;
    *bits++ = static_cast<std::byte>(byte);
  }
  changed_.resize(count + 2);
  std::uint8_t* const changed = changed_.data();
  std::size_t n = 0;
  for (std::size_t i = 0; i < count; ++i) {
    changed[n] = now[i];
    n += now[i] != last[i] ? 1 : 0;
  }
  changed[n] = 0;
  std::byte* const pairs = out.extend((n + 1) / 2);
  for (std::size_t k = 0; k < (n + 1) / 2; ++k)
    pairs[k] = static_cast<std::byte>(changed[2 * k] | changed[2 * k + 1] << 4);
  dense_ = n > count / kDenseShare;
  roster_.last.swap(now_);
  return true;
}

// Steps of several ticks once, when they begin: who, where to, how long.
bool TickEncoder::encode_begun(const Simulation& simulation, base::ByteWriter& out) {
  simulation.steps(now_);
  if (now_.size() != roster_.keys.size()) return false;
  const auto begins = [](const MoveRecord& m) { return m.ticks != 0; };
  const std::span<const MoveRecord> moves = simulation.moves();
  out.number(static_cast<std::uint64_t>(std::count_if(moves.begin(), moves.end(), begins)));
  std::uint64_t last = 0;
  for (const MoveRecord& m : moves) {
    if (!begins(m)) continue;
    out.number(m.agent - last);
    last = m.agent;
    std::uint8_t step = Simulation::kPortalStep;
    for (int d = 0; d < kDirections && m.portal == kNoPortal; ++d)
      if (m.to.x - m.from.x == kDx[d] && m.to.y - m.from.y == kDy[d]) step = static_cast<std::uint8_t>(d + 1);
    out.u8(step);
    out.number(m.ticks);
    out.number(m.remainder);
  }
  dense_ = false;
  return true;
}

void TickDecoder::reset(const Simulation& simulation) {
  std::vector<Simulation::Entry> all;
  simulation.on_map(all);
  roster_.reset(all);
  timed_ = simulation.def().step != StepPolicy::unit;
  places_.clear();
  for (const Simulation::Entry& e : all) places_.push_back({e.cell, e.cell});
  std::vector<MoveRecord> under_way;
  simulation.under_way(under_way);
  auto place = places_.begin();
  for (std::size_t i = 0, k = 0; k < under_way.size(); ++i, ++place) {
    if (all[i].key != under_way[k].agent) continue;
    place->to = under_way[k].to;
    place->end = under_way[k].start_tick + under_way[k].ticks;
    ++k;
  }
  shape_ = simulation.map().shape();
  portals_.assign(simulation.map().portals().begin(), simulation.map().portals().end());
}

bool TickDecoder::read_passages(base::ByteReader& in) {
  passages_.clear();
  if (portals_.empty()) return in.ok();
  passages_.resize(in.count(2));
  for (Passage& p : passages_) {
    p.agent = in.number();
    p.portal = in.number32(portals_.size() - 1);
  }
  const auto after = [](const Passage& a, const Passage& b) { return a.agent >= b.agent; };
  return in.ok() && std::adjacent_find(passages_.begin(), passages_.end(), after) == passages_.end();
}

std::optional<MoveRecord> TickDecoder::passage(std::uint64_t agent, Cell from, std::uint64_t tick) const {
  const auto before = [](const Passage& p, std::uint64_t key) { return p.agent < key; };
  const auto found = std::lower_bound(passages_.begin(), passages_.end(), agent, before);
  if (found == passages_.end() || found->agent != agent || portals_[found->portal].from != from) return std::nullopt;
  return MoveRecord{agent, from, portals_[found->portal].to, tick - 1, 1, 0, found->portal};
}

bool TickDecoder::decode(std::span<const std::byte> body, std::uint64_t tick, TickRecord& out) {
  base::ByteReader in(body);
  out.inputs.clear();
  for (std::size_t n = in.count(); n > 0 && in.ok(); --n) out.inputs.push_back(sim::read_input(in));
  read_adoptions(in, tick, out.adoptions);
  read_entries(in, shape_, out.entered);
  read_entries(in, shape_, out.left);
  if (!read_jumps(in) || !read_passages(in)) return false;
  out.moves.clear();
  end_steps(tick);
  insert_all(places_, roster_.enter(out.entered), [&](std::size_t i) -> Place {
    return {out.entered[i].cell, out.entered[i].cell};
  });
  if (!apply_jumps(tick, out) || !(timed_ ? decode_begun(in, tick, out) : decode_left(tick, out))) return false;
  erase_all(places_, roster_.leave(out.left));
  if (!timed_ && !decode_steps(in, tick, out)) return false;
  if (in.left() != 0) return false;
  const auto through = [](const MoveRecord& move) { return move.portal != kNoPortal; };
  if (static_cast<std::size_t>(std::count_if(out.moves.begin(), out.moves.end(), through)) != passages_.size())
    return false;
  std::stable_sort(out.moves.begin(), out.moves.end(),
                   [](const MoveRecord& a, const MoveRecord& b) { return a.agent < b.agent; });
  return true;
}

void TickDecoder::end_steps(std::uint64_t tick) {
  if (!timed_) return;
  for (Place& place : places_) {
    if (place.end == 0 || place.end >= tick) continue;
    place.at = place.to;
    place.end = 0;
  }
}

bool TickDecoder::decode_begun(base::ByteReader& in, std::uint64_t tick, TickRecord& out) {
  std::uint64_t agent = 0;
  for (std::size_t n = in.count(4); n > 0 && in.ok(); --n) {
    const std::uint64_t ahead = in.number();
    if (ahead > ~agent) return false;
    agent += ahead;
    const std::uint8_t step = in.u8(Simulation::kPortalStep);
    const std::uint32_t ticks = in.number32(std::max(kMaxStepTicks, kMaxPortalTicks));
    const std::uint64_t remainder = in.number();
    const auto found = std::lower_bound(roster_.keys.begin(), roster_.keys.end(), agent);
    if (!in.ok() || step == 0 || ticks == 0 || found == roster_.keys.end() || *found != agent) return false;
    Place& place = places_[static_cast<std::size_t>(found - roster_.keys.begin())];
    if (place.end != 0) return false;
    MoveRecord move{agent, place.at, place.at, tick - 1};
    if (step == Simulation::kPortalStep) {
      const std::optional<MoveRecord> through = passage(agent, place.at, tick);
      if (!through) return false;
      move = *through;
    } else {
      move.to.x += kDx[step - 1];
      move.to.y += kDy[step - 1];
      if (!shape_.contains(move.to)) return false;
    }
    move.ticks = ticks;
    move.remainder = remainder;
    place.to = move.to;
    place.end = move.start_tick + ticks;
    out.moves.push_back(move);
  }
  return in.ok();
}

// Who vanished stepped onto the cell where it did.
bool TickDecoder::decode_left(std::uint64_t tick, TickRecord& out) {
  for (const Simulation::Entry& e : out.left) {
    const auto place = static_cast<std::size_t>(std::lower_bound(roster_.keys.begin(), roster_.keys.end(), e.key) -
                                                roster_.keys.begin());
    if (place == roster_.keys.size() || roster_.keys[place] != e.key) return false;
    const std::optional<MoveRecord> through = passage(e.key, places_[place].at, tick);
    if (through && through->to != e.cell) return false;
    if (through)
      out.moves.push_back(*through);
    else if (places_[place].at != e.cell)
      out.moves.push_back({e.key, places_[place].at, e.cell, tick - 1, 1, 0});
  }
  return true;
}

bool TickDecoder::read_jumps(base::ByteReader& in) {
  jumps_.resize(in.count(4));
  for (Jump& jump : jumps_) {
    jump.agent = in.number();
    jump.to = world::read_cell(in);
    in.expect(shape_.contains(jump.to));
  }
  return in.ok();
}

bool TickDecoder::apply_jumps(std::uint64_t tick, TickRecord& out) {
  for (const Jump& jump : jumps_) {
    const auto found = std::lower_bound(roster_.keys.begin(), roster_.keys.end(), jump.agent);
    if (found == roster_.keys.end() || *found != jump.agent) return false;
    Place& place = places_[static_cast<std::size_t>(found - roster_.keys.begin())];
    out.moves.push_back({jump.agent, place.at, jump.to, tick - 1, 0, 0});
    place = {jump.to, jump.to};
  }
  return true;
}

bool TickDecoder::decode_steps(base::ByteReader& in, std::uint64_t tick, TickRecord& out) {
  const std::size_t count = roster_.keys.size();
  const std::span<const std::byte> bits = in.raw((count + 7) / 8);
  const std::span<const std::byte> pairs = in.raw(in.left());
  if (!in.ok()) return false;
  std::size_t n = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint8_t& last = roster_.last[i];
    if ((std::to_integer<unsigned>(bits[i / 8]) >> i % 8 & 1) != 0) {
      if (n / 2 >= pairs.size()) return false;
      last = std::to_integer<unsigned>(pairs[n / 2]) >> n % 2 * 4 & 15;
      ++n;
      if (last > Simulation::kPortalStep) return false;
    }
    if (last == 0) continue;
    Cell& cell = places_[i].at;
    if (last == Simulation::kPortalStep) {
      const std::optional<MoveRecord> through = passage(roster_.keys[i], cell, tick);
      if (!through) return false;
      out.moves.push_back(*through);
      cell = through->to;
      continue;
    }
    const Cell to{cell.x + kDx[last - 1], cell.y + kDy[last - 1], cell.layer};
    if (!shape_.contains(to)) return false;
    out.moves.push_back({roster_.keys[i], cell, to, tick - 1, 1, 0});
    cell = to;
  }
  return pairs.size() == (n + 1) / 2;
}

}  // namespace drover::io

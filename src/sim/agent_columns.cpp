// SPDX-License-Identifier: MIT
// Columns out and in; what is read is checked value by value.
#include "sim/agent_columns.hpp"

#include <algorithm>
#include <map>

namespace drover {

using base::ByteReader;
using base::ByteWriter;

void Simulation::Impl::AgentColumns::list_used() {
  used_.clear();
  for (std::uint32_t i = 0; i < s_.records.size(); ++i)
    if (s_.records[i].used) used_.push_back(i);
}

void Simulation::Impl::AgentColumns::write(ByteWriter& out) const {
  write_roster(out);
  each_used([&](std::uint32_t i) { out.number(numbers_.of(s_.agents.at[i])); });
  each_used(
      [&](std::uint32_t i) { out.u8(static_cast<std::uint8_t>(s_.agents.came_by[i] | s_.agents.went_up[i] << 4)); });
  each_used([&](std::uint32_t i) { out.u8(static_cast<std::uint8_t>(s_.agents.state[i])); });
  each_used([&](std::uint32_t i) { out.u8(static_cast<std::uint8_t>(s_.agents.reason[i])); });
  each_used([&](std::uint32_t i) { write_wanted(out, i); });
  each_used([&](std::uint32_t i) { write_by(out, i); });
  each_used([&](std::uint32_t i) { out.number(s_.agents.age[i]); });
  each_used([&](std::uint32_t i) { out.number(s_.agents.best_cost[i] + 1); });  // kAtBest: 0
  each_used([&](std::uint32_t i) { out.number(s_.journeys.goal[i]); });
  each_used([&](std::uint32_t i) { out.number(s_.journeys.next_via[i]); });
  each_used([&](std::uint32_t i) { out.number(s_.journeys.arrival_tick[i]); });
  each_used([&](std::uint32_t i) { out.number(s_.journeys.field_version[i]); });
  each_used([&](std::uint32_t i) { write_yield(out, i); });
  write_own_ways(out);
  write_strides(out);
}

bool Simulation::Impl::AgentColumns::read(ByteReader& in) {
  if (!read_roster(in)) return false;
  each_used([&](std::uint32_t i) {
    s_.agents.cell[i] = numbers_.read(in);
    s_.agents.at[i] = s_.guidance.shape().cell(CellIndex{s_.agents.cell[i]});
  });
  each_used([&](std::uint32_t i) {
    const std::uint8_t steps = in.u8(16 + crowd::kStay);
    s_.agents.came_by[i] = steps & 15;
    s_.agents.went_up[i] = steps >> 4;
    in.expect(s_.agents.came_by[i] <= crowd::kStay);
  });
  each_used([&](std::uint32_t i) {
    s_.agents.state[i] = static_cast<AgentState>(in.u8(static_cast<std::uint8_t>(AgentState::arrived)));
  });
  each_used([&](std::uint32_t i) { s_.agents.reason[i] = static_cast<Reason>(in.u8(kReasons - 1)); });
  if (!place_all(in)) return false;
  each_used([&](std::uint32_t i) { read_wanted(in, i); });
  each_used([&](std::uint32_t i) { read_by(in, i); });
  each_used([&](std::uint32_t i) { s_.agents.age[i] = in.number32(); });
  each_used([&](std::uint32_t i) { s_.agents.best_cost[i] = in.number() - 1; });
  each_used([&](std::uint32_t i) { s_.journeys.goal[i] = in.number32(s_.guidance.goals().size() - 1); });
  each_used([&](std::uint32_t i) {
    s_.journeys.next_via[i] = static_cast<std::uint16_t>(in.number(s_.records[i].via.size()));
  });
  each_used([&](std::uint32_t i) { s_.journeys.arrival_tick[i] = in.number(); });
  each_used([&](std::uint32_t i) { s_.journeys.field_version[i] = in.number32(); });
  each_used([&](std::uint32_t i) { read_yield(in, i); });
  return in.ok() && find_pairs() && read_own_ways(in) && read_strides(in);
}

std::uint64_t Simulation::Impl::AgentColumns::gone() const noexcept {
  return static_cast<std::uint64_t>(std::count(phase_.begin(), phase_.end(), Phase::gone));
}

StateCounts Simulation::Impl::AgentColumns::count_states() const {
  StateCounts result{};
  each_used([&](std::uint32_t i) {
    if (phase_[i] != Phase::queued) ++result[static_cast<std::size_t>(s_.agents.state[i])];
  });
  return result;
}

auto Simulation::Impl::AgentColumns::phases() const -> std::vector<Phase> {
  std::vector<Phase> result(s_.records.size(), Phase::queued);
  for (const std::uint32_t i : s_.starting) result[i] = Phase::starting;
  for (std::uint32_t i = 0; i < result.size(); ++i) {
    if (s_.journeys.on_map[i] != 0)
      result[i] = Phase::on_map;
    else if (s_.records[i].used && s_.agents.state[i] == AgentState::arrived)
      result[i] = Phase::gone;
  }
  return result;
}

void Simulation::Impl::AgentColumns::write_roster(ByteWriter& out) const {
  out.number(s_.records.size());
  for (const AgentRecord& record : s_.records)
    out.number(std::uint64_t{record.generation} << 1 | (record.used ? 1 : 0));
  for (const std::uint32_t slot : s_.free_slots) out.number(slot);
  std::uint64_t last = 0;
  each_used([&](std::uint32_t i) {
    out.signed_number(static_cast<std::int64_t>(s_.agents.key[i] - last));
    last = s_.agents.key[i];
  });
  const std::vector<Phase> phase = phases();
  each_used([&](std::uint32_t i) { out.u8(static_cast<std::uint8_t>(phase[i])); });
  each_used([&](std::uint32_t i) { out.number(s_.records[i].profile); });
  each_used([&](std::uint32_t i) { out.number(s_.records[i].start_tick); });
  each_used([&](std::uint32_t i) { out.signed_number(s_.agents.priority_class[i]); });
  each_used([&](std::uint32_t i) {
    out.number(s_.records[i].via.size());
    for (const std::uint32_t via : s_.records[i].via) out.number(via);
  });
}

bool Simulation::Impl::AgentColumns::read_roster(ByteReader& in) {
  const std::size_t slots = in.count();
  if (slots >= crowd::kNobody) in.fail();
  if (!in.ok()) return false;
  s_.agents.resize(static_cast<std::uint32_t>(slots));
  s_.records.resize(slots);
  s_.journeys.resize(slots);
  std::size_t unused = 0;
  for (AgentRecord& record : s_.records) {
    const std::uint64_t word = in.number(std::uint64_t{1} << 33);
    record.generation = static_cast<std::uint32_t>(word >> 1);
    record.used = (word & 1) != 0;
    unused += record.used ? 0 : 1;
  }
  list_used();
  std::vector<bool> seen(slots);
  for (; unused > 0 && in.ok(); --unused) {
    const std::uint32_t slot = in.number32(slots - 1);
    in.expect(!s_.records[slot].used && !seen[slot]);
    seen[slot] = true;
    s_.free_slots.push_back(slot);
  }
  std::uint64_t last = 0;
  each_used([&](std::uint32_t i) {
    last += static_cast<std::uint64_t>(in.signed_number());
    s_.agents.key[i] = last;
    if (in.ok()) in.expect(s_.slot_of_key.emplace(last, i).second);
  });
  phase_.assign(slots, Phase::queued);
  each_used([&](std::uint32_t i) { phase_[i] = static_cast<Phase>(in.u8(static_cast<std::uint8_t>(Phase::gone))); });
  if (s_.guidance.profiles().empty() || s_.guidance.goals().empty()) in.expect(slots == 0);
  if (!in.ok()) return false;
  each_used([&](std::uint32_t i) { s_.records[i].profile = in.number32(s_.guidance.profiles().size() - 1); });
  each_used([&](std::uint32_t i) { s_.records[i].start_tick = in.number(); });
  each_used([&](std::uint32_t i) { s_.agents.priority_class[i] = in.signed32(); });
  each_used([&](std::uint32_t i) {
    s_.records[i].via.resize(in.count());
    for (std::uint32_t& via : s_.records[i].via) via = in.number32(s_.guidance.goals().size() - 1);
    in.expect(s_.records[i].via.size() <= 65535);
  });
  return in.ok();
}

// Bodies on their cells, each cell held once.
bool Simulation::Impl::AgentColumns::place_all(ByteReader& in) {
  if (!in.ok()) return false;
  const GridShape& shape = s_.guidance.shape();
  each_used([&](std::uint32_t i) {
    s_.agents.body[i] = s_.guidance.profiles()[s_.records[i].profile].body;
    s_.agents.move[i] = crowd::kStay;
    s_.journeys.shown[i] = s_.agents.state[i];
    s_.journeys.on_map[i] = phase_[i] == Phase::on_map ? 1 : 0;
    const AgentState state = s_.agents.state[i];
    in.expect((state == AgentState::not_started) == (phase_[i] == Phase::queued || phase_[i] == Phase::starting) &&
              (state == AgentState::arrived || phase_[i] != Phase::gone));
    if (phase_[i] == Phase::starting) s_.starting.push_back(i);
    if (phase_[i] != Phase::on_map) return;
    const Cell at = s_.agents.at[i];
    const int last = s_.reservations.table().body(s_.agents.body[i]).footprint - 1;
    in.expect(shape.contains({at.x + last, at.y + last, at.layer}) &&
              s_.reservations.is_free(s_.agents.cell[i], s_.agents.body[i]));
    if (!in.ok()) return;
    s_.reservations.place(i);
    s_.placed.push_back(i);
  });
  std::sort(s_.placed.begin(), s_.placed.end(),
            [this](std::uint32_t a, std::uint32_t b) { return s_.agents.key[a] < s_.agents.key[b]; });
  std::sort(s_.starting.begin(), s_.starting.end(),
            [this](std::uint32_t a, std::uint32_t b) { return s_.starts_before(a, b); });
  return in.ok();
}

// 0: nothing; 1 .. 8: the neighbour there; else 9 more than the cell's number.
void Simulation::Impl::AgentColumns::write_wanted(ByteWriter& out, std::uint32_t i) const {
  const std::uint32_t wanted = s_.agents.wanted[i];
  if (wanted == crowd::kNobody) return out.u8(0);
  for (int d = 0; d < kDirections; ++d)
    if (s_.agents.cell[i] + s_.guidance.shape().step(static_cast<Direction>(d)) == wanted)
      return out.u8(static_cast<std::uint8_t>(d + 1));
  out.number(numbers_.of(wanted) + 9);
}

void Simulation::Impl::AgentColumns::read_wanted(ByteReader& in, std::uint32_t i) {
  const GridShape& shape = s_.guidance.shape();
  const std::uint64_t code = in.number(shape.cell_count() + 8);
  s_.agents.wanted[i] = crowd::kNobody;
  if (!in.ok() || code == 0) return;
  if (code <= kDirections) {
    const auto d = static_cast<int>(code) - 1;
    const Cell at = s_.agents.at[i];
    in.expect(shape.contains({at.x + kDx[d], at.y + kDy[d], at.layer}));
    s_.agents.wanted[i] = s_.agents.cell[i] + shape.step(static_cast<Direction>(d));
    return;
  }
  s_.agents.wanted[i] = numbers_.cell(code - 9);
}

// 0: nobody; 1: who holds the wanted cell; else 2 more than the slot.
void Simulation::Impl::AgentColumns::write_by(ByteWriter& out, std::uint32_t i) const {
  const std::uint32_t by = s_.agents.by[i];
  if (by == crowd::kNobody) return out.u8(0);
  if (by == holder_of_wanted(i)) return out.u8(1);
  out.number(std::uint64_t{by} + 2);
}

void Simulation::Impl::AgentColumns::read_by(ByteReader& in, std::uint32_t i) {
  const std::uint64_t code = in.number(s_.records.size() + 1);
  s_.agents.by[i] = code == 0 ? crowd::kNobody : code == 1 ? holder_of_wanted(i) : static_cast<std::uint32_t>(code - 2);
  in.expect(code != 1 || s_.agents.by[i] != crowd::kNobody);
}

void Simulation::Impl::AgentColumns::write_yield(ByteWriter& out, std::uint32_t i) const {
  out.number(s_.agents.yields[i]);
  out.u8(s_.agents.yield_ticks[i]);
  if (s_.agents.yield_ticks[i] == 0) return;
  out.number(s_.agents.yield_to[i]);
  out.number(numbers_.of(s_.agents.yield_cell[i]));
}

void Simulation::Impl::AgentColumns::read_yield(ByteReader& in, std::uint32_t i) {
  s_.agents.yields[i] = in.number32();
  s_.agents.yield_ticks[i] = in.u8();
  if (s_.agents.yield_ticks[i] == 0) return;
  s_.agents.yield_to[i] = in.number32(s_.records.size() - 1);
  s_.agents.yield_cell[i] = numbers_.read(in);
}

// How many, then slot by slot; two steps a byte, the first one low, then the numbers of portals.
void Simulation::Impl::AgentColumns::write_own_ways(ByteWriter& out) const {
  std::uint64_t count = 0;
  each_used([&](std::uint32_t i) { count += s_.own_ways.find(i) != nullptr ? 1u : 0u; });
  out.number(count);
  each_used([&](std::uint32_t i) {
    const crowd::OwnWay* way = s_.own_ways.find(i);
    if (way == nullptr) return;
    out.number(i);
    out.u8(static_cast<std::uint8_t>(way->kind));
    out.number(numbers_.of(way->at));
    out.number(way->goal_version);
    out.u64(way->searched_hash);
    out.u64(way->legal_hash);
    out.number(way->steps.size() - way->next);
    for (std::size_t k = way->next; k < way->steps.size(); k += 2)
      out.u8(static_cast<std::uint8_t>(way->steps[k] | (k + 1 < way->steps.size() ? way->steps[k + 1] : 0) << 4));
    for (std::size_t k = way->next_portal; k < way->portals.size(); ++k) out.number(way->portals[k].portal);
  });
}

bool Simulation::Impl::AgentColumns::read_own_ways(ByteReader& in) {
  std::uint64_t first = 0;
  std::size_t n = in.count(22);
  in.expect(n <= s_.placed.size());
  for (; n > 0 && in.ok(); --n) {
    const std::uint64_t slot = in.number(s_.records.size() - 1);
    in.expect(slot >= first && phase_[slot] == Phase::on_map);
    first = slot + 1;
    if (!in.ok()) return false;
    crowd::OwnWay& way = s_.own_ways.take(static_cast<std::uint32_t>(slot));
    way.kind = static_cast<crowd::OwnWay::Kind>(in.u8(static_cast<std::uint8_t>(crowd::OwnWay::Kind::too_dear)));
    way.at = way.end = numbers_.read(in);
    way.goal_version = in.number();
    way.searched_hash = in.u64();
    way.legal_hash = in.u64();
    read_steps(in, way);
  }
  return in.ok();
}

// They stay on the map; those that are not looked at again are legal now.
void Simulation::Impl::AgentColumns::read_steps(ByteReader& in, crowd::OwnWay& way) {
  const GridShape& shape = s_.guidance.shape();
  const std::uint64_t count = in.number(shape.cell_count());
  const std::span<const std::byte> pairs = in.raw((count + 1) / 2);
  if (!in.ok()) return;
  Cell at = shape.cell(CellIndex{way.at});
  for (std::size_t k = 0; k < count; ++k) {
    const unsigned d = std::to_integer<unsigned>(pairs[k / 2]) >> k % 2 * 4 & 15;
    if (d == crowd::OwnWay::kPortalStep) {
      const auto portals = s_.guidance.map().portals();
      in.expect(!portals.empty());
      const std::uint64_t number = in.number(portals.empty() ? 0 : portals.size() - 1);
      if (!in.ok() || !(portals[number].from == at)) return in.fail();
      at = portals[number].to;
      way.portals.push_back({static_cast<std::uint32_t>(number), shape.index(at)});
    } else {
      if (d > crowd::OwnWay::kPortalStep) return in.fail();
      at = {at.x + kDx[d], at.y + kDy[d], at.layer};
    }
    if (!shape.contains(at)) return in.fail();
    way.steps.push_back(static_cast<std::uint8_t>(d));
  }
  way.end = shape.index(at).value;
  way.hash_rest();
  const nav::CompiledGraph& graph = s_.guidance.profiles()[s_.records[way.agent].profile].graph.compiled();
  in.expect(way.legal_hash != graph.content_hash() || sim::is_legal(way, graph));
}

// How many, then slot by slot: ticks, how many of them are left, remainder, and the step that is not over.
void Simulation::Impl::AgentColumns::write_strides(ByteWriter& out) const {
  const crowd::Strides& strides = s_.reservations.strides();
  if (!strides.timed()) return;
  const auto is_kept = [&](std::uint32_t i) {
    return s_.journeys.on_map[i] != 0 && strides.of(i).ticks != 0 && strides.of(i).end() >= s_.tick;
  };
  out.number(static_cast<std::uint64_t>(std::count_if(used_.begin(), used_.end(), is_kept)));
  each_used([&](std::uint32_t i) {
    if (!is_kept(i)) return;
    const crowd::Stride& stride = strides.of(i);
    out.number(i);
    out.number(stride.ticks);
    out.number(stride.end() - s_.tick);
    out.number(stride.remainder);
    if (!strides.under_way(i)) return;
    out.u8(s_.agents.move[i]);
    if (s_.agents.move[i] == crowd::kPortal) out.number(s_.agents.portal[i]);
  });
}

bool Simulation::Impl::AgentColumns::read_strides(ByteReader& in) {
  crowd::Strides& strides = s_.reservations.strides();
  strides.set_now(s_.tick);
  strides.resize(s_.agents.size());
  if (!strides.timed()) return in.ok();
  std::uint64_t first = 0;
  std::size_t n = in.count(4);
  in.expect(n <= s_.placed.size());
  for (; n > 0 && in.ok(); --n) {
    const std::uint64_t slot = in.number(s_.records.size() - 1);
    in.expect(slot >= first && phase_[slot] == Phase::on_map);
    first = slot + 1;
    if (!in.ok()) return false;
    const auto i = static_cast<std::uint32_t>(slot);
    crowd::Stride stride;
    stride.ticks = in.number32(std::max(kMaxStepTicks, kMaxPortalTicks));
    in.expect(stride.ticks != 0);
    const std::uint64_t remaining = in.number(stride.ticks);
    stride.remainder = in.number(crowd::parts_of_tick(s_.guidance.profiles()[s_.records[i].profile].def.speed) - 1);
    in.expect(remaining < stride.ticks && stride.ticks - remaining <= s_.tick);
    if (!in.ok()) return false;
    stride.start = s_.tick + remaining - stride.ticks;
    strides.set(i, stride);
    if (remaining != 0) read_step(in, i);
  }
  return in.ok() && leaders_first(in);
}

// Its end lies on the map, and nobody else is on the way there.
void Simulation::Impl::AgentColumns::read_step(ByteReader& in, std::uint32_t i) {
  const GridShape& shape = s_.guidance.shape();
  const std::uint8_t move = in.u8(crowd::kPortal);
  Cell to = s_.agents.at[i];
  in.expect(move < kDirections || move == crowd::kPortal);
  if (!in.ok()) return;
  if (move == crowd::kPortal) {
    const auto portals = s_.guidance.map().portals();
    const std::uint64_t number = in.number(portals.empty() ? 0 : portals.size() - 1);
    if (!in.ok() || portals.empty() || !(portals[number].from == to)) return in.fail();
    to = portals[number].to;
    s_.agents.portal[i] = static_cast<std::uint32_t>(number);
  } else {
    to = {to.x + kDx[move], to.y + kDy[move], to.layer};
  }
  const int last = s_.reservations.table().body(s_.agents.body[i]).footprint - 1;
  in.expect(shape.contains(to) && shape.contains({to.x + last, to.y + last, to.layer}));
  if (!in.ok()) return;
  s_.agents.other_end[i] = shape.index(to).value;
  for (int y = 0; y <= last; ++y)
    for (int x = 0; x <= last; ++x)
      in.expect(s_.reservations.entering(shape.index(Cell{to.x + x, to.y + y, to.layer}).value) == crowd::kNobody);
  if (!in.ok()) return;
  s_.agents.move[i] = move;
  s_.reservations.place_step(i);
}

// Who stands on a cell that another one enters is on its way, and gone when that one arrives.
bool Simulation::Impl::AgentColumns::leaders_first(ByteReader& in) {
  const crowd::Strides& strides = s_.reservations.strides();
  for (const std::uint32_t i : s_.placed) {
    const auto k = static_cast<std::uint32_t>(s_.reservations.table().body(s_.agents.body[i]).footprint);
    for (std::uint32_t c = 0; c < k * k; ++c) {
      const std::uint32_t cell = s_.agents.cell[i] + c / k * s_.guidance.shape().stride() + c % k;
      const std::uint32_t follower = s_.reservations.entering(cell);
      if (follower == crowd::kNobody || follower == i) continue;
      in.expect(strides.under_way(i) && strides.of(i).end() <= strides.of(follower).end());
    }
  }
  return in.ok();
}

// Everyone who has started walks to a (profile, goal) that there is.
bool Simulation::Impl::AgentColumns::find_pairs() {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> pairs;
  for (std::uint32_t i = 0; i < s_.guidance.pairs().size(); ++i)
    pairs.emplace(std::pair{s_.guidance.pairs()[i].profile, s_.guidance.pairs()[i].goal}, i);
  bool all = true;
  each_used([&](std::uint32_t i) {
    const auto found = pairs.find({s_.records[i].profile, s_.next_goal(i)});
    if (found != pairs.end()) s_.agents.pair[i] = found->second;
    all = all && (found != pairs.end() || phase_[i] == Phase::queued);
  });
  return all;
}

}  // namespace drover

// SPDX-License-Identifier: MIT
// The validator: agents, and the checks of one tick of unit steps.
#include <algorithm>
#include <new>

#include "base/no_throw.hpp"
#include "verify/prefetch.hpp"
#include "verify/validator_impl.hpp"

namespace drover {

const char* to_string(ViolationKind k) noexcept {
  switch (k) {
    case ViolationKind::unexplained:
      return "unexplained";
    case ViolationKind::illegal_step:
      return "illegal_step";
    case ViolationKind::wall:
      return "wall";
    case ViolationKind::corner:
      return "corner";
    case ViolationKind::overlap:
      return "overlap";
    case ViolationKind::swept_overlap:
      return "swept_overlap";
    case ViolationKind::followed:
      return "followed";
    case ViolationKind::duplicate_record:
      return "duplicate_record";
  }
  return "?";
}

// --- places and slots

// The place a record names nearly always has its agent on it, which spares the hash map.
std::uint32_t Validator::Impl::slot_of(std::uint64_t key, Placement likely) const {
  if (ground.holds(likely, 1)) {
    const std::uint32_t slot = occupancy.holder(ground.index(likely));
    if (slot != kNobody && agents[slot].key == key) return slot;
  }
  const auto found = slots.find(key);
  return found == slots.end() ? kNobody : found->second;
}

void Validator::Impl::report(ViolationKind kind, std::uint64_t agent, std::uint64_t other, Cell where) noexcept {
  if (violation_count < first.size()) first[violation_count] = {now, kind, agent, other, where};
  ++violation_count;
}

// Without memory nothing can be checked any more, and a run that was not checked must not look clean.
template <class Call>
void Validator::Impl::guarded(Call call) noexcept {
  if (blind) return;
  DROVER_TRY { call(); }
  DROVER_CATCH_BAD_ALLOC {
    blind = true;
    report(ViolationKind::unexplained, 0, 0, {});
  }
}

// --- the world

void Validator::Impl::start(const MapView& first_map, std::span<const MovementProfile> all, ValidatorRules chosen) {
  ground = Ground(first_map);
  rules = chosen;
  profiles.assign(all.begin(), all.end());
  compile_bodies();
  neighbourhood = verify::Neighbourhood(bodies, rules.bodies, ground.shape().stride());
  // Prefetching looks one row further than the checks of a world without bodies.
  occupancy = verify::Occupancy(ground.shape(), std::max(neighbourhood.reach(), 1));
  if (rules.step == StepPolicy::ground_speed) claims = verify::Occupancy(ground.shape(), 0);
}

void Validator::Impl::compile_bodies() {
  bodies.clear();
  bodies.reserve(profiles.size());
  for (const MovementProfile& p : profiles) bodies.emplace_back(p, ground);
}

// A map of another shape is another world: no move in it can be explained.
void Validator::Impl::adopt_map() {
  if (!map_changes) return;
  map_changes = false;
  if (!(next_map.shape() == ground.shape())) {
    blind = true;
    report(ViolationKind::unexplained, 0, 0, {});
    return;
  }
  ground.adopt(next_map);
  next_map = {};
  compile_bodies();
}

// --- agents

void Validator::Impl::enter(std::uint64_t agent, std::uint32_t profile, Cell at) {
  const Placement place = ground.placement(at);
  if (profile >= bodies.size() || !bodies[profile].sound() || slots.contains(agent)) {
    report(ViolationKind::unexplained, agent, 0, at);
    return;
  }
  if (!bodies[profile].fits(ground, place)) report(ViolationKind::wall, agent, 0, at);
  if (!ground.holds(place, bodies[profile].footprint())) return;
  if (vacant.empty()) {
    vacant.push_back(static_cast<std::uint32_t>(agents.size()));
    agents.emplace_back();
    motions.push_back(kStays);
    journeys.emplace_back();
  }
  const std::uint32_t slot = vacant.back();
  slots.emplace(agent, slot);
  vacant.pop_back();
  agents[slot] = {agent, place, ground.index(place), profile};
  cover(slot, agents[slot].index, bodies[profile].footprint());
}

void Validator::Impl::leave(std::uint64_t agent) {
  const auto found = slots.find(agent);
  if (found == slots.end()) {
    report(ViolationKind::unexplained, agent, 0, {});
    return;
  }
  const std::uint32_t slot = found->second;
  abandon(slot);
  journeys[slot] = {};
  vacant.push_back(slot);
  slots.erase(found);
  uncover(slot, agents[slot].index, bodies[agents[slot].body].footprint());
  agents[slot] = {};
}

void Validator::Impl::uncover(std::uint32_t slot, std::uint32_t anchor, int footprint) {
  each_cell(anchor, footprint, [&](std::uint32_t index) { occupancy.release(index, slot); });
}

// A pair is reported once however many cells it shares.
void Validator::Impl::cover(std::uint32_t slot, std::uint32_t anchor, int footprint) {
  std::array<std::uint32_t, std::size_t{kMaxFootprint} * kMaxFootprint> met;
  auto end = met.begin();
  each_cell(anchor, footprint, [&](std::uint32_t index) {
    const std::uint32_t other = occupancy.take(index, slot);
    if (other == kNobody || std::find(met.begin(), end, other) != end) return;
    *end++ = other;
    report(ViolationKind::overlap, agents[slot].key, agents[other].key, ground.shape().cell({index}));
  });
}

// --- one tick

// Records come in an order that has nothing to do with places: without this the time goes into waiting for memory.
void Validator::Impl::fetch_ahead(std::span<const MoveRecord> rest) const {
  constexpr std::size_t kCells = 24, kAgents = 12;
  if (rest.size() > kCells) {
    const Placement from = ground.placement(rest[kCells].from), to = ground.placement(rest[kCells].to);
    if (ground.holds(from, 1)) occupancy.prefetch(ground.index(from));
    if (ground.holds(from, 1)) ground.prefetch(ground.index(from));
    if (ground.holds(to, 1)) ground.prefetch(ground.index(to));
  }
  if (rest.size() > kAgents) {
    const Placement from = ground.placement(rest[kAgents].from);
    const std::uint32_t slot = ground.holds(from, 1) ? occupancy.holder(ground.index(from)) : kNobody;
    if (slot != kNobody) verify::prefetch(&agents[slot]);
  }
}

template <class Fetch, class Visit>
void Validator::Impl::each_mover(Fetch fetch, Visit visit) {
  constexpr std::size_t kAhead = 12;
  for (std::size_t i = 0; i < movers.size(); ++i) {
    if (i + kAhead < movers.size()) fetch(movers[i + kAhead]);
    visit(movers[i]);
  }
}

void Validator::Impl::tick(std::uint64_t number, std::span<const MoveRecord> records) {
  now = number;
  adopt_map();
  if (blind) return;
  read_jumps(records);
  movers.clear();
  if (rules.step == StepPolicy::ground_speed) return tick_timed(records);
  for (std::size_t i = 0; i < records.size(); ++i) {
    fetch_ahead(records.subspan(i));
    if (records[i].ticks != 0) read(records[i]);
  }
  // Until here the cells are those of the tick's start: what the pairs are judged by.
  if (rules.following == Following::forbidden) {
    for (const Mover& m : movers) check_following(m);
  }
  const auto stride = static_cast<std::ptrdiff_t>(ground.shape().stride());
  each_mover(
      [&](const Mover& m) {
        for (const std::ptrdiff_t row : {-stride, std::ptrdiff_t{0}, stride}) occupancy.prefetch(m.from_index, row);
      },
      [&](const Mover& m) { check_between_ticks(m); });
  each_mover([&](const Mover& m) { occupancy.prefetch(m.from_index); },
             [&](const Mover& m) { uncover(m.slot, m.from_index, m.footprint); });
  each_mover(
      [&](const Mover& m) {
        occupancy.prefetch(m.to_index);
        verify::prefetch(&agents[m.slot]);
      },
      [&](const Mover& m) {
        agents[m.slot].at = m.to;
        agents[m.slot].index = m.to_index;
        motions[m.slot] = kStays;
        cover(m.slot, m.to_index, m.footprint);
      });
}

// All at once, before anybody steps: places are given up before others are taken.
void Validator::Impl::read_jumps(std::span<const MoveRecord> records) {
  jumpers.clear();
  for (const MoveRecord& record : records)
    if (record.ticks == 0) read_jump(record);
  orders.clear();
  for (const Mover& m : jumpers) uncover(m.slot, m.from_index, m.footprint);
  for (const Mover& m : jumpers) {
    agents[m.slot].at = m.to;
    agents[m.slot].index = m.to_index;
    motions[m.slot] = kStays;
    cover(m.slot, m.to_index, m.footprint);
  }
}

void Validator::Impl::read_jump(const MoveRecord& record) {
  const Placement from = ground.placement(record.from), to = ground.placement(record.to);
  const std::uint32_t slot = slot_of(record.agent, from);
  if (slot == kNobody) return report(ViolationKind::unexplained, record.agent, 0, record.to);
  abandon(slot);
  if (motions[slot] != kStays) return report(ViolationKind::duplicate_record, record.agent, 0, record.to);
  const Agent& a = agents[slot];
  const auto order = std::find(orders.begin(), orders.end(), std::pair(record.agent, record.to));
  const bool on_time = record.remainder == 0 && record.start_tick < now && now - record.start_tick == 1;
  if (order == orders.end() || !on_time || !(from == a.at)) {
    report(ViolationKind::unexplained, record.agent, 0, record.to);
  } else if (!bodies[a.body].fits(ground, to)) {
    report(ViolationKind::wall, record.agent, 0, record.to);
  }
  const int footprint = bodies[a.body].footprint();
  const Placement end = ground.holds(to, footprint) ? to : a.at;
  jumpers.push_back({slot, kJumps, static_cast<std::uint8_t>(footprint), end, a.index, ground.index(end)});
  motions[slot] = kJumps;
}

// A record is believed as soon as its end lies on the map, so that one fault is not found again in every later tick.
void Validator::Impl::read(const MoveRecord& record) {
  const Placement from = ground.placement(record.from), to = ground.placement(record.to);
  const std::uint32_t slot = slot_of(record.agent, from);
  if (slot == kNobody) {
    report(ViolationKind::unexplained, record.agent, 0, record.to);
    return;
  }
  if (motions[slot] != kStays) {
    report(ViolationKind::duplicate_record, record.agent, 0, record.to);
    return;
  }
  const Agent& a = agents[slot];
  const bool on_time =
      record.ticks == 1 && record.remainder == 0 && record.start_tick < now && now - record.start_tick == 1;
  Motion motion = kJumps;
  if (!on_time || !(from == a.at)) {
    report(ViolationKind::unexplained, record.agent, 0, record.to);
  } else {
    motion = record.portal == kNoPortal ? judge_step(record, a, to) : judge_passage(record, a, to);
  }
  const int footprint = bodies[a.body].footprint();
  const Placement end = ground.holds(to, footprint) ? to : a.at;
  movers.push_back({slot, motion, static_cast<std::uint8_t>(footprint), end, a.index, ground.index(end)});
  motions[slot] = motion;
}

Motion Validator::Impl::judge_step(const MoveRecord& record, const Agent& agent, Placement to) {
  const Body& body = bodies[agent.body];
  const auto way = verify::between(agent.at, to);
  const bool step = body.may_step(way);
  if (!step || !body.may_leave(ground, agent.at, way)) report(ViolationKind::illegal_step, record.agent, 0, record.to);
  if (!body.fits(ground, to) || !body.fits(ground, agent.at)) report(ViolationKind::wall, record.agent, 0, record.to);
  if (!step || !ground.holds(to, body.footprint())) return kJumps;
  if (way.dx != 0 && way.dy != 0 && !body.may_cut(ground, agent.at, to)) {
    report(ViolationKind::corner, record.agent, 0, record.to);
  }
  return verify::motion_of(way);
}

Motion Validator::Impl::judge_passage(const MoveRecord& record, const Agent& agent, Placement to) {
  const Body& body = bodies[agent.body];
  const auto portals = ground.portals();
  const bool known = record.portal < portals.size() && portals[record.portal].from == record.from &&
                     portals[record.portal].to == record.to;
  if (!known || !portals[record.portal].open) report(ViolationKind::illegal_step, record.agent, 0, record.to);
  if (!body.fits(ground, to) || !body.fits(ground, agent.at)) report(ViolationKind::wall, record.agent, 0, record.to);
  return known && ground.holds(to, body.footprint()) ? kPasses : kJumps;
}

void Validator::Impl::check_following(const Mover& mover) {
  bool reported = false;
  each_cell(mover.to_index, mover.footprint, [&](std::uint32_t index) {
    const std::uint32_t other = occupancy.holder(index);
    if (reported || other == kNobody || other == mover.slot) return;
    reported = true;
    report(ViolationKind::followed, agents[mover.slot].key, agents[other].key, ground.shape().cell({index}));
  });
}

void Validator::Impl::check_between_ticks(const Mover& mover) {
  if (mover.motion == kPasses) return check_passage(mover);
  for (const auto& place : neighbourhood.around(mover.footprint, mover.motion)) {
    const std::uint32_t other = occupancy.holder(mover.from_index, place.offset);
    if (other == kNobody) continue;
    const bool passes = motions[other] == kPasses;
    if ((place.motions >> (passes ? kStays : motions[other]) & 1) == 0) continue;
    // Not its anchor but another cell of it.
    if (agents[other].index != mover.from_index + static_cast<std::uint32_t>(place.offset)) continue;
    // Of two movers the one with the smaller slot speaks; of one that passes and one that walks, the latter.
    if (motions[other] != kStays && !passes && other < mover.slot) continue;
    if (passes && rules.bodies == BodyRule::cells) continue;
    check_pair(mover, other);
  }
}

Placement Validator::Impl::end_of(std::uint32_t slot) const {
  const auto is_it = [slot](const Mover& m) { return m.slot == slot; };
  if (motions[slot] == kPasses) return std::find_if(movers.begin(), movers.end(), is_it)->to;
  Placement end = agents[slot].at;
  end.column += static_cast<std::uint32_t>(verify::dx_of(motions[slot]));
  end.row += static_cast<std::uint32_t>(verify::dy_of(motions[slot]));
  return end;
}

bool Validator::Impl::overlap(std::uint32_t a, Placement at_a, std::uint32_t b, Placement at_b) const {
  const auto way = verify::between(at_a, at_b);
  const int size_a = bodies[agents[a].body].footprint(), size_b = bodies[agents[b].body].footprint();
  return way.same_layer && way.dx < size_a && way.dx > -size_b && way.dy < size_a && way.dy > -size_b;
}

// Discs: the body stands where it leaves and where it arrives all the time; who stays on a cell of it is found when the
// cells are covered. Cells: no exchange of places.
void Validator::Impl::check_passage(const Mover& mover) {
  const Agent& a = agents[mover.slot];
  const auto meets = [&](std::uint32_t other) {
    report(ViolationKind::swept_overlap, a.key, agents[other].key, ground.cell(mover.to));
  };
  const bool discs = rules.bodies == BodyRule::discs;
  each_near(mover, mover.to_index, [&](std::uint32_t other) {
    const Agent& b = agents[other];
    const Motion motion = motions[other];
    if (motion == kStays || motion == kJumps) return;
    const bool at_start = overlap(mover.slot, mover.to, other, b.at);
    if (at_start && overlap(mover.slot, a.at, other, end_of(other))) {
      if (motion != kPasses || mover.slot < other) meets(other);
      return;
    }
    if (!discs) return;
    if (at_start) return meets(other);
    if (motion == kPasses) return;
    const auto way = verify::between(mover.to, b.at);
    const Body &one = bodies[a.body], &two = bodies[b.body];
    const verify::Encounter encounter{one.footprint(),          two.footprint(), static_cast<int>(way.dx),
                                      static_cast<int>(way.dy), kStays,          motion};
    if (way.same_layer && verify::collide(encounter, rules.bodies, one.radius() + two.radius())) meets(other);
  });
  if (!discs) return;
  each_near(mover, mover.from_index, [&](std::uint32_t other) {
    const bool exchanges = overlap(mover.slot, mover.to, other, agents[other].at);
    if (verify::is_step(motions[other]) && !exchanges && overlap(mover.slot, a.at, other, end_of(other))) meets(other);
  });
}

void Validator::Impl::check_pair(const Mover& mover, std::uint32_t other) {
  const Agent& a = agents[mover.slot];
  const Agent& b = agents[other];
  const auto way = verify::between(a.at, b.at);
  const int reach = neighbourhood.reach();
  if (!way.same_layer || way.dx < -reach || way.dx > reach || way.dy < -reach || way.dy > reach) return;
  const Body& first_body = bodies[a.body];
  const Body& second_body = bodies[b.body];
  const Motion second = motions[other] == kPasses ? kStays : motions[other];
  const verify::Encounter encounter{first_body.footprint(),
                                    second_body.footprint(),
                                    static_cast<int>(way.dx),
                                    static_cast<int>(way.dy),
                                    mover.motion,
                                    second};
  if (verify::collide(encounter, rules.bodies, first_body.radius() + second_body.radius())) {
    report(ViolationKind::swept_overlap, a.key, b.key, ground.cell(mover.to));
  }
}

// --- the public face

Validator::Validator(const MapView& map, std::span<const MovementProfile> profiles, ValidatorRules rules)
    : impl_(new (std::nothrow) Impl) {
  if (impl_) impl_->guarded([&] { impl_->start(map, profiles, rules); });
}
Validator::~Validator() = default;
Validator::Validator(Validator&&) noexcept = default;
Validator& Validator::operator=(Validator&&) noexcept = default;

void Validator::set_map(const MapView& map) {
  if (!impl_) return;
  impl_->next_map = map;
  impl_->map_changes = true;
}

void Validator::enter(std::uint64_t agent, std::uint32_t profile, Cell at) {
  if (impl_) impl_->guarded([&] { impl_->enter(agent, profile, at); });
}

void Validator::leave(std::uint64_t agent) {
  if (impl_) impl_->guarded([&] { impl_->leave(agent); });
}

void Validator::order(std::uint64_t agent, Cell to) {
  if (impl_) impl_->guarded([&] { impl_->orders.emplace_back(agent, to); });
}

void Validator::tick(std::uint64_t tick, std::span<const MoveRecord> moves) {
  if (!impl_) return;
  impl_->move_count += moves.size();
  impl_->guarded([&] { impl_->tick(tick, moves); });
}

std::uint64_t Validator::moves() const noexcept { return impl_ ? impl_->move_count : 0; }
std::uint64_t Validator::violations() const noexcept { return impl_ ? impl_->violation_count : 1; }
std::span<const Violation> Validator::first() const noexcept {
  if (!impl_) return {};
  return std::span(impl_->first).first(std::min<std::uint64_t>(impl_->violation_count, impl_->first.size()));
}

}  // namespace drover

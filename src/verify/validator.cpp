// SPDX-License-Identifier: MIT
// The validator: what it believes about every agent, and the checks of one tick.
#include <drover/verify.hpp>

#include <algorithm>
#include <array>
#include <new>
#include <unordered_map>
#include <utility>

#include "base/no_throw.hpp"
#include "verify/body.hpp"
#include "verify/neighbourhood.hpp"
#include "verify/occupancy.hpp"

namespace drover {

using verify::Body;
using verify::kJumps;
using verify::kNobody;
using verify::kStays;
using verify::Motion;
using verify::Placement;

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

struct Validator::Impl {
  struct Agent {
    std::uint64_t key = 0;
    Placement at;
    std::uint32_t index = 0;  // of the anchor in padded storage
    std::uint32_t body = 0;
    bool present = false;
  };
  /// An agent with a record in the current tick.
  struct Mover {
    std::uint32_t slot = 0;
    Motion motion = kStays;
    Placement to;
  };

  void start(const MapView& first_map, std::span<const MovementProfile> all, ValidatorRules chosen);
  void compile_bodies();
  void enter(std::uint64_t agent, std::uint32_t profile, Cell at);
  void leave(std::uint64_t agent);
  void tick(std::uint64_t number, std::span<const MoveRecord> records);

  void adopt_map();
  void read(const MoveRecord& record);
  Motion judge_step(const MoveRecord& record, const Agent& agent, Placement to);
  void check_following(const Mover& mover);
  void check_between_ticks(const Mover& mover);
  void check_pair(const Mover& mover, std::uint32_t other);
  void cover(std::uint32_t slot);
  void uncover(std::uint32_t slot);

  std::uint32_t slot_of(std::uint64_t key, Placement likely) const;
  Placement placement(Cell c) const noexcept;
  Cell cell(Placement p) const noexcept;
  std::uint32_t index(Placement p) const noexcept;
  template <class Visit>
  void each_cell(Placement anchor, int footprint, Visit visit) const;
  void report(ViolationKind kind, std::uint64_t agent, std::uint64_t other, Cell where) noexcept;
  template <class Call>
  void guarded(Call call) noexcept;

  MapView map, next_map;
  bool map_changes = false;
  std::vector<MovementProfile> profiles;
  std::vector<Body> bodies;
  ValidatorRules rules;

  verify::Occupancy occupancy;
  verify::Neighbourhood neighbourhood;
  std::vector<Agent> agents;
  std::vector<Motion> motions;  // one an agent, kStays between the ticks; apart because pairs read little else
  std::vector<std::uint32_t> vacant;
  std::unordered_map<std::uint64_t, std::uint32_t> slots;  // by key; looked up, never iterated
  std::vector<Mover> movers;

  std::uint64_t now = 0;
  std::uint64_t move_count = 0;
  std::uint64_t violation_count = 0;
  std::array<Violation, 100> first;
  bool blind = false;
};

// --- places and slots

Placement Validator::Impl::placement(Cell c) const noexcept {
  const Cell origin = map.shape().origin();
  return {static_cast<std::uint32_t>(c.x) - static_cast<std::uint32_t>(origin.x),
          static_cast<std::uint32_t>(c.y) - static_cast<std::uint32_t>(origin.y), static_cast<std::uint32_t>(c.layer)};
}

Cell Validator::Impl::cell(Placement p) const noexcept {
  const Cell origin = map.shape().origin();
  return {static_cast<std::int32_t>(p.column + static_cast<std::uint32_t>(origin.x)),
          static_cast<std::int32_t>(p.row + static_cast<std::uint32_t>(origin.y)), static_cast<std::int32_t>(p.layer)};
}

std::uint32_t Validator::Impl::index(Placement p) const noexcept {
  return map.shape().at(static_cast<std::int32_t>(p.column), static_cast<std::int32_t>(p.row),
                        static_cast<std::int32_t>(p.layer));
}

template <class Visit>
void Validator::Impl::each_cell(Placement anchor, int footprint, Visit visit) const {
  const auto size = static_cast<std::uint32_t>(footprint);
  for (std::uint32_t y = 0; y < size; ++y) {
    for (std::uint32_t x = 0; x < size; ++x) visit(Placement{anchor.column + x, anchor.row + y, anchor.layer});
  }
}

// The place a record names nearly always has its agent on it, which spares the hash map.
std::uint32_t Validator::Impl::slot_of(std::uint64_t key, Placement likely) const {
  const GridShape& shape = map.shape();
  if (likely.column < static_cast<std::uint32_t>(shape.width()) &&
      likely.row < static_cast<std::uint32_t>(shape.height()) &&
      likely.layer < static_cast<std::uint32_t>(shape.layers())) {
    const std::uint32_t slot = occupancy.holder(index(likely));
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
  map = first_map;
  rules = chosen;
  profiles.assign(all.begin(), all.end());
  compile_bodies();
  occupancy = verify::Occupancy(map.shape(), verify::Neighbourhood::kReach);
  neighbourhood = verify::Neighbourhood(bodies, rules.bodies, map.shape().stride());
}

void Validator::Impl::compile_bodies() {
  bodies.clear();
  bodies.reserve(profiles.size());
  for (const MovementProfile& p : profiles) bodies.emplace_back(p, map);
}

// A map of another shape is another world: no move in it can be explained.
void Validator::Impl::adopt_map() {
  if (!map_changes) return;
  map_changes = false;
  if (!(next_map.shape() == map.shape())) {
    blind = true;
    report(ViolationKind::unexplained, 0, 0, {});
    return;
  }
  map = std::move(next_map);
  compile_bodies();
}

// --- agents

void Validator::Impl::enter(std::uint64_t agent, std::uint32_t profile, Cell at) {
  const Placement place = placement(at);
  if (profile >= bodies.size() || !bodies[profile].sound() || slots.contains(agent)) {
    report(ViolationKind::unexplained, agent, 0, at);
    return;
  }
  if (!bodies[profile].fits(map, place)) report(ViolationKind::wall, agent, 0, at);
  if (!bodies[profile].on_map(map, place)) return;
  if (vacant.empty()) {
    vacant.push_back(static_cast<std::uint32_t>(agents.size()));
    agents.emplace_back();
    motions.push_back(kStays);
  }
  const std::uint32_t slot = vacant.back();
  slots.emplace(agent, slot);
  vacant.pop_back();
  agents[slot] = {agent, place, index(place), profile, true};
  cover(slot);
}

void Validator::Impl::leave(std::uint64_t agent) {
  const auto found = slots.find(agent);
  if (found == slots.end()) {
    report(ViolationKind::unexplained, agent, 0, {});
    return;
  }
  const std::uint32_t slot = found->second;
  vacant.push_back(slot);
  slots.erase(found);
  uncover(slot);
  agents[slot] = {};
}

void Validator::Impl::uncover(std::uint32_t slot) {
  const Agent& a = agents[slot];
  each_cell(a.at, bodies[a.body].footprint(), [&](Placement p) { occupancy.release(index(p), slot); });
}

// A pair is reported once however many cells it shares.
void Validator::Impl::cover(std::uint32_t slot) {
  const Agent& a = agents[slot];
  std::array<std::uint32_t, std::size_t{kMaxFootprint} * kMaxFootprint> met;
  auto end = met.begin();
  each_cell(a.at, bodies[a.body].footprint(), [&](Placement p) {
    const std::uint32_t other = occupancy.take(index(p), slot);
    if (other == kNobody || std::find(met.begin(), end, other) != end) return;
    *end++ = other;
    report(ViolationKind::overlap, a.key, agents[other].key, cell(p));
  });
}

// --- one tick

void Validator::Impl::tick(std::uint64_t number, std::span<const MoveRecord> records) {
  now = number;
  adopt_map();
  if (blind) return;
  movers.clear();
  for (const MoveRecord& r : records) read(r);
  // Until here the cells are those of the tick's start: what the pairs are judged by.
  if (rules.following == Following::forbidden) {
    for (const Mover& m : movers) check_following(m);
  }
  for (const Mover& m : movers) check_between_ticks(m);
  for (const Mover& m : movers) uncover(m.slot);
  for (const Mover& m : movers) {
    Agent& a = agents[m.slot];
    a.at = m.to;
    a.index = index(m.to);
    motions[m.slot] = kStays;
    cover(m.slot);
  }
}

// Steps that last several ticks will hold both placements between reading and covering; until they exist each is
// unexplained. A record is believed as soon as its end lies on the map, so that one fault is not found again in every
// later tick.
void Validator::Impl::read(const MoveRecord& record) {
  const Placement from = placement(record.from), to = placement(record.to);
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
    motion = judge_step(record, a, to);
  }
  movers.push_back({slot, motion, bodies[a.body].on_map(map, to) ? to : a.at});
  motions[slot] = motion;
}

Motion Validator::Impl::judge_step(const MoveRecord& record, const Agent& agent, Placement to) {
  const Body& body = bodies[agent.body];
  const auto way = verify::between(agent.at, to);
  const bool fits = body.fits(map, to) && body.fits(map, agent.at);
  if (!fits) report(ViolationKind::wall, record.agent, 0, record.to);
  if (!body.may_step(way)) {
    report(ViolationKind::illegal_step, record.agent, 0, record.to);
    return kJumps;
  }
  if (way.dx != 0 && way.dy != 0 && !body.may_cut(map, agent.at, to)) {
    report(ViolationKind::corner, record.agent, 0, record.to);
  }
  return body.on_map(map, to) ? verify::motion_of(way) : kJumps;
}

void Validator::Impl::check_following(const Mover& mover) {
  const Agent& a = agents[mover.slot];
  bool reported = false;
  each_cell(mover.to, bodies[a.body].footprint(), [&](Placement p) {
    const std::uint32_t other = occupancy.holder(index(p));
    if (reported || other == kNobody || other == mover.slot) return;
    reported = true;
    report(ViolationKind::followed, a.key, agents[other].key, cell(p));
  });
}

void Validator::Impl::check_between_ticks(const Mover& mover) {
  if (mover.motion == kJumps) return;
  const Agent& a = agents[mover.slot];
  for (const auto& place : neighbourhood.around(bodies[a.body].footprint(), mover.motion)) {
    const std::uint32_t other = occupancy.holder(a.index, place.offset);
    if (other == kNobody || (place.motions >> motions[other] & 1) == 0) continue;
    // Not its anchor but another cell of it.
    if (agents[other].index != a.index + static_cast<std::uint32_t>(place.offset)) continue;
    // Of two movers the one with the smaller slot speaks.
    if (motions[other] != kStays && other < mover.slot) continue;
    check_pair(mover, other);
  }
}

void Validator::Impl::check_pair(const Mover& mover, std::uint32_t other) {
  const Agent& a = agents[mover.slot];
  const Agent& b = agents[other];
  const auto way = verify::between(a.at, b.at);
  constexpr auto kReach = verify::Neighbourhood::kReach;
  if (!way.same_layer || way.dx < -kReach || way.dx > kReach || way.dy < -kReach || way.dy > kReach) return;
  const Body& first_body = bodies[a.body];
  const Body& second_body = bodies[b.body];
  const verify::Encounter encounter{
      first_body.footprint(), second_body.footprint(), static_cast<int>(way.dx), static_cast<int>(way.dy),
      mover.motion,           motions[other]};
  if (verify::collide(encounter, rules.bodies, first_body.radius() + second_body.radius())) {
    report(ViolationKind::swept_overlap, a.key, b.key, cell(mover.to));
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

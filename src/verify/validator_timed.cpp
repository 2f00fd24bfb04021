// SPDX-License-Identifier: MIT
// The validator: one tick of steps that last as long as their way.
#include <algorithm>

#include "verify/timed_approach.hpp"
#include "verify/validator_impl.hpp"

namespace drover {

namespace {

constexpr std::uint32_t kLongest = 1u << 17;

/// Contracts 6.3: a tick has so many parts, a step of this length takes so many, both as small as halves go.
struct Parts {
  std::uint64_t tick, step;
};
Parts parts_of(std::uint32_t length, Fixed speed) {
  Parts p{std::uint64_t{kStraightLength} * static_cast<std::uint64_t>(speed.raw), std::uint64_t{length} << 32};
  for (std::uint64_t raw = static_cast<std::uint64_t>(speed.raw); raw % 2 == 0 && p.step > length; raw /= 2) {
    p.tick /= 2;
    p.step /= 2;
  }
  return p;
}

bool by_place(verify::Displacement way, int first, int second) noexcept {
  return way.same_layer && way.dx < first && way.dx > -second && way.dy < first && way.dy > -second;
}

}  // namespace

bool Validator::Impl::under_way(std::uint32_t slot) const noexcept { return journeys[slot].end >= now; }

void Validator::Impl::claim(const Mover& mover) {
  std::array<std::uint32_t, std::size_t{kMaxFootprint} * kMaxFootprint> met;
  auto end = met.begin();
  each_cell(mover.to_index, mover.footprint, [&](std::uint32_t index) {
    const std::uint32_t other = claims.take(index, mover.slot);
    if (other == kNobody || std::find(met.begin(), end, other) != end) return;
    *end++ = other;
    report(ViolationKind::overlap, agents[mover.slot].key, agents[other].key, ground.shape().cell({index}));
  });
}

void Validator::Impl::unclaim(const Mover& mover) {
  each_cell(mover.to_index, mover.footprint, [&](std::uint32_t index) { claims.release(index, mover.slot); });
}

// A step that a jump or the end of its agent cuts short.
void Validator::Impl::abandon(std::uint32_t slot) {
  if (motions[slot] == kStays) return;
  const auto found = std::find(travelling.begin(), travelling.end(), slot);
  if (found == travelling.end()) return;
  travelling.erase(found);
  unclaim(journeys[slot].mover);
  journeys[slot] = {};
  motions[slot] = kStays;
}

bool Validator::Impl::right_time(const MoveRecord& record, const Agent& agent, Motion motion,
                                 const Journey& last) const {
  const bool diagonal = motion > 4 && motion != kPasses;
  const Parts parts = parts_of(diagonal ? kDiagonalLength : kStraightLength, profiles[agent.body].speed);
  // Rounding to the nearest: half a tick more, rounded down.
  const std::uint64_t carried = last.ticks != 0 && last.end + 1 == now ? last.carried : parts.tick / 2;
  const std::uint32_t said = motion == kPasses ? ground.portals()[record.portal].ticks : 0;
  if (said != 0) return record.ticks == said && record.remainder == carried;
  return record.ticks <= kLongest && record.remainder < parts.tick &&
         record.ticks * parts.tick + record.remainder == parts.step + carried;
}

// As read(), and the step goes on until its last tick.
void Validator::Impl::begin(const MoveRecord& record) {
  const Placement from = ground.placement(record.from), to = ground.placement(record.to);
  const std::uint32_t slot = slot_of(record.agent, from);
  if (slot == kNobody) return report(ViolationKind::unexplained, record.agent, 0, record.to);
  if (motions[slot] != kStays && journeys[slot].end >= now)
    return report(ViolationKind::duplicate_record, record.agent, 0, record.to);
  const Agent& a = agents[slot];
  Journey& journey = journeys[slot];
  Motion motion = kJumps;
  if (record.start_tick >= now || now - record.start_tick != 1 || !(from == a.at)) {
    report(ViolationKind::unexplained, record.agent, 0, record.to);
  } else {
    motion = record.portal == kNoPortal ? judge_step(record, a, to) : judge_passage(record, a, to);
    if (motion != kJumps && !right_time(record, a, motion, journey))
      report(ViolationKind::unexplained, record.agent, 0, record.to);
  }
  const int footprint = bodies[a.body].footprint();
  const Placement end = ground.holds(to, footprint) ? to : a.at;
  journey.start = now - 1;
  journey.ticks = std::min(record.ticks, kLongest);
  journey.end = journey.start + journey.ticks;
  journey.carried = record.remainder;
  journey.mover = {slot, motion, static_cast<std::uint8_t>(footprint), end, a.index, ground.index(end)};
  motions[slot] = motion;
  travelling.push_back(slot);
  movers.push_back(journey.mover);
}

// Whoever was on its way to these cells before their holder was on its way from them.
void Validator::Impl::check_claims_on(const Mover& mover) {
  bool reported = false;
  each_cell(mover.from_index, mover.footprint, [&](std::uint32_t index) {
    const std::uint32_t other = claims.holder(index);
    if (reported || other == kNobody || other == mover.slot || journeys[other].start + 1 == now) return;
    reported = true;
    report(ViolationKind::overlap, agents[other].key, agents[mover.slot].key, ground.shape().cell({index}));
  });
}

void Validator::Impl::tick_timed(std::span<const MoveRecord> records) {
  for (const MoveRecord& record : records) {
    if (record.ticks != 0) begin(record);
  }
  if (rules.following == Following::forbidden) {
    for (const Mover& m : movers) check_following(m);
  }
  for (const Mover& m : movers) claim(m);
  for (const Mover& m : movers) check_claims_on(m);
  last_contacts.swap(contacts);
  contacts.clear();
  for (const std::uint32_t slot : travelling) check_during(journeys[slot].mover);
  std::sort(contacts.begin(), contacts.end());
  end_due();
}

void Validator::Impl::end_due() {
  movers.clear();
  for (const std::uint32_t slot : travelling) {
    if (journeys[slot].end <= now) movers.push_back(journeys[slot].mover);
  }
  std::erase_if(travelling, [this](std::uint32_t slot) { return journeys[slot].end <= now; });
  for (const Mover& m : movers) {
    uncover(m.slot, m.from_index, m.footprint);
    unclaim(m);
  }
  for (const Mover& m : movers) {
    agents[m.slot].at = m.to;
    agents[m.slot].index = m.to_index;
    motions[m.slot] = kStays;
    cover(m.slot, m.to_index, m.footprint);
  }
}

// A pair that touches for several ticks is one fault. Of one that passes a portal and one that walks the first speaks.
void Validator::Impl::check_during(const Mover& mover) {
  const auto look = [&](std::uint32_t other) {
    const bool passes = mover.motion == kPasses;
    if (!passes && (motions[other] == kPasses || (verify::is_step(motions[other]) && other < mover.slot))) return;
    if (!(passes ? meet_in_portal(mover, other) : meet(mover, other))) return;
    const std::pair pair{std::min(mover.slot, other), std::max(mover.slot, other)};
    if (std::find(contacts.begin(), contacts.end(), pair) != contacts.end()) return;
    contacts.push_back(pair);
    if (std::binary_search(last_contacts.begin(), last_contacts.end(), pair)) return;
    report(ViolationKind::swept_overlap, agents[mover.slot].key, agents[other].key, ground.cell(mover.to));
  };
  if (mover.motion == kJumps) return;
  each_near(mover, mover.from_index, look);
  if (mover.motion == kPasses) each_near(mover, mover.to_index, look);
}

// The mover as it goes, or as it stands at one end of a portal, seen together with the other one.
bool Validator::Impl::near_on_the_way(const Mover& mover, Placement from, Motion motion, std::uint32_t other) const {
  const Body &one = bodies[agents[mover.slot].body], &two = bodies[agents[other].body];
  const auto way = verify::between(from, agents[other].at);
  const int reach = neighbourhood.reach();
  if (!way.same_layer || way.dx < -reach || way.dx > reach || way.dy < -reach || way.dy > reach) return false;
  const auto course = [this](std::uint32_t slot, Motion m) -> verify::Course {
    if (!verify::is_step(m)) return {};
    const Journey& j = journeys[slot];
    return {verify::dx_of(m), verify::dy_of(m), j.ticks, static_cast<std::uint32_t>(now - 1 - j.start)};
  };
  const int centre = two.footprint() - one.footprint();
  return verify::too_near(2 * static_cast<int>(way.dx) + centre, 2 * static_cast<int>(way.dy) + centre,
                          course(mover.slot, motion), course(other, motions[other]), one.radius() + two.radius());
}

// Places that overlap where both stand, or where both will, are found when they are taken.
bool Validator::Impl::meet(const Mover& mover, std::uint32_t other) const {
  const Agent &a = agents[mover.slot], &b = agents[other];
  const Motion motion = motions[other];
  if (motion == kJumps) return false;
  const Placement b_to = verify::is_step(motion) ? journeys[other].mover.to : b.at;
  const int size_a = mover.footprint, size_b = bodies[b.body].footprint();
  if (by_place(verify::between(a.at, b.at), size_a, size_b)) return false;
  if (by_place(verify::between(mover.to, b_to), size_a, size_b)) return false;
  if (rules.bodies == BodyRule::discs) return near_on_the_way(mover, a.at, mover.motion, other);
  if (!verify::is_step(motion)) return false;
  if (by_place(verify::between(mover.to, b.at), size_a, size_b) &&
      by_place(verify::between(a.at, b_to), size_a, size_b))
    return true;
  // Middles of both ways, in quarter cells.
  const auto way = verify::between(a.at, b.at);
  const auto apart = [&](std::int64_t offset, int of_a, int of_b) {
    return 4 * offset + 2 * (size_b - size_a) + 2 * (of_b - of_a) != 0;
  };
  return !apart(way.dx, verify::dx_of(mover.motion), verify::dx_of(motion)) &&
         !apart(way.dy, verify::dy_of(mover.motion), verify::dy_of(motion));
}

// Discs: the body stands where it leaves and where it arrives all the time, so nobody enters the one or leaves the
// other. Cells: no exchange of places.
bool Validator::Impl::meet_in_portal(const Mover& mover, std::uint32_t other) const {
  const Motion motion = motions[other];
  if (motion == kStays || motion == kJumps) return false;
  const Agent &a = agents[mover.slot], &b = agents[other];
  const Placement b_to = journeys[other].mover.to;
  const bool from_far_end = overlap(mover.slot, mover.to, other, b.at);
  const bool to_near_end = overlap(mover.slot, a.at, other, b_to);
  if (from_far_end && to_near_end) return true;
  if (rules.bodies == BodyRule::cells) return false;
  if (from_far_end || to_near_end) return true;
  if (motion == kPasses || by_place(verify::between(mover.to, b_to), mover.footprint, bodies[b.body].footprint()))
    return false;
  return near_on_the_way(mover, mover.to, kStays, other) || near_on_the_way(mover, a.at, kStays, other);
}

}  // namespace drover

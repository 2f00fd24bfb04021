// SPDX-License-Identifier: MIT
// What the validator believes about every agent.
#pragma once
#include <drover/verify.hpp>

#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include "verify/body.hpp"
#include "verify/neighbourhood.hpp"
#include "verify/occupancy.hpp"

namespace drover {

using verify::Body;
using verify::Ground;
using verify::kJumps;
using verify::kNobody;
using verify::kPasses;
using verify::kStays;
using verify::Motion;
using verify::Placement;

struct Validator::Impl {
  struct Agent {
    std::uint64_t key = 0;
    Placement at;
    std::uint32_t index = 0;  // of the anchor in padded storage
    std::uint32_t body = 0;
  };
  /// An agent with a record in the current tick.
  struct Mover {
    std::uint32_t slot = 0;
    Motion motion = kStays;
    std::uint8_t footprint = 1;
    Placement to;
    std::uint32_t from_index = 0, to_index = 0;
  };

  /// The last step that an agent began, where steps last several ticks.
  struct Journey {
    std::uint64_t start = 0, end = 0;
    std::uint64_t carried = 0;  // parts of a tick that its end came too early
    std::uint32_t ticks = 0;
    Mover mover;
  };

  void start(const MapView& first_map, std::span<const MovementProfile> all, ValidatorRules chosen);
  void compile_bodies();
  void enter(std::uint64_t agent, std::uint32_t profile, Cell at);
  void leave(std::uint64_t agent);
  void tick(std::uint64_t number, std::span<const MoveRecord> records);

  void adopt_map();
  void read_jumps(std::span<const MoveRecord> records);
  void read_jump(const MoveRecord& record);
  void fetch_ahead(std::span<const MoveRecord> rest) const;
  template <class Fetch, class Visit>
  void each_mover(Fetch fetch, Visit visit);
  void read(const MoveRecord& record);
  Motion judge_step(const MoveRecord& record, const Agent& agent, Placement to);
  Motion judge_passage(const MoveRecord& record, const Agent& agent, Placement to);
  void check_following(const Mover& mover);
  void check_between_ticks(const Mover& mover);
  void check_pair(const Mover& mover, std::uint32_t other);
  void check_passage(const Mover& mover);
  template <class Visit>
  void each_near(const Mover& mover, std::uint32_t anchor, Visit visit) const;
  Placement end_of(std::uint32_t slot) const;
  bool overlap(std::uint32_t a, Placement at_a, std::uint32_t b, Placement at_b) const;
  void cover(std::uint32_t slot, std::uint32_t anchor, int footprint);
  void uncover(std::uint32_t slot, std::uint32_t anchor, int footprint);

  // Steps of several ticks.
  void tick_timed(std::span<const MoveRecord> records);
  void begin(const MoveRecord& record);
  bool right_time(const MoveRecord& record, const Agent& agent, Motion motion, const Journey& last) const;
  bool under_way(std::uint32_t slot) const noexcept;
  void claim(const Mover& mover);
  void unclaim(const Mover& mover);
  void abandon(std::uint32_t slot);
  void check_claims_on(const Mover& mover);
  void check_during(const Mover& mover);
  bool meet(const Mover& mover, std::uint32_t other) const;
  bool meet_in_portal(const Mover& mover, std::uint32_t other) const;
  bool near_on_the_way(const Mover& mover, Placement from, Motion motion, std::uint32_t other) const;
  void end_due();

  std::uint32_t slot_of(std::uint64_t key, Placement likely) const;
  template <class Visit>
  void each_cell(std::uint32_t anchor, int footprint, Visit visit) const;
  void report(ViolationKind kind, std::uint64_t agent, std::uint64_t other, Cell where) noexcept;
  template <class Call>
  void guarded(Call call) noexcept;

  Ground ground;
  MapView next_map;
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
  std::vector<Mover> movers, jumpers;
  std::vector<std::pair<std::uint64_t, Cell>> orders;  // of jumps, for the coming tick

  verify::Occupancy claims;               // cells that steps of several ticks lead to
  std::vector<Journey> journeys;          // one an agent
  std::vector<std::uint32_t> travelling;  // in the middle of a step
  std::vector<std::pair<std::uint32_t, std::uint32_t>> contacts,
      last_contacts;  // pairs that met in this tick, in the last

  std::uint64_t now = 0;
  std::uint64_t move_count = 0;
  std::uint64_t violation_count = 0;
  std::array<Violation, 100> first;
  bool blind = false;
};

template <class Visit>
void Validator::Impl::each_cell(std::uint32_t anchor, int footprint, Visit visit) const {
  for (int y = 0; y < footprint; ++y, anchor += ground.shape().stride()) {
    for (std::uint32_t x = 0; x < static_cast<std::uint32_t>(footprint); ++x) visit(anchor + x);
  }
}

// Agents whose anchor is so near that they could meet a body of the mover's size at `anchor`.
template <class Visit>
void Validator::Impl::each_near(const Mover& mover, std::uint32_t anchor, Visit visit) const {
  const int reach = neighbourhood.reach();
  for (int y = -reach; y <= reach; ++y) {
    for (int x = -reach; x <= reach; ++x) {
      const auto offset = static_cast<std::ptrdiff_t>(ground.shape().stride()) * y + x;
      const std::uint32_t other = occupancy.holder(anchor, offset);
      if (other == kNobody || other == mover.slot) continue;
      if (agents[other].index == anchor + static_cast<std::uint32_t>(offset)) visit(other);
    }
  }
}

}  // namespace drover

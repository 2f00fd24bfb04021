// SPDX-License-Identifier: MIT
// Who holds which cell and who may enter it: query and commit in one call.
#pragma once
#include "crowd/agents.hpp"
#include "crowd/pair_table.hpp"
#include "crowd/phases.hpp"
#include "crowd/strides.hpp"

#include <drover/crowd.hpp>
#include <drover/field.hpp>
#include <drover/profile.hpp>

#include <cstdint>
#include <vector>

namespace drover::crowd {

/// The holders of one cell: the one that stands on it when the tick begins, and the one that enters it during the tick.
/// Where steps last several ticks, both hold it until their steps are over; who enters never arrives before the other
/// has left.
struct Holders {
  std::uint32_t leaving = kNobody;
  std::uint32_t entering = kNobody;
};

struct ReserveResult {
  bool granted = false;
  Conflict conflict = Conflict::vertex;
  std::uint32_t by = kNobody;
  bool late = false;  // refused only because the step of `by` would be over later
};

/// The one authority over cells, edges and footprints of a tick. Owned by the simulation, used from its thread only.
///
/// A granted step whose target is still held by undecided agents is a claim: those must be decided (pushed) before it
/// counts, see next_to_push() and intact(). Invariant: an undecided agent that nobody pushes can always stay where it
/// is.
class Reservations {
 public:
  Reservations(Agents& agents, const GridShape& shape, BodyRule bodies, Following following,
               StepPolicy steps = StepPolicy::unit);

  PairTable& table() noexcept { return table_; }
  const PairTable& table() const noexcept { return table_; }
  Strides& strides() noexcept { return strides_; }
  const Strides& strides() const noexcept { return strides_; }

  const Holders& holders(std::uint32_t cell) const noexcept { return cells_[cell]; }
  bool is_free(std::uint32_t cell, std::uint8_t body) const noexcept;
  /// Asks for the memory around a cell before it is needed (drover bench crowd).
  void fetch_ahead(std::uint32_t cell) const noexcept {
    __builtin_prefetch(&cells_[cell]);
    __builtin_prefetch(&cells_[cell - shape_.stride()]);
    __builtin_prefetch(&cells_[cell + shape_.stride()]);
  }
  std::uint32_t holder(std::uint32_t cell) const noexcept { return cells_[cell].leaving; }
  std::uint32_t entering(std::uint32_t cell) const noexcept { return cells_[cell].entering; }
  /// First agent found on the cells of a body at `cell`, other than `self`.
  std::uint32_t any_holder(std::uint32_t cell, std::uint8_t body, std::uint32_t self) const noexcept;
  /// Cells that the body of `a` at `cell_a` and that of `b` at `cell_b` would share.
  int shared_cells(std::uint32_t a, std::uint32_t cell_a, std::uint32_t b, std::uint32_t cell_b) const noexcept;
  void place(std::uint32_t agent) noexcept;
  /// As lift(), where all bodies are single cells (table().simple()).
  void lift_single(std::uint32_t agent) noexcept { cells_[agents_.cell[agent]].leaving = kNobody; }
  void fetch_to_write(std::uint32_t cell) const noexcept { __builtin_prefetch(&cells_[cell], 1); }
  void lift(std::uint32_t agent) noexcept;
  void place_all(const std::vector<std::uint32_t>& agents) noexcept;
  void lift_all(const std::vector<std::uint32_t>& agents) noexcept;

  /// Somebody whose cells, or whose step that is not over, leave no room for this agent to stand at `anchor` between
  /// two ticks; or kNobody.
  std::uint32_t objector(std::uint32_t agent, std::uint32_t anchor) const noexcept;
  /// Of a body in the middle of a step: holds the cells that it enters, or gives them up. Its own cells are placed and
  /// lifted as always.
  void place_step(std::uint32_t agent) noexcept;
  void lift_step(std::uint32_t agent) noexcept;
  /// Time of the step that was granted to it in this tick.
  StepTime granted_time(std::uint32_t agent) const noexcept;

  /// Grants a step to a cell that nobody stands on or enters, between bodies of one cell, where nobody else is near
  /// enough to object. False: reserve() knows.
  bool reserve_free(std::uint32_t agent, std::uint32_t here, std::uint8_t direction) noexcept {
    Holders& target = cells_[here + steps_[direction]];
    if ((target.leaving & target.entering) != kNobody || cells_[here].entering != kNobody) return false;
    if (direction >= 4) {
      const std::uint32_t side = here + static_cast<std::uint32_t>(kDx[direction]),
                          other = here + steps_[direction] - static_cast<std::uint32_t>(kDx[direction]);
      if ((cells_[side].leaving & cells_[other].leaving) != kNobody) return false;
    }
    target.entering = agent;
    agents_.move[agent] = direction;
    return true;
  }
  /// Grants or refuses the step of an undecided agent. Granted: its move is set and its target cells are entered by it.
  ReserveResult reserve(std::uint32_t agent, std::uint8_t direction) noexcept;
  /// The same for a step through a portal. A body there stands at both ends for the whole tick, so under discs nobody
  /// follows it and it follows nobody; where the far end is only about to be left, the agent keeps others from entering
  /// it until the tick is over, so that it comes next.
  ReserveResult reserve_portal(std::uint32_t agent, PortalStep portal) noexcept;
  /// An undecided agent beside itself on the cells that it would have at `anchor` that waits for a portal, or kNobody.
  std::uint32_t at_portal(std::uint32_t agent, std::uint32_t anchor) const noexcept;
  /// Takes a granted step back.
  void release(std::uint32_t agent) noexcept;
  /// An undecided agent on the target cells of `agent`, or kNobody.
  std::uint32_t next_to_push(std::uint32_t agent) const noexcept;
  /// The target cells are its own: everybody on them leaves.
  bool intact(std::uint32_t agent) const noexcept;
  /// Nobody else may enter the free ones among these cells until the tick is over.
  void keep_free(std::uint32_t agent, std::uint32_t anchor);

  /// Carries out the decided steps of these agents; all at once, then the cells they left are free.
  void commit(const std::vector<std::uint32_t>& movers) noexcept;

 private:
  ReserveResult reserve_single(std::uint32_t agent, std::uint8_t direction) noexcept;
  ReserveResult reserve_wide(std::uint32_t agent, std::uint8_t direction) noexcept;
  ReserveResult reserve_timed(std::uint32_t agent, std::uint8_t direction) noexcept;
  ReserveResult check_neighbours_timed(std::uint32_t agent, std::uint8_t direction, std::uint32_t ticks) const noexcept;
  ReserveResult check_order(std::uint32_t agent, std::uint32_t anchor, std::uint32_t ticks) const noexcept;
  Phase phase(std::uint32_t agent) const noexcept;
  std::uint32_t ticks_left(std::uint32_t agent) const noexcept;
  std::uint32_t quickest(std::uint32_t agent) const noexcept;
  std::uint32_t passage_ticks(std::uint32_t agent, PortalStep portal) const noexcept {
    return strides_.passage(agent, speed(agent), portal.portal).ticks;
  }
  Fixed speed(std::uint32_t agent) const noexcept { return table_.body(agents_.body[agent]).speed; }
  bool clear(std::uint32_t a, Phase phase_a, std::uint32_t b, Phase phase_b, int dx, int dy) const noexcept;
  ReserveResult check_cells(std::uint32_t agent, std::uint32_t target) const noexcept;
  ReserveResult check_neighbours(std::uint32_t agent, std::uint8_t direction) const noexcept;
  ReserveResult check_far_end(std::uint32_t agent, std::uint32_t there) const noexcept;
  ReserveResult check_near_end(std::uint32_t agent, PortalStep portal) const noexcept;
  ReserveResult check_standing_at(std::uint32_t agent, std::uint32_t there) const noexcept;
  bool exchange(std::uint32_t a, std::uint32_t target_a, std::uint32_t b) const noexcept;
  Conflict cells_conflict(std::uint32_t agent, std::uint32_t other) const noexcept {
    return footprint(agent) == 1 && footprint(other) == 1 ? Conflict::vertex : Conflict::footprint;
  }
  Conflict classify(std::uint32_t a, std::uint8_t move_a, std::uint32_t b, std::uint8_t move_b) const noexcept;
  bool enters(std::uint32_t a, std::uint8_t move_a, std::uint32_t b) const noexcept;
  int footprint(std::uint32_t agent) const noexcept { return table_.body(agents_.body[agent]).footprint; }
  /// Has a step that was granted.
  bool steps(std::uint32_t agent) const noexcept {
    return agents_.move[agent] < kDirections || agents_.move[agent] == kPortal;
  }
  std::uint32_t target(std::uint32_t agent) const noexcept {
    const std::uint8_t move = agents_.move[agent];
    return move == kPortal ? agents_.other_end[agent] : agents_.cell[agent] + steps_[move];
  }
  template <class Visit>
  void each_cell(std::uint32_t anchor, int k, Visit&& visit) const {
    for (int y = 0; y < k; ++y, anchor += shape_.stride())
      for (int x = 0; x < k; ++x) visit(anchor + static_cast<std::uint32_t>(x));
  }
  void commit_singles(const std::vector<std::uint32_t>& movers) noexcept;
  template <class Find>
  ReserveResult each_near(std::uint32_t agent, std::uint32_t anchor, Find&& find) const;
  bool discs() const noexcept { return table_.rule() == BodyRule::discs; }

  Agents& agents_;
  GridShape shape_;
  Following following_;
  PairTable table_;
  Strides strides_;
  std::uint32_t steps_[kStay + 1];
  std::vector<Holders> cells_;
  struct Kept {
    std::uint32_t agent, anchor;
  };
  std::vector<Kept> kept_free_;     // of this tick
  std::uint64_t portal_steps_ = 0;  // granted, not taken back and not over
};

}  // namespace drover::crowd

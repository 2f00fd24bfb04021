// SPDX-License-Identifier: MIT
// One tick of arbitration: priority inheritance with backtracking (PIBT; Okumura, Machida, Defago and Tamura, AIJ
// 2022).
#pragma once
#include "crowd/agents.hpp"
#include "crowd/candidates.hpp"
#include "crowd/reservations.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace drover::crowd {

struct ArbiterCounters {
  std::array<std::uint64_t, kConflicts> refusals{};
  std::uint64_t pushes = 0, rotations = 0, steps_aside = 0;
};

/// Decides every agent of a tick in the given order. An agent takes the best step that it is granted; whoever stands
/// there and has not decided yet is pushed: he decides next, on behalf of the pusher, and if he cannot leave the step
/// is taken back.
///
/// The chain of pushes is an explicit stack (chains of thousands occur), and what a failed push had decided is undone
/// from a log, except that who failed stays: so every agent fails at most once a tick. Serial; the order is the
/// specification.
class Arbiter {
 public:
  Arbiter(Agents& agents, Reservations& reservations, const GridShape& shape) noexcept;

  /// `order`: undecided agents, highest priority first. Afterwards each of them has a direction or kStay, and who stays
  /// has `by`, `wanted` and `reason` of its first refusal.
  void run(const std::vector<std::uint32_t>& order, const CandidateSource& source);
  const ArbiterCounters& counters() const noexcept { return counters_; }
  void restore_counters(const ArbiterCounters& counters) noexcept { counters_ = counters; }

 private:
  struct Frame {
    std::uint32_t agent = kNobody;
    std::uint32_t pusher = kNobody;
    std::uint32_t log_mark = 0;
    std::uint8_t count = 0, next = 0;
    std::uint8_t optimal = 0;        // the first so many candidates are optimal
    std::uint8_t not_closer = 0;     // directions among the others that lead level or uphill
    std::uint32_t next_portal = 0;   // optimal portals come after the optimal directions
    std::uint32_t target = kNobody;  // cell of the step that was tried last
    bool extended = false;           // the others are listed too
    bool claimed = false;
    bool crowded = false;               // a step was refused only because the pusher comes too close on its way
    bool one_crowd = true;              // the whole chain of pushes walks to one goal with one profile
    bool asked = false;                 // `slow` has been let ahead, or is on its way
    std::uint32_t slow = kNobody;       // whose step would outlast the best one of who decides in its own turn,
    std::uint32_t slow_cell = kNobody;  // which leads here
    bool only_standing = true;          // every optimal step was refused by somebody who stands for reasons of his own
    std::array<std::uint8_t, kDirections> candidates{};
  };

  bool take_free_step(std::uint32_t agent);
  void let_pass(std::uint32_t agent, std::uint32_t target);
  void decide(std::uint32_t agent);
  void open(std::uint32_t agent, std::uint32_t pusher);
  bool list_retreat(Frame& frame) const;
  void extend(Frame& frame);
  std::uint8_t free_of(std::uint32_t agent, std::uint8_t directions) const noexcept;
  bool try_next(Frame& frame);
  std::optional<ReserveResult> reserve_next(Frame& frame);
  void take_back(Frame& frame);
  bool let_ahead(std::uint32_t slow, std::uint32_t agent);
  void succeed(const Frame& frame);
  bool leads_back(std::uint32_t agent, unsigned direction) const noexcept;
  bool stands(std::uint32_t agent) const noexcept;
  void refused(Frame& frame, const ReserveResult& result);

  Agents& agents_;
  Reservations& reservations_;
  const CandidateSource* source_ = nullptr;
  bool portals_ = false;  // some may step through portals,
  bool passing_ = false;  // and must not be followed
  ArbiterCounters counters_;
  std::vector<Frame> stack_;
  std::vector<std::uint32_t> log_;  // agents with a granted step, oldest first
  std::array<std::uint32_t, kDirections> steps_{};
};

}  // namespace drover::crowd

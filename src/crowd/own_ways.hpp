// SPDX-License-Identifier: MIT
// Ways that agents found for themselves, and the candidates that follow from them.
#pragma once
#include "crowd/agents.hpp"
#include "crowd/field_source.hpp"

#include <cstdint>
#include <vector>

namespace drover::crowd {

/// What an agent's own search came to, on which graph and for which goal.
struct OwnWayHead {
  enum class Kind : std::uint8_t {
    way,
    none,     // there is none
    too_dear  // a whole tick's budget did not find it
  };
  Kind kind = Kind::way;
  std::uint32_t agent = kNobody;
  std::uint32_t at = 0;             // where the rest begins; of the others: where the search began
  std::uint32_t end = 0;            // a goal cell
  std::uint64_t goal_version = 0;   // of the goal that was searched for
  std::uint64_t searched_hash = 0;  // of the graph
  std::uint64_t legal_hash = 0;     // of the last graph on which the rest was found legal
  std::uint64_t rest_hash = 0;      // of the steps that are left
};

struct OwnWay : OwnWayHead {
  /// A step through a portal, among directions.
  static constexpr std::uint8_t kPortalStep = kDirections;

  std::uint32_t next = 0, next_portal = 0;
  std::vector<std::uint8_t> steps;
  std::vector<PortalStep> portals;  // of the steps through one, in order

  bool finished() const noexcept { return next == steps.size(); }
  /// The portal that comes next, or null.
  const PortalStep* portal() const noexcept {
    return kind == Kind::way && !finished() && steps[next] == kPortalStep ? &portals[next_portal] : nullptr;
  }
  /// After `next` or the steps were set.
  void hash_rest() noexcept;
  /// The next step was taken; O(1).
  void advance(std::uint32_t cell) noexcept;
  void clear() noexcept {
    next = next_portal = 0;
    steps.clear();
    portals.clear();
  }
  std::uint64_t digest() const noexcept;
};

/// Ways as a snapshot keeps them: heads, and the steps that are left of one after the other.
struct SavedWays {
  std::vector<OwnWayHead> heads;
  std::vector<std::uint32_t> counts, portal_counts;
  std::vector<std::uint8_t> steps;
  std::vector<PortalStep> portals;

  std::size_t bytes() const noexcept {
    return heads.size() * (sizeof(OwnWayHead) + 2 * sizeof(std::uint32_t)) + steps.size() +
           portals.size() * sizeof(PortalStep);
  }
};

/// At most one for every agent. Memory of ways that are dropped is used again.
class OwnWays {
 public:
  bool empty() const noexcept { return ways_.size() == vacant_.size(); }
  OwnWay* find(std::uint32_t agent) noexcept {
    return agent < places_.size() && places_[agent] != kNobody ? &ways_[places_[agent]] : nullptr;
  }
  const OwnWay* find(std::uint32_t agent) const noexcept { return const_cast<OwnWays*>(this)->find(agent); }
  /// The agent's, or one without steps. Valid until the next call.
  OwnWay& take(std::uint32_t agent);
  void drop(std::uint32_t agent) noexcept;
  void save(SavedWays& to) const;
  void load(const SavedWays& from);

 private:
  std::vector<OwnWay> ways_;
  std::vector<std::uint32_t> vacant_;  // places in ways_; never smaller than it needs to be
  std::vector<std::uint32_t> places_;  // by agent
};

/// Candidates of those who walk their own way, and the field's for everyone else. Beside its next step nothing is known
/// to lead closer, so an agent on its own way leaves it only where it is pushed, or round somebody who stands for good.
/// Who waits for the budget of searches goes where it is pushed.
class GuidedSource final : public CandidateSource {
 public:
  GuidedSource(Agents& agents, const std::vector<PairRead>& pairs, const GridShape& shape, const OwnWays& ways) noexcept
      : agents_(agents), pairs_(pairs), shape_(shape), ways_(ways), field_(agents, pairs, shape) {}
  std::uint8_t beyond_wish(std::uint32_t agent) const noexcept override { return field_.beyond_wish(agent); }
  CandidateList rank(std::uint32_t agent, std::uint8_t directions) const noexcept override;
  bool has_portals() const noexcept override { return field_.has_portals(); }
  std::optional<PortalStep> portal(std::uint32_t agent, std::uint32_t& next) const noexcept override;

 private:
  const Agents& agents_;
  const std::vector<PairRead>& pairs_;
  GridShape shape_;
  const OwnWays& ways_;
  FieldSource field_;
};

}  // namespace drover::crowd

// SPDX-License-Identifier: MIT
// Groups of agents that have come out of a jam by a plan of all their steps, or that stand because there is none.
#pragma once
#include "crowd/agents.hpp"
#include "crowd/joint_search.hpp"

#include <cstdint>
#include <vector>

namespace drover::sim {

/// Between two ticks every agent of a plan stands where the plan has it: who is moved by anything else drops it.
struct JamGroup {
  bool no_space = false;              // else they walk by the plan
  std::vector<std::uint32_t> agents;  // slots; in a cycle each waits for the next
  std::vector<std::uint8_t> moves;    // that are left, tick by tick in the order of the agents
  std::uint64_t proof = 0;            // digest of all that the proof rests on

  std::uint64_t digest(const crowd::Agents& all) const noexcept;
};

/// What a proof or a plan is made of.
struct Jam {
  crowd::JointProblem problem;
  std::vector<std::uint32_t> cells;    // padded, by number in the problem
  std::vector<std::uint32_t> agents;   // slots, in the order of the problem
  std::vector<std::uint32_t> blocked;  // cells of those who are not in the problem
  std::uint64_t proof = 0;
  bool closed = true;  // nobody leaves these cells, and whoever is in them is in the problem
};

class Deadlocks {
 public:
  explicit Deadlocks(const crowd::PairTable& table) noexcept : search(table) {}
  /// The agent goes elsewhere by other means.
  void forget(std::uint32_t agent) {
    if (!groups.empty()) drop(agent);
  }
  bool holds(std::uint32_t agent) const noexcept;
  std::uint64_t digest(const crowd::Agents& all) const noexcept;

  std::vector<JamGroup> groups;      // in the order in which they were found; no agent is in two
  std::vector<std::uint32_t> stuck;  // this tick, ascending by key
  std::vector<std::uint32_t> chain;
  std::vector<std::uint32_t> visit;  // this tick, by slot: the chain that went there, 0: none
  std::uint32_t walks = 0;
  crowd::JointSearch search;
  Jam jam;

 private:
  void drop(std::uint32_t agent);
};

}  // namespace drover::sim

// SPDX-License-Identifier: MIT
// Simulation::would_block: everyone who walks, by profile and goal, put to that profile's BlockTester.
#include "base/no_throw.hpp"
#include "base/text.hpp"
#include "field/goals.hpp"
#include "sim/impl.hpp"

#include <algorithm>
#include <tuple>

namespace drover {
namespace {

struct Walker {
  std::uint32_t profile, goal;
  std::uint64_t key;
  Cell at;
};

// Agents whose command has not come into force yet are in the queue; the vanished are nowhere.
template <class State>
std::vector<Walker> walkers_of(const State& s) {
  std::vector<Walker> walkers;
  for (const std::vector<std::uint32_t>* slots : {&s.placed, &s.starting}) {
    for (const std::uint32_t slot : *slots)
      walkers.push_back({s.records[slot].profile, s.next_goal(slot), s.agents.key[slot], s.agents.at[slot]});
  }
  for (const Command* command : s.queue.by_sequence()) {
    const auto* add = std::get_if<AddAgent>(&command->change);
    if (add == nullptr || !s.valid(add->agent)) continue;
    const GoalId goal = add->def.via.empty() ? add->def.goal : add->def.via.front();
    walkers.push_back({add->def.profile.index, goal.index, add->def.key, add->def.at});
  }
  std::sort(walkers.begin(), walkers.end(), [](const Walker& a, const Walker& b) {
    return std::tie(a.profile, a.goal, a.key) < std::tie(b.profile, b.goal, b.key);
  });
  return walkers;
}

}  // namespace

Result<WouldBlock> Simulation::Impl::would_block(std::span<const Cell> cells) const {
  const GridShape& shape = guidance.shape();
  for (const Cell c : cells) {
    if (!shape.contains(c)) {
      return Status(StatusCode::position,
                    base::concat("the cell ", base::cell_text(c, shape.layers()), " is outside; the map has ",
                                 shape.width(), "x", shape.height(), "x", shape.layers(), " cells"));
    }
  }
  const std::vector<Walker> walkers = walkers_of(*this);
  WouldBlock answer;
  std::vector<std::uint8_t> lost_some(guidance.goals().size()), left_some(guidance.goals().size());
  while (block_testers.size() < guidance.profiles().size()) block_testers.emplace_back(host);
  LostWays lost;
  std::vector<Cell> goals, places;
  for (auto first = walkers.begin(), last = first; first != walkers.end(); first = last) {
    const auto other = [&](const Walker& w) { return w.profile != first->profile || w.goal != first->goal; };
    last = std::find_if(first, walkers.end(), other);
    const sim::Profile& profile = guidance.profiles()[first->profile];
    if (profile.outdated) return base::out_of_memory();
    // A goal that is bad now has no field: nobody has a way to it.
    const field::PlacedGoals placed_goals = field::place_goals(profile.graph, guidance.goals()[first->goal].def.where);
    if (placed_goals.status.code() == StatusCode::out_of_memory) return placed_goals.status;
    if (!placed_goals.status.ok()) continue;
    goals.clear();
    places.clear();
    for (const std::uint32_t cell : placed_goals.cells) goals.push_back(shape.cell(CellIndex{cell}));
    for (auto w = first; w != last; ++w) places.push_back(w->at);
    BlockTester& tester = block_testers[first->profile];
    if (Status status = tester.prepare(profile.graph, goals, places); !status.ok()) return status;
    if (Status status = tester.would_block(cells, lost); !status.ok()) return status;
    for (const std::uint32_t i : lost.places) answer.agents.push_back(first[static_cast<std::ptrdiff_t>(i)].key);
    if (!lost.places.empty()) lost_some[first->goal] = 1;
    if (lost.places_left > 0) left_some[first->goal] = 1;
  }
  std::sort(answer.agents.begin(), answer.agents.end());
  for (std::uint32_t goal = 0; goal < lost_some.size(); ++goal) {
    if (lost_some[goal] != 0 && left_some[goal] == 0) answer.goals.push_back(sim::Guidance::goal_id(goal));
  }
  return answer;
}

Result<WouldBlock> Simulation::would_block(std::span<const Cell> cells) const {
  return base::no_throw([&] { return impl_->would_block(cells); });
}

}  // namespace drover

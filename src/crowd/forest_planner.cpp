// SPDX-License-Identifier: MIT
// The candidates, in the order of what they gave for their work (docs/decisions/0015).
#include "crowd/forest_planner.hpp"

#include "base/memory.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace drover::crowd {

ForestPlanner::ForestPlanner(ForestGround ground, const ForestLimits& limits)
    : ground_(std::move(ground)), limits_(limits), growth_(ground_), lanes_(ground_), rehang_(ground_) {
  occupied_.assign(ground_.cells(), 0);
  closed_.assign(ground_.gates.size(), 0);
  measure();
  if (limits_.visits == 0) limits_.visits = 150000 + 5 * reachable_;
  if (limits_.first_visits == 0) limits_.first_visits = 10000000 + 5 * reachable_;
}

void ForestPlanner::measure() {
  distance_.assign(ground_.cells(), kNobody);
  std::vector<std::uint32_t> queue(ground_.gates);
  for (const std::uint32_t gate : queue) distance_[gate] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const std::uint32_t cell = queue[i];
    for (std::uint8_t in = ground_.in(cell); in != 0; in &= static_cast<std::uint8_t>(in - 1)) {
      const std::uint32_t next = cell + ground_.steps[static_cast<std::size_t>(std::countr_zero(in))];
      if (distance_[next] != kNobody) continue;
      distance_[next] = distance_[cell] + 1;
      queue.push_back(next);
    }
  }
  reachable_ = queue.size();
}

// No plan can be much better: the queue bound of the whole gate is reached, and the sum within a percent.
bool ForestPlanner::at_bound(const ForestDraft& draft) {
  std::uint32_t farthest = 0;
  for (const std::uint32_t agent : agents_) farthest = std::max(farthest, distance_[agent]);
  counts_.assign(std::size_t{farthest} + 1, 0);
  for (const std::uint32_t agent : agents_) ++counts_[distance_[agent]];
  const std::uint64_t gates = ground_.gates.size(), spacing = ground_.rules.spacing;
  // Slots come in rows of one a gate cell; `used` slots of the row at `tick` are taken.
  std::uint64_t tick = 0, used = 0, sum = 0, finish = 0;
  for (std::uint32_t depth = 1; depth <= farthest; ++depth)
    for (std::uint32_t n = counts_[depth]; n > 0; --n) {
      if (used == gates) {
        tick += spacing;
        used = 0;
      }
      if (tick < depth) {
        tick = depth;
        used = 0;
      }
      ++used;
      sum += tick;
      finish = tick;
    }
  return draft.forecast.finish <= finish && draft.forecast.sum * 100 <= sum * 101;
}

LaneRequest ForestPlanner::request(std::uint16_t shut, int levels) const noexcept {
  return {&trial_, agents_, occupied_.data(), distance_.data(), shut, ties_, levels};
}

void ForestPlanner::close_fronts(bool none) {
  for (std::size_t g = 0; g < closed_.size(); ++g)
    closed_[g] = !none && growth_.closed(static_cast<std::uint16_t>(g)) ? 1 : 0;
}

// Later than this no branches hung over make up for.
std::uint64_t ForestPlanner::latest() const noexcept {
  const bool complete = has_best_ && best_.left_out == 0;
  return complete ? best_.forecast.finish + best_.forecast.finish / 4 : ~std::uint64_t{0};
}

bool ForestPlanner::finish_growth(ForestBudget& budget) {
  while (growth_.advance(budget)) {
  }
  return growth_.unclaimed() == 0;
}

bool ForestPlanner::grow_with_lanes(const Try& attempt, ForestBudget& budget) {
  lanes_.clear();
  const auto begin = [&] {
    growth_.begin(trial_, ForestGrowth::By::exit_slots, lanes_.any() ? &lanes_.reserved() : nullptr, occupied_.data(),
                  agents_.size(), latest());
  };
  if (attempt.kind == Try::Kind::lanes_first) {
    trial_.clear(ground_);
    close_fronts(true);
    lanes_.open(request(kNoTree, attempt.levels), closed_, budget);
    begin();
    return finish_growth(budget);
  }
  begin();
  int restarts = attempt.restarts;
  while (const std::optional<std::uint16_t> shut = growth_.advance(budget)) {
    if (restarts == 0 || growth_.unclaimed() < 2 || budget.exhausted()) continue;
    close_fronts(false);
    if (!lanes_.open(request(*shut, attempt.levels), closed_, budget)) continue;
    --restarts;
    begin();
  }
  return growth_.unclaimed() == 0;
}

bool ForestPlanner::grow(const Try& attempt, ForestBudget& budget) {
  switch (attempt.kind) {
    case Try::Kind::plain:
    case Try::Kind::slots:
      growth_.begin(trial_,
                    attempt.kind == Try::Kind::plain ? ForestGrowth::By::distance : ForestGrowth::By::exit_slots,
                    nullptr, occupied_.data(), agents_.size(), latest());
      return finish_growth(budget);
    case Try::Kind::own_ground:
      if (!has_best_) return false;
      growth_.begin(trial_, ForestGrowth::By::exit_slots, &best_.cells, occupied_.data(), agents_.size(), latest());
      return finish_growth(budget);
    case Try::Kind::lanes_when_shut:
    case Try::Kind::lanes_first:
      return grow_with_lanes(attempt, budget);
  }
  return false;
}

// At most a quarter of the budget, so that other candidates get their turn.
void ForestPlanner::improve(ForestDraft& draft, int rounds, ForestBudget& budget) {
  ForestBudget share(budget.left() / 4 + 1);
  const std::uint64_t given = share.left();
  rehang_.improve(draft, agents_, occupied_.data(), rounds, share);
  budget.spend(given - share.left());
}

void ForestPlanner::offer(ForestBudget& budget) {
  improve(trial_, limits_.rounds, budget);
  if (has_best_ && best_.left_out == 0 && !better(trial_.forecast, best_.forecast, agents_.size())) return;
  if (has_best_ && trial_.left_out > best_.left_out) return;
  std::swap(best_, trial_);
  has_best_ = true;
}

void ForestPlanner::search(ForestBudget& budget) {
  using Kind = Try::Kind;
  static constexpr std::array<Try, 15> kTries{{{Kind::slots, 0, 0},
                                               {Kind::own_ground, 0, 0},
                                               {Kind::plain, 0, 0},
                                               {Kind::lanes_first, 0, 4},
                                               {Kind::own_ground, 0, 0},
                                               {Kind::lanes_first, 0, 2},
                                               {Kind::lanes_first, 0, 1},
                                               {Kind::own_ground, 0, 0},
                                               {Kind::lanes_when_shut, 4, 4},
                                               {Kind::own_ground, 0, 0},
                                               {Kind::lanes_when_shut, 4, 0},
                                               {Kind::own_ground, 0, 0},
                                               {Kind::lanes_first, 0, 8},
                                               {Kind::lanes_first, 0, 3},
                                               {Kind::lanes_when_shut, 12, 1}}};
  if (ground_.gates.size() == 1) {
    if (has_best_ && best_.left_out == 0) return;
    ForestBudget whole(~std::uint64_t{0});
    grow({Kind::plain, 0, 0}, whole);
    offer(whole);
    return;
  }
  const std::uint64_t needed = ForestGrowth::kVisitsOfClaim * reachable_;
  for (std::size_t i = 0; i < 2 * kTries.size(); ++i) {
    Try attempt = kTries[next_try_ % kTries.size()];
    const auto lap = static_cast<std::uint32_t>(next_try_ / kTries.size());
    ties_ = lap % 2 == 0 ? ForestTies::straight : ForestTies::diagonal;
    growth_.set_ties(ties_);
    if (attempt.levels != 0) attempt.levels += static_cast<int>(lap / 2 % 4);
    const bool must = !has_best_ || best_.left_out != 0;
    if (!must && ((i > 0 && budget.left() < needed) || budget.exhausted() || at_bound(best_))) return;
    ++next_try_;
    ForestBudget whole(~std::uint64_t{0});
    const bool complete = grow(attempt, must ? whole : budget);
    if (complete || must) offer(budget);
    if (!complete && budget.exhausted() && i > 0) --next_try_;  // with the whole budget next time
  }
}

std::shared_ptr<const Forest> ForestPlanner::publish(std::uint32_t round) {
  std::shared_ptr<Forest> out;
  for (std::shared_ptr<Forest>& old : pool_)
    if (base::sole_owner(old)) out = old;
  if (out == nullptr) {
    out = std::make_shared<Forest>();
    if (pool_.size() < 4) pool_.push_back(out);
  }
  out->cells_ = best_.cells;
  out->gates_ = ground_.gates;
  out->finish_ = best_.finish;
  out->forecast_ = best_.forecast;
  out->steps_hash_ = ground_.graph->steps_hash();
  out->left_out_ = best_.left_out;
  out->rules_ = ground_.rules;
  out->graph_ = ground_.graph;
  out->round_ = round;
  out->next_try_ = next_try_;
  return out;
}

std::shared_ptr<const Forest> ForestPlanner::plan(std::span<const std::uint32_t> agents, const Forest* kept) {
  agents_ = agents;
  for (const std::uint32_t agent : agents) occupied_[agent] = 1;
  ForestBudget budget(kept != nullptr ? limits_.visits : limits_.first_visits);
  const std::uint32_t round = kept != nullptr ? kept->round() + 1 : 0;
  const bool large = 2 * ForestGrowth::kVisitsOfClaim * reachable_ > limits_.visits;
  has_best_ = kept != nullptr;
  if (has_best_) {
    best_.cells = kept->cells_;
    best_.finish = kept->finish_;
    improve(best_, large && round % 2 == 0 ? 0 : limits_.rounds, budget);
  }
  next_try_ = kept != nullptr ? kept->next_try_ : 0;
  // Where a growth takes most of the budget, the old plan is improved and candidates are grown by turns.
  if (!large || round % 2 == 0 || best_.left_out != 0) search(budget);
  for (const std::uint32_t agent : agents) occupied_[agent] = 0;
  return publish(round);
}

}  // namespace drover::crowd

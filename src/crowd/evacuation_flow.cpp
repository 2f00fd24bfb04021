// SPDX-License-Identifier: MIT
// One layer a tick; the flow is kept, and each goal cell of the new layer is augmented once.
#include "crowd/evacuation_flow.hpp"

#include "crowd/bounds.hpp"
#include "crowd/rings.hpp"
#include "nav/compiled_graph.hpp"

#include <algorithm>
#include <bit>

namespace drover::crowd {

namespace {

constexpr std::uint8_t kWait = 8, kSlots = 9, kPasses = 3, kNoFlow = 255;
constexpr std::uint32_t kNone = Rings::kNone;

constexpr std::uint8_t reversed(std::uint8_t slot) noexcept {
  return slot == kWait ? kWait : static_cast<std::uint8_t>(opposite(static_cast<Direction>(slot)));
}

// Reachable cells, numbered from the goal outwards.
class Ground {
 public:
  Ground(const NavGraph& graph, const FlowField& steps) {
    const Rings rings(steps, kInfiniteCost - 1);
    const GridShape& shape = graph.shape();
    number_.assign(shape.padded_cells(), kNone);
    goals_ = rings.count() == 0 ? 0 : static_cast<std::uint32_t>(rings.ring(0).size());
    for (const std::uint32_t cell : rings.cells()) number_[cell] = count_++;
    next_.assign(std::size_t{count_} * kSlots, kNone);
    for (std::uint32_t i = 0; i < count_; ++i) {
      const std::uint32_t cell = rings.cells()[i];
      std::uint32_t* next = &next_[std::size_t{i} * kSlots];
      next[kWait] = i;
      for (std::uint8_t left = graph.compiled().moves()[cell]; left != 0; left &= static_cast<std::uint8_t>(left - 1)) {
        const int d = std::countr_zero(left);
        next[d] = number_[cell + shape.step(static_cast<Direction>(d))];
      }
    }
  }

  std::uint32_t count() const noexcept { return count_; }
  std::uint32_t goals() const noexcept { return goals_; }
  bool is_goal(std::uint32_t cell) const noexcept { return cell < goals_; }
  std::uint32_t number(CellIndex cell) const noexcept { return number_[cell.value]; }
  /// Steps are legal both ways, so this is also where one comes from.
  std::uint32_t next(std::uint32_t cell, std::uint8_t slot) const noexcept {
    return next_[std::size_t{cell} * kSlots + slot];
  }

 private:
  std::vector<std::uint32_t> number_, next_;
  std::uint32_t count_ = 0, goals_ = 0;
};

// Nodes are (tick, cell), each split into an entrance and an exit with an arc of capacity 1 between. Exits have one
// residual predecessor each, so only entrances are visited and the exits are passed on the way.
class Network {
 public:
  Network(const Ground& ground, const FlowLimits& limits) : ground_(ground), limits_(limits) {
    waiting_.assign(ground.count(), 0);
    distance_.assign(ground.count(), kNone);
  }

  void start(std::uint32_t cell) { waiting_[cell] = 1; }
  // All agents have their starts.
  void begin() {
    measure();
    earliest_ = distance_;
  }
  // Which way the searches try first. Any order is right, but with the cells farthest from the goal first they visited
  // 40 times as much (64 x 64, 500 agents). Measured again once they have cost about as much as that does.
  void refresh() {
    if (visits_ - measured_at_ < ground_.count() / 4) return;
    measured_at_ = visits_;
    measure();
  }
  bool add_layer();
  /// One more unit into the goal cell at the last tick. Searched from there backwards: what a failed search has seen no
  /// later path can lead through (nothing residual leads into it, and new layers are entered from old ones only), so it
  /// is never seen again and all failed searches together cost no more than the network.
  bool augment(std::uint32_t goal);
  bool exhausted() const noexcept { return visits_ > limits_.visits; }

 private:
  enum class Way : std::uint8_t {
    free,    // through the unused node of a neighbour one tick earlier
    steal,   // a neighbour that stepped elsewhere steps here instead; its old target is searched next
    cancel,  // the flow through this node is not needed; where it went next is searched next
  };
  struct Visit {
    std::uint32_t tick, cell;
    std::uint8_t tried = 0;  // pass x slots
    std::uint8_t slot = 0;   // towards the neighbour of the way taken
    Way way = Way::free;
  };

  // Distances to the nearest cell with an agent that no flow has taken yet.
  void measure();
  std::size_t at(std::uint32_t tick, std::uint32_t cell) const noexcept {
    return std::size_t{tick} * ground_.count() + cell;
  }
  bool enter(std::uint32_t tick, std::uint32_t cell);
  bool deepen();
  bool step_from(Visit& visit, std::uint8_t slot);
  void apply();

  const Ground& ground_;
  FlowLimits limits_;
  std::uint32_t layers_ = 0;
  std::vector<std::uint8_t> to_;    // slot of the step out of (tick, cell), kNoFlow where there is no flow
  std::vector<std::uint8_t> from_;  // slot, seen from here, of the cell whose step ends here
  std::vector<std::uint32_t> seen_;
  std::vector<std::uint8_t> waiting_;
  std::vector<std::uint32_t> distance_, earliest_, queue_;
  std::vector<Visit> stack_;
  std::vector<std::size_t> visited_;
  std::uint32_t search_ = 1;
  std::uint64_t visits_ = 0, measured_at_ = 0;
};

void Network::measure() {
  std::fill(distance_.begin(), distance_.end(), kNone);
  queue_.clear();
  for (std::uint32_t cell = 0; cell < ground_.count(); ++cell) {
    if (waiting_[cell] == 0) continue;
    distance_[cell] = 0;
    queue_.push_back(cell);
  }
  for (std::size_t head = 0; head < queue_.size(); ++head) {
    const std::uint32_t cell = queue_[head];
    for (std::uint8_t slot = 0; slot < kWait; ++slot) {
      const std::uint32_t next = ground_.next(cell, slot);
      if (next == kNone || distance_[next] != kNone) continue;
      distance_[next] = distance_[cell] + 1;
      queue_.push_back(next);
    }
  }
}

bool Network::add_layer() {
  const std::uint64_t cells = (std::uint64_t{layers_} + 1) * ground_.count();
  if (cells > limits_.cell_ticks) return false;
  ++layers_;
  to_.resize(static_cast<std::size_t>(cells), kNoFlow);
  from_.resize(static_cast<std::size_t>(cells), kNoFlow);
  seen_.resize(static_cast<std::size_t>(cells), 0);
  return true;
}

bool Network::enter(std::uint32_t tick, std::uint32_t cell) {
  const std::size_t node = at(tick, cell);
  if (tick < earliest_[cell] || seen_[node] == search_ || seen_[node] == kNone) return false;
  seen_[node] = search_;
  visited_.push_back(node);
  ++visits_;
  stack_.push_back({tick, cell});
  return true;
}

bool Network::step_from(Visit& visit, std::uint8_t slot) {
  const std::uint32_t other = ground_.next(visit.cell, slot);
  const std::uint8_t taken = to_[at(visit.tick - 1, other)];
  visit.slot = slot;
  visit.way = taken == kNoFlow ? Way::free : Way::steal;
  return taken == kNoFlow ? enter(visit.tick - 1, other) : enter(visit.tick, ground_.next(other, taken));
}

// One step of the search from the top of the stack; false where nothing is left to try there.
bool Network::deepen() {
  Visit& visit = stack_.back();  // until enter() adds another
  const std::size_t here = at(visit.tick, visit.cell);
  const std::uint32_t distance = distance_[visit.cell];
  // Neighbours nearer to a waiting agent first, then those as near, then the rest.
  while (visit.tick > 0 && visit.tried < kPasses * kSlots) {
    const std::uint32_t pass = visit.tried / kSlots;
    const auto slot = static_cast<std::uint8_t>(visit.tried % kSlots);
    ++visit.tried;
    const std::uint32_t other = ground_.next(visit.cell, slot);
    if (other == kNone || slot == from_[here] || distance_[other] + 1 != distance + pass) continue;
    if (ground_.is_goal(other)) continue;
    if (step_from(visit, slot)) return true;
  }
  if (visit.tried > kPasses * kSlots || to_[here] == kNoFlow) return false;
  visit.tried = kPasses * kSlots + 1;
  visit.way = Way::cancel;
  return enter(visit.tick + 1, ground_.next(visit.cell, to_[here]));
}

void Network::apply() {
  for (const Visit& v : stack_) {
    if (&v == &stack_.back()) break;  // the agent's own start
    const std::size_t here = at(v.tick, v.cell);
    if (v.way == Way::cancel) {
      to_[here] = from_[here] = kNoFlow;
    } else {
      from_[here] = v.slot;
      to_[at(v.tick - 1, ground_.next(v.cell, v.slot))] = reversed(v.slot);
    }
  }
  waiting_[stack_.back().cell] = 0;
}

bool Network::augment(std::uint32_t goal) {
  ++search_;
  stack_.clear();
  visited_.clear();
  enter(layers_ - 1, goal);
  while (!stack_.empty() && !exhausted()) {
    if (stack_.back().tick == 0 && waiting_[stack_.back().cell] != 0) {
      apply();
      return true;
    }
    if (!deepen()) stack_.pop_back();
  }
  for (const std::size_t node : visited_) seen_[node] = kNone;
  return false;
}

// False where not even the queue bound fits.
bool affordable(const Ground& ground, const FlowField& steps, std::span<const CellIndex> starts,
                const FlowLimits& limits) {
  std::vector<EarliestArrival> agents;
  for (const CellIndex start : starts)
    if (const Cost distance = steps.cost_to_goal(start); distance != kInfiniteCost)
      agents.push_back({distance, distance, true});
  if (agents.empty()) return true;
  return queue_bound(std::move(agents), ground.goals()) < limits.cell_ticks / ground.count();
}

}  // namespace

std::uint64_t EvacuationOptimum::sum_of_arrivals() const noexcept {
  std::uint64_t sum = 0;
  for (std::size_t tick = 1; tick < evacuated_by_tick.size(); ++tick)
    sum += tick * (evacuated_by_tick[tick] - evacuated_by_tick[tick - 1]);
  return sum;
}

std::optional<EvacuationOptimum> earliest_arrival_flow(const NavGraph& graph, const FlowField& steps,
                                                       std::span<const CellIndex> starts, const FlowLimits& limits) {
  const Ground ground(graph, steps);
  if (!affordable(ground, steps, starts, limits)) return std::nullopt;
  Network network(ground, limits);
  std::uint32_t agents = 0, out = 0;
  for (const CellIndex start : starts) {
    const std::uint32_t cell = ground.number(start);
    if (cell == kNone) continue;
    network.start(cell);
    ++agents;
  }
  network.begin();
  EvacuationOptimum optimum;
  do {
    if (!network.add_layer()) return std::nullopt;
    for (std::uint32_t goal = 0; goal < ground.goals() && out < agents; ++goal) {
      if (!network.augment(goal)) continue;
      ++out;
      network.refresh();
    }
    if (network.exhausted()) return std::nullopt;
    optimum.evacuated_by_tick.push_back(out);
  } while (out < agents);
  return optimum;
}

}  // namespace drover::crowd

// SPDX-License-Identifier: MIT
// One layer a tick; the flow is kept, and each goal cell of the new layer is augmented once.
#include "crowd/evacuation_flow.hpp"

#include "crowd/bounds.hpp"
#include "nav/compiled_graph.hpp"

#include <algorithm>
#include <bit>

namespace drover::crowd {

namespace {

constexpr std::uint8_t kWait = 8, kSlots = 9, kPasses = 3, kNoFlow = 255;
constexpr std::uint32_t kNone = ~std::uint32_t{0};

constexpr std::uint8_t reversed(std::uint8_t slot) noexcept {
  return slot == kWait ? kWait : static_cast<std::uint8_t>(opposite(static_cast<Direction>(slot)));
}

// Reachable cells, numbered from the goal outwards: ascending by steps to the goal, then by place.
class Ground {
 public:
  /// `goals`: padded cells, ascending.
  Ground(const NavGraph& graph, std::span<const std::uint32_t> goals)
      : goals_(static_cast<std::uint32_t>(goals.size())) {
    const nav::CompiledGraph& compiled = graph.compiled();
    const GridShape& shape = graph.shape();
    number_.assign(shape.padded_cells(), kNone);
    std::vector<std::uint32_t> ring(goals.begin(), goals.end()), cells, next_ring;
    for (const std::uint32_t cell : ring) number_[cell] = 0;
    for (; !ring.empty(); ring.swap(next_ring)) {
      std::sort(ring.begin(), ring.end());
      next_ring.clear();
      for (const std::uint32_t cell : ring) {
        number_[cell] = count_++;
        cells.push_back(cell);
        steps_.push_back(rings_);
        for (unsigned left = compiled.moves()[cell]; left != 0; left &= left - 1) {
          const std::uint32_t other = cell + shape.step(static_cast<Direction>(std::countr_zero(left)));
          if (number_[other] != kNone) continue;
          number_[other] = 0;  // in a moment
          next_ring.push_back(other);
        }
      }
      ++rings_;
    }
    next_.assign(std::size_t{count_} * kSlots, kNone);
    for (std::uint32_t i = 0; i < count_; ++i) {
      const std::uint32_t cell = cells[i];
      std::uint32_t* next = &next_[std::size_t{i} * kSlots];
      next[kWait] = i;
      for (unsigned left = compiled.moves()[cell]; left != 0; left &= left - 1) {
        const int d = std::countr_zero(left);
        next[d] = number_[cell + shape.step(static_cast<Direction>(d))];
      }
    }
  }

  std::uint32_t count() const noexcept { return count_; }
  std::uint32_t goals() const noexcept { return goals_; }
  /// To the nearest goal.
  std::uint32_t steps(std::uint32_t cell) const noexcept { return steps_[cell]; }
  bool is_goal(std::uint32_t cell) const noexcept { return cell < goals_; }
  std::uint32_t number(CellIndex cell) const noexcept { return number_[cell.value]; }
  const std::vector<std::uint32_t>& numbers() const noexcept { return number_; }
  /// Steps are legal both ways, so this is also where one comes from.
  std::uint32_t next(std::uint32_t cell, std::uint8_t slot) const noexcept {
    return next_[std::size_t{cell} * kSlots + slot];
  }

 private:
  std::vector<std::uint32_t> number_, next_, steps_;
  std::uint32_t count_ = 0, rings_ = 0, goals_;
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
  /// The steps of all agents, where nobody exchanges places or crosses.
  std::vector<std::uint8_t> take_steps();

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
  void stay_instead_of_exchanging(std::uint8_t* steps) const noexcept;
  void go_straight_instead_of_crossing(std::uint8_t* steps) const noexcept;

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

// Two that would exchange places stay, each with the plan of the other.
void Network::stay_instead_of_exchanging(std::uint8_t* steps) const noexcept {
  for (std::uint32_t cell = 0; cell < ground_.count(); ++cell) {
    const std::uint8_t slot = steps[cell];
    if (slot >= kWait) continue;
    const std::uint32_t other = ground_.next(cell, slot);
    if (steps[other] == reversed(slot)) steps[cell] = steps[other] = kWait;
  }
}

// Each goes straight to where the other one would have come.
void Network::go_straight_instead_of_crossing(std::uint8_t* steps) const noexcept {
  static constexpr auto kSE = static_cast<std::uint8_t>(Direction::south_east),
                        kNE = static_cast<std::uint8_t>(Direction::north_east),
                        kE = static_cast<std::uint8_t>(Direction::east),
                        kW = static_cast<std::uint8_t>(Direction::west),
                        kS = static_cast<std::uint8_t>(Direction::south),
                        kN = static_cast<std::uint8_t>(Direction::north);
  for (std::uint32_t cell = 0; cell < ground_.count(); ++cell) {
    // The diagonal between this cell and the one to its south east, and the one across.
    const std::uint32_t far = ground_.next(cell, kSE), east = ground_.next(cell, kE), south = ground_.next(cell, kS);
    if (far == kNone || east == kNone || south == kNone) continue;
    const bool down = steps[cell] == kSE, right = steps[south] == kNE;
    const std::uint32_t a = down ? cell : far, b = right ? south : east;
    if (!down && steps[far] != reversed(kSE)) continue;
    if (!right && steps[east] != reversed(kNE)) continue;
    // a and b are beside each other: both go the one way that is neither back nor across.
    const bool both_upper = a == cell && b == east, both_lower = a == far && b == south;
    const bool both_left = a == cell && b == south;
    steps[a] = steps[b] = both_upper ? kS : both_lower ? kN : both_left ? kE : kW;
  }
}

std::vector<std::uint8_t> Network::take_steps() {
  for (std::uint32_t tick = 0; tick + 1 < layers_; ++tick) {
    std::uint8_t* const steps = to_.data() + at(tick, 0);
    stay_instead_of_exchanging(steps);
    go_straight_instead_of_crossing(steps);
    stay_instead_of_exchanging(steps);
  }
  return std::move(to_);
}

// False where not even the queue bound fits.
bool affordable(const Ground& ground, std::span<const std::uint32_t> starts, const FlowLimits& limits) {
  std::vector<EarliestArrival> agents;
  for (const std::uint32_t start : starts) agents.push_back({ground.steps(start), ground.steps(start), true});
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

namespace {

std::optional<EvacuationPlan> find_flow(const NavGraph& graph, std::span<const std::uint32_t> goals,
                                        std::span<const CellIndex> starts, const FlowLimits& limits, bool with_steps) {
  const Ground ground(graph, goals);
  std::vector<std::uint32_t> agents;
  for (const CellIndex start : starts)
    if (ground.number(start) != kNone) agents.push_back(ground.number(start));
  if (!affordable(ground, agents, limits)) return std::nullopt;
  Network network(ground, limits);
  for (const std::uint32_t agent : agents) network.start(agent);
  network.begin();
  std::uint32_t out = 0;
  EvacuationPlan plan;
  do {
    if (!network.add_layer()) return std::nullopt;
    for (std::uint32_t goal = 0; goal < ground.goals() && out < agents.size(); ++goal) {
      if (!network.augment(goal)) continue;
      ++out;
      network.refresh();
    }
    if (network.exhausted()) return std::nullopt;
    plan.optimum.evacuated_by_tick.push_back(out);
  } while (out < agents.size());
  if (!with_steps) return plan;
  plan.cells = ground.count();
  plan.number = ground.numbers();
  plan.steps = network.take_steps();
  return plan;
}

}  // namespace

std::optional<EvacuationOptimum> earliest_arrival_flow(const NavGraph& graph, const FlowField& steps,
                                                       std::span<const CellIndex> starts, const FlowLimits& limits) {
  std::vector<std::uint32_t> goals;
  for (const PlacedGoal& placed : steps.goals()) goals.push_back(graph.shape().index(placed.placed).value);
  std::sort(goals.begin(), goals.end());
  goals.erase(std::unique(goals.begin(), goals.end()), goals.end());
  std::optional<EvacuationPlan> plan = find_flow(graph, goals, starts, limits, false);
  if (!plan) return std::nullopt;
  return std::move(plan->optimum);
}

std::optional<EvacuationPlan> earliest_arrival_plan(const NavGraph& graph, std::span<const std::uint32_t> goals,
                                                    std::span<const CellIndex> starts, const FlowLimits& limits) {
  return find_flow(graph, goals, starts, limits, true);
}

}  // namespace drover::crowd

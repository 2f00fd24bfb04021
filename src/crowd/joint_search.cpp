// SPDX-License-Identifier: MIT
// Search over the places of all agents at once.
#include "crowd/joint_search.hpp"

#include "base/digest.hpp"

#include <algorithm>

namespace drover::crowd {
namespace {

constexpr unsigned kBits = 6;
constexpr std::uint64_t kMask = (1u << kBits) - 1;
constexpr std::uint8_t kGone = kMask;  // no cell of a problem
constexpr std::uint32_t kNoNode = ~std::uint32_t{0};
constexpr std::size_t kMostNodes = std::size_t{1} << 17;

constexpr std::uint8_t place(std::uint64_t places, std::size_t agent) noexcept {
  return static_cast<std::uint8_t>(places >> (kBits * agent) & kMask);
}

constexpr auto kLater = [](const auto& a, const auto& b) noexcept {
  return a.rank != b.rank ? a.rank > b.rank : a.node > b.node;
};

}  // namespace

JointSearch::Outcome JointSearch::run(const JointProblem& problem, std::uint64_t& work) {
  problem_ = &problem;
  measure();
  std::uint64_t half = work / 2;
  work -= half;
  Outcome outcome = search(false, half);
  work += half;
  if (outcome == Outcome::too_dear) outcome = search(true, work);
  return outcome;
}

// Steps to where each agent wants to be, the others away; 0 where there is no way, so that nothing is left out.
void JointSearch::measure() {
  for (std::size_t a = 0; a < problem_->agents.size(); ++a) {
    const JointProblem::Agent& agent = problem_->agents[a];
    std::array<std::uint8_t, JointProblem::kMostCells>& distance = distance_[a];
    const std::size_t cells = problem_->cells.size();
    for (std::size_t c = 0; c < cells; ++c) distance[c] = agent.content >> c & 1 ? 0 : JointProblem::kNoCell;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t c = 0; c < cells; ++c)
        for (const std::uint8_t next : agent.steps[c])
          if (next != JointProblem::kNoCell && distance[next] + 1 < distance[c]) {
            distance[c] = static_cast<std::uint8_t>(distance[next] + 1);
            changed = true;
          }
    }
    for (std::size_t c = 0; c < cells; ++c)
      if (distance[c] == JointProblem::kNoCell) distance[c] = 0;
  }
}

JointSearch::Outcome JointSearch::search(bool greedy, std::uint64_t& work) {
  greedy_ = greedy;
  nodes_.clear();
  open_.clear();
  index_.assign(1024, 0);
  std::uint64_t start = 0;
  for (std::size_t a = 0; a < problem_->agents.size(); ++a)
    start |= std::uint64_t{problem_->agents[a].start} << (kBits * a);
  reach(start, kNoNode, 0);
  bool members = false;
  while (!open_.empty()) {
    std::pop_heap(open_.begin(), open_.end(), kLater);
    const std::uint32_t node = open_.back().node;
    open_.pop_back();
    if (content(nodes_[node].places, false)) {
      trace(node);
      return Outcome::plan;
    }
    members = members || content(nodes_[node].places, true);
    if (!expand(node, work) || nodes_.size() > kMostNodes) return Outcome::too_dear;
  }
  return members ? Outcome::members_too : Outcome::impossible;
}

bool JointSearch::content(std::uint64_t places, bool members_only) const noexcept {
  for (std::size_t a = 0; a < problem_->agents.size(); ++a) {
    const JointProblem::Agent& agent = problem_->agents[a];
    const std::uint8_t at = place(places, a);
    if (at != kGone && (agent.content >> at & 1) == 0 && (agent.member || !members_only)) return false;
  }
  return true;
}

// A place that is reached sooner than before counts anew.
void JointSearch::reach(std::uint64_t places, std::uint32_t parent, std::uint32_t ticks) {
  std::uint32_t* known = slot(places);
  if (*known != 0 && (greedy_ || nodes_[*known - 1].ticks <= ticks)) return;
  if (*known == 0) {
    nodes_.push_back({places, parent, ticks});
    *known = static_cast<std::uint32_t>(nodes_.size());
  } else {
    nodes_[*known - 1].parent = parent;
    nodes_[*known - 1].ticks = ticks;
  }
  std::uint64_t farthest = 0, all = 0;
  for (std::size_t a = 0; a < problem_->agents.size(); ++a) {
    const std::uint8_t at = place(places, a);
    if (at == kGone) continue;
    farthest = std::max<std::uint64_t>(farthest, distance_[a][at]);
    all += distance_[a][at];
  }
  open_.push_back({greedy_ ? all << 32 | ticks : (ticks + farthest) << 32 | all, *known - 1});
  std::push_heap(open_.begin(), open_.end(), kLater);
  if (nodes_.size() * 2 > index_.size()) grow();
}

std::uint32_t* JointSearch::slot(std::uint64_t places) {
  const std::size_t mask = index_.size() - 1;
  std::size_t at = base::mix(places + base::kGolden) & mask;
  while (index_[at] != 0 && nodes_[index_[at] - 1].places != places) at = (at + 1) & mask;
  return &index_[at];
}

void JointSearch::grow() {
  index_.assign(2 * index_.size(), 0);
  for (std::uint32_t n = 0; n < nodes_.size(); ++n) *slot(nodes_[n].places) = n + 1;
}

bool JointSearch::clear(std::size_t a, std::size_t b) const noexcept {
  if (from_[a] == kGone || from_[b] == kGone) return true;
  if (to_[a] == to_[b]) return false;
  if (problem_->following == Following::forbidden && (to_[a] == from_[b] || to_[b] == from_[a])) return false;
  const Cell one = problem_->cells[from_[a]], other = problem_->cells[from_[b]];
  return table_.clear(problem_->agents[a].body, problem_->agents[b].body, other.x - one.x, other.y - one.y, move_[a],
                      move_[b]);
}

std::uint64_t JointSearch::after_step() const noexcept {
  std::uint64_t places = 0;
  for (std::size_t a = 0; a < problem_->agents.size(); ++a) {
    const bool gone = to_[a] == kGone || (problem_->agents[a].vanish >> to_[a] & 1);
    places |= std::uint64_t{gone ? kGone : to_[a]} << (kBits * a);
  }
  return places;
}

// Every combination of steps that may run at once: an odometer whose digits are agents. False: out of work.
bool JointSearch::expand(std::uint32_t node, std::uint64_t& work) {
  const std::uint64_t places = nodes_[node].places;
  const std::uint32_t ticks = nodes_[node].ticks + 1;
  const std::size_t count = problem_->agents.size();
  std::array<std::uint8_t, JointProblem::kMostAgents> next{};  // move to try
  for (std::size_t a = 0; a < count; ++a) from_[a] = place(places, a);
  for (std::size_t a = 0;;) {
    if (next[a] > kStay) {
      if (a == 0) return true;
      --a;
      continue;
    }
    const std::uint8_t move = next[a]++;
    if (move != kStay && from_[a] == kGone) continue;
    to_[a] = move == kStay ? from_[a] : problem_->agents[a].steps[from_[a]][move];
    if (to_[a] == JointProblem::kNoCell) continue;
    move_[a] = move;
    if (work == 0) return false;
    --work;
    bool fits = true;
    for (std::size_t b = 0; b < a && fits; ++b) fits = clear(b, a);
    if (!fits) continue;
    if (a + 1 == count) {
      reach(after_step(), node, ticks);
    } else {
      next[++a] = 0;
    }
  }
}

// Moves from places: the direction that leads from one to the next. Who vanished did so behind its last step.
void JointSearch::trace(std::uint32_t node) {
  const std::size_t count = problem_->agents.size();
  std::vector<std::uint32_t>& way = index_;  // of no more use
  way.clear();
  for (; node != kNoNode; node = nodes_[node].parent) way.push_back(node);
  std::reverse(way.begin(), way.end());
  moves_.clear();
  for (std::size_t t = 0; t + 1 < way.size(); ++t) {
    const std::uint64_t wanted = nodes_[way[t + 1]].places;
    // The first combination in the order of expand() that leads there.
    std::array<std::uint8_t, JointProblem::kMostAgents> next{};
    for (std::size_t a = 0; a < count; ++a) from_[a] = place(nodes_[way[t]].places, a);
    for (std::size_t a = 0;;) {
      const std::uint8_t move = next[a]++;
      if (move > kStay) {
        --a;
        continue;
      }
      if (move != kStay && from_[a] == kGone) continue;
      to_[a] = move == kStay ? from_[a] : problem_->agents[a].steps[from_[a]][move];
      if (to_[a] == JointProblem::kNoCell) continue;
      move_[a] = move;
      bool fits = true;
      for (std::size_t b = 0; b < a && fits; ++b) fits = clear(b, a);
      if (!fits) continue;
      if (a + 1 < count) {
        next[++a] = 0;
      } else if (after_step() == wanted) {
        break;
      }
    }
    moves_.insert(moves_.end(), move_.begin(), move_.begin() + static_cast<std::ptrdiff_t>(count));
  }
}

}  // namespace drover::crowd

// SPDX-License-Identifier: MIT
// Points merge in pairs; chains of reasons are asked for as a wait grows.
#include "io/run_history.hpp"

#include <algorithm>

namespace drover::io {

namespace {

constexpr std::size_t kHeadLinks = 3;
// Shorter waits are everyday, and every run begins with many.
constexpr std::uint64_t kShortWait = 4;

std::uint64_t count(const StateCounts& counts, AgentState state) { return counts[static_cast<std::size_t>(state)]; }

}  // namespace

std::uint64_t HistoryPoint::standing(const StateCounts& counts) noexcept {
  return count(counts, AgentState::waiting) + count(counts, AgentState::stopped) + count(counts, AgentState::enclosed) +
         count(counts, AgentState::no_space);
}

void HistoryPoint::append(const HistoryPoint& next) noexcept {
  if (standing(next.busiest) > standing(busiest)) busiest = next.busiest;
  last_tick = next.last_tick;
  last = next.last;
  most_ns = std::max(most_ns, next.most_ns);
}

Series::Series(std::size_t capacity) : capacity_(std::max<std::size_t>(capacity, 4)) { points_.reserve(capacity_); }

void Series::add(const HistoryPoint& tick) {
  const bool part = points_.size() > 1 && points_.back().last_tick - points_.back().first_tick + 1 < stride_;
  if (part) return points_.back().append(tick);
  if (points_.size() == capacity_) {
    std::size_t kept = 1;
    for (std::size_t i = 1; i < points_.size(); i += 2) {
      points_[kept] = points_[i];
      if (i + 1 < points_.size()) points_[kept].append(points_[i + 1]);
      ++kept;
    }
    points_.resize(kept);
    stride_ *= 2;
    return add(tick);
  }
  points_.push_back(tick);
}

void RunHistory::record(const Simulation& simulation, std::uint64_t step_ns) {
  const StateCounts counts = simulation.state_counts();
  series_.add({simulation.tick(), simulation.tick(), counts, counts, step_ns});
  if (simulation.tick() == 0) return;
  times_.record(step_ns);
  if (HistoryPoint::standing(counts) == 0) return;
  simulation.survey_waits(kWaits, survey_);
  for (std::size_t i = 0; i < by_reason_.size(); ++i) by_reason_[i] += survey_.by_reason[i];
  for (const AgentView& agent : survey_.longest) watch(simulation, agent);
}

void RunHistory::watch(const Simulation& simulation, const AgentView& agent) {
  if (agent.age_ticks < kShortWait) return;
  auto entry = std::find_if(waits_.begin(), waits_.end(), [&](const Entry& e) { return e.key == agent.key; });
  if (entry == waits_.end()) {
    if (waits_.size() < kWaits) {
      entry = waits_.insert(waits_.end(), Entry{});
    } else {
      entry = std::min_element(waits_.begin(), waits_.end(),
                               [](const Entry& a, const Entry& b) { return a.ticks < b.ticks; });
      if (entry->ticks >= agent.age_ticks) return;
      *entry = {};
    }
    entry->key = agent.key;
  }
  if (agent.age_ticks <= entry->ticks) return;
  const bool same_wait = agent.age_ticks - entry->ticks == simulation.tick() - entry->tick;
  entry->ticks = agent.age_ticks;
  entry->tick = simulation.tick();
  // A chain can be as long as the queue is: a long one is asked for again when the wait has grown by a sixteenth.
  const bool cheap = entry->left_out == 0 && entry->head.size() <= kHeadLinks;
  if (cheap || !same_wait || entry->ticks > entry->why_ticks + entry->why_ticks / 16) ask(simulation, *entry);
}

void RunHistory::ask(const Simulation& simulation, Entry& entry) {
  const Result<AgentId> id = simulation.find_agent(entry.key);
  if (!id) return;
  Result<std::vector<WhyLink>> chain = simulation.why(*id);
  if (!chain || chain->empty()) return;
  entry.why_ticks = entry.ticks;
  entry.end = chain->back();
  entry.left_out = chain->size() > kHeadLinks + 2 ? chain->size() - kHeadLinks - 1 : 0;
  if (entry.left_out > 0) chain->resize(kHeadLinks);
  entry.head = std::move(*chain);
}

void RunHistory::close(const Simulation& simulation) {
  for (Entry& entry : waits_) {
    if (entry.tick == simulation.tick() && entry.why_ticks != entry.ticks) ask(simulation, entry);
  }
}

std::vector<LongWait> RunHistory::longest_waits() const {
  std::vector<LongWait> out;
  for (const Entry& entry : waits_) {
    LongWait wait{entry.key, entry.ticks, entry.tick, to_text(entry.head), entry.why_ticks};
    if (entry.left_out > 0)
      wait.why += ", and so on through " + std::to_string(entry.left_out) + " more, to " + to_text({entry.end});
    out.push_back(std::move(wait));
  }
  std::sort(out.begin(), out.end(), [](const LongWait& a, const LongWait& b) {
    return a.ticks != b.ticks ? a.ticks > b.ticks : a.key < b.key;
  });
  return out;
}

}  // namespace drover::io

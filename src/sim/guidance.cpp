// SPDX-License-Identifier: MIT
// Requests, builds, adoption, publication.
#include "sim/guidance.hpp"

#include "base/digest.hpp"
#include "field/repair.hpp"

#include <algorithm>
#include <utility>

namespace drover::sim {
Guidance::Guidance(GridMap map, const Host& host) : map_(std::move(map)), host_(host), builder_(host) {
  state_.view = map_.view();
}

Result<std::uint32_t> Guidance::add_profile(const MovementProfile& profile, std::uint32_t latency_ticks) {
  Result<NavGraph> graph = NavGraph::compile(state_.view, profile, host_);
  if (!graph) return graph.status();
  state_.profiles.push_back({profile, latency_ticks, *std::move(graph), 0});
  state_.changed = true;
  if (started_) publish();
  return static_cast<std::uint32_t>(state_.profiles.size() - 1);
}

std::uint32_t Guidance::add_goal(const SimulationGoal& goal) {
  state_.goals.push_back({goal, 1});
  state_.goal_changed_tick.push_back(~std::uint64_t{0});
  return static_cast<std::uint32_t>(state_.goals.size() - 1);
}

std::uint32_t Guidance::pair(std::uint32_t profile, std::uint32_t goal, std::uint64_t tick) {
  for (std::size_t i = 0; i < state_.pairs.size(); ++i)
    if (state_.pairs[i].profile == profile && state_.pairs[i].goal == goal) return static_cast<std::uint32_t>(i);
  Pair made;
  made.profile = profile;
  made.goal = goal;
  state_.pairs.push_back(std::move(made));
  reads_.resize(state_.pairs.size());
  state_.changed = true;
  if (started_) request(state_.pairs.back(), tick);
  return static_cast<std::uint32_t>(state_.pairs.size() - 1);
}

bool Guidance::is_current(const Pair& pair) const noexcept {
  return pair.built && pair.graph_hash == state_.profiles[pair.profile].graph.content_hash() &&
         pair.goal_version == state_.goals[pair.goal].version;
}

Stamp Guidance::stamp_now(const Pair& pair) const noexcept {
  return {state_.view.map_version(), state_.view.overlay_version(),   pair.profile + 1u,
          pair.profile + 1u,         state_.goals[pair.goal].version, pair.stamp.field + 1};
}

// Another profile with equal steps and costs has the same field.
const FieldRef* Guidance::shared_field(const Pair& pair) const noexcept {
  const std::uint64_t hash = state_.profiles[pair.profile].graph.content_hash(),
                      version = state_.goals[pair.goal].version;
  for (const Pair& other : state_.pairs) {
    if (other.goal != pair.goal) continue;
    if (other.built && other.field && other.graph_hash == hash && other.goal_version == version) return &other.field;
    for (const Pending& p : other.pending)
      if (p.field && p.graph_hash == hash && p.goal_version == version) return &p.field;
  }
  return nullptr;
}

Status Guidance::build(const Pair& pair, Pending& out) {
  const NavGraph& graph = state_.profiles[pair.profile].graph;
  out.graph_hash = graph.content_hash();
  out.steps_hash = graph.compiled().steps_hash();
  out.goal_version = state_.goals[pair.goal].version;
  out.stamp = stamp_now(pair);
  out.graph = graph;
  if (const FieldRef* shared = shared_field(pair)) {
    out.field = *shared;
    return {};
  }
  ++state_.builds;
  Result<FieldRef> field = build_or_repair(pair);
  if (!field) {
    out.out_of_memory = field.status().code() == StatusCode::out_of_memory;
    return field.status();
  }
  out.field = *std::move(field);
  return {};
}

// From the newest field of this goal: between two edits little of it changes.
Result<FieldRef> Guidance::build_or_repair(const Pair& pair) {
  const NavGraph& graph = state_.profiles[pair.profile].graph;
  const GoalDef& where = state_.goals[pair.goal].def.where;
  const std::uint64_t version = state_.goals[pair.goal].version;
  const auto newest = std::find_if(pair.pending.rbegin(), pair.pending.rend(),
                                   [&](const Pending& p) { return p.field && p.goal_version == version; });
  const bool pending = newest != pair.pending.rend();
  const FieldRef& old = pending ? newest->field : pair.field;
  const NavGraph& before = pending ? newest->graph : pair.graph;
  if (!old || before.null() || (!pending && pair.goal_version != version)) return builder_.build(graph, where);
  Result<FieldRef> field = builder_.repair(old, before, graph, where);
  if (field && field::was_repaired(**field)) ++state_.repairs;
  return field;
}

Status Guidance::start() {
  for (Pair& pair : state_.pairs) {
    if (is_current(pair)) continue;
    Pending ready;
    if (Status status = build(pair, ready); !status.ok()) return status;
    adopt(pair, std::move(ready), 0);
  }
  started_ = true;
  publish();
  return {};
}

void Guidance::request(Pair& pair, std::uint64_t tick) {
  if (is_current(pair) || state_.profiles[pair.profile].outdated) return;
  const std::uint64_t hash = state_.profiles[pair.profile].graph.content_hash(),
                      version = state_.goals[pair.goal].version;
  for (const Pending& p : pair.pending)
    if (p.graph_hash == hash && p.goal_version == version && !p.out_of_memory) return;
  Pending ready;
  ready.requested = tick;
  ready.due = tick + state_.profiles[pair.profile].latency_ticks;
  if (Status status = build(pair, ready); !status.ok() && host_.log.write)
    host_.log.write(host_.log.context, LogLevel::warning, status.message().c_str());
  const auto place = std::upper_bound(pair.pending.begin(), pair.pending.end(), ready.due,
                                      [](std::uint64_t due, const Pending& p) { return due < p.due; });
  pair.pending.insert(place, std::move(ready));
}

void Guidance::edit(MapEdit edit, std::uint64_t tick) {
  if (!state_.deferred.empty()) {
    state_.deferred.append(edit);
    edit = std::exchange(state_.deferred, {});
  }
  const Result<EditReport> report = map_.apply(edit);
  if (!report) {
    if (report.status().code() == StatusCode::out_of_memory) state_.deferred = std::move(edit);
    if (host_.log.write) host_.log.write(host_.log.context, LogLevel::error, report.status().message().c_str());
    return;
  }
  if (!report->changed) return;
  state_.view = map_.view();
  state_.changed = true;
  for (Profile& profile : state_.profiles) {
    if (profile.outdated) continue;
    Result<NavGraph> graph = profile.graph.updated(state_.view, report->dirty);
    if (graph)
      profile.graph = *std::move(graph);
    else
      profile.outdated = true;
  }
  for (Pair& pair : state_.pairs) request(pair, tick);
}

void Guidance::catch_up(std::uint64_t tick) {
  if (!state_.deferred.empty()) edit({}, tick);
  for (std::size_t i = 0; i < state_.profiles.size(); ++i) {
    Profile& profile = state_.profiles[i];
    if (!profile.outdated) continue;
    Result<NavGraph> graph = NavGraph::compile(state_.view, profile.def, host_);
    if (!graph) continue;
    profile.graph = *std::move(graph);
    profile.outdated = false;
    state_.changed = true;
    for (Pair& pair : state_.pairs)
      if (pair.profile == i) request(pair, tick);
  }
}

bool Guidance::set_goal(std::uint32_t goal, const GoalDef& where, std::uint64_t tick) {
  Goal& g = state_.goals[goal];
  if (g.def.where == where) return false;
  if (state_.goal_changed_tick[goal] == tick) ++state_.coalesced_goals;
  state_.goal_changed_tick[goal] = tick;
  g.def.where = where;
  ++g.version;
  state_.changed = true;
  for (Pair& pair : state_.pairs)
    if (pair.goal == goal && started_) request(pair, tick);
  return true;
}

void Guidance::adopt(Pair& pair, Pending&& ready, std::uint64_t tick) {
  pair.built = true;
  pair.graph_hash = ready.graph_hash;
  pair.steps_hash = ready.steps_hash;
  pair.goal_version = ready.goal_version;
  const std::uint64_t field_version = pair.stamp.field + 1;
  pair.stamp = ready.stamp;
  pair.stamp.field = field_version;
  pair.field = std::move(ready.field);
  pair.graph = std::move(ready.graph);
  pair.digest = pair.field ? pair.field->digest() : 0;
  state_.changed = true;
  ++state_.adopted;
  adoptions_.push_back({ready.requested, tick, profile_id(pair.profile), goal_id(pair.goal), field_version});
}

void Guidance::adopt_due(std::uint64_t tick) {
  adoptions_.clear();
  catch_up(tick);
  for (Pair& pair : state_.pairs) {
    bool again = false;
    while (!pair.pending.empty() && pair.pending.front().due <= tick) {
      Pending ready = std::move(pair.pending.front());
      pair.pending.erase(pair.pending.begin());
      again = again || ready.out_of_memory;
      // An older answer never replaces one that is right now: a door that opened again made the old field right again.
      if (ready.out_of_memory || is_current(pair) || (pair.built && ready.goal_version < pair.goal_version)) continue;
      adopt(pair, std::move(ready), tick);
    }
    if (again) request(pair, tick);
  }
}

void Guidance::refresh_reads() noexcept {
  for (std::size_t i = 0; i < state_.pairs.size(); ++i) {
    const Pair& pair = state_.pairs[i];
    const Profile& profile = state_.profiles[pair.profile];
    crowd::PairRead& read = reads_[i];
    read.same_costs = pair.graph_hash == profile.graph.content_hash();
    // New prices supersede a field: its steps are legal still.
    const bool same_steps = read.same_costs || pair.steps_hash == profile.graph.compiled().steps_hash();
    read.field = pair.field.get();
    read.graph = &profile.graph.compiled();
    read.freshness = !pair.built || profile.outdated ? Freshness::not_ready
                     : same_steps                    ? Freshness::current
                                                     : Freshness::stale;
    read.goal_moved = pair.built && pair.goal_version != state_.goals[pair.goal].version;
  }
}

void Guidance::publish() {
  if (!state_.changed) return;
  state_.changed = false;
  refresh_reads();
  std::vector<std::pair<ProfileId, NavGraph>> graphs;
  for (std::size_t i = 0; i < state_.profiles.size(); ++i)
    graphs.emplace_back(profile_id(static_cast<std::uint32_t>(i)), state_.profiles[i].graph);
  std::vector<BundleEntry> entries;
  for (std::size_t i = 0; i < state_.pairs.size(); ++i) {
    const Pair& pair = state_.pairs[i];
    const bool older = reads_[i].goal_moved || (reads_[i].freshness == Freshness::current && !reads_[i].same_costs);
    const Freshness shown = older ? Freshness::stale : reads_[i].freshness;
    entries.push_back({profile_id(pair.profile), goal_id(pair.goal), shown, pair.field, pair.stamp});
  }
  state_.bundle = std::make_shared<const NavBundle>(++generation_, state_.view, std::move(graphs), std::move(entries));
  store_.publish(state_.bundle);
}

// The bundle of that time is published again as it is. Numbers of generations count on, so each names one content.
void Guidance::restore(const GuidanceState& state) {
  const bool differs = state.bundle != state_.bundle;
  state_ = state;
  map_.restore(state_.view);
  reads_.resize(state_.pairs.size());
  refresh_reads();
  adoptions_.clear();
  if (differs) store_.publish(state_.bundle);
}

bool Guidance::anything_pending() const noexcept {
  return std::any_of(state_.pairs.begin(), state_.pairs.end(), [](const Pair& pair) { return !pair.pending.empty(); });
}

std::uint64_t Guidance::world_digest() const noexcept {
  base::Digest digest;
  digest.add(state_.view.content_digest()).add(state_.view.map_version()).add(state_.view.overlay_version());
  return digest.value();
}

std::uint64_t Guidance::fields_digest() const noexcept {
  base::SumDigest sum;
  for (std::size_t i = 0; i < state_.pairs.size(); ++i) {
    const Pair& pair = state_.pairs[i];
    const std::uint64_t place = std::uint64_t{pair.goal} << 32 | pair.profile;
    const std::uint64_t freshness = static_cast<std::uint64_t>(reads_[i].freshness) | (reads_[i].goal_moved ? 4u : 0u);
    base::Digest value;
    value.add(pair.stamp.field).add(freshness).add(pair.digest);
    sum.add(place, value.value());
  }
  return sum.value();
}

void Guidance::count(Metrics& metrics) const noexcept {
  metrics.field_builds = state_.builds;
  metrics.field_repairs = state_.repairs;
  metrics.map_versions = state_.view.map_version() + state_.view.overlay_version();
  metrics.adoptions = state_.adopted;
  metrics.coalesced_goal_changes += state_.coalesced_goals;
  std::uint64_t held = 0;
  std::vector<const FlowField*> seen;
  for (const Pair& pair : state_.pairs)
    if (pair.field && std::find(seen.begin(), seen.end(), pair.field.get()) == seen.end()) {
      seen.push_back(pair.field.get());
      held += pair.field->bytes();
    }
  metrics.field_bytes = held;
  metrics.retired_bytes = builder_.live_bytes() - std::min(builder_.live_bytes(), held);
}

}  // namespace drover::sim

// SPDX-License-Identifier: MIT
// Requests, builds, adoption, publication.
#include "sim/guidance.hpp"

#include "base/digest.hpp"

#include <algorithm>
#include <utility>

namespace drover::sim {
namespace {

bool same_place(const GoalDef& a, const GoalDef& b) {
  return a.placement == b.placement &&
         std::equal(a.cells.begin(), a.cells.end(), b.cells.begin(), b.cells.end(),
                    [](const GoalCell& x, const GoalCell& y) { return x.cell == y.cell && x.offset == y.offset; });
}

}  // namespace

Guidance::Guidance(GridMap map, const Host& host)
    : map_(std::move(map)), view_(map_.view()), host_(host), builder_(host) {}

Result<std::uint32_t> Guidance::add_profile(const MovementProfile& profile, std::uint32_t latency_ticks) {
  Result<NavGraph> graph = NavGraph::compile(view_, profile, host_);
  if (!graph) return graph.status();
  profiles_.push_back({profile, latency_ticks, *std::move(graph), 0});
  changed_ = true;
  if (started_) publish();
  return static_cast<std::uint32_t>(profiles_.size() - 1);
}

std::uint32_t Guidance::add_goal(const SimulationGoal& goal) {
  goals_.push_back({goal, 1});
  goal_changed_tick_.push_back(~std::uint64_t{0});
  return static_cast<std::uint32_t>(goals_.size() - 1);
}

std::uint32_t Guidance::pair(std::uint32_t profile, std::uint32_t goal, std::uint64_t tick) {
  for (std::size_t i = 0; i < pairs_.size(); ++i)
    if (pairs_[i].profile == profile && pairs_[i].goal == goal) return static_cast<std::uint32_t>(i);
  Pair made;
  made.profile = profile;
  made.goal = goal;
  pairs_.push_back(std::move(made));
  reads_.resize(pairs_.size());
  changed_ = true;
  if (started_) request(pairs_.back(), tick);
  return static_cast<std::uint32_t>(pairs_.size() - 1);
}

bool Guidance::is_current(const Pair& pair) const noexcept {
  return pair.built && pair.graph_hash == profiles_[pair.profile].graph.content_hash() &&
         pair.goal_version == goals_[pair.goal].version;
}

Stamp Guidance::stamp_now(const Pair& pair) const noexcept {
  return {view_.map_version(), view_.overlay_version(),   pair.profile + 1u,
          pair.profile + 1u,   goals_[pair.goal].version, pair.stamp.field + 1};
}

// Another profile with equal steps and costs has the same field.
const FieldRef* Guidance::shared_field(const Pair& pair) const noexcept {
  const std::uint64_t hash = profiles_[pair.profile].graph.content_hash(), version = goals_[pair.goal].version;
  for (const Pair& other : pairs_) {
    if (other.goal != pair.goal) continue;
    if (other.built && other.field && other.graph_hash == hash && other.goal_version == version) return &other.field;
    for (const Pending& p : other.pending)
      if (p.field && p.graph_hash == hash && p.goal_version == version) return &p.field;
  }
  return nullptr;
}

Status Guidance::build(const Pair& pair, Pending& out) {
  const NavGraph& graph = profiles_[pair.profile].graph;
  out.graph_hash = graph.content_hash();
  out.goal_version = goals_[pair.goal].version;
  out.stamp = stamp_now(pair);
  if (const FieldRef* shared = shared_field(pair)) {
    out.field = *shared;
    return {};
  }
  ++builds_;
  Result<FieldRef> field = builder_.build(graph, goals_[pair.goal].def.where);
  if (!field) {
    out.out_of_memory = field.status().code() == StatusCode::out_of_memory;
    return field.status();
  }
  out.field = *std::move(field);
  return {};
}

Status Guidance::start() {
  for (Pair& pair : pairs_) {
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
  if (is_current(pair) || profiles_[pair.profile].outdated) return;
  const std::uint64_t hash = profiles_[pair.profile].graph.content_hash(), version = goals_[pair.goal].version;
  for (const Pending& p : pair.pending)
    if (p.graph_hash == hash && p.goal_version == version && !p.out_of_memory) return;
  Pending ready;
  ready.requested = tick;
  ready.due = tick + profiles_[pair.profile].latency_ticks;
  if (Status status = build(pair, ready); !status.ok() && host_.log.write)
    host_.log.write(host_.log.context, LogLevel::warning, status.message().c_str());
  pair.pending.push_back(std::move(ready));
}

void Guidance::edit(MapEdit edit, std::uint64_t tick) {
  if (!deferred_.cells.empty() || !deferred_.doors.empty()) {
    edit.cells.insert(edit.cells.begin(), deferred_.cells.begin(), deferred_.cells.end());
    edit.doors.insert(edit.doors.begin(), deferred_.doors.begin(), deferred_.doors.end());
    deferred_ = {};
  }
  const Result<EditReport> report = map_.apply(edit);
  if (!report) {
    if (report.status().code() == StatusCode::out_of_memory) deferred_ = std::move(edit);
    if (host_.log.write) host_.log.write(host_.log.context, LogLevel::error, report.status().message().c_str());
    return;
  }
  if (!report->changed) return;
  view_ = map_.view();
  changed_ = true;
  for (Profile& profile : profiles_) {
    if (profile.outdated) continue;
    Result<NavGraph> graph = profile.graph.updated(view_, report->dirty);
    if (graph)
      profile.graph = *std::move(graph);
    else
      profile.outdated = true;
  }
  for (Pair& pair : pairs_) request(pair, tick);
}

void Guidance::catch_up(std::uint64_t tick) {
  if (!deferred_.cells.empty() || !deferred_.doors.empty()) edit({}, tick);
  for (std::size_t i = 0; i < profiles_.size(); ++i) {
    Profile& profile = profiles_[i];
    if (!profile.outdated) continue;
    Result<NavGraph> graph = NavGraph::compile(view_, profile.def, host_);
    if (!graph) continue;
    profile.graph = *std::move(graph);
    profile.outdated = false;
    changed_ = true;
    for (Pair& pair : pairs_)
      if (pair.profile == i) request(pair, tick);
  }
}

bool Guidance::set_goal(std::uint32_t goal, const GoalDef& where, std::uint64_t tick) {
  Goal& g = goals_[goal];
  if (same_place(g.def.where, where)) return false;
  if (goal_changed_tick_[goal] == tick) ++coalesced_goals_;
  goal_changed_tick_[goal] = tick;
  g.def.where = where;
  ++g.version;
  changed_ = true;
  for (Pair& pair : pairs_)
    if (pair.goal == goal && started_) request(pair, tick);
  return true;
}

void Guidance::adopt(Pair& pair, Pending&& ready, std::uint64_t tick) {
  pair.built = true;
  pair.graph_hash = ready.graph_hash;
  pair.goal_version = ready.goal_version;
  const std::uint64_t field_version = pair.stamp.field + 1;
  pair.stamp = ready.stamp;
  pair.stamp.field = field_version;
  pair.field = std::move(ready.field);
  pair.digest = pair.field ? pair.field->digest() : 0;
  changed_ = true;
  ++adopted_;
  adoptions_.push_back({ready.requested, tick, profile_id(pair.profile), goal_id(pair.goal), field_version});
}

void Guidance::adopt_due(std::uint64_t tick) {
  adoptions_.clear();
  catch_up(tick);
  for (Pair& pair : pairs_) {
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

void Guidance::publish() {
  if (!changed_) return;
  changed_ = false;
  std::vector<std::pair<ProfileId, NavGraph>> graphs;
  for (std::size_t i = 0; i < profiles_.size(); ++i)
    graphs.emplace_back(profile_id(static_cast<std::uint32_t>(i)), profiles_[i].graph);
  std::vector<BundleEntry> entries;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const Pair& pair = pairs_[i];
    const bool same_graph = pair.graph_hash == profiles_[pair.profile].graph.content_hash();
    crowd::PairRead& read = reads_[i];
    read.field = pair.field.get();
    read.graph = &profiles_[pair.profile].graph.compiled();
    read.freshness = !pair.built || profiles_[pair.profile].outdated ? Freshness::not_ready
                     : same_graph                                    ? Freshness::current
                                                                     : Freshness::stale;
    read.goal_moved = pair.built && pair.goal_version != goals_[pair.goal].version;
    const Freshness shown = read.goal_moved ? Freshness::stale : read.freshness;
    entries.push_back({profile_id(pair.profile), goal_id(pair.goal), shown, pair.field, pair.stamp});
  }
  std::sort(entries.begin(), entries.end(), [](const BundleEntry& a, const BundleEntry& b) {
    return std::pair(a.goal.index, a.profile.index) < std::pair(b.goal.index, b.profile.index);
  });
  bundle_ = std::make_shared<const NavBundle>(++generation_, view_, std::move(graphs), std::move(entries));
  store_.publish(bundle_);
}

bool Guidance::anything_pending() const noexcept {
  return std::any_of(pairs_.begin(), pairs_.end(), [](const Pair& pair) { return !pair.pending.empty(); });
}

std::uint64_t Guidance::world_digest() const noexcept {
  base::Digest digest;
  digest.add(view_.content_digest()).add(view_.map_version()).add(view_.overlay_version());
  return digest.value();
}

std::uint64_t Guidance::fields_digest() const noexcept {
  base::SumDigest sum;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const Pair& pair = pairs_[i];
    const std::uint64_t place = std::uint64_t{pair.goal} << 32 | pair.profile;
    const std::uint64_t freshness = static_cast<std::uint64_t>(reads_[i].freshness) | (reads_[i].goal_moved ? 4u : 0u);
    base::Digest value;
    value.add(pair.stamp.field).add(freshness).add(pair.digest);
    sum.add(place, value.value());
  }
  return sum.value();
}

void Guidance::count(Metrics& metrics) const noexcept {
  metrics.field_builds = builds_;
  metrics.map_versions = view_.map_version() + view_.overlay_version();
  metrics.adoptions = adopted_;
  metrics.coalesced_goal_changes = coalesced_goals_;
  std::uint64_t held = 0;
  std::vector<const FlowField*> seen;
  for (const Pair& pair : pairs_)
    if (pair.field && std::find(seen.begin(), seen.end(), pair.field.get()) == seen.end()) {
      seen.push_back(pair.field.get());
      held += pair.field->bytes();
    }
  metrics.field_bytes = held;
  metrics.retired_bytes = builder_.live_bytes() - std::min(builder_.live_bytes(), held);
}

}  // namespace drover::sim

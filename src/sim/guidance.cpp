// SPDX-License-Identifier: MIT
// Requests, builds, adoption, publication.
#include "sim/guidance.hpp"

#include "base/digest.hpp"
#include "base/text.hpp"
#include "field/repair.hpp"
#include "nav/profile_digest.hpp"
#include "sim/still_right.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace drover::sim {
namespace {

// A reader that holds a bundle for so long is told of: a minute at 20 ticks a second.
constexpr std::uint64_t kStalledTicks = 1200;

// Graph and maker: a field out of the cache is in everything that one built now would be.
std::uint64_t cache_key(std::uint64_t graph_hash, std::uint64_t profile_digest, std::uint64_t served) noexcept {
  return base::Digest().add(graph_hash).add(profile_digest).add(served).value();
}

}  // namespace

std::uint64_t cache_key(const NavGraph& graph) noexcept {
  const nav::CompiledGraph& compiled = graph.compiled();
  return cache_key(graph.content_hash(), nav::digest_on(compiled.map(), compiled.profile()),
                   nav::knowing_alike(compiled.map(), compiled.profile()));
}

std::uint64_t cache_key(const FlowField& field) noexcept {
  std::uint64_t served = 0;
  for (FactionId f = 0; f <= kMaxFactions; ++f) served |= std::uint64_t{field.served(f)} << f;
  return cache_key(field.graph_hash(), field.profile_digest(), served);
}

Guidance::Guidance(GridMap map, const SimulationDef& def, const Host& host)
    : map_(std::move(map)), host_(host), refresh_latency_ticks_(def.refresh_latency_ticks), queue_(host) {
  state_.view = map_.view();
  state_.cache = FieldCache(def.field_cache_bytes);
}

Result<std::uint32_t> Guidance::add_profile(const MovementProfile& profile, std::uint32_t latency_ticks) {
  Result<NavGraph> graph = NavGraph::compile(state_.view, profile, host_);
  if (!graph) return graph.status();
  state_.profiles.push_back({profile, latency_ticks, *std::move(graph), 0});
  state_.changed = true;
  if (started_) publish(now_);
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
  if (started_) ask(state_.pairs.back(), tick);
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

void Guidance::begin_commands() {
  noting_ = started_;
  goals_before_.clear();
}

// Another profile with equal steps and costs has the same field, or waits for it.
BuildRef Guidance::shared_build(const Pair& pair) const {
  const NavGraph& graph = state_.profiles[pair.profile].graph;
  const std::uint64_t hash = graph.content_hash(), version = state_.goals[pair.goal].version;
  for (const Pair& other : state_.pairs) {
    if (other.goal != pair.goal) continue;
    if (other.built && other.graph_hash == hash && other.goal_version == version && is_built_on(other))
      return Build::ready(graph, state_.goals[pair.goal].def.where, other.field);
    if (other.pending && other.pending->graph_hash == hash && other.pending->goal_version == version)
      return other.pending->build;
  }
  return nullptr;
}

// Repaired from the field in force where it leads to the same goal: between two edits little of it changes.
BuildRef Guidance::new_build(const Pair& pair) const {
  auto build = std::make_shared<Build>();
  build->graph = state_.profiles[pair.profile].graph;
  build->goal = state_.goals[pair.goal].def.where;
  if (pair.field != nullptr && !pair.graph.null() && pair.goal_version == state_.goals[pair.goal].version) {
    build->old = pair.field;
    build->before = pair.graph;
  }
  return build;
}

Pending Guidance::make_pending(const Pair& pair, std::uint64_t tick) {
  const Profile& profile = state_.profiles[pair.profile];
  const GoalDef& goal = state_.goals[pair.goal].def.where;
  Pending made;
  made.requested = tick;
  made.due = tick + latency_of(pair);
  made.graph_hash = profile.graph.content_hash();
  made.steps_hash = profile.graph.compiled().steps_hash();
  made.goal_version = state_.goals[pair.goal].version;
  made.stamp = stamp_now(pair);
  made.build = shared_build(pair);
  if (made.build != nullptr) {
    queue_.hurry(made.build, made.due);
    return made;
  }
  const FieldCache::Entry* const known = state_.cache.ask(cache_key(profile.graph), goal, now_);
  if (known != nullptr && known->field != nullptr) {
    made.build = Build::ready(profile.graph, goal, known->field);
    return made;
  }
  // An entry whose field was not saved is a hit to all who count.
  if (known == nullptr) ++state_.builds;
  made.fresh = true;
  made.build = new_build(pair);
  made.build->due = made.due;
  queue_.add(made.build);
  return made;
}

Status Guidance::start() {
  for (Pair& pair : state_.pairs) {
    if (is_current(pair)) continue;
    const Pending ready = make_pending(pair, 0);
    queue_.finish(ready.build);
    if (!ready.build->status.ok()) return ready.build->status;
    take(pair, ready, 0);
  }
  started_ = true;
  publish(0);
  return {};
}

void Guidance::ask(Pair& pair, std::uint64_t tick) {
  if (!noting_) return request(pair, tick);
  noted_.resize(state_.pairs.size());
  std::optional<std::uint64_t>& noted = noted_[static_cast<std::size_t>(&pair - state_.pairs.data())];
  noted = std::max(noted.value_or(0), tick);
}

void Guidance::ask_noted() {
  noting_ = false;
  for (std::size_t i = 0; i < noted_.size(); ++i)
    if (noted_[i]) request(state_.pairs[i], *noted_[i]);
  noted_.clear();
}

// A refresh: agents follow what is there until then.
std::uint32_t Guidance::latency_of(const Pair& pair) const noexcept {
  const Profile& profile = state_.profiles[pair.profile];
  const bool refresh = pair.field != nullptr && pair.goal_version == state_.goals[pair.goal].version;
  return refresh ? refresh_latency(profile) : profile.latency_ticks;
}

// One build of a pair at a time. What is asked for meanwhile is asked for again when that one is in, then as it is.
// Only what would be in sooner, a new order during a refresh, takes its place.
void Guidance::request(Pair& pair, std::uint64_t tick) {
  if (pair.again) {
    pair.again.reset();
    ++state_.coalesced_requests;
  }
  const Profile& profile = state_.profiles[pair.profile];
  if (is_current(pair) || profile.outdated) return;
  const bool sooner = pair.pending && pair.pending->due > tick + latency_of(pair);
  if (sooner) ++state_.coalesced_requests;
  if (!pair.pending || sooner) {
    pair.pending = make_pending(pair, tick);
    if (pair.pending->due <= now_) queue_.finish(pair.pending->build);
  } else if (pair.pending->graph_hash != profile.graph.content_hash() ||
             pair.pending->goal_version != state_.goals[pair.goal].version) {
    pair.again = tick;
  }
}

void Guidance::launch(const std::vector<std::uint32_t>& agents_by_pair) {
  for (std::size_t i = 0; i < state_.pairs.size(); ++i)
    if (state_.pairs[i].pending) queue_.prefer(state_.pairs[i].pending->build, agents_by_pair[i]);
  queue_.launch(now_);
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
  std::vector<NavGraph> before;
  changed_.resize(state_.profiles.size());
  for (std::size_t i = 0; i < state_.profiles.size(); ++i) {
    Profile& profile = state_.profiles[i];
    before.push_back(profile.graph);
    changed_[i].clear();
    if (profile.outdated) continue;
    Result<NavGraph> graph = profile.graph.updated(state_.view, report->dirty);
    profile.outdated = !graph;
    if (profile.outdated) continue;
    profile.graph = *std::move(graph);
    nav::find_changes(before.back().compiled(), profile.graph.compiled(), changes_);
    for (const auto* cells : {&changes_.cells, &changes_.entered, &changes_.portals})
      changed_[i].insert(changed_[i].end(), cells->begin(), cells->end());
  }
  if (!started_) return;
  for (Pair& pair : state_.pairs) {
    const std::vector<std::uint32_t>& changed = changed_[pair.profile];
    keep(pair, before[pair.profile], changed);
    if (pair.pending && pair.pending->changed) {
      std::vector<std::uint32_t>& all = *pair.pending->changed;
      if (state_.profiles[pair.profile].outdated || all.size() + changed.size() > kMostChanged)
        pair.pending->changed.reset();
      else
        all.insert(all.end(), changed.begin(), changed.end());
    }
    ask(pair, tick);
  }
}

// A field that was right before an edit which does not concern it is right after it.
void Guidance::keep(Pair& pair, const NavGraph& before, std::span<const std::uint32_t> changed) {
  const Profile& profile = state_.profiles[pair.profile];
  const Goal& goal = state_.goals[pair.goal];
  if (!pair.field || profile.outdated || pair.goal_version != goal.version ||
      pair.graph_hash != before.content_hash() || is_current(pair) ||
      !still_right(*pair.field, changed, profile.graph, goal.def.where))
    return;
  call_current(pair);
}

// The same for a field that was on its way during the edits.
void Guidance::keep_adopted(Pair& pair, const Pending& ready) {
  const Profile& profile = state_.profiles[pair.profile];
  const Goal& goal = state_.goals[pair.goal];
  if (pair.field && ready.changed && !profile.outdated && pair.goal_version == goal.version && !is_current(pair) &&
      still_right(*pair.field, *ready.changed, profile.graph, goal.def.where))
    call_current(pair);
}

void Guidance::call_current(Pair& pair) noexcept {
  const NavGraph& graph = state_.profiles[pair.profile].graph;
  pair.graph_hash = graph.content_hash();
  pair.steps_hash = graph.compiled().steps_hash();
  ++state_.kept;
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
      if (pair.profile == i) ask(pair, tick);
  }
}

bool Guidance::set_goal(std::uint32_t goal, const GoalDef& where, std::uint64_t tick) {
  Goal& g = state_.goals[goal];
  if (g.def.where == where) return false;
  if (state_.goal_changed_tick[goal] == tick) ++state_.coalesced_goals;
  state_.goal_changed_tick[goal] = tick;
  const auto before = std::find_if(goals_before_.begin(), goals_before_.end(),
                                   [&](const auto& changed) { return changed.first == goal; });
  // Changes of one tick make one version; there and back makes none.
  if (!noting_ || before == goals_before_.end()) {
    if (noting_) goals_before_.emplace_back(goal, g.def.where);
    ++g.version;
  } else if (before->second == where) {
    --g.version;
    goals_before_.erase(before);
  }
  g.def.where = where;
  state_.changed = true;
  for (Pair& pair : state_.pairs)
    if (pair.goal == goal && started_) ask(pair, tick);
  return true;
}

void Guidance::adopt(Pair& pair, const Pending& ready, std::uint64_t tick) {
  pair.built = true;
  pair.graph_hash = ready.graph_hash;
  pair.steps_hash = ready.steps_hash;
  pair.goal_version = ready.goal_version;
  const std::uint64_t field_version = pair.stamp.field + 1;
  pair.stamp = ready.stamp;
  pair.stamp.field = field_version;
  pair.field = ready.build->field;
  pair.graph = ready.build->graph;
  pair.digest = pair.field ? pair.field->digest() : 0;
  state_.changed = true;
  ++state_.adopted;
  state_.adoption_ticks += tick - std::min(tick, ready.requested);
  adoptions_.push_back({ready.requested, tick, profile_id(pair.profile), goal_id(pair.goal), field_version});
}

// False if there was no memory for it.
bool Guidance::take(Pair& pair, const Pending& ready, std::uint64_t tick) {
  const Build& build = *ready.build;
  if (!build.status.ok() && ready.fresh && host_.log.write)
    host_.log.write(host_.log.context, LogLevel::warning, build.status.message().c_str());
  if (build.status.code() == StatusCode::out_of_memory) return false;
  if (build.field != nullptr) {
    if (ready.fresh && field::was_repaired(*build.field)) ++state_.repairs;
    state_.cache.put(cache_key(*build.field), build.goal, build.field, cached_bytes(), tick);
  }
  // An older answer never replaces one that is right now: a door that opened again made the old field right again.
  if (!is_current(pair) && (!pair.built || ready.goal_version >= pair.goal_version)) {
    adopt(pair, ready, tick);
    keep_adopted(pair, ready);
  }
  return true;
}

void Guidance::adopt_due(std::uint64_t tick) {
  adoptions_.clear();
  now_ = tick;
  catch_up(tick);
  ask_noted();
  bool late = false;
  for (Pair& pair : state_.pairs) {
    while (pair.pending && pair.pending->due <= tick) {
      const Pending ready = std::move(*pair.pending);
      pair.pending.reset();
      late = (!queue_.finish(ready.build) && queue_.in_background()) || late;
      const bool taken = take(pair, ready, tick);
      const std::optional<std::uint64_t> again = std::exchange(pair.again, std::nullopt);
      if (!taken) {
        request(pair, tick);
        break;
      }
      if (again) request(pair, *again);
    }
  }
  if (late) ++overruns_;
}

void Guidance::refresh_reads() {
  read_keys_.resize(reads_.size());
  for (std::size_t i = 0; i < state_.pairs.size(); ++i) {
    const Pair& pair = state_.pairs[i];
    const Profile& profile = state_.profiles[pair.profile];
    crowd::PairRead& read = reads_[i];
    const ReadKey key{pair.stamp.field, profile.graph.content_hash(), pair.field.get()};
    if (read.epoch == 0 || key != read_keys_[i]) read.epoch = ++epochs_;
    read_keys_[i] = key;
    read.same_costs = pair.graph_hash == profile.graph.content_hash();
    // New prices supersede a field: its steps are legal still.
    const bool same_steps = read.same_costs || pair.steps_hash == profile.graph.compiled().steps_hash();
    read.field = pair.field.get();
    read.field_version = pair.stamp.field;
    read.graph = &profile.graph.compiled();
    read.freshness = !pair.built || profile.outdated ? Freshness::not_ready
                     : same_steps                    ? Freshness::current
                                                     : Freshness::stale;
    read.goal_moved = pair.built && pair.goal_version != state_.goals[pair.goal].version;
    read.plain = read.freshness == Freshness::current && !read.goal_moved && read.same_costs && read.field != nullptr;
  }
}

// What nobody holds any more is forgotten, so the list is as long as there are bundles held.
void Guidance::retire(std::uint64_t tick) {
  std::erase_if(retired_, [](const Retired& r) { return r.bundle.expired(); });
  if (state_.bundle != nullptr) retired_.push_back({state_.bundle, tick, false});
  for (Retired& r : retired_) {
    if (r.warned || r.tick + kStalledTicks > tick) continue;
    r.warned = true;
    const std::string text = base::concat("a reader has held a bundle that was replaced at tick ", r.tick, " for ",
                                          tick - r.tick, " ticks; its memory is kept");
    if (host_.log.write) host_.log.write(host_.log.context, LogLevel::warning, text.c_str());
  }
}

// Readers that hold many bundles are given no newer ones to hold until they let go of some: what comes meanwhile
// reaches them as one. The simulation reads its own, so nothing of this shows in a run.
void Guidance::offer() {
  const bool before = withheld_;
  withheld_ = retired_.size() >= Simulation::kMostBundles;
  if (!withheld_) return store_.publish(state_.bundle);
  ++withheld_bundles_;
  if (!before && host_.log.write)
    host_.log.write(host_.log.context, LogLevel::warning,
                    "readers hold as many bundles as they may; newer ones are withheld until they let go of some");
}

void Guidance::publish(std::uint64_t tick) {
  if (withheld_) {
    std::erase_if(retired_, [](const Retired& r) { return r.bundle.expired(); });
    if (retired_.size() < Simulation::kMostBundles && !state_.changed) offer();
  }
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
    entries.push_back({profile_id(pair.profile), goal_id(pair.goal), shown, pair.field, pair.stamp,
                       is_built_on(pair) ? 0 : pair.graph_hash, pair.plan});
  }
  retire(tick);
  state_.bundle = std::make_shared<const NavBundle>(++generation_, state_.view, std::move(graphs), std::move(entries));
  offer();
}

// The bundle of that time is published again as it is. Numbers of generations count on, so each names one content.
void Guidance::restore(const GuidanceState& state) {
  const bool differs = state.bundle != state_.bundle;
  if (differs) retire(now_);
  state_ = state;
  map_.restore(state_.view);
  reads_.assign(state_.pairs.size(), {});  // versions of another course of events: nothing that was read holds
  refresh_reads();
  adoptions_.clear();
  if (differs) offer();
}

bool Guidance::anything_pending() const noexcept {
  return std::any_of(state_.pairs.begin(), state_.pairs.end(),
                     [](const Pair& pair) { return pair.pending.has_value(); });
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

void Guidance::count(Metrics& metrics) const {
  metrics.field_builds = state_.builds;
  metrics.field_repairs = state_.repairs;
  metrics.map_versions = state_.view.map_version() + state_.view.overlay_version();
  metrics.adoptions = state_.adopted;
  metrics.adoption_ticks = state_.adoption_ticks;
  metrics.coalesced_goal_changes += state_.coalesced_goals;
  metrics.coalesced_requests = state_.coalesced_requests;
  metrics.kept_fields = state_.kept;
  metrics.cache_hits = state_.cache.hits();
  metrics.cache_misses = state_.cache.misses();
  metrics.tick_overruns = overruns_;
  metrics.withheld_bundles = withheld_bundles_;
  std::vector<const FlowField*> fields;
  // Bytes of the fields since `first` that were not among those before.
  const auto settle = [&](std::size_t first) {
    const auto begin = fields.begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(begin, fields.end());
    fields.erase(std::unique(begin, fields.end()), fields.end());
    std::vector<const FlowField*> fresh;
    std::set_difference(fields.begin() + static_cast<std::ptrdiff_t>(first), fields.end(), fields.begin(),
                        fields.begin() + static_cast<std::ptrdiff_t>(first), std::back_inserter(fresh));
    fields.resize(first);
    std::uint64_t bytes = 0;
    for (const FlowField* field : fresh) bytes += field->bytes();
    fields.insert(fields.end(), fresh.begin(), fresh.end());
    std::inplace_merge(fields.begin(), fields.begin() + static_cast<std::ptrdiff_t>(first), fields.end());
    return bytes;
  };
  const auto add = [&](const FieldRef& field) {
    if (field != nullptr) fields.push_back(field.get());
  };
  for (const Pair& pair : state_.pairs) add(pair.field);
  metrics.field_bytes = settle(0);
  std::size_t known = fields.size();
  for (const FieldCache::Entry& entry : state_.cache.entries()) add(entry.field);
  metrics.cache_bytes = settle(known);
  known = fields.size();
  metrics.live_bundles = state_.bundle != nullptr ? 1 : 0;
  for (const Retired& r : retired_) {
    const BundleRef bundle = r.bundle.lock();
    if (bundle == nullptr || bundle == state_.bundle) continue;
    ++metrics.live_bundles;
    metrics.oldest_reader_ticks = std::max(metrics.oldest_reader_ticks, now_ - std::min(now_, r.tick));
    for (const BundleEntry& entry : bundle->entries()) add(entry.field);
  }
  metrics.retired_bytes = settle(known);
}

}  // namespace drover::sim

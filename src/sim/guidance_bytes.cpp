// SPDX-License-Identifier: MIT
// Guidance as bytes: fields that can be built again are only named, the others are written down.
#include "base/no_throw.hpp"
#include "field/field_bytes.hpp"
#include "field/goals.hpp"
#include "sim/guidance.hpp"
#include "sim/input_bytes.hpp"
#include "sim/still_right.hpp"
#include "world/map_bytes.hpp"

#include <algorithm>

namespace drover::sim {
namespace {

using base::ByteReader;
using base::ByteWriter;

/// The fields of a state, each once, in order of first use.
class FieldList {
 public:
  /// How a field comes back: built for this pair, or from its bytes.
  struct Entry {
    const FlowField* field;
    std::uint32_t pair;
    bool build;
    std::uint64_t digest;
  };
  void add(const FlowField* field, std::uint32_t pair, bool build, std::uint64_t digest) {
    if (field == nullptr) return;
    const auto found = find(field);
    if (found == entries_.end()) return entries_.push_back({field, pair, build, digest});
    if (build && !found->build) *found = {field, pair, true, found->digest};
  }
  /// 0 for no field, else one more than its place.
  std::uint64_t number(const FlowField* field) {
    return field == nullptr ? 0 : static_cast<std::uint64_t>(find(field) - entries_.begin()) + 1;
  }
  const std::vector<Entry>& entries() const noexcept { return entries_; }

 private:
  std::vector<Entry>::iterator find(const FlowField* field) {
    return std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.field == field; });
  }
  std::vector<Entry> entries_;
};

void write_stamp(ByteWriter& out, const Stamp& s) {
  for (const std::uint64_t version : {s.map, s.overlay, s.profile, s.cost, s.goal, s.field}) out.number(version);
}

Stamp read_stamp(ByteReader& in) {
  Stamp s;
  for (std::uint64_t* version : {&s.map, &s.overlay, &s.profile, &s.cost, &s.goal, &s.field}) *version = in.number();
  return s;
}

void write_pair(ByteWriter& out, const Pair& pair, FieldList& fields) {
  out.number(pair.profile);
  out.number(pair.goal);
  out.u8(pair.built ? 1 : 0);
  out.u64(pair.graph_hash);
  out.u64(pair.steps_hash);
  out.number(pair.goal_version);
  write_stamp(out, pair.stamp);
  out.number(fields.number(pair.field.get()));
  out.u8(pair.pending ? 1 : 0);
  if (!pair.pending) return;
  const Pending& p = *pair.pending;
  out.number(p.requested);
  out.number(p.due);
  out.u64(p.graph_hash);
  out.u64(p.steps_hash);
  out.number(p.goal_version);
  write_stamp(out, p.stamp);
  out.number(fields.number(p.build->field.get()));
  out.u8(p.build->status.code() == StatusCode::out_of_memory ? 1 : 0);
  write_goal(out, {p.build->goal, OnArrival::stay});
  out.u8(p.changed ? 1 : 0);
  if (p.changed) {
    out.number(p.changed->size());
    for (const std::uint32_t cell : *p.changed) out.number(cell);
  }
  out.u8(pair.again ? 1 : 0);
  if (pair.again) out.number(*pair.again);
}

/// Numbers of fields, until the fields are there.
struct PairFields {
  std::uint64_t own = 0, pending = 0;
};

Pair read_pair(ByteReader& in, const GuidanceState& state, const GridShape& shape, std::size_t fields,
               std::uint32_t refresh_ticks, PairFields& numbers) {
  Pair pair;
  pair.profile = in.number32();
  pair.goal = in.number32();
  in.expect(pair.profile < state.profiles.size() && pair.goal < state.goals.size());
  pair.built = in.flag();
  pair.graph_hash = in.u64();
  pair.steps_hash = in.u64();
  pair.goal_version = in.number();
  pair.stamp = read_stamp(in);
  numbers.own = in.number(fields);
  if (!in.flag()) return pair;
  Pending p;
  p.requested = in.number();
  p.due = in.number();
  p.graph_hash = in.u64();
  p.steps_hash = in.u64();
  p.goal_version = in.number();
  p.stamp = read_stamp(in);
  numbers.pending = in.number(fields);
  const Status status = in.flag() ? base::out_of_memory() : Status{};
  const GoalDef goal = read_goal(in).where;
  p.build = Build::ready({}, goal, nullptr, status);
  in.expect(in.ok());
  const std::uint64_t latency = in.ok() ? state.profiles[pair.profile].latency_ticks : 0;
  in.expect(p.due == p.requested + latency ||
            (pair.built && p.due == p.requested + std::max<std::uint64_t>(latency, refresh_ticks)));
  in.expect(field::check_goal(goal).ok());
  in.expect(p.goal_version != state.goals[pair.goal].version || goal == state.goals[pair.goal].def.where);
  p.changed.reset();
  if (in.flag()) {
    std::vector<std::uint32_t>& changed = p.changed.emplace();
    for (std::size_t n = in.count(1); n > 0 && in.ok(); --n) {
      const std::uint32_t cell = in.number32();
      in.expect(cell < shape.padded_cells() && shape.contains(shape.cell({cell})));
      changed.push_back(cell);
    }
  }
  if (in.flag()) pair.again = in.number();
  pair.pending = std::move(p);
  return pair;
}

Status not_whole() { return {StatusCode::snapshot, "the goals and fields in these bytes are not whole"}; }

}  // namespace

/// A field as it stands in the bytes: itself, or the pair that it is built for.
struct StoredField {
  std::uint64_t digest = 0;
  bool build = false;
  std::uint32_t pair = 0;
  field::Maker maker;  // the profile it was built for first, if several share it
  FieldRef field;
};

// The same steps, costs and goal as now: the builder makes the same bytes again.
bool Guidance::can_build(const Pair& pair, std::uint64_t graph_hash, std::uint64_t goal_version) const noexcept {
  const Profile& profile = state_.profiles[pair.profile];
  return !profile.outdated && graph_hash == profile.graph.content_hash() &&
         goal_version == state_.goals[pair.goal].version;
}

void Guidance::write(ByteWriter& out) const {
  out.number(state_.profiles.size());
  for (const Profile& p : state_.profiles) {
    write_profile(out, p.def);
    out.number(p.latency_ticks);
    out.u8(p.outdated ? 1 : 0);
  }
  out.number(state_.goals.size());
  for (std::size_t i = 0; i < state_.goals.size(); ++i) {
    write_goal(out, state_.goals[i].def);
    out.number(state_.goals[i].version);
    out.u64(state_.goal_changed_tick[i]);
  }
  FieldList fields;
  for (std::uint32_t i = 0; i < state_.pairs.size(); ++i) {
    const Pair& pair = state_.pairs[i];
    const bool build = is_built_on(pair) && can_build(pair, pair.graph_hash, pair.goal_version);
    fields.add(pair.field.get(), i, build, pair.digest);
    if (!pair.pending) continue;
    const Pending& p = *pair.pending;
    queue_.finish(p.build);
    const FlowField* const field = p.build->field.get();
    fields.add(field, i, can_build(pair, p.graph_hash, p.goal_version), field != nullptr ? field->digest() : 0);
  }
  out.number(fields.entries().size());
  for (const FieldList::Entry& e : fields.entries()) {
    out.u64(e.digest);
    out.u8(e.build ? 1 : 0);
    if (e.build) {
      out.number(e.pair);
      field::write_maker(out, *e.field);
    }
    if (!e.build) field::write_field(out, *e.field);
  }
  out.number(state_.pairs.size());
  for (const Pair& pair : state_.pairs) write_pair(out, pair, fields);
  out.u8(state_.changed ? 1 : 0);
  for (const std::uint64_t n : {state_.builds, state_.adopted, state_.adoption_ticks, state_.coalesced_goals,
                                state_.coalesced_requests, state_.kept})
    out.number(n);
  write_cache(out);
  world::write_edit(out, state_.deferred);
}

// Names only: what is wanted again is built again, and everyone counts a hit.
void Guidance::write_cache(ByteWriter& out) const {
  const FieldCache& cache = state_.cache;
  for (const std::uint64_t n : {cache.hits(), cache.misses(), cache.evictions()}) out.number(n);
  out.number(cache.entries().size());
  for (const FieldCache::Entry& e : cache.entries()) {
    out.u64(e.graph_hash);
    write_goal(out, {*e.goal, OnArrival::stay});
    out.number(e.used_tick);
  }
}

bool Guidance::read_cache(ByteReader& in) {
  FieldCache cache(state_.cache.max_bytes());
  const std::uint64_t hits = in.number(), misses = in.number(), evictions = in.number();
  for (std::size_t n = in.count(12); n > 0 && in.ok(); --n) {
    const std::uint64_t graph_hash = in.u64();
    const GoalDef goal = read_goal(in).where;
    in.expect(field::check_goal(goal).ok());
    cache.put(graph_hash, goal, nullptr, cached_bytes(), in.number());
  }
  in.expect(cache.evictions() == 0);
  cache.count_from(hits, misses, evictions);
  for (const Pair& pair : state_.pairs) {
    const Goal& goal = state_.goals[pair.goal];
    if (!is_built_on(pair) || pair.goal_version != goal.version) continue;
    const std::uint64_t key = cache_key(*pair.field);
    const FieldCache::Entry* const entry = cache.peek(key, goal.def.where);
    if (entry != nullptr) cache.put(key, goal.def.where, pair.field, cached_bytes(), entry->used_tick);
  }
  state_.cache = std::move(cache);
  return in.ok();
}

Status Guidance::read_rules(ByteReader& in) {
  for (std::size_t n = in.count(10); n > 0; --n) {
    const MovementProfile def = read_profile(in);
    const std::uint32_t latency = in.number32();
    const bool outdated = in.flag();
    if (!in.ok()) return not_whole();
    if (const Result<std::uint32_t> added = add_profile(def, latency); !added) return added.status();
    state_.profiles.back().outdated = outdated;
  }
  for (std::size_t n = in.count(11); n > 0; --n) {
    add_goal(read_goal(in));
    state_.goals.back().version = in.number();
    state_.goal_changed_tick.back() = in.u64();
    in.expect(field::check_goal(state_.goals.back().def.where).ok());
  }
  return in.ok() ? Status{} : not_whole();
}

Status Guidance::read_fields(ByteReader& in, std::vector<StoredField>& fields) const {
  fields.resize(in.count(10));
  for (StoredField& f : fields) {
    f.digest = in.u64();
    f.build = in.flag();
    if (f.build) {
      f.pair = in.number32();
      f.maker = field::read_maker(in);
    }
    if (f.build || !in.ok()) continue;
    Result<FieldRef> field = field::read_field(in, shape(), host_);
    if (!field) return field.status();
    f.field = *std::move(field);
  }
  return in.ok() ? Status{} : not_whole();
}

Status Guidance::build_fields(std::vector<StoredField>& fields) {
  for (StoredField& f : fields) {
    if (f.build && f.pair >= state_.pairs.size()) return not_whole();
    if (f.build) {
      const Pair& pair = state_.pairs[f.pair];
      Result<FieldRef> field = queue_.build_now(state_.profiles[pair.profile].graph, state_.goals[pair.goal].def.where);
      if (!field) return field.status().code() == StatusCode::out_of_memory ? field.status() : not_whole();
      f.field = *std::move(field);
      field::name_maker(f.field, f.maker);
    }
    if (f.field->digest() != f.digest)
      return {StatusCode::snapshot, "a field in these bytes has another digest than it had when it was saved"};
  }
  return {};
}

// Who has a current field takes its steps without asking the graph, so such a field was built here.
bool Guidance::may_have(const Pair& pair, std::uint64_t graph_hash, std::uint64_t goal_version,
                        const StoredField& f) const noexcept {
  if (!can_build(pair, graph_hash, goal_version)) return true;
  return f.build && state_.goals[state_.pairs[f.pair].goal].def.where == state_.goals[pair.goal].def.where &&
         state_.profiles[state_.pairs[f.pair].profile].graph.content_hash() == graph_hash;
}

// What these bytes say of edits since a build was asked for proves fields right, so it is looked at before.
Status Guidance::check_proof(const Pair& pair) {
  const Pending& p = *pair.pending;
  const Profile& profile = state_.profiles[pair.profile];
  const GoalDef& goal = state_.goals[pair.goal].def.where;
  if (!p.changed || profile.outdated || p.goal_version != state_.goals[pair.goal].version ||
      can_build(pair, p.graph_hash, p.goal_version) ||  // it was built here
      !still_right(*p.build->field, *p.changed, profile.graph, goal))
    return {};
  const Result<FieldRef> built = queue_.build_now(profile.graph, goal);
  if (!built) return built.status().code() == StatusCode::out_of_memory ? built.status() : not_whole();
  return same_ways(*p.build->field, **built) ? Status{} : not_whole();
}

Status Guidance::read(ByteReader& in) {
  if (Status status = read_rules(in); !status.ok()) return status;
  std::vector<StoredField> fields;
  if (Status status = read_fields(in, fields); !status.ok()) return status;
  std::vector<PairFields> numbers(in.count(28));
  for (PairFields& n : numbers)
    state_.pairs.push_back(read_pair(in, state_, shape(), fields.size(), refresh_latency_ticks_, n));
  if (!in.ok()) return not_whole();
  if (Status status = build_fields(fields); !status.ok()) return status;
  for (std::size_t i = 0; i < state_.pairs.size(); ++i) {
    Pair& pair = state_.pairs[i];
    if (numbers[i].own != 0) {
      const StoredField& f = fields[numbers[i].own - 1];
      if (!may_have(pair, pair.graph_hash, pair.goal_version, f)) {
        // One that an edit did not concern.
        const Result<FieldRef> built =
            queue_.build_now(state_.profiles[pair.profile].graph, state_.goals[pair.goal].def.where);
        if (!built && built.status().code() == StatusCode::out_of_memory) return built.status();
        in.expect(built.ok() && same_ways(*f.field, **built));
      }
      pair.field = f.field;
      pair.digest = f.digest;
      if (f.build && is_built_on(pair) && can_build(pair, pair.graph_hash, pair.goal_version))
        pair.graph = state_.profiles[pair.profile].graph;
    }
    if (numbers[i].pending == 0) continue;
    Pending& p = *pair.pending;
    const StoredField& f = fields[numbers[i].pending - 1];
    in.expect(may_have(pair, p.graph_hash, p.goal_version, f));
    p.build->field = f.field;
    if (f.build && can_build(pair, p.graph_hash, p.goal_version)) p.build->graph = state_.profiles[pair.profile].graph;
    if (Status status = check_proof(pair); !status.ok()) return status;
  }
  const bool changed = in.flag();
  for (std::uint64_t* n : {&state_.builds, &state_.adopted, &state_.adoption_ticks, &state_.coalesced_goals,
                           &state_.coalesced_requests, &state_.kept})
    *n = in.number();
  if (!read_cache(in)) return not_whole();
  state_.deferred = world::read_edit(in);
  if (!in.ok()) return not_whole();
  reads_.resize(state_.pairs.size());
  started_ = true;
  state_.changed = true;
  publish(0);
  state_.changed = changed;
  return {};
}

}  // namespace drover::sim

// SPDX-License-Identifier: MIT
// Saving and restoring between two ticks: agents as packed columns, everything else by sharing.
#include "base/no_throw.hpp"
#include "sim/impl.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace drover {

/// What changes only when agents come and go; shared by all snapshots in between.
struct Roster {
  std::uint64_t version = 0;
  std::vector<std::uint64_t> key;
  std::vector<std::int32_t> priority_class;
  std::vector<std::uint8_t> body;
  std::vector<AgentRecord> records;
  std::vector<std::uint32_t> free_slots;
};

namespace {

/// The few that give way at the moment.
struct Yielding {
  std::uint32_t agent, yields, to, cell;
  std::uint8_t ticks;
};

/// Who is in the middle of a step, or has ended one with something left over.
struct Striding {
  crowd::Stride stride;
  std::uint32_t agent, portal, other_end;
  std::uint8_t move;
};

constexpr std::uint32_t kAhead = 16;

// Arrays that a tick changes and the next one reads, but for places (first, see load_places) and yields (a list).
template <class World, class Visit>
void each_column(World& s, Visit&& visit) {
  visit(s.agents.came_by);
  visit(s.agents.went_up);
  visit(s.agents.state);
  visit(s.agents.reason);
  visit(s.agents.by);
  visit(s.agents.wanted);
  visit(s.agents.age);
  visit(s.agents.best_cost);
  visit(s.journeys.arrival_tick);
  visit(s.journeys.field_version);
  visit(s.placed);
  visit(s.starting);
}

// Where agents are going. Most ticks leave them alone, so they have a version of their own.
template <class World, class Visit>
void each_way(World& s, Visit&& visit) {
  visit(s.agents.pair);
  visit(s.journeys.goal);
  visit(s.journeys.next_via);
}

// A place without its layer, which maps of one layer do not need.
constexpr std::size_t kPlaceBytes = 2 * sizeof(std::int32_t);

/// Sums up sizes, copies out, copies in: for each_column and each_way.
struct Measure {
  std::size_t bytes = 0;
  template <class Column>
  void operator()(const Column& column) noexcept {
    bytes += column.size() * sizeof(column[0]);
  }
};
struct CopyOut {
  std::byte* out;
  template <class Column>
  void operator()(const Column& column) noexcept {
    const std::size_t size = column.size() * sizeof(column[0]);
    if (size != 0) std::memcpy(out, column.data(), size);
    out += size;
  }
};
struct CopyIn {
  const std::byte* in;
  template <class Column>
  void operator()(Column& column) noexcept {
    const std::size_t size = column.size() * sizeof(column[0]);
    if (size != 0) std::memcpy(column.data(), in, size);
    in += size;
  }
};

}  // namespace

struct SimulationSnapshot::Impl {
  std::uint64_t owner = 0;  // Simulation::Impl::identity
  std::uint64_t tick = 0;
  std::size_t agents = 0, placed = 0, starting = 0;
  std::vector<std::byte> columns, ways;
  std::uint64_t ways_version = 0;
  std::vector<Yielding> yielding;
  std::vector<Striding> striding;
  crowd::SavedWays own_ways;
  StateCounts counts{};
  std::uint64_t vanished = 0, vanished_digest = 0, plans_digest = 0;
  Metrics metrics;
  crowd::ArbiterCounters arbiter;
  Digests digests;
  sim::GuidanceState guidance;
  sim::CommandQueue queue;
  std::vector<Input> given;
  std::size_t bodies = 0;
  std::shared_ptr<const Roster> roster;
  sim::GateCrowdState gate_crowd;
  std::vector<sim::JamGroup> jams;
};

SimulationSnapshot::SimulationSnapshot() : impl_(std::make_unique<Impl>()) {}
SimulationSnapshot::SimulationSnapshot(SimulationSnapshot&&) noexcept = default;
SimulationSnapshot& SimulationSnapshot::operator=(SimulationSnapshot&&) noexcept = default;
SimulationSnapshot::~SimulationSnapshot() = default;
std::uint64_t SimulationSnapshot::tick() const noexcept { return impl_->tick; }
std::size_t SimulationSnapshot::bytes() const noexcept {
  return impl_->columns.size() + impl_->ways.size() + impl_->yielding.size() * sizeof(Yielding) +
         impl_->striding.size() * sizeof(Striding) + impl_->own_ways.bytes();
}

void Simulation::Impl::save(SimulationSnapshot::Impl& to) const {
  const bool same_ways = to.owner == identity && to.ways_version == ways_version && to.agents == agents.size();
  to.owner = 0;  // until everything is in
  if (!frozen_roster || frozen_roster->version != roster_version) {
    auto roster = std::make_shared<Roster>();
    *roster = {roster_version, agents.key, agents.priority_class, agents.body, records, free_slots};
    frozen_roster = std::move(roster);
  }
  const bool layered = guidance.shape().layers() > 1;
  Measure columns{agents.size() * (kPlaceBytes + (layered ? sizeof(std::int32_t) : 0))};
  each_column(*this, columns);
  to.columns.resize(columns.bytes);
  CopyOut copy{to.columns.data()};
  for (const Cell& at : agents.at) {
    const std::array<std::int32_t, 2> place{at.x, at.y};
    std::memcpy(copy.out, place.data(), kPlaceBytes);
    copy.out += kPlaceBytes;
  }
  for (std::size_t i = 0; layered && i < agents.at.size(); ++i, copy.out += sizeof(std::int32_t))
    std::memcpy(copy.out, &agents.at[i].layer, sizeof(std::int32_t));
  each_column(*this, copy);
  if (!same_ways) {
    Measure ways;
    each_way(*this, ways);
    to.ways.resize(ways.bytes);
    each_way(*this, CopyOut{to.ways.data()});
    to.ways_version = ways_version;
  }
  to.yielding.clear();
  for (const std::uint32_t agent : placed)
    if (agents.yields[agent] != 0 || agents.yield_ticks[agent] != 0)
      to.yielding.push_back(
          {agent, agents.yields[agent], agents.yield_to[agent], agents.yield_cell[agent], agents.yield_ticks[agent]});
  to.striding.clear();
  const crowd::Strides& strides = reservations.strides();
  for (std::size_t i = 0; strides.timed() && i < placed.size(); ++i)
    if (const crowd::Stride& stride = strides.of(placed[i]); stride.ticks != 0 && stride.end() >= tick)
      to.striding.push_back(
          {stride, placed[i], agents.portal[placed[i]], agents.other_end[placed[i]], agents.move[placed[i]]});
  own_ways.save(to.own_ways);
  to.agents = agents.size();
  to.placed = placed.size();
  to.starting = starting.size();
  to.tick = tick;
  to.counts = counts;
  to.vanished = vanished;
  to.vanished_digest = vanished_digest;
  to.plans_digest = plans_digest;
  to.metrics = metrics;
  to.arbiter = arbiter.counters();
  to.digests = digests;
  to.guidance = guidance.state();
  to.queue = queue;
  to.gate_crowd = gate_crowd.state();
  to.jams = deadlocks.groups;
  to.roster = frozen_roster;
  to.given = given;
  to.bodies = reservations.table().size();
  to.owner = identity;
}

void Simulation::Impl::load_roster(const Roster& roster) {
  agents.resize(static_cast<std::uint32_t>(roster.key.size()));
  agents.key = roster.key;
  agents.priority_class = roster.priority_class;
  agents.body = roster.body;
  records = roster.records;
  free_slots = roster.free_slots;
  slot_of_key.clear();
  for (std::uint32_t i = 0; i < records.size(); ++i)
    if (records[i].used) slot_of_key.emplace(agents.key[i], i);
}

// Bodies and profiles that were added since are gone, those of a later time are back.
void Simulation::Impl::load_bodies(const SimulationSnapshot::Impl& from) {
  crowd::PairTable& table = reservations.table();
  if (profile_defs.size() == from.guidance.profiles.size() && table.size() == from.bodies) return;
  table.keep(from.bodies);
  profile_defs.clear();
  for (const sim::Profile& profile : from.guidance.profiles) {
    table.add({profile.def.footprint, profile.def.radius(), profile.def.speed});
    profile_defs.push_back(profile.def);
  }
}

// The places stream in from memory while old cells are given back. New ones are taken in a pass of their own: stores
// that do not ask first do not wait for the cache (drover bench rollback).
const std::byte* Simulation::Impl::load_places(const std::byte* in) {
  const GridShape shape = guidance.shape();
  const bool layered = shape.layers() > 1;
  const std::byte* layers = in + agents.size() * kPlaceBytes;
  for (std::uint32_t agent = 0; agent < agents.size(); ++agent, in += kPlaceBytes) {
    if (agent + kAhead < agents.size()) reservations.fetch_to_write(agents.cell[agent + kAhead]);
    if (journeys.on_map[agent] != 0) reservations.lift_single(agent);
    std::array<std::int32_t, 2> place;
    std::memcpy(place.data(), in, kPlaceBytes);
    Cell at{place[0], place[1], 0};
    if (layered) {
      std::memcpy(&at.layer, layers, sizeof at.layer);
      layers += sizeof at.layer;
    }
    agents.at[agent] = at;
    agents.cell[agent] = shape.at(at.x - shape.origin().x, at.y - shape.origin().y, at.layer);
  }
  return layers;
}

void Simulation::Impl::load_strides(const SimulationSnapshot::Impl& from) {
  crowd::Strides& strides = reservations.strides();
  strides.set_now(tick);
  strides.resize(agents.size());
  for (std::uint32_t agent = 0; strides.timed() && agent < agents.size(); ++agent) strides.forget(agent);
  for (const Striding& s : from.striding) {
    strides.set(s.agent, s.stride);
    if (s.stride.end() == tick) continue;
    agents.move[s.agent] = s.move;
    agents.portal[s.agent] = s.portal;
    agents.other_end[s.agent] = s.other_end;
    agents.wish[s.agent] = 0;
    reservations.place_step(s.agent);
  }
}

void Simulation::Impl::load(const SimulationSnapshot::Impl& from) {
  std::fill(agents.yields.begin(), agents.yields.end(), 0u);
  std::fill(agents.yield_ticks.begin(), agents.yield_ticks.end(), std::uint8_t{0});
  const bool other_roster = from.roster->version != roster_version, other_ways = from.ways_version != ways_version;
  roster_version = ways_version = kNoVersion;  // until everything is in
  const bool timed = reservations.strides().timed();
  for (std::size_t i = 0; timed && i < placed.size(); ++i) reservations.lift_step(placed[i]);
  if (other_roster || !reservations.table().simple()) {
    reservations.lift_all(placed);
    placed.clear();
    std::fill(journeys.on_map.begin(), journeys.on_map.end(), std::uint8_t{0});
  }
  if (other_roster) {
    load_roster(*from.roster);
    frozen_roster = from.roster;
  }
  load_bodies(from);
  journeys.resize(from.agents);
  placed.reserve(from.placed);
  starting.reserve(from.starting);
  placed.resize(from.placed);
  starting.resize(from.starting);
  each_column(*this, CopyIn{load_places(from.columns.data())});
  if (other_ways) each_way(*this, CopyIn{from.ways.data()});
  journeys.shown = agents.state;
  std::fill(journeys.on_map.begin(), journeys.on_map.end(), std::uint8_t{0});
  for (const std::uint32_t agent : placed) journeys.on_map[agent] = 1;
  reservations.place_all(placed);
  for (const Yielding& y : from.yielding) {
    agents.yields[y.agent] = y.yields;
    agents.yield_ticks[y.agent] = y.ticks;
    agents.yield_to[y.agent] = y.to;
    agents.yield_cell[y.agent] = y.cell;
  }
  own_ways.load(from.own_ways);
  own_search.forget();
  tick = from.tick;
  counts = from.counts;
  vanished = from.vanished;
  vanished_digest = from.vanished_digest;
  plans_digest = from.plans_digest;
  metrics = from.metrics;
  arbiter.restore_counters(from.arbiter);
  digests = from.digests;
  guidance.restore(from.guidance);
  queue = from.queue;
  gate_crowd.restore(from.gate_crowd);
  deadlocks.groups = from.jams;
  given = from.given;
  taken.clear();
  in_force.clear();
  std::fill(agents.move.begin(), agents.move.end(), crowd::kStay);
  load_strides(from);
  events.clear();
  moves.clear();
  entered.clear();
  left.clear();
  removed = 0;
  roster_version = from.roster->version;
  ways_version = from.ways_version;
}

Status Simulation::snapshot_into(SimulationSnapshot& snapshot) const {
  if (!impl_->started) return {StatusCode::argument, "a simulation that has not started has no state to save"};
  return base::no_throw([&] {
    impl_->save(*snapshot.impl_);
    return Status{};
  });
}

Status Simulation::restore(const SimulationSnapshot& snapshot) {
  if (snapshot.impl_->owner != impl_->identity)
    return {StatusCode::argument, "a snapshot of another simulation, or an empty one"};
  return base::no_throw([&] {
    impl_->load(*snapshot.impl_);
    return Status{};
  });
}

}  // namespace drover

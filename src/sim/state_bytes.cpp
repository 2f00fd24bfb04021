// SPDX-License-Identifier: MIT
// A simulation as bytes: rules, map, guidance, agents column by column, waiting commands. docs/formats/snapshot.md.
#include "base/digest.hpp"
#include "base/no_throw.hpp"
#include "base/text.hpp"
#include "sim/agent_columns.hpp"
#include "sim/input_bytes.hpp"
#include "world/map_bytes.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace drover {
namespace {

using base::ByteReader;
using base::ByteWriter;

constexpr std::array<char, 8> kMagic = {'D', 'R', 'V', 'S', 'T', 'A', 'T', 'E'};
constexpr std::uint64_t kVersion = 5;

template <class M, class Visit>
void each_counter(M& m, Visit&& visit) {
  for (auto* n : {&m.field_builds,
                  &m.field_repairs,
                  &m.field_bytes,
                  &m.retired_bytes,
                  &m.direction_lookups,
                  &m.sweep_refusals,
                  &m.waits,
                  &m.fallbacks,
                  &m.replans,
                  &m.deadlocks,
                  &m.joint_plans,
                  &m.queue_wait_ticks,
                  &m.tick_overruns,
                  &m.stale_stops,
                  &m.kept_old_direction,
                  &m.steps_aside,
                  &m.pushes,
                  &m.rotations,
                  &m.yields,
                  &m.coalesced_goal_changes,
                  &m.map_versions,
                  &m.adoptions,
                  &m.agent_steps})
    visit(*n);
  for (auto& n : m.refusals) visit(n);
}

template <class C, class Visit>
void each_arbiter_counter(C& c, Visit&& visit) {
  for (auto& n : c.refusals) visit(n);
  for (auto* n : {&c.pushes, &c.rotations, &c.steps_aside}) visit(*n);
}

void write_def(ByteWriter& out, const SimulationDef& def) {
  for (const auto choice : {static_cast<std::uint8_t>(def.bodies), static_cast<std::uint8_t>(def.following),
                            static_cast<std::uint8_t>(def.step), static_cast<std::uint8_t>(def.on_stale),
                            static_cast<std::uint8_t>(def.on_goal_change)})
    out.u8(choice);
  out.u8(static_cast<std::uint8_t>(def.guidance));
  out.number(def.guidance_ticks);
  out.number(def.adopt_latency_ticks);
  out.number(def.refresh_latency_ticks);
  out.number(def.search_budget_cells);
  out.number(def.refusals_before_replan);
  out.number(def.field_cache_bytes);
  out.u64(def.seed);
}

SimulationDef read_def(ByteReader& in) {
  SimulationDef def;
  def.bodies = static_cast<BodyRule>(in.u8(1));
  def.following = static_cast<Following>(in.u8(1));
  def.step = static_cast<StepPolicy>(in.u8(1));
  def.on_stale = static_cast<OnStale>(in.u8(static_cast<std::uint8_t>(OnStale::replan)));
  def.on_goal_change = static_cast<OnGoalChange>(in.u8(1));
  def.guidance = static_cast<GuidancePolicy>(in.u8(static_cast<std::uint8_t>(GuidancePolicy::forest)));
  def.guidance_ticks = in.number32();
  def.adopt_latency_ticks = in.number32();
  def.refresh_latency_ticks = in.number32();
  def.search_budget_cells = in.number();
  def.refusals_before_replan = in.number32();
  def.field_cache_bytes = in.number();
  def.seed = in.u64();
  return def;
}

}  // namespace

void Simulation::Impl::write(ByteWriter& out) const {
  write_def(out, def);
  world::write_map(out, guidance.map());
  guidance.write(out);
  out.number(tick);
  AgentColumns(const_cast<Impl&>(*this)).write(out);
  for (const std::uint64_t n : counts) out.number(n);
  out.number(vanished);
  out.u64(vanished_digest);
  out.u64(plans_digest);
  each_counter(metrics, [&](std::uint64_t n) { out.number(n); });
  each_arbiter_counter(arbiter.counters(), [&](std::uint64_t n) { out.number(n); });
  for (const std::uint64_t d : {digests.agents, digests.reservations, digests.world, digests.fields, digests.all})
    out.u64(d);
  const std::vector<const Command*> waiting = queue.by_sequence();
  out.number(waiting.size());
  for (const Command* command : waiting) sim::write_command(out, *command);
  gate_crowd.write(out);
  write_jams(out);
}

// `def` and map were read before this was made.
Status Simulation::Impl::read(ByteReader& in) {
  if (Status status = guidance.read(in); !status.ok()) return status;
  for (std::uint32_t i = 0; i < guidance.profiles().size(); ++i) {
    const MovementProfile& profile = guidance.profiles()[i].def;
    if (def.step == StepPolicy::unit) in.expect(profile.speed == Fixed::from_int(1));
    guidance.profile(i).body = reservations.table().add({profile.footprint, profile.radius(), profile.speed});
    profile_defs.push_back(profile);
  }
  tick = in.number();
  AgentColumns columns(*this);
  if (!columns.read(in)) return {StatusCode::snapshot, "the agents in these bytes are not whole"};
  for (std::uint64_t& n : counts) n = in.number();
  vanished = in.number();
  in.expect(vanished == columns.gone() && counts == columns.count_states());
  vanished_digest = in.u64();
  plans_digest = in.u64();
  each_counter(metrics, [&](std::uint64_t& n) { n = in.number(); });
  crowd::ArbiterCounters counters;
  each_arbiter_counter(counters, [&](std::uint64_t& n) { n = in.number(); });
  arbiter.restore_counters(counters);
  for (std::uint64_t* d : {&digests.agents, &digests.reservations, &digests.world, &digests.fields, &digests.all})
    *d = in.u64();
  started = true;
  for (std::size_t n = in.count(4); n > 0 && in.ok(); --n) {
    Command command = sim::read_command(in);
    const auto* add = std::get_if<AddAgent>(&command.change);
    if (!readable(command) || (add != nullptr && !(fits(*add) && columns.take_queued(add->agent.index)))) in.fail();
    if (in.ok()) queue.push(std::move(command));
  }
  if (in.ok() && !gate_crowd.read(in, guidance, own_search, reservations.table(), def.following, tick)) in.fail();
  if (in.ok()) read_jams(in);
  guidance.publish(tick);
  in.expect(in.left() == 0);
  roster_version = ++roster_changes;
  return in.ok() ? Status{} : Status{StatusCode::snapshot, "the state in these bytes is not whole"};
}

// What a host could have given once; its agent may be gone by now.
bool Simulation::Impl::readable(const Command& command) const {
  if (std::holds_alternative<AddAgent>(command.change) || std::holds_alternative<RemoveAgent>(command.change))
    return true;
  if (const auto* jump = std::get_if<Teleport>(&command.change)) return guidance.shape().contains(jump->to);
  if (std::holds_alternative<Push>(command.change)) return true;
  const auto* retarget = std::get_if<Retarget>(&command.change);
  if (retarget == nullptr) return check(command).ok();
  return retarget->goal.generation == 1 && retarget->goal.index < guidance.goals().size();
}

// A queued agent whose slot is kept for it.
bool Simulation::Impl::fits(const AddAgent& add) const noexcept {
  const auto known = [this](GoalId g) { return g.generation == 1 && g.index < guidance.goals().size(); };
  return valid(add.agent) && agents.key[add.agent.index] == add.def.key &&
         guidance.shape().index(add.def.at).value == agents.cell[add.agent.index] && add.def.profile.generation == 1 &&
         add.def.profile.index < guidance.profiles().size() && known(add.def.goal) &&
         std::all_of(add.def.via.begin(), add.def.via.end(), known);
}

Status Simulation::save(std::vector<std::byte>& out) const {
  if (!impl_->started) return {StatusCode::argument, "a simulation that has not started has no state to save"};
  return base::no_throw([&] {
    const std::size_t before = out.size();
    ByteWriter bytes(std::move(out));
    bytes.raw(std::as_bytes(std::span(kMagic)));
    bytes.number(kVersion);
    impl_->write(bytes);
    bytes.u64(base::digest_of(bytes.bytes().subspan(before)));
    out = bytes.take();
    return Status{};
  });
}

Result<Simulation> Simulation::load(std::span<const std::byte> bytes, const Host& host) {
  return base::no_throw([&]() -> Result<Simulation> {
    constexpr std::size_t kSum = 8;
    ByteReader head(bytes);
    const std::span<const std::byte> magic = head.raw(kMagic.size());
    if (!head.ok() || std::memcmp(magic.data(), kMagic.data(), kMagic.size()) != 0 || head.left() < kSum + 1)
      return Status(StatusCode::snapshot, "these bytes are not the state of a simulation");
    const std::uint64_t version = head.number();
    ByteReader sum(bytes.last(kSum));
    if (sum.u64() != base::digest_of(bytes.first(bytes.size() - kSum)))
      return Status(StatusCode::snapshot, "the checksum of these bytes does not fit: they are damaged or cut");
    if (version != kVersion)
      return Status(StatusCode::version_unsupported,
                    base::concat("a state of version ", version, "; this library reads version ", kVersion));
    ByteReader in(bytes.subspan(bytes.size() - head.left(), head.left() - kSum));
    const SimulationDef def = read_def(in);
    if (!in.ok() || !def.validate().ok()) return Status(StatusCode::snapshot, "the rules in these bytes are not whole");
    Result<GridMap> map = world::read_map(in, host);
    if (!map) return map.status();
    auto impl = std::make_unique<Impl>(*std::move(map), def, host);
    if (Status status = impl->read(in); !status.ok()) return status;
    return Simulation(std::move(impl));
  });
}

}  // namespace drover

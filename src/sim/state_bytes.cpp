// SPDX-License-Identifier: MIT
// A simulation as bytes: rules, map, guidance, agents column by column, waiting commands. docs/formats/snapshot.md.
#include "base/digest.hpp"
#include "base/no_throw.hpp"
#include "base/text.hpp"
#include "sim/impl.hpp"
#include "sim/input_bytes.hpp"
#include "world/map_bytes.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <utility>

namespace drover {
namespace {

using base::ByteReader;
using base::ByteWriter;

constexpr std::array<char, 8> kMagic = {'D', 'R', 'V', 'S', 'T', 'A', 'T', 'E'};
constexpr std::uint64_t kVersion = 1;

/// Where an agent is in its life. Order on the map and at the door follow from it.
enum class Phase : std::uint8_t { queued, starting, on_map, gone };

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
                            static_cast<std::uint8_t>(def.on_stale), static_cast<std::uint8_t>(def.on_goal_change)})
    out.u8(choice);
  out.number(def.adopt_latency_ticks);
  out.u64(def.seed);
}

SimulationDef read_def(ByteReader& in) {
  SimulationDef def;
  def.bodies = static_cast<BodyRule>(in.u8(1));
  def.following = static_cast<Following>(in.u8(1));
  def.on_stale = static_cast<OnStale>(in.u8(1));
  def.on_goal_change = static_cast<OnGoalChange>(in.u8(1));
  def.adopt_latency_ticks = in.number32();
  def.seed = in.u64();
  return def;
}

/// Cells as numbers without padding, and back.
class CellNumbers {
 public:
  explicit CellNumbers(const GridShape& shape) noexcept : shape_(shape) {}
  std::uint64_t of(std::uint32_t cell) const noexcept {
    const Cell c = shape_.cell(CellIndex{cell});
    return (static_cast<std::uint64_t>(c.layer) * static_cast<std::uint64_t>(shape_.height()) +
            static_cast<std::uint64_t>(c.y - shape_.origin().y)) *
               static_cast<std::uint64_t>(shape_.width()) +
           static_cast<std::uint64_t>(c.x - shape_.origin().x);
  }
  std::uint32_t cell(std::uint64_t number) const noexcept {
    const auto width = static_cast<std::uint64_t>(shape_.width()), rows = static_cast<std::uint64_t>(shape_.height());
    return shape_.at(static_cast<std::int32_t>(number % width), static_cast<std::int32_t>(number / width % rows),
                     static_cast<std::int32_t>(number / width / rows));
  }
  /// Fails the reader where there is no such cell.
  std::uint32_t read(ByteReader& in) const noexcept { return cell(in.number(shape_.cell_count() - 1)); }

 private:
  GridShape shape_;
};

}  // namespace

/// The agents of a state, one column after the other: equal neighbours pack well. Slots in order, free ones left out.
class Simulation::Impl::AgentColumns {
 public:
  explicit AgentColumns(Impl& s) noexcept : s_(s), numbers_(s.guidance.shape()) {}

  void write(ByteWriter& out) const {
    write_roster(out);
    each_used([&](std::uint32_t i) { out.number(numbers_.of(s_.agents.cell[i])); });
    each_used(
        [&](std::uint32_t i) { out.u8(static_cast<std::uint8_t>(s_.agents.came_by[i] | s_.agents.went_up[i] << 4)); });
    each_used([&](std::uint32_t i) { out.u8(static_cast<std::uint8_t>(s_.agents.state[i])); });
    each_used([&](std::uint32_t i) { out.u8(static_cast<std::uint8_t>(s_.agents.reason[i])); });
    each_used([&](std::uint32_t i) { write_wanted(out, i); });
    each_used([&](std::uint32_t i) { write_by(out, i); });
    each_used([&](std::uint32_t i) { out.number(s_.agents.age[i]); });
    each_used([&](std::uint32_t i) { out.number(s_.agents.best_cost[i] + 1); });  // kAtBest: 0
    each_used([&](std::uint32_t i) { out.number(s_.journeys.goal[i]); });
    each_used([&](std::uint32_t i) { out.number(s_.journeys.next_via[i]); });
    each_used([&](std::uint32_t i) { out.number(s_.journeys.arrival_tick[i]); });
    each_used([&](std::uint32_t i) { out.number(s_.journeys.field_version[i]); });
    each_used([&](std::uint32_t i) { write_yield(out, i); });
  }

  bool read(ByteReader& in) {
    if (!read_roster(in)) return false;
    each_used([&](std::uint32_t i) {
      s_.agents.cell[i] = numbers_.read(in);
      s_.agents.at[i] = s_.guidance.shape().cell(CellIndex{s_.agents.cell[i]});
    });
    each_used([&](std::uint32_t i) {
      const std::uint8_t steps = in.u8(16 + crowd::kStay);
      s_.agents.came_by[i] = steps & 15;
      s_.agents.went_up[i] = steps >> 4;
      in.expect(s_.agents.came_by[i] <= crowd::kStay);
    });
    each_used([&](std::uint32_t i) {
      s_.agents.state[i] = static_cast<AgentState>(in.u8(static_cast<std::uint8_t>(AgentState::arrived)));
    });
    each_used([&](std::uint32_t i) { s_.agents.reason[i] = static_cast<Reason>(in.u8(kReasons - 1)); });
    if (!place_all(in)) return false;
    each_used([&](std::uint32_t i) { read_wanted(in, i); });
    each_used([&](std::uint32_t i) { read_by(in, i); });
    each_used([&](std::uint32_t i) { s_.agents.age[i] = in.number32(); });
    each_used([&](std::uint32_t i) { s_.agents.best_cost[i] = in.number() - 1; });
    each_used([&](std::uint32_t i) { s_.journeys.goal[i] = in.number32(s_.guidance.goals().size() - 1); });
    each_used([&](std::uint32_t i) {
      s_.journeys.next_via[i] = static_cast<std::uint16_t>(in.number(s_.records[i].via.size()));
    });
    each_used([&](std::uint32_t i) { s_.journeys.arrival_tick[i] = in.number(); });
    each_used([&](std::uint32_t i) { s_.journeys.field_version[i] = in.number32(); });
    each_used([&](std::uint32_t i) { read_yield(in, i); });
    return in.ok() && find_pairs();
  }

  std::uint64_t gone() const noexcept {
    return static_cast<std::uint64_t>(std::count(phase_.begin(), phase_.end(), Phase::gone));
  }
  /// As at the end of a tick: those whose command waits count nowhere.
  StateCounts count_states() const {
    StateCounts result{};
    each_used([&](std::uint32_t i) {
      if (phase_[i] != Phase::queued) ++result[static_cast<std::size_t>(s_.agents.state[i])];
    });
    return result;
  }
  /// True once for an agent whose command waits.
  bool take_queued(std::uint32_t slot) noexcept { return std::exchange(phase_[slot], Phase::gone) == Phase::queued; }

 private:
  template <class Visit>
  void each_used(Visit&& visit) const {
    for (std::uint32_t i = 0; i < s_.records.size(); ++i)
      if (s_.records[i].used) visit(i);
  }

  std::vector<Phase> phases() const {
    std::vector<Phase> result(s_.records.size(), Phase::queued);
    for (const std::uint32_t i : s_.starting) result[i] = Phase::starting;
    for (std::uint32_t i = 0; i < result.size(); ++i) {
      if (s_.journeys.on_map[i] != 0)
        result[i] = Phase::on_map;
      else if (s_.records[i].used && s_.agents.state[i] == AgentState::arrived)
        result[i] = Phase::gone;
    }
    return result;
  }

  void write_roster(ByteWriter& out) const {
    out.number(s_.records.size());
    for (const AgentRecord& record : s_.records)
      out.number(std::uint64_t{record.generation} << 1 | (record.used ? 1 : 0));
    for (const std::uint32_t slot : s_.free_slots) out.number(slot);
    std::uint64_t last = 0;
    each_used([&](std::uint32_t i) {
      out.signed_number(static_cast<std::int64_t>(s_.agents.key[i] - last));
      last = s_.agents.key[i];
    });
    const std::vector<Phase> phase = phases();
    each_used([&](std::uint32_t i) { out.u8(static_cast<std::uint8_t>(phase[i])); });
    each_used([&](std::uint32_t i) { out.number(s_.records[i].profile); });
    each_used([&](std::uint32_t i) { out.number(s_.records[i].start_tick); });
    each_used([&](std::uint32_t i) { out.signed_number(s_.agents.priority_class[i]); });
    each_used([&](std::uint32_t i) {
      out.number(s_.records[i].via.size());
      for (const std::uint32_t via : s_.records[i].via) out.number(via);
    });
  }

  bool read_roster(ByteReader& in) {
    const std::size_t slots = in.count();
    if (slots >= crowd::kNobody) in.fail();
    if (!in.ok()) return false;
    s_.agents.resize(static_cast<std::uint32_t>(slots));
    s_.records.resize(slots);
    s_.journeys.resize(slots);
    std::size_t unused = 0;
    for (AgentRecord& record : s_.records) {
      const std::uint64_t word = in.number(std::uint64_t{1} << 33);
      record.generation = static_cast<std::uint32_t>(word >> 1);
      record.used = (word & 1) != 0;
      unused += record.used ? 0 : 1;
    }
    std::vector<bool> seen(slots);
    for (; unused > 0 && in.ok(); --unused) {
      const std::uint32_t slot = in.number32(slots - 1);
      in.expect(!s_.records[slot].used && !seen[slot]);
      seen[slot] = true;
      s_.free_slots.push_back(slot);
    }
    std::uint64_t last = 0;
    each_used([&](std::uint32_t i) {
      last += static_cast<std::uint64_t>(in.signed_number());
      s_.agents.key[i] = last;
      if (in.ok()) in.expect(s_.slot_of_key.emplace(last, i).second);
    });
    phase_.assign(slots, Phase::queued);
    each_used([&](std::uint32_t i) { phase_[i] = static_cast<Phase>(in.u8(static_cast<std::uint8_t>(Phase::gone))); });
    if (s_.guidance.profiles().empty() || s_.guidance.goals().empty()) in.expect(slots == 0);
    if (!in.ok()) return false;
    each_used([&](std::uint32_t i) { s_.records[i].profile = in.number32(s_.guidance.profiles().size() - 1); });
    each_used([&](std::uint32_t i) { s_.records[i].start_tick = in.number(); });
    each_used([&](std::uint32_t i) { s_.agents.priority_class[i] = in.signed32(); });
    each_used([&](std::uint32_t i) {
      s_.records[i].via.resize(in.count());
      for (std::uint32_t& via : s_.records[i].via) via = in.number32(s_.guidance.goals().size() - 1);
      in.expect(s_.records[i].via.size() <= 65535);
    });
    return in.ok();
  }

  // Bodies on their cells, each cell held once.
  bool place_all(ByteReader& in) {
    if (!in.ok()) return false;
    const GridShape& shape = s_.guidance.shape();
    each_used([&](std::uint32_t i) {
      s_.agents.body[i] = s_.guidance.profiles()[s_.records[i].profile].body;
      s_.agents.move[i] = crowd::kStay;
      s_.journeys.shown[i] = s_.agents.state[i];
      s_.journeys.on_map[i] = phase_[i] == Phase::on_map ? 1 : 0;
      const AgentState state = s_.agents.state[i];
      in.expect((state == AgentState::not_started) == (phase_[i] == Phase::queued || phase_[i] == Phase::starting) &&
                (state == AgentState::arrived || phase_[i] != Phase::gone));
      if (phase_[i] == Phase::starting) s_.starting.push_back(i);
      if (phase_[i] != Phase::on_map) return;
      const Cell at = s_.agents.at[i];
      const int last = s_.reservations.table().body(s_.agents.body[i]).footprint - 1;
      in.expect(shape.contains({at.x + last, at.y + last, at.layer}) &&
                s_.reservations.is_free(s_.agents.cell[i], s_.agents.body[i]));
      if (!in.ok()) return;
      s_.reservations.place(i);
      s_.placed.push_back(i);
    });
    std::sort(s_.placed.begin(), s_.placed.end(),
              [this](std::uint32_t a, std::uint32_t b) { return s_.agents.key[a] < s_.agents.key[b]; });
    std::sort(s_.starting.begin(), s_.starting.end(),
              [this](std::uint32_t a, std::uint32_t b) { return s_.starts_before(a, b); });
    return in.ok();
  }

  // 0: nothing; 1 .. 8: the neighbour there; else 9 more than the cell's number.
  void write_wanted(ByteWriter& out, std::uint32_t i) const {
    const std::uint32_t wanted = s_.agents.wanted[i];
    if (wanted == crowd::kNobody) return out.u8(0);
    for (int d = 0; d < kDirections; ++d)
      if (s_.agents.cell[i] + s_.guidance.shape().step(static_cast<Direction>(d)) == wanted)
        return out.u8(static_cast<std::uint8_t>(d + 1));
    out.number(numbers_.of(wanted) + 9);
  }

  void read_wanted(ByteReader& in, std::uint32_t i) {
    const GridShape& shape = s_.guidance.shape();
    const std::uint64_t code = in.number(shape.cell_count() + 8);
    s_.agents.wanted[i] = crowd::kNobody;
    if (!in.ok() || code == 0) return;
    if (code <= kDirections) {
      const auto d = static_cast<int>(code) - 1;
      const Cell at = s_.agents.at[i];
      in.expect(shape.contains({at.x + kDx[d], at.y + kDy[d], at.layer}));
      s_.agents.wanted[i] = s_.agents.cell[i] + shape.step(static_cast<Direction>(d));
      return;
    }
    s_.agents.wanted[i] = numbers_.cell(code - 9);
  }

  std::uint32_t holder_of_wanted(std::uint32_t i) const noexcept {
    return s_.agents.wanted[i] == crowd::kNobody ? crowd::kNobody : s_.reservations.holder(s_.agents.wanted[i]);
  }

  // 0: nobody; 1: who holds the wanted cell; else 2 more than the slot.
  void write_by(ByteWriter& out, std::uint32_t i) const {
    const std::uint32_t by = s_.agents.by[i];
    if (by == crowd::kNobody) return out.u8(0);
    if (by == holder_of_wanted(i)) return out.u8(1);
    out.number(std::uint64_t{by} + 2);
  }

  void read_by(ByteReader& in, std::uint32_t i) {
    const std::uint64_t code = in.number(s_.records.size() + 1);
    s_.agents.by[i] = code == 0   ? crowd::kNobody
                      : code == 1 ? holder_of_wanted(i)
                                  : static_cast<std::uint32_t>(code - 2);
    in.expect(code != 1 || s_.agents.by[i] != crowd::kNobody);
  }

  void write_yield(ByteWriter& out, std::uint32_t i) const {
    out.number(s_.agents.yields[i]);
    out.u8(s_.agents.yield_ticks[i]);
    if (s_.agents.yield_ticks[i] == 0) return;
    out.number(s_.agents.yield_to[i]);
    out.number(numbers_.of(s_.agents.yield_cell[i]));
  }

  void read_yield(ByteReader& in, std::uint32_t i) {
    s_.agents.yields[i] = in.number32();
    s_.agents.yield_ticks[i] = in.u8();
    if (s_.agents.yield_ticks[i] == 0) return;
    s_.agents.yield_to[i] = in.number32(s_.records.size() - 1);
    s_.agents.yield_cell[i] = numbers_.read(in);
  }

  // Everyone who has started walks to a (profile, goal) that there is.
  bool find_pairs() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> pairs;
    for (std::uint32_t i = 0; i < s_.guidance.pairs().size(); ++i)
      pairs.emplace(std::pair{s_.guidance.pairs()[i].profile, s_.guidance.pairs()[i].goal}, i);
    bool all = true;
    each_used([&](std::uint32_t i) {
      const auto found = pairs.find({s_.records[i].profile, s_.next_goal(i)});
      if (found != pairs.end()) s_.agents.pair[i] = found->second;
      all = all && (found != pairs.end() || phase_[i] == Phase::queued);
    });
    return all;
  }

  Impl& s_;
  CellNumbers numbers_;
  std::vector<Phase> phase_;
};

void Simulation::Impl::write(ByteWriter& out) const {
  write_def(out, def);
  world::write_map(out, guidance.map());
  guidance.write(out);
  out.number(tick);
  AgentColumns(const_cast<Impl&>(*this)).write(out);
  for (const std::uint64_t n : counts) out.number(n);
  out.number(vanished);
  out.u64(vanished_digest);
  each_counter(metrics, [&](std::uint64_t n) { out.number(n); });
  each_arbiter_counter(arbiter.counters(), [&](std::uint64_t n) { out.number(n); });
  for (const std::uint64_t d : {digests.agents, digests.reservations, digests.world, digests.fields, digests.all})
    out.u64(d);
  const std::vector<const Command*> waiting = queue.by_sequence();
  out.number(waiting.size());
  for (const Command* command : waiting) sim::write_command(out, *command);
}

// `def` and map were read before this was made.
Status Simulation::Impl::read(ByteReader& in) {
  if (Status status = guidance.read(in); !status.ok()) return status;
  for (std::uint32_t i = 0; i < guidance.profiles().size(); ++i) {
    const MovementProfile& profile = guidance.profiles()[i].def;
    guidance.profile(i).body = reservations.table().add({profile.footprint, profile.radius()});
    profile_defs.push_back(profile);
  }
  tick = in.number();
  AgentColumns columns(*this);
  if (!columns.read(in)) return {StatusCode::snapshot, "the agents in these bytes are not whole"};
  for (std::uint64_t& n : counts) n = in.number();
  vanished = in.number();
  in.expect(vanished == columns.gone() && counts == columns.count_states());
  vanished_digest = in.u64();
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
    const Status status = add == nullptr ? check(command) : Status{};
    if (!status.ok() || (add != nullptr && !(fits(*add) && columns.take_queued(add->agent.index)))) in.fail();
    if (in.ok()) queue.push(std::move(command));
  }
  in.expect(in.left() == 0);
  roster_version = ++roster_changes;
  return in.ok() ? Status{} : Status{StatusCode::snapshot, "the state in these bytes is not whole"};
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
    ByteWriter bytes;
    bytes.raw(std::as_bytes(std::span(kMagic)));
    bytes.number(kVersion);
    impl_->write(bytes);
    bytes.u64(base::digest_of(bytes.bytes()));
    out.insert(out.end(), bytes.bytes().begin(), bytes.bytes().end());
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

// SPDX-License-Identifier: MIT
// The checks at the end of a tick, and who hears of it.
#include "sim/invariants.hpp"

#include "base/check.hpp"
#include "base/text.hpp"
#include "sim/impl.hpp"

#include <algorithm>

namespace drover {

namespace sim {
namespace {

using base::cell_text;
using crowd::kNobody;

constexpr std::size_t kAhead = 16;

}  // namespace

std::string Invariants::counts(const StateCounts& counts, std::uint64_t agents) {
  std::uint64_t sum = 0;
  for (const std::uint64_t n : counts) sum += n;
  return sum == agents ? "" : base::concat("the eight states sum to ", sum, "; there are ", agents, " agents");
}

std::string Invariants::adoptions(std::span<const Adoption> adoptions, const std::vector<Profile>& profiles) {
  for (const Adoption& a : adoptions) {
    const std::uint64_t due = a.requested_tick + profiles[a.profile.index].latency_ticks;
    if (a.tick >= due) continue;
    return base::concat("the field of profile ", a.profile.index, " to goal ", a.goal.index, ", asked for at tick ",
                        a.requested_tick, ", came into force at tick ", a.tick, "; not before tick ", due,
                        " is expected");
  }
  return {};
}

std::string Invariants::who(std::uint32_t agent) const {
  return base::concat("agent ", agents.key[agent], " at ", cell_text(agents.at[agent]));
}

std::string Invariants::holds(std::uint32_t agent, std::uint32_t cell) const {
  const crowd::Holders& h = reservations.holders(cell);
  if (h.leaving == agent && h.entering == kNobody) return {};
  const crowd::Strides& strides = reservations.strides();
  if (h.leaving == agent && (h.entering == agent || strides.under_way(agent)) && strides.under_way(h.entering) &&
      strides.of(agent).end() <= strides.of(h.entering).end())
    return {};
  const std::string at = "cell " + cell_text(shape.cell(CellIndex{cell}));
  if (h.leaving == kNobody) return base::concat(who(agent), ": ", at, " is held by nobody");
  if (h.leaving != agent) return base::concat(who(agent), ": ", at, " is held by agent ", agents.key[h.leaving]);
  return base::concat(who(agent), ": ", at, " is still being entered by agent ", agents.key[h.entering]);
}

std::string Invariants::places(const std::vector<std::uint32_t>& placed, std::size_t begin, std::size_t end) const {
  const bool one_cell = reservations.table().simple();
  for (std::size_t i = begin; i < end; ++i) {
    if (i + kAhead < end) __builtin_prefetch(&reservations.holders(agents.cell[placed[i + kAhead]]));
    const std::uint32_t agent = placed[i], cell = agents.cell[agent];
    if (i > 0 && agents.key[placed[i - 1]] >= agents.key[agent])
      return base::concat(who(agent), " comes after agent ", agents.key[placed[i - 1]],
                          "; ascending keys are expected");
    if (on_map[agent] == 0 || shape.index(agents.at[agent]).value != cell)
      return base::concat(who(agent), " is not on the map, or not in cell ", cell_text(shape.cell(CellIndex{cell})));
    const int k = one_cell ? 1 : reservations.table().body(agents.body[agent]).footprint;
    for (int y = 0; y < k; ++y)
      for (int x = 0; x < k; ++x)
        if (std::string fault =
                holds(agent, cell + static_cast<std::uint32_t>(y) * shape.stride() + static_cast<std::uint32_t>(x));
            !fault.empty())
          return fault;
  }
  return {};
}

bool Invariants::covers(std::uint32_t agent, std::uint32_t anchor, std::uint32_t cell) const noexcept {
  const std::uint32_t offset = cell - anchor;
  if (offset == 0) return true;
  const auto k = static_cast<std::uint32_t>(reservations.table().body(agents.body[agent]).footprint);
  return offset / shape.stride() < k && offset % shape.stride() < k;
}

std::uint32_t Invariants::target(std::uint32_t agent) const noexcept {
  const std::uint8_t d = agents.move[agent];
  return d < kDirections ? agents.cell[agent] + shape.step(static_cast<Direction>(d)) : agents.other_end[agent];
}

std::string Invariants::cells(std::uint32_t begin, std::uint32_t end) const {
  for (std::uint32_t cell = begin; cell < end; ++cell) {
    const crowd::Holders& h = reservations.holders(cell);
    if ((h.leaving & h.entering) == kNobody) continue;
    const auto at = [&] { return "cell " + cell_text(shape.cell(CellIndex{cell})); };
    if (h.entering != kNobody &&
        !(reservations.strides().under_way(h.entering) && covers(h.entering, target(h.entering), cell)))
      return base::concat(at(), " is still being entered by ", who(h.entering));
    if (h.leaving == kNobody) continue;
    if (on_map[h.leaving] == 0) return base::concat(at(), " is held by ", who(h.leaving), ", which is not on the map");
    if (!covers(h.leaving, agents.cell[h.leaving], cell)) return base::concat(at(), " is held by ", who(h.leaving));
  }
  return {};
}

std::string Invariants::step(std::uint32_t agent, const nav::CompiledGraph& graph) const {
  const std::uint8_t d = agents.came_by[agent];
  if (d < kDirections) {
    const std::uint32_t before = agents.cell[agent] - shape.step(static_cast<Direction>(d));
    if ((graph.moves()[before] >> d) & 1) return {};
    return base::concat(who(agent), " came from ", cell_text(shape.cell(CellIndex{before})),
                        ", a step its body may not take");
  }
  if (agents.move[agent] != crowd::kPortal) return base::concat(who(agent), " moved without a direction");
  const std::uint32_t before = agents.other_end[agent];
  for (const nav::Portal& portal : graph.portals().leaving(before))
    if (portal.number == agents.portal[agent] && portal.to == agents.cell[agent]) return {};
  return base::concat(who(agent), " came from ", cell_text(shape.cell(CellIndex{before})), " through portal ",
                      agents.portal[agent], ", which does not lead there");
}

std::string Invariants::begun(std::uint32_t agent, const nav::CompiledGraph& graph) const {
  const std::uint8_t d = agents.move[agent];
  if (d < kDirections && ((graph.moves()[agents.cell[agent]] >> d) & 1)) return {};
  for (const nav::Portal& portal : graph.portals().leaving(agents.cell[agent]))
    if (d == crowd::kPortal && portal.number == agents.portal[agent] && portal.to == agents.other_end[agent]) return {};
  return base::concat(who(agent), " has begun a step that its body may not take");
}

}  // namespace sim

// An eighth of the agents and of the steps and 16,384 cells a tick: 1 % of it (docs/performance.md).
void Simulation::Impl::check_invariants() const {
  constexpr std::uint64_t kPieces = 8, kCells = 16384;
  const sim::Invariants all{agents, reservations, guidance.shape(), journeys.on_map};
  const auto check = [this](const std::string& fault) {
    if (!fault.empty()) base::check_failed(&host, __FILE__, __LINE__, base::concat("tick ", tick, ": ", fault).c_str());
  };
  check(sim::Invariants::counts(counts, records.size() - free_slots.size()));
  if (tick > 0) check(sim::Invariants::adoptions(guidance.adoptions(), guidance.profiles()));
  const sim::Piece some = sim::piece_of(placed.size(), kPieces, tick);
  check(all.places(placed, some.begin, some.end));
  const std::uint64_t storage = guidance.shape().padded_cells();
  const sim::Piece part = sim::piece_of(storage, std::max<std::uint64_t>(1, storage / kCells), tick);
  check(all.cells(static_cast<std::uint32_t>(part.begin), static_cast<std::uint32_t>(part.end)));
  const sim::Piece steps = sim::piece_of(movers.size(), kPieces, tick);
  const auto graph_of = [this](std::uint32_t agent) -> const nav::CompiledGraph& {
    return guidance.profiles()[records[agent].profile].graph.compiled();
  };
  // A step of several ticks was legal when it began.
  const crowd::Strides& strides = reservations.strides();
  for (std::uint64_t i = steps.begin; i < steps.end; ++i)
    if (!strides.timed() || strides.of(movers[i]).ticks == 1) check(all.step(movers[i], graph_of(movers[i])));
  for (std::uint64_t i = some.begin; strides.timed() && i < some.end; ++i)
    if (strides.under_way(placed[i]) && strides.of(placed[i]).start + 1 == tick)
      check(all.begun(placed[i], graph_of(placed[i])));
}

}  // namespace drover

// SPDX-License-Identifier: MIT
// What is settled of a build that is under way: who asks for it, and a field of it.
#include "field/build_run.hpp"

#include "base/tasks.hpp"
#include "field/directed.hpp"
#include "field/directions.hpp"
#include "field/edges.hpp"
#include "field/hops.hpp"
#include "field/way_steps.hpp"
#include "nav/compiled_graph.hpp"
#include "nav/profile_digest.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace drover::field {
namespace {

// Pieces in which settle() goes on before it looks again: some 50 us.
constexpr std::uint64_t kTilesALook = 32, kEventsALook = 4096;

/// visit(first cell, its row counted through all layers), in pieces of rows on the host's tasks.
template <class Visit>
void for_rows(const GridShape& shape, const Tasks& tasks, Visit&& visit) {
  const auto height = static_cast<std::uint64_t>(shape.height());
  base::parallel_for(tasks, height * static_cast<std::uint64_t>(shape.layers()), 64,
                     [&](std::uint64_t begin, std::uint64_t end) {
                       for (std::uint64_t row = begin; row < end; ++row)
                         visit(shape.at(0, static_cast<std::int32_t>(row % height),
                                        static_cast<std::int32_t>(row / height)),
                               row);
                     });
}

// One row: settled costs, and states where there are none to come.
template <class T>
void part_of_row(const T* __restrict from, const std::uint8_t* __restrict footings, std::uint64_t below,
                 T* __restrict to, std::uint32_t width) noexcept {
  const bool all = below == Progress::kEndless;
  const T limit = static_cast<T>(std::min<std::uint64_t>(below, FlowFieldData::kNone<T>));
  for (std::uint32_t x = 0; x < width; ++x) {
    const T none = footings[x] == 0 && !all ? FlowFieldData::kNotReady<T> : FlowFieldData::state_cost<T>(footings[x]);
    to[x] = from[x] < limit ? from[x] : none;
  }
}

// Of the part of a row that lies in one tile.
void part_of_line(const std::uint16_t* __restrict from, const std::uint8_t* __restrict footings,
                  const TileHead* head, std::uint64_t below, std::uint16_t* __restrict to,
                  std::uint32_t count) noexcept {
  if (head != nullptr && !head->filled) head = nullptr;
  const std::uint64_t above = head == nullptr || below <= head->base ? 0 : below - head->base;
  part_of_row(from, footings, below == Progress::kEndless ? below : above, to, count);
}

// Ties of the cells that were settled since the last part are found; those of all others are remembered.
template <class T, class Costs>
void write_settled_ties(const Plan<T>& plan, const Costs& costs, const GridShape& shape, std::uint64_t known_below,
                        std::uint8_t* known, std::uint8_t* ties, const Tasks& tasks) {
  const Edges<T> edges(plan);
  const unsigned all_moves = plan.eight ? 255u : 15u;
  for_rows(shape, tasks, [&](std::uint32_t first, std::uint64_t) {
    for (std::uint32_t p = first; p < first + static_cast<std::uint32_t>(shape.width()); ++p) {
      const T cost = costs[p];
      if (cost == kNoCost<T>) {
        ties[p] = 0;
        continue;
      }
      if (cost >= known_below) {
        unsigned set = 0;
        for (unsigned left = plan.moves[p] & all_moves; left != 0; left &= left - 1) {
          const int k = std::countr_zero(left);
          const std::uint32_t q = p + plan.offsets[k];
          if (edges.tie(costs, p, q, edges.step(p, k, q))) set |= 1u << k;
        }
        known[p] = static_cast<std::uint8_t>(set);
      }
      ties[p] = known[p];
    }
  });
}

}  // namespace

// In units; kEndless where no wave came yet.
std::uint64_t BuildRun::cost_so_far(std::uint32_t cell) const noexcept {
  if (!progress_.begun || graph_.compiled().footing({cell}) != Footing::open) return Progress::kEndless;
  const auto of_plane = [](auto cost) {
    return cost < FlowFieldData::kNone<decltype(cost)> ? std::uint64_t{cost} : Progress::kEndless;
  };
  const Scratch& scratch = workspace_->scratch;
  if (complete_) {
    const Cost cost = data_->cost_to_goal({cell});
    return cost == kInfiniteCost ? Progress::kEndless : cost / units_.scale;
  }
  if (choice_.engine == FieldEngine::sweep)
    return swept_cost(graph().shape(), scratch.tiles, std::as_const(*data_).cost_pages<std::uint16_t>()[0], cell);
  if (choice_.engine == FieldEngine::bitboards && !progress_.done) return wave_cost(plan32_, scratch.boards, cell);
  return units_.bits64 ? of_plane(plan64_.costs[cell]) : of_plane(plan32_.costs[cell]);
}

bool BuildRun::settled(std::uint32_t cell) const noexcept {
  if (complete_ || progress_.final_below == Progress::kEndless) return true;
  return graph_.compiled().footing({cell}) != Footing::open || cost_so_far(cell) < progress_.final_below ||
         std::binary_search(cut_off_.begin(), cut_off_.end(), cell);
}

// Without them a build for one agent in a walled yard would go on to the end.
void BuildRun::note_cut_off(std::span<const CellIndex> cells) {
  const nav::LiveComponents& components = graph().components();
  const nav::Components* const numbered = components.numbered();
  if (numbered == nullptr) return;
  std::vector<std::uint32_t> with_goal;
  for (const Source& source : sources_) with_goal.push_back(graph().component({source.cell}));
  std::sort(with_goal.begin(), with_goal.end());
  for (const CellIndex cell : cells) {
    if (settled(cell.value)) continue;
    if (std::binary_search(with_goal.begin(), with_goal.end(), graph().component(cell))) continue;
    cut_off_.insert(std::upper_bound(cut_off_.begin(), cut_off_.end(), cell.value), cell.value);
  }
}

bool BuildRun::settle(std::span<const CellIndex> cells, Cost margin) {
  if (failed_) return false;
  note_cut_off(cells);
  const std::uint64_t more = margin / units_.scale + (margin % units_.scale != 0 ? 1 : 0);
  const auto is_settled = [&](CellIndex cell) { return settled(cell.value); };
  std::vector<CellIndex> left(cells.begin(), cells.end());
  for (;;) {
    while (!left.empty() && is_settled(left.back())) left.pop_back();
    // Asked once more: after a hand-over a build begins anew.
    if (left.empty()) left.assign(cells.begin(), std::find_if_not(cells.begin(), cells.end(), is_settled) == cells.end()
                                                     ? cells.begin()
                                                     : cells.end());
    if (left.empty()) {
      std::uint64_t last = 0;
      for (const CellIndex cell : cells) {
        const std::uint64_t cost = cost_so_far(cell.value);
        if (cost != Progress::kEndless) last = std::max(last, cost);
      }
      if (complete_ || progress_.final_below == Progress::kEndless ||
          (progress_.final_below > last && progress_.final_below - last > more))
        return true;
    }
    if (!advance(choice_.engine == FieldEngine::sweep ? kTilesALook : kEventsALook)) return false;
  }
}

std::shared_ptr<FlowFieldData> BuildRun::part() {
  if (data_ == nullptr && !begin()) return nullptr;
  FlowFieldData::Parts parts{data_->width(), options_.steps ? FlowFieldData::Steps::kept : FlowFieldData::Steps::left_out,
                             units_.free_steps ? FlowFieldData::Hops::kept : FlowFieldData::Hops::left_out};
  std::shared_ptr<FlowFieldData> out =
      FlowFieldData::make(shop_->pool(), graph().shape(), parts, FlowFieldData::Costs::unset);
  if (out == nullptr) return nullptr;
  const bool written = parts.width == FlowFieldData::Width::bits16   ? write_part<std::uint16_t>(*out)
                       : parts.width == FlowFieldData::Width::bits32 ? write_part<std::uint32_t>(*out)
                                                                     : write_part<std::uint64_t>(*out);
  if (!written) return nullptr;
  PlacedGoals goals = goals_;
  finish_field({graph(), goals, units_, choice_}, progress_.outcome, *out, nullptr);
  out->mark_as_part();
  if (options_.steps) write_steps(*out);
  return out;
}

template <class S>
bool BuildRun::write_part(FlowFieldData& out) {
  constexpr bool kTiles = std::is_same_v<S, std::uint16_t>;
  using T = std::conditional_t<kTiles, std::uint32_t, S>;
  const GridShape& shape = graph().shape();
  const auto width = static_cast<std::uint32_t>(shape.width());
  const std::uint8_t* const footings = graph().footings();
  const std::uint64_t below = progress_.final_below;
  S* const costs = out.costs<S>();
  const S* const from = data_->costs<S>();
  if (choice_.engine == FieldEngine::bitboards && progress_.begun && !progress_.done)
    write_waves(plan32_, workspace_->scratch.boards);
  for_rows(shape, host_.tasks, [&](std::uint32_t first, std::uint64_t row) {
    if constexpr (kTiles) {
      const auto [down, across] = tiles_of(shape);
      const auto height = static_cast<std::uint64_t>(shape.height());
      const std::uint64_t band = row / height * down + row % height / kTileSide;
      for (std::uint32_t x = 0; x < width; x += kTileSide) {
        const TileHead* const head =
            progress_.begun ? &workspace_->scratch.tiles.heads[band * across + x / kTileSide] : nullptr;
        const std::uint32_t at = first + x;
        out.bases()[at / kTileSide] = head != nullptr && head->filled ? static_cast<std::uint32_t>(head->base) : 0;
        part_of_line(from + at, footings + at, head, below, costs + at, std::min(kTileSide, width - x));
      }
    } else {
      part_of_row(from + first, footings + first, below, costs + first, width);
    }
  });
  if (below != Progress::kEndless)
    for (const std::uint32_t cell : cut_off_) costs[cell] = FlowFieldData::state_cost<S>(0);
  if (complete_) {
    for_rows(shape, host_.tasks, [&](std::uint32_t first, std::uint64_t) {
      std::copy_n(data_->ties() + first, width, out.ties() + first);
    });
    out.set_portal_steps({data_->portal_cells().begin(), data_->portal_cells().end()},
                         {data_->portal_steps().begin(), data_->portal_steps().end()});
    return true;
  }
  Plan<T> settled_plan = plan<T>();
  settled_plan.hops = out.hops();
  const auto finish = [&](const auto& settled_costs) {
    write_settled_ties(settled_plan, settled_costs, shape, ties_below_, data_->ties(), out.ties(), host_.tasks);
    ties_below_ = below;
    PortalTies portals;
    if (graph().directed()) portals = portal_ties(settled_plan, settled_costs, goals_.cells);
    out.set_portal_steps(std::move(portals.cells), std::move(portals.steps));
    mark_goals(goals_.cells, {footings, out.ties()});
    return true;
  };
  if constexpr (kTiles) {
    return finish(TileCosts{costs, out.bases()});
  } else {
    settled_plan.costs = costs;
    if (settled_plan.hops != nullptr) {
      auto& queue = workspace_->scratch.straight.cells;
      const bool counted = graph().directed() ? count_directed_hops(settled_plan, queue, host_.allocator)
                                              : count_hops(settled_plan, queue, host_.allocator);
      if (!counted) return false;
    }
    return finish(SettledCosts<T>{costs});
  }
}

}  // namespace drover::field

// SPDX-License-Identifier: MIT
// What is settled of a build that is under way: who asks for it, and a field of it.
#include "field/build_run.hpp"

#include "base/tasks.hpp"
#include "field/directed.hpp"
#include "field/edges.hpp"
#include "field/hops.hpp"
#include "field/way_steps.hpp"
#include "nav/compiled_graph.hpp"
#include "nav/profile_digest.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <type_traits>
#include <utility>

namespace drover::field {
namespace {

// Pieces in which settle() goes on before it looks again: some 50 us.
constexpr std::uint64_t kTilesALook = 32, kEventsALook = 4096;

/// Lines of one page: where they lie in the map.
class LinesOfPage {
 public:
  LinesOfPage(const GridShape& shape, std::uint32_t page) noexcept
      : shape_(shape), cell_(page << FlowField::kPageBits) {
    if (cell_ < GridShape::kFront) return;
    row_ = (cell_ - GridShape::kFront) / shape.stride();
    column_ = (cell_ - GridShape::kFront) % shape.stride();
  }
  std::uint32_t cell() const noexcept { return cell_; }
  std::uint32_t column() const noexcept { return column_; }
  /// Row of the map, counted through all layers, if width() is above 0.
  std::uint32_t row() const noexcept {
    return row_ / rows_a_layer() * (rows_a_layer() - 2) + row_ % rows_a_layer() - 1;
  }
  /// Cells of the line that lie in the map.
  std::uint32_t width() const noexcept {
    const std::uint32_t in_layer = row_ % rows_a_layer(), width = static_cast<std::uint32_t>(shape_.width());
    const bool border = cell_ < GridShape::kFront || in_layer == 0 || in_layer + 1 == rows_a_layer() ||
                        row_ / rows_a_layer() >= static_cast<std::uint32_t>(shape_.layers()) || column_ >= width;
    return border ? 0 : std::min(width - column_, kTileSide);
  }
  void next() noexcept {
    cell_ += kTileSide;
    if (cell_ <= GridShape::kFront) return;
    column_ += kTileSide;
    if (column_ < shape_.stride()) return;
    column_ = 0;
    ++row_;
  }

 private:
  std::uint32_t rows_a_layer() const noexcept { return static_cast<std::uint32_t>(shape_.height()) + 2; }

  const GridShape& shape_;
  std::uint32_t cell_, row_ = 0, column_ = 0;
};

/// A line of the build and of the part.
template <class S>
struct PartLine {
  const S* from;
  const std::uint8_t* footings;
  std::uint8_t* known;   // ties of cells below known_below
  S below, known_below;  // as `from`
  S* to;
  std::uint8_t* ties;
  S open_state;  // of open cells that are not settled
};

// True where ties are still to be found.
template <class S, std::uint32_t kCount = kTileSide>
bool write_line(const PartLine<S>& line, std::uint32_t count = kCount) noexcept {
  const S* __restrict const from = line.from;
  const std::uint8_t* __restrict const footings = line.footings, * __restrict const known = line.known;
  S* __restrict const to = line.to;
  std::uint8_t* __restrict const ties = line.ties;
  const S below = line.below, known_below = line.known_below, open_state = line.open_state;
  for (std::uint32_t x = 0; x < count; ++x) {
    const S none = footings[x] == 0 ? open_state : FlowFieldData::state_cost<S>(footings[x]);
    to[x] = from[x] < below ? from[x] : none;
  }
  unsigned fresh = 0;
  for (std::uint32_t x = 0; x < count; ++x) {
    const bool settled = from[x] < below;
    ties[x] = static_cast<std::uint8_t>(settled ? known[x] : 0);
    fresh |= static_cast<unsigned>(settled) & static_cast<unsigned>(from[x] >= known_below);
  }
  return fresh != 0;
}

// Of the cells of a line that are settled, but were not for the last part; remembered for the next one.
template <class T, class S, class Costs>
void find_ties(const Plan<T>& plan, const Costs& costs, const PartLine<S>& line, std::uint32_t first,
               std::uint32_t count) noexcept {
  const Edges<T> edges(plan);
  const unsigned all_moves = plan.eight ? 255u : 15u;
  for (std::uint32_t x = 0; x < count; ++x) {
    if (line.from[x] >= line.below || line.from[x] < line.known_below) continue;
    const std::uint32_t p = first + x;
    unsigned set = 0;
    for (unsigned left = plan.moves[p] & all_moves; left != 0; left &= left - 1) {
      const int k = std::countr_zero(left);
      const std::uint32_t q = p + plan.offsets[k];
      if (edges.tie(costs, p, q, edges.step(p, k, q))) set |= 1u << k;
    }
    line.ties[x] = line.known[x] = static_cast<std::uint8_t>(set);
  }
}

template <class S>
S limit_above(std::uint64_t below, std::uint64_t base) noexcept {
  return static_cast<S>(below <= base ? 0 : std::min<std::uint64_t>(below - base, FlowFieldData::kNone<S>));
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
  if (failed_) return false;
  if (complete_ || progress_.final_below == Progress::kEndless) return true;
  return cost_so_far(cell) < progress_.final_below || std::binary_search(asked_.begin(), asked_.end(), cell);
}

// Cells without a way, told by a look at the graph: without them a build for one agent in a walled yard would go on to
// the end.
void BuildRun::note_asked(std::span<const CellIndex> cells) {
  const bool numbered = graph().components().numbered() != nullptr;
  std::vector<std::uint32_t> with_goal;
  for (const Source& source : sources_) with_goal.push_back(graph().component({source.cell}));
  std::sort(with_goal.begin(), with_goal.end());
  for (const CellIndex cell : cells) {
    if (settled(cell.value)) continue;
    const bool open = graph().footing(cell) == Footing::open;
    if (open && (!numbered || std::binary_search(with_goal.begin(), with_goal.end(), graph().component(cell))))
      continue;
    asked_.insert(std::upper_bound(asked_.begin(), asked_.end(), cell.value), cell.value);
  }
}

bool BuildRun::settle(std::span<const CellIndex> cells, Cost margin) {
  if (failed_) return false;
  note_asked(cells);
  const std::uint64_t more = margin / units_.scale + (margin % units_.scale != 0 ? 1 : 0);
  const auto is_settled = [&](CellIndex cell) { return settled(cell.value); };
  std::vector<CellIndex> left(cells.begin(), cells.end());
  for (;;) {
    while (!left.empty() && is_settled(left.back())) left.pop_back();
    // Asked once more: after a hand-over a build begins anew.
    if (left.empty() && !std::all_of(cells.begin(), cells.end(), is_settled)) left.assign(cells.begin(), cells.end());
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
  if (failed_ || (data_ == nullptr && !begin())) return nullptr;
  if (choice_.engine == FieldEngine::bitboards && progress_.begun && !progress_.done)
    write_waves(plan32_, workspace_->scratch.boards);
  const FlowFieldData::Width width = data_->width();
  std::shared_ptr<FlowFieldData> out = width == FlowFieldData::Width::bits16   ? part_of<std::uint16_t>()
                                       : width == FlowFieldData::Width::bits32 ? part_of<std::uint32_t>()
                                                                               : part_of<std::uint64_t>();
  if (out == nullptr) return nullptr;
  PlacedGoals goals = goals_;
  finish_field({graph(), goals, units_, choice_}, progress_.outcome, *out, nullptr);
  out->mark_as_part();
  if (options_.steps) write_steps(*out);
  return out;
}

// Pages with something to say, ascending.
template <class S>
std::vector<std::uint32_t> BuildRun::pages_with_settled() {
  const GridShape& shape = graph().shape();
  const std::uint64_t below = progress_.final_below;
  std::vector<std::uint8_t> marks(data_->page_count());
  for (const std::uint32_t cell : asked_) marks[cell >> FlowField::kPageBits] = 1;
  if constexpr (std::is_same_v<S, std::uint16_t>) {
    const auto [down, across] = tiles_of(shape);
    std::uint32_t* const bases = data_->bases();
    for (std::uint32_t tile = 0; tile < down * across * static_cast<std::uint32_t>(shape.layers()); ++tile) {
      const TileHead* const head = progress_.begun ? &workspace_->scratch.tiles.heads[tile] : nullptr;
      const bool filled = head != nullptr && (head->filled || progress_.bands > 0 || complete_);
      const std::uint32_t band = tile / across, top = band % down * kTileSide;
      const std::uint32_t rows = std::min(kTileSide, static_cast<std::uint32_t>(shape.height()) - top);
      std::uint32_t at = shape.at(static_cast<std::int32_t>(tile % across * kTileSide), static_cast<std::int32_t>(top),
                                  static_cast<std::int32_t>(band / down));
      for (std::uint32_t i = 0; i < rows; ++i, at += shape.stride()) {
        bases[at / kTileSide] = filled ? static_cast<std::uint32_t>(head->base) : SettledTileCosts::kNoBase;
        if (filled && head->base < below) marks[at >> FlowField::kPageBits] = 1;
      }
    }
  } else {
    const S* const costs = data_->costs<S>();
    const S limit = limit_above<S>(below, 0);
    for (std::uint32_t page = 0; limit > 0 && progress_.begun && page < marks.size(); ++page) {
      unsigned any = marks[page];
      const S* const from = costs + (std::size_t{page} << FlowField::kPageBits);
      for (std::uint32_t i = 0; i <= FlowField::kPageMask; ++i) any |= static_cast<unsigned>(from[i] < limit);
      marks[page] = static_cast<std::uint8_t>(any);
    }
  }
  std::vector<std::uint32_t> pages;
  for (std::uint32_t page = 0; page < marks.size(); ++page)
    if (marks[page] != 0) pages.push_back(page);
  return pages;
}

template <class S>
void BuildRun::write_page(FlowFieldData& out, std::uint32_t page) noexcept {
  constexpr bool kTiles = std::is_same_v<S, std::uint16_t>;
  using T = std::conditional_t<kTiles, std::uint32_t, S>;
  const std::uint64_t below = progress_.begun ? progress_.final_below : 0,
                      known = complete_ ? Progress::kEndless : ties_below_;
  const S open_state = below == Progress::kEndless ? FlowFieldData::state_cost<S>(0) : FlowFieldData::kNotReady<S>;
  S* const costs = const_cast<S*>(out.cost_pages<S>()[page]);
  auto* const ties = const_cast<std::uint8_t*>(out.tie_pages()[page]);
  const Plan<T>& plan = this->plan<T>();
  LinesOfPage line(graph().shape(), page);
  for (std::uint32_t slot = 0; slot <= FlowField::kPageMask; slot += kTileSide, line.next()) {
    const std::uint32_t width = line.width(), cell = line.cell();
    if (width < kTileSide) {
      std::fill_n(costs + slot, kTileSide, static_cast<S>(~S{0}));
      std::fill_n(ties + slot, kTileSide, std::uint8_t{0});
    }
    std::uint64_t base = 0;
    if constexpr (kTiles) {
      base = width > 0 ? data_->bases()[cell / kTileSide] : 0;
      const bool none = base == SettledTileCosts::kNoBase;
      const_cast<std::uint32_t*>(out.base_pages()[page])[slot / kTileSide] =
          none ? 0 : static_cast<std::uint32_t>(base);
      if (none) base = Progress::kEndless;
    }
    if (width == 0) continue;
    const PartLine<S> lines{data_->costs<S>() + cell,
                            graph().footings() + cell,
                            data_->ties() + cell,
                            limit_above<S>(below, base),
                            limit_above<S>(known, base),
                            costs + slot,
                            ties + slot,
                            open_state};
    const bool fresh = width == kTileSide ? write_line(lines) : write_line<S, 0>(lines, width);
    if (!fresh || plan.hops != nullptr) continue;
    if constexpr (kTiles) {
      const SettledTileCosts settled{{data_->costs<S>(), data_->bases()}, below};
      find_ties(plan, settled, lines, cell, width);
    } else {
      find_ties(plan, SettledCosts<T>{data_->costs<S>(), below}, lines, cell, width);
    }
  }
}

// One page in the place of all those where nothing is settled, unless that is less than half of them or planes are
// needed flat.
template <class S>
std::shared_ptr<FlowFieldData> BuildRun::part_of() {
  FlowFieldData::Parts parts;
  parts.width = data_->width();
  if (options_.steps) parts.steps = FlowFieldData::Steps::kept;
  if (units_.free_steps) parts.hops = FlowFieldData::Hops::kept;
  std::vector<std::uint32_t> pages = pages_with_settled<S>();
  const GridShape& shape = graph().shape();
  std::shared_ptr<FlowFieldData> out;
  if (options_.steps || units_.free_steps || progress_.final_below == Progress::kEndless ||
      pages.size() * 2 > data_->page_count()) {
    pages.resize(data_->page_count());
    std::iota(pages.begin(), pages.end(), 0u);
    out = FlowFieldData::make(shop_->pool(), shape, parts, FlowFieldData::Costs::unset);
  } else {
    out = FlowFieldData::make_blank(shop_->pool(), shape, parts);
    for (std::size_t i = 0; out != nullptr && i < pages.size(); ++i)
      if (!out->own(pages[i])) out.reset();
  }
  if (out == nullptr) return nullptr;
  base::parallel_for(host_.tasks, pages.size(), 16, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) write_page<S>(*out, pages[i]);
  });
  for (const std::uint32_t cell : asked_) {
    S& cost = const_cast<S&>(out->cost_pages<S>()[cell >> FlowField::kPageBits][cell & FlowField::kPageMask]);
    if (cost == FlowFieldData::kNotReady<S>) cost = FlowFieldData::state_cost<S>(0);
  }
  return finish_ties<S>(*out) ? out : nullptr;
}

template <class S>
bool BuildRun::finish_ties(FlowFieldData& out) {
  constexpr bool kTiles = std::is_same_v<S, std::uint16_t>;
  using T = std::conditional_t<kTiles, std::uint32_t, S>;
  const std::uint64_t below = progress_.final_below;
  Plan<T> settled_plan = plan<T>();
  PortalTies portals;
  if constexpr (kTiles) {
    if (graph().directed() && !complete_)
      portals = portal_ties(settled_plan, SettledTileCosts{{data_->costs<S>(), data_->bases()}, below}, goals_.cells);
  } else {
    if (settled_plan.hops != nullptr && !complete_ && !find_ties_by_hops(out, settled_plan)) return false;
    if (graph().directed() && !complete_)
      portals = portal_ties(settled_plan, SettledCosts<T>{data_->costs<S>(), below}, goals_.cells);
  }
  if (complete_) {
    portals.cells.assign(data_->portal_cells().begin(), data_->portal_cells().end());
    portals.steps.assign(data_->portal_steps().begin(), data_->portal_steps().end());
  } else {
    ties_below_ = below;
  }
  out.set_portal_steps(std::move(portals.cells), std::move(portals.steps));
  for (const std::uint32_t cell : goals_.cells) {
    auto& ties = const_cast<std::uint8_t&>(out.tie_pages()[cell >> FlowField::kPageBits][cell & FlowField::kPageMask]);
    if (ties != 0) ties = 0;
  }
  return true;
}

// Hops of the settled cells are counted first: a flat plane of the part, as of all of the build's.
template <class T>
bool BuildRun::find_ties_by_hops(FlowFieldData& out, Plan<T>& settled_plan) noexcept {
  settled_plan.costs = out.costs<T>();
  settled_plan.hops = out.hops();
  auto& queue = workspace_->scratch.straight.cells;
  const bool counted = graph().directed() ? count_directed_hops(settled_plan, queue, host_.allocator)
                                          : count_hops(settled_plan, queue, host_.allocator);
  if (!counted) return false;
  for (std::uint32_t page = 0; page < out.page_count(); ++page) {
    LinesOfPage line(graph().shape(), page);
    for (std::uint32_t slot = 0; slot <= FlowField::kPageMask; slot += kTileSide, line.next()) {
      const std::uint32_t cell = line.cell();
      const PartLine<T> lines{out.costs<T>() + cell, nullptr, data_->ties() + cell, kNoCost<T>, T{0}, nullptr,
                              out.ties() + cell,     T{0}};
      find_ties(settled_plan, SettledCosts<T>{out.costs<T>(), kNoCost<T>}, lines, cell, line.width());
    }
  }
  return true;
}

}  // namespace drover::field

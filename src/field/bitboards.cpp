// SPDX-License-Identifier: MIT
// The boards of a map, and the goals as waves that begin later.
#include "field/bitboards.hpp"

#include "nav/compiled_graph.hpp"

#include <algorithm>

namespace drover::field {
namespace {

// A visit takes as long as 1.5 cells of the queue: bench field, noise and maze.
constexpr std::uint64_t kTrialVisits = 4096;

class Bitboards {
 public:
  Bitboards(const Plan<std::uint32_t>& plan, Patience patience, BoardScratch& scratch,
            const BoardKernels& kernels) noexcept
      : plan_(plan), scratch_(scratch), kernels_(kernels), stride_(plan.graph->shape().stride()) {
    if (patience == Patience::while_faster) fronts_.visits_end = kTrialVisits;
    rows_ = (static_cast<std::uint32_t>(plan.cells) - GridShape::kFront) / stride_;
    map_.across = stride_ / kBoardSide;
    map_.down = (rows_ + kBoardSide - 1) / kBoardSide;
    map_.fits = plan.graph->fits() + GridShape::kFront / 64;
  }

  BoardOutcome run(const Allocator& allocator) noexcept {
    BoardOutcome result;
    if (!start(allocator)) {
      result.outcome.out_of_memory = true;
      return result;
    }
    const std::span<const Source> sources = plan_.sources;
    const std::uint64_t first = sources.front().cost;
    for (std::size_t i = 0; i < sources.size();) {
      // Goals that begin later enter when the wave is there; without a front there is nothing to wait for.
      const auto wave = static_cast<std::uint32_t>((sources[i].cost - first) / plan_.straight);
      if ((result.gave_up = advance(wave)) != nullptr) return result;
      fronts_.wave = wave;
      for (; i < sources.size() && sources[i].cost == first + std::uint64_t{wave} * plan_.straight; ++i)
        enter(sources[i].cell);
    }
    result.gave_up = advance(~std::uint32_t{0});
    result.outcome.events = fronts_.visits;
    if (result.gave_up == nullptr) write(static_cast<std::uint32_t>(first), result.outcome);
    return result;
  }

 private:
  template <class T>
  static bool want(base::Plane<T>& plane, const Allocator& allocator, std::size_t size) noexcept {
    if (plane.size() == size) return true;
    plane = {};
    plane = base::Plane<T>::uninitialised(allocator, size);
    return plane.valid();
  }

  bool start(const Allocator& allocator) noexcept {
    const std::size_t boards = std::size_t{map_.across} * (map_.down + 2);
    if (!want(scratch_.boards, allocator, boards) || !want(scratch_.waves, allocator, boards * kBoardCells) ||
        !want(scratch_.lists, allocator, 2 * boards + 10))
      return false;
    map_.boards = scratch_.boards.data();
    map_.waves = scratch_.waves.data();
    fronts_.now = scratch_.lists.data();
    fronts_.next = fronts_.now + boards + 5;
    std::fill_n(map_.boards, boards, Board{});
    const auto* const fits = reinterpret_cast<const std::uint8_t*>(map_.fits);
    for (std::uint32_t y = 0; y < rows_; ++y) {
      Board* const boards_of_row = map_.boards + std::size_t{y / kBoardSide + 1} * map_.across;
      const std::uint8_t* const bytes = fits + std::size_t{y} * map_.across;
      const std::uint32_t shift = y % kBoardSide * kBoardSide;
      for (std::uint32_t x = 0; x < map_.across; ++x) boards_of_row[x].untouched |= std::uint64_t{bytes[x]} << shift;
    }
    return true;
  }

  // Null, or why the boards are given up.
  const char* advance(std::uint32_t wave) noexcept {
    kernels_.advance(map_, fronts_, wave);
    if (fronts_.visits >= fronts_.visits_end) {
      if (fronts_.reached * 2 < fronts_.visits * 3) return "waves are too thin for boards";
      fronts_.visits_end = ~std::uint64_t{0};
      kernels_.advance(map_, fronts_, wave);
    }
    return fronts_.longest > 0xFFFF ? "waves within one board exceed 16 bits" : nullptr;
  }

  void enter(std::uint32_t cell) noexcept {
    const std::uint32_t at = cell - GridShape::kFront, y = at / stride_, x = at % stride_;
    const std::uint32_t index = (y / kBoardSide + 1) * map_.across + x / kBoardSide;
    Board& board = map_.boards[index];
    const std::uint64_t bit = std::uint64_t{1} << (y % kBoardSide * kBoardSide + x % kBoardSide);
    if ((board.untouched & bit) == 0) return;  // a wave came first
    std::uint64_t& front = board.front[fronts_.wave & 1];
    if (front == 0) fronts_.now[fronts_.count++] = index;
    front |= bit;
    board.untouched &= ~bit;
  }

  void write(std::uint32_t first_cost, Outcome& outcome) noexcept {
    for (std::uint32_t row = 0; row < map_.down; ++row) {
      kernels_.write(map_, {row, std::min(kBoardSide, rows_ - row * kBoardSide)}, first_cost, plan_.straight,
                     kNoCost<std::uint32_t>, plan_.costs + GridShape::kFront + std::size_t{row} * kBoardSide * stride_);
    }
    outcome.reached = fronts_.reached;
    outcome.last_cost = first_cost + std::uint64_t{fronts_.last} * plan_.straight;
  }

  const Plan<std::uint32_t>& plan_;
  BoardScratch& scratch_;
  const BoardKernels& kernels_;
  const std::uint32_t stride_;
  std::uint32_t rows_ = 0;
  BoardMap map_;
  Fronts fronts_;
};

}  // namespace

BoardOutcome bitboards(const Plan<std::uint32_t>& plan, Patience patience, BoardScratch& scratch,
                       const Allocator& allocator) noexcept {
  return Bitboards(plan, patience, scratch, *board_kernels(simd_in_use())).run(allocator);
}

}  // namespace drover::field

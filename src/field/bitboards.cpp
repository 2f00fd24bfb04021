// SPDX-License-Identifier: MIT
// The boards of a map, and the goals as waves that begin later.
#include "field/bitboards.hpp"

#include "nav/compiled_graph.hpp"

#include <algorithm>
#include <bit>

namespace drover::field {
namespace {

// A visit takes as long as 1.5 cells of the queue: bench field, noise and maze.
constexpr std::uint64_t kTrialVisits = 4096;

struct BoardPlace {
  std::uint32_t board, place;
};
constexpr BoardPlace place_on_board(std::uint32_t cell, std::uint32_t stride) noexcept {
  const std::uint32_t at = cell - GridShape::kFront, y = at / stride, x = at % stride;
  return {(y / kBoardSide + 1) * (stride / kBoardSide) + x / kBoardSide, y % kBoardSide * kBoardSide + x % kBoardSide};
}

class Bitboards {
 public:
  Bitboards(const Plan<std::uint32_t>& plan, BoardScratch& scratch, const BoardKernels& kernels) noexcept
      : plan_(plan),
        scratch_(scratch),
        kernels_(kernels),
        stride_(plan.graph->shape().stride()),
        first_(plan.sources.front().cost) {
    rows_ = (static_cast<std::uint32_t>(plan.cells) - GridShape::kFront) / stride_;
    map_.across = stride_ / kBoardSide;
    map_.down = (rows_ + kBoardSide - 1) / kBoardSide;
    map_.fits = plan.graph->fits() + GridShape::kFront / 64;
    map_.boards = scratch_.boards.data();
    map_.waves = scratch_.waves.data();
  }

  const char* run(Patience patience, const Allocator& allocator, Progress& progress) noexcept {
    progress.outcome.out_of_memory = !progress.begun && !start(allocator);
    if (progress.outcome.out_of_memory) return nullptr;
    progress.begun = true;
    trial_ = patience == Patience::while_faster && fronts_.visits < kTrialVisits;
    const std::uint64_t before = fronts_.visits, left = progress.until - progress.spent();
    piece_end_ = left > ~before ? ~std::uint64_t{0} : before + left;
    const char* const gave_up = follow_sources(progress.next_source);
    progress.outcome.events += fronts_.visits - before;
    if (gave_up != nullptr) return gave_up;
    if (fronts_.count > 0 || progress.next_source < plan_.sources.size()) {
      const std::uint64_t front = fronts_.count > 0 ? cost_of(fronts_.wave) : ~std::uint64_t{0};
      const std::size_t next = progress.next_source;
      progress.pause(next < plan_.sources.size() ? std::min(front, plan_.sources[next].cost) : front);
      return nullptr;
    }
    write();
    progress.outcome.reached = fronts_.reached;
    progress.outcome.last_cost = cost_of(fronts_.last);
    progress.finish();
    return nullptr;
  }

  void write() noexcept {
    for (std::uint32_t row = 0; row < map_.down; ++row) {
      kernels_.write(map_, {row, std::min(kBoardSide, rows_ - row * kBoardSide)}, static_cast<std::uint32_t>(first_),
                     plan_.straight, plan_.costs + GridShape::kFront + std::size_t{row} * kBoardSide * stride_);
    }
  }
  // Cells at hand have left `untouched`, but no wave is noted there yet.
  void clear_fronts() noexcept {
    for (std::uint32_t i = 0; i < fronts_.count; ++i) {
      const std::uint32_t board = fronts_.now[i], row = (board / map_.across - 1) * kBoardSide;
      std::uint32_t* const corner =
          plan_.costs + GridShape::kFront + std::size_t{row} * stride_ + board % map_.across * kBoardSide;
      for (std::uint64_t left = map_.boards[board].front[fronts_.wave & 1]; left != 0; left &= left - 1) {
        const auto at = static_cast<std::uint32_t>(std::countr_zero(left));
        corner[at / kBoardSide * stride_ + at % kBoardSide] = kNoCost<std::uint32_t>;
      }
    }
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
    fronts_ = {};
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

  std::uint64_t cost_of(std::uint32_t wave) const noexcept { return first_ + std::uint64_t{wave} * plan_.straight; }

  // To the end of the waves or of the piece.
  const char* follow_sources(std::size_t& next) noexcept {
    const std::span<const Source> sources = plan_.sources;
    while (next < sources.size()) {
      // Goals that begin later enter when the wave is there; without a front there is nothing to wait for.
      const auto wave = static_cast<std::uint32_t>((sources[next].cost - first_) / plan_.straight);
      if (const char* gave_up = advance(wave)) return gave_up;
      if (fronts_.count > 0 && fronts_.wave != wave) return nullptr;
      fronts_.wave = wave;
      for (; next < sources.size() && sources[next].cost == cost_of(wave); ++next) enter(sources[next].cell);
    }
    return advance(~std::uint32_t{0});
  }

  // Null, or why the boards are given up.
  const char* advance(std::uint32_t wave) noexcept {
    fronts_.visits_end = trial_ ? std::min(kTrialVisits, piece_end_) : piece_end_;
    kernels_.advance(map_, fronts_, wave);
    if (trial_ && fronts_.visits >= kTrialVisits) {
      if (fronts_.reached * 2 < fronts_.visits * 3) return "waves are too thin for boards";
      trial_ = false;
      fronts_.visits_end = piece_end_;
      kernels_.advance(map_, fronts_, wave);
    }
    return fronts_.longest > 0xFFFF ? "waves within one board exceed 16 bits" : nullptr;
  }

  void enter(std::uint32_t cell) noexcept {
    const auto [index, place] = place_on_board(cell, stride_);
    Board& board = map_.boards[index];
    const std::uint64_t bit = std::uint64_t{1} << place;
    if ((board.untouched & bit) == 0) return;  // a wave came first
    std::uint64_t& front = board.front[fronts_.wave & 1];
    if (front == 0) fronts_.now[fronts_.count++] = index;
    front |= bit;
    board.untouched &= ~bit;
  }

  const Plan<std::uint32_t>& plan_;
  BoardScratch& scratch_;
  const BoardKernels& kernels_;
  const std::uint32_t stride_;
  const std::uint64_t first_;
  std::uint32_t rows_ = 0;
  BoardMap map_;
  Fronts& fronts_ = scratch_.fronts;
  bool trial_ = false;
  std::uint64_t piece_end_ = 0;
};

}  // namespace

const char* bitboards(const Plan<std::uint32_t>& plan, Patience patience, BoardScratch& scratch,
                      const Allocator& allocator, Progress& progress) noexcept {
  return Bitboards(plan, scratch, *board_kernels(simd_in_use())).run(patience, allocator, progress);
}

void write_waves(const Plan<std::uint32_t>& plan, BoardScratch& scratch) noexcept {
  Bitboards waves(plan, scratch, *board_kernels(simd_in_use()));
  waves.write();
  waves.clear_fronts();
}

std::uint64_t wave_cost(const Plan<std::uint32_t>& plan, const BoardScratch& scratch, std::uint32_t cell) noexcept {
  const auto [index, place] = place_on_board(cell, plan.graph->shape().stride());
  const Board& board = scratch.boards[index];
  if (((board.untouched | board.front[scratch.fronts.wave & 1]) >> place & 1) != 0) return Progress::kEndless;
  const std::uint32_t wave = board.first_wave + scratch.waves[std::size_t{index} * kBoardCells + place];
  return plan.sources.front().cost + std::uint64_t{wave} * plan.straight;
}

}  // namespace drover::field

// SPDX-License-Identifier: MIT
// How many shapes block each anchor, and a bit for those that any does.
#include "base/memory.hpp"
#include "base/no_throw.hpp"
#include "base/text.hpp"
#include "world/bit_words.hpp"
#include "world/shape_runs.hpp"

#include <drover/profile.hpp>

#include <algorithm>
#include <bit>
#include <utility>

namespace drover {

using world::each_word;
using world::kWordBits;
using world::Run;

struct ObstacleBake::State {
  GridShape shape;
  world::AnchorGrid grid;
  Host host;
  base::Plane<std::uint16_t> counts;
  base::Plane<std::uint64_t> bits;
  std::uint64_t blocked = 0;
  std::size_t shapes = 0;
  world::RunFinder finder;
  std::vector<Run> found[2];  // kept for their memory

  const std::vector<Run>& runs_of(const Obstacle& obstacle, std::size_t slot) {
    finder.find(obstacle, grid, found[slot]);
    return found[slot];
  }

  // Calls visit(begin, end) for the indices of every run on every layer of the shape, ascending.
  template <class Visit>
  void each_run(const Obstacle& obstacle, const std::vector<Run>& runs, Visit visit) const {
    for (std::int32_t layer = 0; layer < shape.layers(); ++layer) {
      if (!obstacle.on_layer(layer)) continue;
      for (const Run& run : runs) {
        const std::uint32_t begin = shape.at(run.begin, run.row, layer);
        visit(begin, begin + static_cast<std::uint32_t>(run.end - run.begin));
      }
    }
  }

  std::size_t cells_of(const Obstacle& obstacle, const std::vector<Run>& runs) const {
    std::size_t cells = 0;
    each_run(obstacle, runs, [&](std::uint32_t begin, std::uint32_t end) { cells += end - begin; });
    return cells;
  }

  void toggle(std::uint32_t word, std::uint64_t change, std::vector<CellIndex>& changed) {
    bits[word] ^= change;
    for (; change != 0; change &= change - 1) {
      changed.push_back({word * kWordBits + static_cast<std::uint32_t>(std::countr_zero(change))});
    }
  }

  void raise(const Obstacle& obstacle, const std::vector<Run>& runs, std::vector<CellIndex>& changed) {
    const std::size_t before = changed.size();
    each_run(obstacle, runs, [&](std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t i = begin; i < end; ++i) ++counts[i];
      each_word(begin, end, [&](std::uint32_t word, std::uint64_t mask) { toggle(word, mask & ~bits[word], changed); });
    });
    blocked += changed.size() - before;
  }

  void lower(const Obstacle& obstacle, const std::vector<Run>& runs, std::vector<CellIndex>& changed) {
    const std::size_t before = changed.size();
    each_run(obstacle, runs, [&](std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t i = begin; i < end; ++i) --counts[i];
      each_word(begin, end, [&](std::uint32_t word, std::uint64_t mask) {
        std::uint64_t change = 0;
        for (std::uint64_t rest = mask; rest != 0; rest &= rest - 1) {
          const int bit = std::countr_zero(rest);
          change |= std::uint64_t{counts[word * kWordBits + static_cast<std::uint32_t>(bit)] == 0} << bit;
        }
        toggle(word, change, changed);
      });
    });
    blocked -= changed.size() - before;
  }

  // Room for what a call may add, growing by doubling as push_back would.
  static void reserve(std::vector<CellIndex>& changed, std::size_t more) {
    const std::size_t need = changed.size() + more;
    if (need > changed.capacity()) changed.reserve(std::max(need, 2 * changed.capacity()));
  }
};

ObstacleBake::ObstacleBake(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
ObstacleBake::ObstacleBake(ObstacleBake&&) noexcept = default;
ObstacleBake& ObstacleBake::operator=(ObstacleBake&&) noexcept = default;
ObstacleBake::~ObstacleBake() = default;

Result<ObstacleBake> ObstacleBake::create(const GridShape& shape, const WorldFrame& frame, Fixed radius, int footprint,
                                          const Host& host) {
  return base::no_throw([&]() -> Result<ObstacleBake> {
    if (radius.raw <= 0 || radius > Fixed::from_int(kMaxObstacleExtent)) {
      return Status(StatusCode::obstacle,
                    base::concat("radius of a body; expected above 0 and at most ", kMaxObstacleExtent));
    }
    if (footprint < 1 || footprint > kMaxFootprint) {
      return Status(StatusCode::footprint,
                    base::concat("footprint ", footprint, "; expected 1 .. ", kMaxFootprint, " cells a side"));
    }
    auto state = std::make_unique<State>();
    state->shape = shape;
    state->grid = {shape.width(), shape.height(), frame.corner(), frame.cell_size(), footprint, radius};
    state->host = host;
    const std::size_t cells = shape.padded_cells();
    state->counts = base::Plane<std::uint16_t>::filled(host.allocator, cells, 0);
    state->bits = base::Plane<std::uint64_t>::filled(host.allocator, (cells + kWordBits - 1) / kWordBits, 0);
    if (!state->counts.valid() || !state->bits.valid()) return base::out_of_memory(2 * cells + cells / 8);
    return ObstacleBake(std::move(state));
  });
}

Result<ObstacleBake> ObstacleBake::copy() const {
  return base::no_throw([&]() -> Result<ObstacleBake> {
    if (!state_) return Status(StatusCode::argument, "a bake that was moved from");
    auto state = std::make_unique<State>();
    state->shape = state_->shape;
    state->grid = state_->grid;
    state->host = state_->host;
    state->blocked = state_->blocked;
    state->shapes = state_->shapes;
    state->counts = base::Plane<std::uint16_t>::copy_of(state_->host.allocator, state_->counts);
    state->bits = base::Plane<std::uint64_t>::copy_of(state_->host.allocator, state_->bits);
    if (!state->counts.valid() || !state->bits.valid()) {
      return base::out_of_memory(state_->counts.bytes() + state_->bits.bytes());
    }
    return ObstacleBake(std::move(state));
  });
}

Status ObstacleBake::add(const Obstacle& obstacle, std::vector<CellIndex>& changed) {
  return base::no_throw([&]() -> Status {
    if (!state_) return {StatusCode::argument, "a bake that was moved from"};
    if (Status status = obstacle.validate(); !status.ok()) return status;
    if (state_->shapes == kMaxObstacles) {
      return {StatusCode::limit_obstacles, base::concat("one shape more; at most ", kMaxObstacles)};
    }
    const std::vector<Run>& runs = state_->runs_of(obstacle, 0);
    State::reserve(changed, state_->cells_of(obstacle, runs));
    state_->raise(obstacle, runs, changed);
    ++state_->shapes;
    return {};
  });
}

Status ObstacleBake::remove(const Obstacle& obstacle, std::vector<CellIndex>& changed) {
  return base::no_throw([&]() -> Status {
    if (!state_ || state_->shapes == 0)
      return {StatusCode::argument, "an obstacle that was never added; expected one of those that are here"};
    if (Status status = obstacle.validate(); !status.ok()) return status;
    const std::vector<Run>& runs = state_->runs_of(obstacle, 0);
    State::reserve(changed, state_->cells_of(obstacle, runs));
    state_->lower(obstacle, runs, changed);
    --state_->shapes;
    return {};
  });
}

// The new place is added before the old one is taken away, so an anchor that both block never changes. A count may
// pass 65535 in between; it wraps and comes back, and only whether it is 0 after a removal is asked.
Status ObstacleBake::move(const Obstacle& from, const Obstacle& to, std::vector<CellIndex>& changed) {
  return base::no_throw([&]() -> Status {
    if (!state_ || state_->shapes == 0)
      return {StatusCode::argument, "an obstacle that was never added; expected one of those that are here"};
    if (Status status = from.validate(); !status.ok()) return status;
    if (Status status = to.validate(); !status.ok()) return status;
    const std::vector<Run>&old_runs = state_->runs_of(from, 0), &new_runs = state_->runs_of(to, 1);
    State::reserve(changed, state_->cells_of(from, old_runs) + state_->cells_of(to, new_runs));
    const auto before = static_cast<std::ptrdiff_t>(changed.size());
    state_->raise(to, new_runs, changed);
    const auto raised = static_cast<std::ptrdiff_t>(changed.size());
    state_->lower(from, old_runs, changed);
    std::inplace_merge(changed.begin() + before, changed.begin() + raised, changed.end());
    return {};
  });
}

bool ObstacleBake::blocked(CellIndex anchor) const noexcept {
  return (state_->bits[anchor.value / kWordBits] >> anchor.value % kWordBits & 1) != 0;
}

std::span<const std::uint64_t> ObstacleBake::words() const noexcept {
  return {state_->bits.data(), state_->bits.size()};
}

std::uint64_t ObstacleBake::blocked_cells() const noexcept { return state_->blocked; }

}  // namespace drover

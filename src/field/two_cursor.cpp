// SPDX-License-Identifier: MIT
// Uniform costs with dearer diagonals: one sorted wave read by two cursors, merged with the goals as a third stream.
#include "field/engines.hpp"
#include "field/prefetch.hpp"
#include "field/pruning.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace drover::field {
namespace {

// The cost of a step depends only on the cell that it enters, so the first touch of a cell is final. Straight steps and
// diagonal steps of settled cells fall due in the order in which the cells were settled: two queues, each sorted.
template <class T>
class TwoCursor {
 public:
  TwoCursor(const Plan<T>& plan, Stream& straight, Stream& diagonal, Progress& progress) noexcept
      : plan_(plan), straight_(straight), diagonal_(diagonal), progress_(progress), outcome_(progress.outcome) {
    if (std::exchange(progress.begun, true)) return;
    straight_.clear();
    diagonal_.clear();
  }

  void run(const Allocator& allocator) noexcept {
    for (;;) {
      const std::uint64_t straight_due = straight_.due(plan_.straight), diagonal_due = diagonal_.due(plan_.diagonal);
      const std::uint64_t source_due =
          next_source_ < plan_.sources.size() ? plan_.sources[next_source_].cost : ~std::uint64_t{0};
      const std::uint64_t now = std::min({straight_due, diagonal_due, source_due});
      if (now == ~std::uint64_t{0}) return progress_.finish();
      if (progress_.due()) return progress_.pause(now);
      const std::uint64_t straight_events = straight_due == now ? straight_.first_layer_size() : 0;
      const std::uint64_t diagonal_events = diagonal_due == now ? diagonal_.first_layer_size() : 0;
      const std::uint64_t room =
          4 * (straight_events + diagonal_events) + (source_due == now ? sources_at(now) : 0) + 1;
      if (!straight_.make_room(allocator, room) || !diagonal_.make_room(allocator, room)) {
        outcome_.out_of_memory = true;
        return;
      }
      // Straight first: a cell settled by a straight step has the least left to do.
      if (straight_events > 0) expand(straight_, straight_events, static_cast<T>(now));
      if (diagonal_events > 0) expand(diagonal_, diagonal_events, static_cast<T>(now));
      if (source_due == now) add_sources(now);
      straight_.close_layer(now);
      diagonal_.close_layer(now);
      outcome_.events += straight_events + diagonal_events;
    }
  }

 private:
  std::uint64_t sources_at(std::uint64_t now) const noexcept {
    std::uint64_t count = 0;
    while (next_source_ + count < plan_.sources.size() && plan_.sources[next_source_ + count].cost == now) ++count;
    return count;
  }

  void add_sources(std::uint64_t now) noexcept {
    for (; next_source_ < plan_.sources.size() && plan_.sources[next_source_].cost == now; ++next_source_) {
      const std::uint32_t cell = plan_.sources[next_source_].cell;
      if (plan_.costs[cell] != kNoCost<T>) continue;
      settle(cell, plan_.moves[cell], static_cast<T>(now));
    }
  }

  void settle(std::uint32_t cell, unsigned todo, T now) noexcept {
    plan_.costs[cell] = now;
    put(straight_, cell, todo & 15u);
    put(diagonal_, cell, todo >> 4);
    ++outcome_.reached;
    outcome_.last_cost = now;
  }

  static void put(Stream& stream, std::uint32_t cell, unsigned todo) noexcept {
    if (todo == 0) return;
    stream.cells.at(stream.cells.tail) = cell;
    stream.todo.at(stream.cells.tail) = static_cast<std::uint8_t>(todo);
    ++stream.cells.tail;
  }

  void expand(Stream& from, std::uint64_t events, T now) noexcept;

  const Plan<T>& plan_;
  Stream& straight_;
  Stream& diagonal_;
  Progress& progress_;
  Outcome& outcome_;
  std::size_t& next_source_ = progress_.next_source;
};

// Everything in locals and every write unconditional: the queue moves on only if the cell was new. Room was made
// before.
template <class T>
void TwoCursor<T>::expand(Stream& from, std::uint64_t events, T now) noexcept {
  const int first_direction = &from == &straight_ ? 0 : 4;
  std::uint32_t offsets[4];
  std::copy_n(plan_.offsets + first_direction, 4, offsets);
  const std::uint8_t* const prune = kPruneUniform8.data() + first_direction * 256;
  const std::uint8_t* const moves = plan_.moves;
  T* const costs = plan_.costs;
  const std::uint32_t* const from_cells = from.cells.data();
  const std::uint8_t* const from_todo = from.todo.data();
  const std::uint64_t from_mask = from.cells.mask();
  std::uint32_t* const straight_cells = straight_.cells.data();
  std::uint8_t* const straight_todo = straight_.todo.data();
  std::uint32_t* const diagonal_cells = diagonal_.cells.data();
  std::uint8_t* const diagonal_todo = diagonal_.todo.data();
  const std::uint64_t straight_mask = straight_.cells.mask(), diagonal_mask = diagonal_.cells.mask();
  std::uint64_t straight_tail = straight_.cells.tail, diagonal_tail = diagonal_.cells.tail, reached = 0;

  for (std::uint64_t i = from.cells.head, end = i + events; i != end; ++i) {
    const std::uint32_t p = from_cells[i & from_mask];
    unsigned todo = from_todo[i & from_mask];
    do {
      const int k = std::countr_zero(todo);
      todo &= todo - 1;
      const std::uint32_t q = p + offsets[k];
      const T before = costs[q];
      const bool fresh = before == kNoCost<T>;
      costs[q] = std::min(before, now);
      const unsigned next = prune[k * 256 + moves[q]];
      // The wave comes there soon, and neighbouring rows are pages apart: 17 -> 10 ns a cell on a cave of 2048 x 2048.
      prefetch(costs, q + 2 * offsets[k]);
      prefetch(moves, q + 2 * offsets[k]);
      straight_cells[straight_tail & straight_mask] = q;
      straight_todo[straight_tail & straight_mask] = static_cast<std::uint8_t>(next & 15u);
      straight_tail += fresh & ((next & 15u) != 0);
      diagonal_cells[diagonal_tail & diagonal_mask] = q;
      diagonal_todo[diagonal_tail & diagonal_mask] = static_cast<std::uint8_t>(next >> 4);
      diagonal_tail += fresh & (next > 15u);
      reached += fresh;
    } while (todo != 0);
  }
  from.drop_first_layer();
  straight_.cells.tail = straight_tail;
  diagonal_.cells.tail = diagonal_tail;
  outcome_.reached += reached;
  if (reached > 0) outcome_.last_cost = now;
}

}  // namespace

template <class T>
void two_cursor(const Plan<T>& plan, Scratch& scratch, const Allocator& allocator, Progress& progress) noexcept {
  TwoCursor<T>(plan, scratch.straight, scratch.diagonal, progress).run(allocator);
}

template void two_cursor(const Plan<std::uint32_t>&, Scratch&, const Allocator&, Progress&) noexcept;
template void two_cursor(const Plan<std::uint64_t>&, Scratch&, const Allocator&, Progress&) noexcept;

}  // namespace drover::field

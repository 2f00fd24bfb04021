// SPDX-License-Identifier: MIT
// Uniform costs where every step costs the same: breadth-first search, its goals merged as a second sorted stream.
#include "field/engines.hpp"
#include "field/prefetch.hpp"
#include "field/pruning.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace drover::field {
namespace {

// Four moves: a wave that came to p from q by a vertical step leaves a sideways step out where q can step sideways too:
// the way round costs the same and ends with a vertical step, and those are never left out but straight back. Low half
// of a queue byte: steps to try; high half: all legal steps. [arrival][legal steps of q]: steps p may try.
constexpr std::array<std::uint8_t, 4 * 16> kPruneUniform4 = [] {
  std::array<std::uint8_t, 4 * 16> table{};
  for (unsigned k = 0; k < 4; ++k) {
    const unsigned ahead = 1u << k, back = 1u << ((k + 2) & 3);
    for (unsigned q_moves = 0; q_moves < 16; ++q_moves) {
      const bool vertical = (k & 1) == 0;
      table[k * 16 + q_moves] = static_cast<std::uint8_t>(vertical ? ahead | (~q_moves & 10u) : 15u & ~back);
    }
  }
  return table;
}();

template <class T, bool Eight>
class BreadthFirst {
 public:
  BreadthFirst(const Plan<T>& plan, Stream& queue, Progress& progress) noexcept
      : plan_(plan), queue_(queue), progress_(progress), outcome_(progress.outcome) {
    if (!std::exchange(progress.begun, true)) queue_.clear();
  }

  void run(const Allocator& allocator) noexcept {
    for (;;) {
      const std::uint64_t due = queue_.due(plan_.straight);
      const std::uint64_t source_due =
          next_source_ < plan_.sources.size() ? plan_.sources[next_source_].cost : ~std::uint64_t{0};
      const std::uint64_t now = std::min(due, source_due);
      if (now == ~std::uint64_t{0}) return progress_.finish();
      if (progress_.due()) return progress_.pause(now);
      const std::uint64_t events = due == now ? queue_.first_layer_size() : 0;
      const std::uint64_t room = (Eight ? 8 : 4) * events + (source_due == now ? sources_at(now) : 0) + 1;
      if (!queue_.make_room(allocator, room)) {
        outcome_.out_of_memory = true;
        return;
      }
      if (events > 0) {
        expand(events, static_cast<T>(now), 15);
        if (Eight) expand(events, static_cast<T>(now), 0xF0);
        queue_.drop_first_layer();
      }
      if (source_due == now) add_sources(now);
      queue_.close_layer(now);
      outcome_.events += events;
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
      plan_.costs[cell] = static_cast<T>(now);
      const unsigned moves = Eight ? plan_.moves[cell] : plan_.moves[cell] & 15u;
      queue_.cells.at(queue_.cells.tail) = cell;
      queue_.todo.at(queue_.cells.tail) = static_cast<std::uint8_t>(Eight ? moves : moves * 17);
      ++queue_.cells.tail;
      ++outcome_.reached;
      outcome_.last_cost = now;
    }
  }

  void expand(std::uint64_t events, T now, unsigned which) noexcept;

  const Plan<T>& plan_;
  Stream& queue_;
  Progress& progress_;
  Outcome& outcome_;
  std::size_t& next_source_ = progress_.next_source;
};

template <class T, bool Eight>
void BreadthFirst<T, Eight>::expand(std::uint64_t events, T now, unsigned which) noexcept {
  std::uint32_t offsets[kDirections];
  std::copy_n(plan_.offsets, kDirections, offsets);
  const std::uint8_t* const moves = plan_.moves;
  T* const costs = plan_.costs;
  std::uint32_t* const cells = queue_.cells.data();
  std::uint8_t* const todos = queue_.todo.data();
  const std::uint64_t mask = queue_.cells.mask(), before_tail = queue_.cells.tail;
  std::uint64_t tail = before_tail;
  for (std::uint64_t i = queue_.cells.head, end = i + events; i != end; ++i) {
    const std::uint32_t p = cells[i & mask];
    const unsigned entry = todos[i & mask];
    for (unsigned todo = entry & which; todo != 0; todo &= todo - 1) {
      const unsigned k = static_cast<unsigned>(std::countr_zero(todo));
      const std::uint32_t q = p + offsets[k];
      const T before = costs[q];
      const bool fresh = before == kNoCost<T>;
      costs[q] = std::min(before, now);
      const unsigned q_moves = Eight ? moves[q] : moves[q] & 15u;
      prefetch(costs, q + 2 * offsets[k]);  // as in two_cursor.cpp
      prefetch(moves, q + 2 * offsets[k]);
      cells[tail & mask] = q;
      todos[tail & mask] = static_cast<std::uint8_t>(
          Eight ? kPruneUniform8[k * 256 + q_moves] : (q_moves & kPruneUniform4[k * 16 + (entry >> 4)]) | q_moves << 4);
      tail += fresh;
    }
  }
  queue_.cells.tail = tail;
  outcome_.reached += tail - before_tail;
  if (tail != before_tail) outcome_.last_cost = now;
}

}  // namespace

template <class T>
void breadth_first(const Plan<T>& plan, Scratch& scratch, const Allocator& allocator, Progress& progress) noexcept {
  if (plan.eight) return BreadthFirst<T, true>(plan, scratch.straight, progress).run(allocator);
  BreadthFirst<T, false>(plan, scratch.straight, progress).run(allocator);
}

template void breadth_first(const Plan<std::uint32_t>&, Scratch&, const Allocator&, Progress&) noexcept;
template void breadth_first(const Plan<std::uint64_t>&, Scratch&, const Allocator&, Progress&) noexcept;

}  // namespace drover::field

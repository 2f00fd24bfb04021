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

// First in, first out: entries leave in the order of their costs, so no layers are kept, whose ends cost more than the
// cells between them where fronts are small. What is to do: steps to try, and 8 bits on all legal steps.

template <class T, bool Eight>
class BreadthFirst {
 public:
  BreadthFirst(const Plan<T>& plan, EntryRing& queue, Progress& progress) noexcept
      : plan_(plan), queue_(queue), progress_(progress), outcome_(progress.outcome) {
    if (!std::exchange(progress.begun, true)) queue_.clear();
  }

  void run(const Allocator& allocator) noexcept {
    while (next_source_ < plan_.sources.size() || queue_.live() > 0) {
      if (progress_.due()) return pause();
      if (!queue_.make_room(allocator, std::max<std::uint64_t>(queue_.live(), kPushes))) {
        outcome_.out_of_memory = true;
        return;
      }
      const bool more = next_source_ < plan_.sources.size();
      if (more && (queue_.live() == 0 || due_after(plan_.costs[cell_of_head()]) >= plan_.sources[next_source_].cost))
        add_source();
      else
        expand(more ? plan_.sources[next_source_].cost : ~std::uint64_t{0});
    }
    progress_.finish();
  }

 private:
  static constexpr std::uint64_t kPushes = Eight ? 8 : 4;

  void pause() noexcept {
    const std::uint64_t source =
        next_source_ < plan_.sources.size() ? plan_.sources[next_source_].cost : ~std::uint64_t{0};
    progress_.pause(queue_.live() == 0 ? source : std::min(source, due_after(plan_.costs[cell_of_head()])));
  }

  std::uint32_t cell_of_head() noexcept { return entry_cell(queue_.at(queue_.head)); }
  std::uint64_t due_after(T cost) const noexcept { return std::uint64_t{cost} + plan_.straight; }

  void add_source() noexcept {
    const Source& source = plan_.sources[next_source_++];
    if (plan_.costs[source.cell] != kNoCost<T>) return;
    plan_.costs[source.cell] = static_cast<T>(source.cost);
    const unsigned moves = Eight ? plan_.moves[source.cell] : plan_.moves[source.cell] & 15u;
    if (moves != 0) queue_.at(queue_.tail++) = make_entry(source.cell, moves | moves << 8);
    ++outcome_.reached;
    outcome_.last_cost = std::max<std::uint64_t>(outcome_.last_cost, source.cost);
  }

  void expand(std::uint64_t until) noexcept;

  const Plan<T>& plan_;
  EntryRing& queue_;
  Progress& progress_;
  Outcome& outcome_;
  std::size_t& next_source_ = progress_.next_source;
};

// Until a touch would cost as much as `until`, or there is no room for the next one's, or the piece ends.
template <class T, bool Eight>
void BreadthFirst<T, Eight>::expand(std::uint64_t until) noexcept {
  std::uint32_t offsets[kDirections];
  std::copy_n(plan_.offsets, kDirections, offsets);
  const std::uint8_t* const moves = plan_.moves;
  T* const costs = plan_.costs;
  const T step = plan_.straight;
  std::uint64_t* const entries = queue_.data();
  const std::uint64_t mask = queue_.mask(), before_head = queue_.head, room = mask + 1 - kPushes,
                      end = before_head + (progress_.until - progress_.spent());
  std::uint64_t head = before_head, tail = queue_.tail, reached = 0;
  T now = 0, last = 0;
  while (head != tail && tail - head <= room && head != end) {
    const std::uint64_t entry = entries[head & mask];
    const std::uint32_t p = entry_cell(entry);
    now = static_cast<T>(costs[p] + step);
    if (now >= until) break;
    ++head;
    unsigned todo = entry_todo(entry) & 255u;
    do {
      const unsigned k = static_cast<unsigned>(std::countr_zero(todo));
      const std::uint32_t q = p + offsets[k];
      const T before = costs[q];
      const bool fresh = before == kNoCost<T>;
      costs[q] = std::min(before, now);
      const unsigned legal = Eight ? moves[q] : moves[q] & 15u;
      prefetch(costs, q + 2 * offsets[k]);  // as in two_cursor.cpp
      prefetch(moves, q + 2 * offsets[k]);
      const unsigned next = Eight ? kPruneUniform8[k * 256 + legal] : legal & kPruneUniform4[k * 16 + (entry >> 40)];
      entries[tail & mask] = make_entry(q, next | legal << 8);
      tail += fresh & (next != 0);
      reached += fresh;
      last = fresh ? now : last;
      todo &= todo - 1;
    } while (todo != 0);
  }
  queue_.head = head;
  queue_.tail = tail;
  outcome_.events += head - before_head;
  outcome_.reached += reached;
  if (reached > 0) outcome_.last_cost = last;
}

}  // namespace

template <class T>
void breadth_first(const Plan<T>& plan, Scratch& scratch, const Allocator& allocator, Progress& progress) noexcept {
  if (plan.eight) return BreadthFirst<T, true>(plan, scratch.entries, progress).run(allocator);
  BreadthFirst<T, false>(plan, scratch.entries, progress).run(allocator);
}

template void breadth_first(const Plan<std::uint32_t>&, Scratch&, const Allocator&, Progress&) noexcept;
template void breadth_first(const Plan<std::uint64_t>&, Scratch&, const Allocator&, Progress&) noexcept;

}  // namespace drover::field

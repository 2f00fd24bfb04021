// SPDX-License-Identifier: MIT
// Weighted costs: circular buckets of events; the first event to touch a cell is final.
#include "field/buckets.hpp"

#include "field/engines.hpp"
#include "field/pruning.hpp"

#include <algorithm>
#include <bit>

namespace drover::field {
namespace {

// An event is "cell p tries the steps in `todo` at this cost". All straight steps out of p cost the same, and so do all
// diagonal ones: one or two events a cell. Layout: cell 32 bits, todo 8, factor of the cell 21.
constexpr std::uint64_t make_event(std::uint32_t cell, unsigned todo, std::uint32_t factor) {
  return cell | std::uint64_t{todo} << 32 | std::uint64_t{factor} << 40;
}
constexpr std::uint32_t event_cell(std::uint64_t event) { return static_cast<std::uint32_t>(event); }
constexpr unsigned event_todo(std::uint64_t event) { return static_cast<unsigned>(event >> 32) & 255u; }

// As kPruneUniform8, but only what no weight can make worthwhile: from q to p by `k`, p need not touch what q touches
// strictly cheaper. Whether a sideways step after a straight one is such depends on the two factors: `shortcut`.
constexpr std::uint8_t prune_weighted(int k, unsigned moves, bool shortcut) {
  const int b = (k + 1) & 3, c = (k + 2) & 3, d = (k + 3) & 3;
  unsigned drop = 0;
  if (k < 4) {
    drop = 1u << c | 1u << (4 + b) | 1u << (4 + c);
    if (shortcut && (moves >> (4 + b) & 1u) != 0) drop |= 1u << b;
    if (shortcut && (moves >> (4 + c) & 1u) != 0) drop |= 1u << d;
  } else {
    drop = 1u << c | 1u << d | 1u << (4 + c);
  }
  return static_cast<std::uint8_t>(moves & ~drop);
}

using WeightedTable = std::array<std::uint8_t, 2 * kDirections * 256>;
constexpr WeightedTable kPruneWeighted8 = [] {
  WeightedTable table{};
  for (unsigned i = 0; i < table.size(); ++i) {
    table[i] = prune_weighted(static_cast<int>(i >> 8 & 7u), i & 255u, i >> 11 != 0);
  }
  return table;
}();

constexpr WeightedTable kPruneWeighted4 = [] {
  WeightedTable table{};
  for (unsigned i = 0; i < table.size(); ++i) {
    table[i] = static_cast<std::uint8_t>(i & 15u & ~(1u << (((i >> 8) + 2) & 3u)));
  }
  return table;
}();

template <class T, bool Weighted>
class Buckets {
 public:
  Buckets(const Plan<T>& plan, BucketScratch& ring) noexcept
      : plan_(plan), ring_(ring), prune_(plan.eight ? kPruneWeighted8.data() : kPruneWeighted4.data()) {}

  Outcome run(const Allocator& allocator) noexcept {
    std::uint64_t now = 0;
    for (;;) {
      const std::uint64_t due = ring_.next(now);
      const std::uint64_t source_due =
          next_source_ < plan_.sources.size() ? plan_.sources[next_source_].cost : ~std::uint64_t{0};
      now = std::min(due, source_due);
      if (now == ~std::uint64_t{0}) return outcome_;
      if (due == now && !spend_bucket(allocator, now)) break;
      if (source_due == now && !add_sources(allocator, now)) break;
    }
    outcome_.out_of_memory = true;
    return outcome_;
  }

 private:
  // A chunk's events touch at most this many cells.
  static constexpr std::uint32_t kMaxTouches = BucketScratch::kChunkEvents * 4;

  bool spend_bucket(const Allocator& allocator, std::uint64_t now) noexcept {
    std::uint64_t events[BucketScratch::kChunkEvents];
    std::uint64_t fresh[kMaxTouches + 1];
    for (;;) {
      const std::uint32_t count = ring_.take(now, events);
      if (count == 0) return true;
      outcome_.events += count;
      const std::uint32_t touched = touch(events, count, fresh, static_cast<T>(now));
      if (!ring_.make_room(allocator, 2 * kMaxTouches)) return false;
      for (std::uint32_t i = 0; i < touched; ++i) schedule(fresh[i], now);
      outcome_.reached += touched;
      if (touched > 0) outcome_.last_cost = now;
    }
  }

  // Every write unconditional; the list moves on only if the cell was new. An entry is an event with the direction of
  // arrival in the place of `todo`.
  std::uint32_t touch(const std::uint64_t* events, std::uint32_t count, std::uint64_t* fresh, T now) const noexcept {
    std::uint32_t offsets[kDirections];
    std::copy_n(plan_.offsets, kDirections, offsets);
    T* const costs = plan_.costs;
    std::uint32_t touched = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t event = events[i];
      const std::uint32_t p = event_cell(event);
      const std::uint64_t factor_bits = (event >> 40) << 40;
      for (unsigned todo = event_todo(event); todo != 0; todo &= todo - 1) {
        const unsigned k = static_cast<unsigned>(std::countr_zero(todo));
        const std::uint32_t q = p + offsets[k];
        const T before = costs[q];
        const bool is_new = before == kNoCost<T>;
        costs[q] = is_new ? now : before;
        fresh[touched] = q | std::uint64_t{k} << 32 | factor_bits;
        touched += is_new;
      }
    }
    return touched;
  }

  void schedule(std::uint64_t arrival, std::uint64_t now) noexcept {
    const std::uint32_t cell = event_cell(arrival);
    const std::uint64_t factor = Weighted ? plan_.factors[cell] : 1, from = arrival >> 40;
    const bool shortcut = (plan_.diagonal - plan_.straight) * from < plan_.straight * factor;
    const unsigned index = (shortcut ? 2048u : 0u) + event_todo(arrival) * 256 + plan_.moves[cell];
    push_steps(cell, prune_[index], static_cast<std::uint32_t>(factor), now);
  }

  void push_steps(std::uint32_t cell, unsigned todo, std::uint32_t factor, std::uint64_t now) noexcept {
    if ((todo & 15u) != 0)
      ring_.push(now + std::uint64_t{plan_.straight} * factor, make_event(cell, todo & 15u, factor));
    if (todo > 15u) ring_.push(now + std::uint64_t{plan_.diagonal} * factor, make_event(cell, todo & 240u, factor));
  }

  bool add_sources(const Allocator& allocator, std::uint64_t now) noexcept {
    for (; next_source_ < plan_.sources.size() && plan_.sources[next_source_].cost == now; ++next_source_) {
      const std::uint32_t cell = plan_.sources[next_source_].cell;
      if (plan_.costs[cell] != kNoCost<T>) continue;
      if (!ring_.make_room(allocator, 2)) return false;
      plan_.costs[cell] = static_cast<T>(now);
      push_steps(cell, plan_.eight ? plan_.moves[cell] : plan_.moves[cell] & 15u, Weighted ? plan_.factors[cell] : 1,
                 now);
      ++outcome_.reached;
      outcome_.last_cost = now;
    }
    return true;
  }

  const Plan<T>& plan_;
  BucketScratch& ring_;
  const std::uint8_t* prune_;
  std::size_t next_source_ = 0;
  Outcome outcome_;
};

}  // namespace

template <class T>
Outcome buckets(const Plan<T>& plan, Scratch& scratch, const Allocator& allocator) noexcept {
  if (!scratch.buckets.start(allocator, plan.max_step)) {
    Outcome outcome;
    outcome.out_of_memory = true;
    return outcome;
  }
  if (plan.factors != nullptr) return Buckets<T, true>(plan, scratch.buckets).run(allocator);
  return Buckets<T, false>(plan, scratch.buckets).run(allocator);
}

template Outcome buckets(const Plan<std::uint32_t>&, Scratch&, const Allocator&) noexcept;
template Outcome buckets(const Plan<std::uint64_t>&, Scratch&, const Allocator&) noexcept;

}  // namespace drover::field

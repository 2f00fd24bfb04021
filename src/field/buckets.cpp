// SPDX-License-Identifier: MIT
// Weighted costs: circular buckets of events, each bucket narrower than the cheapest step.
#include "field/buckets.hpp"

#include "field/engines.hpp"
#include "field/hops.hpp"
#include "field/prefetch.hpp"
#include "field/pruning.hpp"

#include <algorithm>
#include <bit>

namespace drover::field {
namespace {

// An event is "cell p tries the steps in `todo`", all straight or all diagonal: they cost the same, so a cell makes one
// or two events. Layout: cell 32 bits, todo 8, factor of the cell 21.
constexpr std::uint64_t make_event(std::uint32_t cell, unsigned todo, std::uint64_t factor) {
  return cell | std::uint64_t{todo} << 32 | factor << 40;
}
constexpr std::uint32_t event_cell(std::uint64_t event) { return static_cast<std::uint32_t>(event); }
constexpr unsigned event_todo(std::uint64_t event) { return static_cast<unsigned>(event >> 32) & 255u; }
constexpr std::uint64_t event_factor(std::uint64_t event) { return event >> 40; }

// Moves and factor of a cell, in one load where factors fit a byte.
struct PlainGround {
  const std::uint8_t* moves;
  unsigned moves_at(std::uint32_t cell) const noexcept { return moves[cell]; }
  std::uint64_t factor_at(std::uint32_t) const noexcept { return 1; }
  void prefetch_at(std::uint32_t cell) const noexcept { prefetch(moves, cell); }
};
struct PackedGround {
  const std::uint16_t* words;
  unsigned moves_at(std::uint32_t cell) const noexcept { return words[cell] & 255u; }
  std::uint64_t factor_at(std::uint32_t cell) const noexcept { return words[cell] >> 8; }
  void prefetch_at(std::uint32_t cell) const noexcept { prefetch(words, cell); }
};
struct WideGround {
  const std::uint8_t* moves;
  const std::uint32_t* factors;
  unsigned moves_at(std::uint32_t cell) const noexcept { return moves[cell]; }
  std::uint64_t factor_at(std::uint32_t cell) const noexcept { return factors[cell]; }
  void prefetch_at(std::uint32_t cell) const noexcept {
    prefetch(moves, cell);
    prefetch(factors, cell);
  }
};

// Coarse: buckets several units wide. Else all events of a bucket have one cost, and the first touch is final.
template <class T, class Ground, bool Coarse>
class Buckets {
 public:
  Buckets(const Plan<T>& plan, const Ground& ground, BucketScratch& ring, const Allocator& allocator,
          Progress& progress) noexcept
      : plan_(plan),
        ground_(ground),
        ring_(ring),
        allocator_(allocator),
        prune_(plan.min_step == 0 ? kPruneBack.data()
               : plan.eight       ? kPruneWeighted8.data()
                                  : kPruneBack.data()),
        shift_(Coarse ? bucket_shift(plan) : 0),
        progress_(progress),
        outcome_(progress.outcome) {}

  void run() noexcept {
    std::uint64_t& bucket = progress_.bucket;
    for (;;) {
      const std::uint64_t due = ring_.next(bucket);
      const std::uint64_t source_due =
          next_source_ < plan_.sources.size() ? plan_.sources[next_source_].cost >> shift_ : kNever;
      bucket = std::min(due, source_due);
      if (bucket == kNever) return progress_.finish();
      if (progress_.due()) return progress_.pause(bucket << shift_);
      if (!spend(bucket)) break;
    }
    outcome_.out_of_memory = true;
  }

 private:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  static constexpr unsigned kFromNowhere = kDirections;
  static constexpr std::size_t kMaxTouches = BucketScratch::kChunkEvents * 4;

  // No step costs less than a bucket is wide, so events of one bucket do not depend on each other: in any order, the
  // least touch of a cell is final when its bucket is spent (Denardo and Fox, Operations Research 1979). Free steps
  // fall into the bucket at hand, which then is one unit wide, so that their order does not matter either.
  bool spend(std::uint64_t bucket) noexcept {
    if (!add_sources(bucket)) return false;
    do {
      for (;;) {
        const std::span<const std::uint64_t> events = ring_.newest_chunk(bucket);
        if (events.empty()) break;
        if (!ring_.make_fresh_room(allocator_, touched_ + kMaxTouches + 1)) return false;
        touch(events, static_cast<T>(bucket));
        ring_.drop_newest_chunk(bucket);
        outcome_.events += events.size();
      }
      if (!schedule_all(bucket)) return false;
    } while (ring_.occupied(bucket));
    return true;
  }

  bool add_sources(std::uint64_t bucket) noexcept {
    for (; next_source_ < plan_.sources.size() && plan_.sources[next_source_].cost >> shift_ == bucket;
         ++next_source_) {
      const Source& source = plan_.sources[next_source_];
      if (plan_.costs[source.cell] != kNoCost<T>) continue;
      if (!ring_.make_fresh_room(allocator_, touched_ + 2)) return false;
      plan_.costs[source.cell] = static_cast<T>(source.cost);
      ring_.fresh()[touched_++] = make_event(source.cell, kFromNowhere, 0);
    }
    return true;
  }

  // An entry of the fresh list is an event with the direction of arrival in the place of `todo`, and the factor of the
  // cell it was reached from. Every write is unconditional and the list moves on only if the cell was new: no branch to
  // guess.
  void touch(std::span<const std::uint64_t> events, T bucket) noexcept {
    std::uint32_t offsets[kDirections];
    std::copy_n(plan_.offsets, kDirections, offsets);
    T* const costs = plan_.costs;
    std::uint64_t* const fresh = ring_.fresh();
    std::size_t touched = touched_;
    for (const std::uint64_t event : events) {
      const std::uint32_t p = event_cell(event);
      unsigned todo = event_todo(event);
      const T step = static_cast<T>((todo > 15u ? plan_.diagonal : plan_.straight) * event_factor(event));
      const T time = Coarse ? static_cast<T>(costs[p] + step) : bucket;
      const std::uint64_t from = event_factor(event) << 40;
      for (; todo != 0; todo &= todo - 1) {
        const unsigned k = static_cast<unsigned>(std::countr_zero(todo));
        const std::uint32_t q = p + offsets[k];
        const T before = costs[q];
        costs[q] = std::min(before, time);
        prefetch(costs, q + 2 * offsets[k]);
        ground_.prefetch_at(q + 2 * offsets[k]);
        fresh[touched] = q | std::uint64_t{k} << 32 | from;
        touched += before == kNoCost<T>;
      }
    }
    touched_ = touched;
  }

  bool schedule_all(std::uint64_t bucket) noexcept {
    const std::uint64_t* const fresh = ring_.fresh();
    std::uint64_t last = outcome_.last_cost;
    for (std::size_t i = 0; i < touched_;) {
      const std::size_t end = std::min(i + kMaxTouches, touched_);
      if (!ring_.make_room(allocator_, 2 * kMaxTouches)) return false;
      for (; i < end; ++i) {
        const std::uint64_t cost = Coarse ? plan_.costs[event_cell(fresh[i])] : bucket;
        last = std::max(last, cost);
        schedule(fresh[i], cost);
      }
    }
    outcome_.last_cost = last;
    outcome_.reached += touched_;
    touched_ = 0;
    return true;
  }

  void schedule(std::uint64_t arrival, std::uint64_t cost) noexcept {
    const std::uint32_t cell = event_cell(arrival);
    const std::uint64_t factor = ground_.factor_at(cell), from = event_factor(arrival);
    unsigned k = event_todo(arrival);
    if (Coarse && k < kFromNowhere) {
      // Pruning holds for the step that gave the final cost only; the cell may have been lowered since.
      const std::uint64_t step = (k < 4 ? plan_.straight : plan_.diagonal) * from;
      if (plan_.costs[cell - plan_.offsets[k]] + step != cost) k = kFromNowhere;
    }
    const bool shortcut = (plan_.diagonal - plan_.straight) * from < plan_.straight * factor;
    const unsigned todo = prune_[prune_index(k, ground_.moves_at(cell), shortcut)];
    const std::uint64_t event = make_event(cell, 0, factor);
    if ((todo & 15u) != 0)
      ring_.push((cost + plan_.straight * factor) >> shift_, event | std::uint64_t{todo & 15u} << 32);
    if (todo > 15u) ring_.push((cost + plan_.diagonal * factor) >> shift_, event | std::uint64_t{todo & 240u} << 32);
  }

  const Plan<T>& plan_;
  const Ground ground_;
  BucketScratch& ring_;
  const Allocator& allocator_;
  const std::uint8_t* const prune_;
  const int shift_;
  Progress& progress_;
  Outcome& outcome_;
  std::size_t& next_source_ = progress_.next_source;
  std::size_t touched_ = 0;
};

template <class T, class Ground>
void run_on(const Plan<T>& plan, const Ground& ground, Scratch& scratch, const Allocator& allocator,
            Progress& progress) noexcept {
  if (bucket_shift(plan) == 0)
    return Buckets<T, Ground, false>(plan, ground, scratch.buckets, allocator, progress).run();
  Buckets<T, Ground, true>(plan, ground, scratch.buckets, allocator, progress).run();
}

template <class T>
bool packs_ground(const Plan<T>& plan) noexcept {
  return plan.factors != nullptr && plan.max_factor <= 255;
}

template <class T>
bool start(const Plan<T>& plan, Scratch& scratch, const Allocator& allocator) noexcept {
  if (!scratch.buckets.start(allocator, plan.max_step >> bucket_shift(plan))) return false;
  if (!packs_ground(plan)) return true;
  if (scratch.ground.size() != plan.cells) {
    scratch.ground = {};
    scratch.ground = base::Plane<std::uint16_t>::uninitialised(allocator, plan.cells);
    if (!scratch.ground.valid()) return false;
  }
  std::uint16_t* const words = scratch.ground.data();
  for (std::size_t i = 0; i < plan.cells; ++i) {
    words[i] = static_cast<std::uint16_t>(plan.moves[i] | (plan.factors[i] & 255u) << 8);
  }
  return true;
}

}  // namespace

template <class T>
void buckets(const Plan<T>& plan, Scratch& scratch, const Allocator& allocator, Progress& progress) noexcept {
  progress.outcome.out_of_memory = !progress.begun && !start(plan, scratch, allocator);
  if (progress.outcome.out_of_memory) return;
  progress.begun = true;
  if (packs_ground(plan))
    run_on(plan, PackedGround{scratch.ground.data()}, scratch, allocator, progress);
  else if (plan.factors != nullptr)
    run_on(plan, WideGround{plan.moves, plan.factors}, scratch, allocator, progress);
  else
    run_on(plan, PlainGround{plan.moves}, scratch, allocator, progress);
  if (progress.done && plan.hops != nullptr)
    progress.outcome.out_of_memory = !count_hops(plan, scratch.straight.cells, allocator);
}

template void buckets(const Plan<std::uint32_t>&, Scratch&, const Allocator&, Progress&) noexcept;
template void buckets(const Plan<std::uint64_t>&, Scratch&, const Allocator&, Progress&) noexcept;

}  // namespace drover::field

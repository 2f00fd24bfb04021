// SPDX-License-Identifier: MIT
// Planes in versions: the memory of one that nobody reads any more becomes the next, by what changed since.
#pragma once
#include "base/memory.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace drover::base {

/// Planes that nobody uses any more, kept for the next version of their line: it has to write only what changed since,
/// not the whole plane. At most kMost wait; they go when the last plane of the line does. Any thread.
template <class T>
class SparePlanes {
 public:
  struct Spare {
    Plane<T> plane;
    std::uint64_t number = 0;
  };
  static constexpr std::size_t kMost = 2;

  /// For a plane of this line; never 0.
  std::uint64_t next_number() noexcept {
    const std::lock_guard lock(mutex_);
    return ++numbers_;
  }
  void keep(Plane<T>&& plane, std::uint64_t number) noexcept {
    Spare given{std::move(plane), number};  // what is left in it is freed without the lock
    const std::lock_guard lock(mutex_);
    Spare* const oldest = std::min_element(spares_.begin(), spares_.end(), older);
    if (oldest->number < number) std::swap(*oldest, given);
  }
  /// The newest; an invalid plane if none waits.
  Spare take() noexcept {
    const std::lock_guard lock(mutex_);
    return std::exchange(*std::max_element(spares_.begin(), spares_.end(), older), {});
  }

 private:
  static bool older(const Spare& a, const Spare& b) noexcept { return a.number < b.number; }
  std::mutex mutex_;
  std::uint64_t numbers_ = 0;
  std::array<Spare, kMost> spares_;
};

/// A plane that remembers how it came from those before it. Readers may share it; whoever writes owns it alone, calls
/// expect() first and notes every value that it writes.
template <class T>
class RecycledPlane : public Plane<T> {
 public:
  /// The first of a line.
  explicit RecycledPlane(Plane<T>&& plane)
      : Plane<T>(std::move(plane)), spares_(std::make_shared<SparePlanes<T>>()), number_(spares_->next_number()) {}
  /// A plane that equals `from` so far.
  RecycledPlane(Plane<T>&& plane, const RecycledPlane& from)
      : Plane<T>(std::move(plane)), spares_(from.spares_), number_(spares_->next_number()) {
    follow(from.number_, from.history_);
    from.followed_.store(true, std::memory_order_relaxed);
  }
  ~RecycledPlane() { spares_->keep(static_cast<Plane<T>&&>(*this), number_); }
  RecycledPlane(const RecycledPlane&) = delete;
  RecycledPlane& operator=(const RecycledPlane&) = delete;

  /// Before up to `writes` calls of note(), which then need no memory. Throws std::bad_alloc; nothing has changed then.
  void expect(std::size_t writes) {
    if (followed_.load(std::memory_order_relaxed)) {
      // Those that came from this one know it by its number, with the values that it has now.
      follow(number_, History(history_));
      number_ = spares_->next_number();
      followed_.store(false, std::memory_order_relaxed);
    }
    if (history_[0].from == 0) return;
    std::vector<Run>& runs = *history_[0].runs;
    const std::size_t needed = runs.size() + std::min(writes, most_runs() - std::min(most_runs(), runs.size()));
    if (needed > runs.capacity()) runs.reserve(std::max(needed, runs.capacity() * 2));
  }
  void note(std::size_t at, std::size_t count) {
    if (history_[0].from == 0) return;
    std::vector<Run>& runs = *history_[0].runs;
    if (!runs.empty() && std::size_t{runs.back().at} + runs.back().count == at) {
      runs.back().count += static_cast<std::uint32_t>(count);
    } else if (runs.size() < most_runs()) {
      runs.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(count)});
    } else {
      history_ = {};
    }
  }
  void write(std::size_t at, T value) {
    note(at, 1);
    (*this)[at] = value;
  }
  /// A plane of this one's values, in spare memory if there is some. Invalid without memory.
  Plane<T> copy(const Allocator& allocator) const noexcept {
    auto [plane, number] = spares_->take();
    if (plane.size() != this->size()) return Plane<T>::copy_of(allocator, *this);
    if (!replay(plane, number)) std::copy_n(this->data(), this->size(), plane.data());
    return std::move(plane);
  }

 private:
  struct Run {
    std::uint32_t at, count;
  };
  struct Change {
    std::uint64_t from = 0;  // number of the plane before; 0: not known
    std::shared_ptr<std::vector<Run>> runs;
  };
  using History = std::array<Change, 4>;  // newest first

  // Past this a copy of the whole plane is no slower.
  std::size_t most_runs() const noexcept { return std::min<std::size_t>(4096, this->bytes() / 256); }

  void follow(std::uint64_t number, const History& before) {
    auto runs = std::make_shared<std::vector<Run>>();
    std::copy(before.begin(), before.end() - 1, history_.begin() + 1);
    history_[0] = {number, std::move(runs)};
  }
  // What differs from the plane of that number was written in one of the changes since.
  bool replay(Plane<T>& plane, std::uint64_t number) const noexcept {
    std::size_t changes = 0;
    while (changes < history_.size() && history_[changes].from != number) ++changes;
    if (changes == history_.size()) return false;
    for (std::size_t i = 0; i <= changes; ++i) {
      for (const Run run : *history_[i].runs) std::copy_n(this->data() + run.at, run.count, plane.data() + run.at);
    }
    return true;
  }

  std::shared_ptr<SparePlanes<T>> spares_;
  std::uint64_t number_;
  History history_;
  mutable std::atomic<bool> followed_{false};  // some plane came from this one, as it is
};

}  // namespace drover::base

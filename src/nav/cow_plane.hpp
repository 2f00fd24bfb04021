// SPDX-License-Identifier: MIT
// A plane that a new graph shares with the one it was made from until a value differs.
#pragma once
#include "base/memory.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace drover::nav {

/// Planes that no graph uses any more, kept for the next update of their line: it has to write only what changed since,
/// not the whole plane. At most kMost wait; they go when the last plane of the line does. Any thread.
template <class T>
class SparePlanes {
 public:
  struct Spare {
    base::Plane<T> plane;
    std::uint64_t number = 0;
  };
  static constexpr std::size_t kMost = 2;

  /// For a plane of this line; never 0.
  std::uint64_t next_number() noexcept {
    const std::lock_guard lock(mutex_);
    return ++numbers_;
  }
  void keep(base::Plane<T>&& plane, std::uint64_t number) noexcept {
    const std::lock_guard lock(mutex_);
    Spare* const oldest = std::min_element(spares_.begin(), spares_.end(), older);
    if (oldest->number < number) *oldest = {std::move(plane), number};
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

/// A plane of graphs that remembers how it came from those before it.
template <class T>
class GraphPlane : public base::Plane<T> {
 public:
  /// The first of a line.
  explicit GraphPlane(base::Plane<T>&& plane)
      : base::Plane<T>(std::move(plane)),
        spares_(std::make_shared<SparePlanes<T>>()),
        number_(spares_->next_number()) {}
  /// A plane that equals `from` so far; note() what differs.
  GraphPlane(base::Plane<T>&& plane, const GraphPlane& from)
      : base::Plane<T>(std::move(plane)), spares_(from.spares_), number_(spares_->next_number()) {
    std::copy(from.history_.begin(), from.history_.end() - 1, history_.begin() + 1);
    history_[0] = {from.number_, std::make_shared<std::vector<Run>>()};
  }
  ~GraphPlane() { spares_->keep(static_cast<base::Plane<T>&&>(*this), number_); }
  GraphPlane(const GraphPlane&) = delete;
  GraphPlane& operator=(const GraphPlane&) = delete;

  void note(std::size_t at, std::size_t count) {
    if (history_[0].from == 0) return;
    if (history_[0].runs->size() == kMostRuns) {
      history_ = {};
      return;
    }
    history_[0].runs->push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(count)});
  }
  /// A plane of this one's values, in spare memory if there is some. Invalid without memory.
  base::Plane<T> copy(const Allocator& allocator) const noexcept {
    auto [plane, number] = spares_->take();
    if (plane.size() != this->size()) return base::Plane<T>::copy_of(allocator, *this);
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
  static constexpr std::size_t kMostRuns = 4096;

  // What differs from the plane of that number was written in one of the changes since.
  bool replay(base::Plane<T>& plane, std::uint64_t number) const noexcept {
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
  std::array<Change, 4> history_;  // newest first
};

template <class T>
using SharedPlane = std::shared_ptr<const GraphPlane<T>>;

/// Writes runs of values; the first that changes anything copies the plane. Ask missing_bytes() once, at the end.
template <class T>
class CowPlane {
 public:
  /// Starts from a plane of another owner. With a null one every store is without effect.
  CowPlane(SharedPlane<T> shared, const Allocator& allocator) : plane_(std::move(shared)), allocator_(allocator) {}
  /// Starts from a plane of its own.
  CowPlane(const Allocator& allocator, std::size_t size, T fill) : allocator_(allocator), from_nothing_(true) {
    auto plane = base::Plane<T>::filled(allocator, size, fill);
    if (plane.valid())
      own(std::make_shared<GraphPlane<T>>(std::move(plane)));
    else
      missing_bytes_ = size * sizeof(T);
  }

  const T* data() const noexcept { return plane_ ? plane_->data() : nullptr; }
  const T* begin() const noexcept { return data(); }
  const T* end() const noexcept { return plane_ ? plane_->end() : nullptr; }

  /// With a plane of its own from the beginning, disjoint runs may be stored from several threads.
  void store(std::size_t at, const T* values, std::size_t count) {
    if (!from_nothing_) {
      if (!plane_ || missing_bytes_ != 0 || std::equal(values, values + count, plane_->data() + at)) return;
      if (own_ == nullptr) copy();
      if (own_ == nullptr) return;
      own_->note(at, count);
    }
    if (own_ != nullptr) std::copy_n(values, count, own_->data() + at);
  }
  void store(std::size_t at, T value) { store(at, &value, 1); }

  bool changed() const noexcept { return own_ != nullptr; }
  /// What the allocator refused; 0 if nothing.
  std::uint64_t missing_bytes() const noexcept { return missing_bytes_; }
  const SharedPlane<T>& plane() const noexcept { return plane_; }

 private:
  void copy() {
    auto plane = plane_->copy(allocator_);
    if (plane.valid())
      own(std::make_shared<GraphPlane<T>>(std::move(plane), *plane_));
    else
      missing_bytes_ = plane_->bytes();
  }
  void own(std::shared_ptr<GraphPlane<T>> owned) noexcept {
    own_ = owned.get();
    plane_ = std::move(owned);
  }

  SharedPlane<T> plane_;
  GraphPlane<T>* own_ = nullptr;
  std::uint64_t missing_bytes_ = 0;
  Allocator allocator_;
  bool from_nothing_ = false;
};

}  // namespace drover::nav

// SPDX-License-Identifier: MIT
// A plane that a new graph shares with the one it was made from until a value differs.
#pragma once
#include "base/recycled_plane.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace drover::nav {

template <class T>
using SharedPlane = std::shared_ptr<const base::RecycledPlane<T>>;

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
      own(std::make_shared<base::RecycledPlane<T>>(std::move(plane)));
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
      own(std::make_shared<base::RecycledPlane<T>>(std::move(plane), *plane_));
    else
      missing_bytes_ = plane_->bytes();
  }
  void own(std::shared_ptr<base::RecycledPlane<T>> owned) noexcept {
    own_ = owned.get();
    plane_ = std::move(owned);
  }

  SharedPlane<T> plane_;
  base::RecycledPlane<T>* own_ = nullptr;
  std::uint64_t missing_bytes_ = 0;
  Allocator allocator_;
  bool from_nothing_ = false;
};

}  // namespace drover::nav

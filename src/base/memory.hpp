// SPDX-License-Identifier: MIT
// Planes: arrays of plain values from the host's allocator, which may say no.
#pragma once
#include <drover/host.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace drover::base {

inline constexpr std::size_t kPlaneAlignment = 64;

/// Null when the host (or operator new) has no memory left. Never throws.
void* allocate_bytes(const Allocator& allocator, std::size_t bytes) noexcept;
void free_bytes(const Allocator& allocator, void* block, std::size_t bytes) noexcept;

/// Owns `size` values on a 64-byte boundary. Empty when default-made, moved from, or when there was no memory.
template <class T>
class Plane {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  Plane() = default;
  Plane(Plane&& other) noexcept { swap(other); }
  Plane& operator=(Plane&& other) noexcept {
    Plane(std::move(other)).swap(*this);
    return *this;
  }
  ~Plane() {
    if (data_ != nullptr) free_bytes(allocator_, data_, size_ * sizeof(T));
  }

  /// Values are indeterminate. Check valid().
  static Plane uninitialised(const Allocator& allocator, std::size_t size) noexcept {
    Plane plane;
    if (size == 0 || size > static_cast<std::size_t>(-1) / 2 / sizeof(T)) return plane;
    plane.data_ = static_cast<T*>(allocate_bytes(allocator, size * sizeof(T)));
    if (plane.data_ != nullptr) {
      plane.size_ = size;
      plane.allocator_ = allocator;
    }
    return plane;
  }
  static Plane filled(const Allocator& allocator, std::size_t size, T value) noexcept {
    Plane plane = uninitialised(allocator, size);
    std::fill_n(plane.data_, plane.size_, value);
    return plane;
  }
  static Plane copy_of(const Allocator& allocator, const Plane& other) noexcept {
    Plane plane = uninitialised(allocator, other.size_);
    std::copy_n(other.data_, plane.size_, plane.data_);
    return plane;
  }

  bool valid() const noexcept { return data_ != nullptr; }
  bool empty() const noexcept { return data_ == nullptr; }
  std::size_t size() const noexcept { return size_; }
  std::size_t bytes() const noexcept { return size_ * sizeof(T); }
  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  T* begin() noexcept { return data_; }
  T* end() noexcept { return data_ + size_; }
  const T* begin() const noexcept { return data_; }
  const T* end() const noexcept { return data_ + size_; }
  T& operator[](std::size_t i) noexcept { return data_[i]; }
  const T& operator[](std::size_t i) const noexcept { return data_[i]; }

  void swap(Plane& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(allocator_, other.allocator_);
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
  Allocator allocator_;
};

/// True if no one else holds what `owner` points to; whatever other holders read before they let go happened before the
/// return.
template <class T>
bool sole_owner(const std::shared_ptr<T>& owner) noexcept {
  if (owner.use_count() != 1) return false;
  // use_count() does not synchronise; this increment and decrement of the same counter do.
  std::shared_ptr<T> probe = owner;
  probe.reset();
  return true;
}

}  // namespace drover::base

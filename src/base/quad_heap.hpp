// SPDX-License-Identifier: MIT
// A heap with four children a node, for entries that are small and totally ordered.
#pragma once
#include "base/memory.hpp"

#include <algorithm>
#include <cstddef>

namespace drover::base {

/// The least entry on top. Keeps its memory when cleared.
template <class T>
class QuadHeap {
 public:
  void clear() noexcept { size_ = 0; }
  bool empty() const noexcept { return size_ == 0; }
  const T& top() const noexcept { return entries_[0]; }

  /// False without memory for `more` entries. Must be called before they are pushed.
  bool make_room(const Allocator& allocator, std::size_t more) noexcept {
    if (entries_.valid() && size_ + more <= entries_.size()) return true;
    auto larger = Plane<T>::uninitialised(allocator, std::max<std::size_t>(1024, (size_ + more) * 2));
    if (!larger.valid()) return false;
    std::copy_n(entries_.data(), size_, larger.data());
    entries_ = std::move(larger);
    return true;
  }

  void push(const T& entry) noexcept {
    std::size_t i = size_++;
    for (; i > 0; i = (i - 1) / 4) {
      const std::size_t parent = (i - 1) / 4;
      if (!(entry < entries_[parent])) break;
      entries_[i] = entries_[parent];
    }
    entries_[i] = entry;
  }

  void pop() noexcept {
    --size_;
    if (size_ > 0) replace_top(entries_[size_]);
  }

  void replace_top(T entry) noexcept {
    const T* const e = entries_.data();
    std::size_t i = 0;
    for (std::size_t first = 1; first < size_; first = i * 4 + 1) {
      std::size_t least = first;
      if (first + 4 <= size_) {
        const std::size_t left = e[first + 1] < e[first] ? first + 1 : first;
        const std::size_t right = e[first + 3] < e[first + 2] ? first + 3 : first + 2;
        least = e[right] < e[left] ? right : left;
      } else {
        for (std::size_t child = first + 1; child < size_; ++child) least = e[child] < e[least] ? child : least;
      }
      if (!(e[least] < entry)) break;
      entries_[i] = e[least];
      i = least;
    }
    entries_[i] = entry;
  }

 private:
  Plane<T> entries_;
  std::size_t size_ = 0;
};

}  // namespace drover::base

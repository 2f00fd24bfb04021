// SPDX-License-Identifier: MIT
// Queues for wave fronts: rings that stay as small as the front, so that they stay in the cache.
#pragma once
#include "base/memory.hpp"

#include <cstdint>

namespace drover::field {

/// A ring of values counted by ever-growing positions; `data()[position & mask()]`.
template <class T>
class Ring {
 public:
  void clear() noexcept { head = tail = 0; }
  std::uint64_t live() const noexcept { return tail - head; }
  std::uint64_t mask() const noexcept { return plane_.size() - 1; }
  T* data() noexcept { return plane_.data(); }
  T& at(std::uint64_t position) noexcept { return plane_[position & mask()]; }

  /// Room for `more` values beyond the tail; false where there is no memory, the ring then unchanged.
  bool make_room(const Allocator& allocator, std::uint64_t more) noexcept {
    if (plane_.valid() && live() + more <= plane_.size()) return true;
    return grow(allocator, live() + more);
  }

  std::uint64_t head = 0, tail = 0;

 private:
  bool grow(const Allocator& allocator, std::uint64_t wanted) noexcept {
    std::uint64_t size = 1024;
    while (size < wanted) size *= 2;
    auto larger = base::Plane<T>::uninitialised(allocator, static_cast<std::size_t>(size));
    if (!larger.valid()) return false;
    for (std::uint64_t i = head; i != tail; ++i) larger[i & (size - 1)] = at(i);
    plane_ = std::move(larger);
    return true;
  }

  base::Plane<T> plane_;
};

/// Cells with what each still has to try.
using EntryRing = Ring<std::uint64_t>;
constexpr std::uint64_t make_entry(std::uint32_t cell, unsigned todo) noexcept {
  return cell | std::uint64_t{todo} << 32;
}
constexpr std::uint32_t entry_cell(std::uint64_t entry) noexcept { return static_cast<std::uint32_t>(entry); }
constexpr unsigned entry_todo(std::uint64_t entry) noexcept { return static_cast<unsigned>(entry >> 32); }

/// Cells waiting at one cost: the positions before `end` in a ring.
struct Layer {
  std::uint64_t cost = 0;
  std::uint64_t end = 0;
};

/// A stream of events sorted by cost: cells, what each still has to do, and where the layers end.
struct Stream {
  Ring<std::uint32_t> cells;
  Ring<std::uint8_t> todo;  // same positions as cells
  Ring<Layer> layers;

  void clear() noexcept {
    cells.clear();
    todo.clear();
    layers.clear();
  }
  bool make_room(const Allocator& allocator, std::uint64_t more) noexcept {
    todo.head = cells.head;
    todo.tail = cells.tail;
    if (!cells.make_room(allocator, more)) return false;
    // As large as `cells`, which may have served as a queue of its own before: positions are masked alike.
    return todo.make_room(allocator, cells.mask() + 1 - cells.live()) && layers.make_room(allocator, 1);
  }
  /// Cost at which the first layer's events fall due; ~0 where none waits. Precondition: no wrap.
  std::uint64_t due(std::uint64_t step) noexcept {
    return layers.live() == 0 ? ~std::uint64_t{0} : layers.at(layers.head).cost + step;
  }
  std::uint64_t first_layer_size() noexcept { return layers.at(layers.head).end - cells.head; }
  void close_layer(std::uint64_t cost) noexcept {
    const std::uint64_t last = layers.live() == 0 ? cells.head : layers.at(layers.tail - 1).end;
    if (cells.tail != last) layers.at(layers.tail++) = {cost, cells.tail};
  }
  void drop_first_layer() noexcept { cells.head = layers.at(layers.head++).end; }
};

}  // namespace drover::field

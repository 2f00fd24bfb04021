// SPDX-License-Identifier: MIT
// The pool of field blocks: best fit, oldest out.
#include "field/field_pool.hpp"

#include "base/memory.hpp"

#include <algorithm>

namespace drover::field {

FieldPool::~FieldPool() { drop_all(); }

PoolBlock FieldPool::take(std::size_t bytes) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (const PoolBlock block = take_waiting(bytes); block.data != nullptr) {
      live_bytes_ += block.bytes;
      return block;
    }
  }
  void* data = base::allocate_bytes(allocator_, bytes);
  const std::lock_guard lock(mutex_);
  if (data == nullptr && waiting_count_ > 0) {
    drop_all();
    data = base::allocate_bytes(allocator_, bytes);
  }
  if (data == nullptr) return {};
  live_bytes_ += bytes;
  return {static_cast<std::byte*>(data), bytes, {}};
}

// A block more than twice as large as needed stays for the map that it was made for.
PoolBlock FieldPool::take_waiting(std::size_t bytes) noexcept {
  std::size_t best = waiting_count_;
  for (std::size_t i = 0; i < waiting_count_; ++i) {
    const std::size_t size = waiting_[i].bytes;
    if (size < bytes || size / 2 > bytes) continue;
    if (best == waiting_count_ || size < waiting_[best].bytes) best = i;
  }
  if (best == waiting_count_) return {};
  const PoolBlock block = waiting_[best];
  std::copy(waiting_ + best + 1, waiting_ + waiting_count_, waiting_ + best);
  --waiting_count_;
  pooled_bytes_ -= block.bytes;
  return block;
}

void FieldPool::give_back(PoolBlock block) noexcept {
  if (block.data == nullptr) return;
  const std::lock_guard lock(mutex_);
  live_bytes_ -= block.bytes;
  std::size_t out = 0;
  while (out < waiting_count_ &&
         (waiting_count_ - out == kMaxWaiting || pooled_bytes_ + block.bytes > kMaxPooledBytes)) {
    pooled_bytes_ -= waiting_[out].bytes;
    base::free_bytes(allocator_, waiting_[out].data, waiting_[out].bytes);
    ++out;
  }
  std::copy(waiting_ + out, waiting_ + waiting_count_, waiting_);
  waiting_count_ -= out;
  waiting_[waiting_count_++] = block;
  pooled_bytes_ += block.bytes;
}

void FieldPool::drop_all() noexcept {
  for (std::size_t i = 0; i < waiting_count_; ++i) {
    base::free_bytes(allocator_, waiting_[i].data, waiting_[i].bytes);
  }
  waiting_count_ = 0;
  pooled_bytes_ = 0;
}

std::uint64_t FieldPool::pooled_bytes() const noexcept {
  const std::lock_guard lock(mutex_);
  return pooled_bytes_;
}

std::uint64_t FieldPool::live_bytes() const noexcept {
  const std::lock_guard lock(mutex_);
  return live_bytes_;
}

}  // namespace drover::field

// SPDX-License-Identifier: MIT
// The pool of field blocks: best fit, oldest out; pages by themselves, newest first.
#include "field/field_pool.hpp"

#include "base/memory.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace drover::field {
namespace {

// At the head of a block of one page.
struct SinglePage {
  PageBlock block;
  Page page;
};
constexpr std::size_t kHeadBytes = (sizeof(SinglePage) + 63) / 64 * 64;

}  // namespace

FieldPool::~FieldPool() { drop_all(); }

PoolBlock FieldPool::take(std::size_t bytes) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (const PoolBlock block = take_waiting(bytes); block.data != nullptr) {
      live_bytes_ += block.bytes;
      return block;
    }
  }
  return allocate(bytes);
}

PoolBlock FieldPool::allocate(std::size_t bytes) noexcept {
  void* data = base::allocate_bytes(allocator_, bytes);
  const std::lock_guard lock(mutex_);
  if (data == nullptr && pooled_bytes_ > 0) {
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
  keep(block);
}

void FieldPool::keep(PoolBlock block) noexcept {
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

Page* FieldPool::take_page(std::size_t bytes) noexcept {
  PoolBlock block;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_pages_ != nullptr && waiting_pages_->bytes == kHeadBytes + bytes) {
      block = {reinterpret_cast<std::byte*>(waiting_pages_), kHeadBytes + bytes, {}};
      waiting_pages_ = waiting_pages_->next;
      pooled_bytes_ -= block.bytes;
      page_bytes_ -= block.bytes;
      live_bytes_ += block.bytes;
    }
  }
  if (block.data == nullptr) block = allocate(kHeadBytes + bytes);
  if (block.data == nullptr) return nullptr;
  auto* const head =
      new (block.data) SinglePage{{.memory = block, .used = 1, .planes = block.data + kHeadBytes}, {.users = 1}};
  head->page.block = &head->block;
  return &head->page;
}

// What is outside of the map no longer lies where the next field of this layout would look for it.
Page* FieldPool::take_unused(PageBlock& block) noexcept {
  const std::lock_guard lock(mutex_);
  if (block.unused == PageBlock::kNoPage) return nullptr;
  Page* const page = block.pages + block.unused;
  block.unused = page->next_unused;
  block.memory.layout = {};
  ++block.used;
  page->users = 1;
  return page;
}

void FieldPool::share(std::span<Page* const> pages) noexcept {
  const std::lock_guard lock(mutex_);
  for (Page* const page : pages) ++page->users;
}

void FieldPool::release(std::span<Page* const> pages) noexcept {
  const std::lock_guard lock(mutex_);
  for (Page* const page : pages) {
    if (--page->users > 0) continue;
    PageBlock& block = *page->block;
    if (--block.used > 0) {
      page->next_unused = std::exchange(block.unused, static_cast<std::uint32_t>(page - block.pages));
      continue;
    }
    const PoolBlock memory = block.memory;
    block.pages == nullptr ? keep_page(memory) : keep(memory);
  }
}

// Pages of another size are of a map that is gone, or of another kind of field: those that wait make room.
void FieldPool::keep_page(PoolBlock block) noexcept {
  live_bytes_ -= block.bytes;
  while (waiting_pages_ != nullptr && waiting_pages_->bytes != block.bytes) {
    WaitingPage* const page = waiting_pages_;
    waiting_pages_ = page->next;
    pooled_bytes_ -= page->bytes;
    page_bytes_ -= page->bytes;
    base::free_bytes(allocator_, page, page->bytes);
  }
  if (page_bytes_ + block.bytes > kMaxPooledPageBytes || pooled_bytes_ + block.bytes > kMaxPooledBytes)
    return base::free_bytes(allocator_, block.data, block.bytes);
  waiting_pages_ = new (block.data) WaitingPage{waiting_pages_, block.bytes};
  page_bytes_ += block.bytes;
  pooled_bytes_ += block.bytes;
}

void FieldPool::drop_all() noexcept {
  for (std::size_t i = 0; i < waiting_count_; ++i) {
    base::free_bytes(allocator_, waiting_[i].data, waiting_[i].bytes);
  }
  for (WaitingPage* page = waiting_pages_; page != nullptr;) {
    WaitingPage* const next = page->next;
    base::free_bytes(allocator_, page, page->bytes);
    page = next;
  }
  waiting_pages_ = nullptr;
  waiting_count_ = 0;
  pooled_bytes_ = page_bytes_ = 0;
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

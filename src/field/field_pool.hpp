// SPDX-License-Identifier: MIT
// The memory of fields: blocks that are used again, so that a tick neither faults in nor gives back megabytes.
#pragma once
#include <drover/geometry.hpp>
#include <drover/host.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

namespace drover::field {

/// What a block was laid out for. Outside of the map its planes stay as they are, so the next field of the same layout
/// need not set them again: 0.3 of 2.4 ms at 1024 x 1024.
struct BlockLayout {
  GridShape shape;
  std::uint8_t cost_bytes = 0;
  bool steps = false, hops = false;
  friend bool operator==(const BlockLayout&, const BlockLayout&) noexcept = default;
};

struct PoolBlock {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  BlockLayout layout = {};  // of the field that had it last
};

/// Memory that pages lie in: that of a whole field, or of one page. Goes back to the pool with the last user of its
/// pages; one that nobody uses before that is given to the next repair. Guarded by the pool's mutex.
struct PageBlock {
  PoolBlock memory;
  std::uint32_t used = 0;          // pages that some field uses
  std::uint32_t unused = kNoPage;  // the first of the others
  struct Page* pages = nullptr;    // null: a page by itself
  std::byte* planes = nullptr;     // of all pages, plane by plane; of a page by itself: its own
  static constexpr std::uint32_t kNoPage = ~std::uint32_t{0};
};

/// One page of a block and how many fields use it. Guarded by the pool's mutex.
struct Page {
  PageBlock* block = nullptr;
  std::uint32_t users = 0;
  std::uint32_t next_unused = PageBlock::kNoPage;
};

/// Shared by a builder and its fields; the last of them frees it. All calls from any thread.
/// Holds at most kMaxPooledBytes of waiting blocks and pages, or one block where that alone is larger.
class FieldPool {
 public:
  explicit FieldPool(const Host& host) noexcept : allocator_(host.allocator) {}
  ~FieldPool();
  FieldPool(const FieldPool&) = delete;
  FieldPool& operator=(const FieldPool&) = delete;

  /// A block of at least `bytes`; null data where the host has no memory, also after the waiting blocks were given up.
  PoolBlock take(std::size_t bytes) noexcept;
  void give_back(PoolBlock block) noexcept;

  /// A block of one page with its one user; `bytes` for the planes. Null without memory.
  Page* take_page(std::size_t bytes) noexcept;
  /// A page of this block of a field that nobody uses any more, with its one user; null: there is none. Some page of
  /// the block must be in use.
  Page* take_unused(PageBlock& block) noexcept;
  /// One more user of each.
  void share(std::span<Page* const> pages) noexcept;
  /// One user less of each; blocks that nobody uses any more are given back.
  void release(std::span<Page* const> pages) noexcept;

  std::uint64_t pooled_bytes() const noexcept;
  std::uint64_t live_bytes() const noexcept;

  static constexpr std::uint64_t kMaxPooledBytes = std::uint64_t{128} << 20;
  /// Part of it for pages.
  static constexpr std::uint64_t kMaxPooledPageBytes = std::uint64_t{32} << 20;

 private:
  PoolBlock take_waiting(std::size_t bytes) noexcept;
  PoolBlock allocate(std::size_t bytes) noexcept;
  void keep(PoolBlock block) noexcept;
  void keep_page(PoolBlock block) noexcept;
  void drop_all() noexcept;

  /// A waiting page; its memory begins with this.
  struct WaitingPage {
    WaitingPage* next = nullptr;
    std::size_t bytes = 0;
  };
  static constexpr std::size_t kMaxWaiting = 64;
  Allocator allocator_;
  mutable std::mutex mutex_;
  PoolBlock waiting_[kMaxWaiting];  // oldest first
  std::size_t waiting_count_ = 0;
  WaitingPage* waiting_pages_ = nullptr;  // all of one size, newest first
  std::uint64_t pooled_bytes_ = 0, live_bytes_ = 0, page_bytes_ = 0;
};

}  // namespace drover::field

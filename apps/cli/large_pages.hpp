// SPDX-License-Identifier: MIT
// Memory for what is read all over the place: blocks of maps and fields, together on large pages.
#pragma once
#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

namespace drover::cli {

/// Carves blocks out of chunks that the system is asked to back with large pages. With 200 fields of 0.8 MB a crowd's
/// look-ups miss the table of ordinary pages nearly every time: a tick of `drover bench rts` takes 1.3 times as long.
/// Any thread. Null without memory.
class LargePages {
 public:
  /// Blocks below this are not worth it; those from two large pages on have pages of their own.
  static constexpr std::size_t kLeast = std::size_t{1} << 12, kPage = std::size_t{1} << 21;

  void* allocate(std::size_t bytes, std::size_t alignment) noexcept;
  void deallocate(void* block, std::size_t bytes, std::size_t alignment) noexcept;

 private:
  static constexpr std::size_t kChunk = 4 * kPage, kGrain = 64;
  struct Chunk {
    std::byte* first;
    std::map<std::byte*, std::size_t> free;  // neighbours are one
  };
  void* carve(std::size_t bytes);
  bool take_back(std::byte* block, std::size_t bytes);

  std::mutex mutex_;
  std::vector<Chunk> chunks_;  // ascending
};

}  // namespace drover::cli

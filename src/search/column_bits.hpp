// SPDX-License-Identifier: MIT
// The cells where a body fits, column by column: what scans up and down read as words.
#pragma once
#include "base/memory.hpp"
#include "nav/compiled_graph.hpp"

#include <cstdint>

namespace drover::search {

/// A bit a cell, like CompiledGraph::fits() turned: 64 cells of a column a word, columns apart by a multiple of 64
/// bits, zeros around each. Follows the edits of a graph word by word.
class ColumnBits {
 public:
  /// Equal to those of `graph` afterwards; O(cells / 64) where it is not an update of the graph of the last call, else
  /// O(words that changed). False without memory; nothing is known then.
  bool follow(const nav::CompiledGraph& graph, const Allocator& allocator) noexcept;
  bool is_of(const nav::CompiledGraph& graph) const noexcept {
    return words_.valid() && content_hash_ == graph.content_hash() && shape_ == graph.shape();
  }
  /// Whether follow() would only write what changed.
  bool is_before(const nav::CompiledGraph& graph) const noexcept {
    return words_.valid() && shape_ == graph.shape() && graph.words_changed_since(content_hash_) != nullptr;
  }

  const nav::Word* words() const noexcept { return words_.data(); }
  std::uint32_t stride() const noexcept { return stride_; }
  std::uint64_t at(std::int32_t column, std::int32_t row, std::int32_t layer) const noexcept {
    return kFront +
           (static_cast<std::uint64_t>(layer) * (static_cast<std::uint64_t>(shape_.width()) + 2) +
            static_cast<std::uint64_t>(column + 1)) *
               stride_ +
           static_cast<std::uint64_t>(row);
  }

 private:
  static constexpr std::uint32_t kFront = 64;

  bool rebuild(const nav::CompiledGraph& graph, const Allocator& allocator) noexcept;
  void update(const nav::CompiledGraph& graph, std::uint32_t word) noexcept;

  GridShape shape_;
  std::uint64_t content_hash_ = 0;
  std::uint32_t stride_ = 0;
  base::Plane<nav::Word> words_;
};

}  // namespace drover::search

// SPDX-License-Identifier: MIT
// The cells of a field by their distance to the goal.
#pragma once
#include <drover/field.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace drover::crowd {

/// Goal cells first, then ring after ring; padded indices, ascending within a ring.
class Rings {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// `steps` is a field of uniform costs without offsets. Cells beyond `farthest` are left out.
  Rings(const FlowField& steps, std::uint64_t farthest);

  std::size_t count() const noexcept { return begins_.size() - 1; }
  std::span<const std::uint32_t> ring(std::size_t steps) const noexcept {
    return std::span(cells_).subspan(begins_[steps], begins_[steps + 1] - begins_[steps]);
  }
  std::span<const std::uint32_t> cells() const noexcept { return cells_; }

 private:
  std::vector<std::uint32_t> cells_, begins_;
};

}  // namespace drover::crowd

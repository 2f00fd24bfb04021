// SPDX-License-Identifier: MIT
// Reading a field: costs, steps, the goal each cell leads to, the digest.
#include <drover/field.hpp>

#include "base/digest.hpp"

#include <algorithm>
#include <type_traits>

namespace drover {

FlowField::~FlowField() = default;

const char* to_string(CellState s) noexcept {
  switch (s) {
    case CellState::goal:
      return "goal";
    case CellState::reachable:
      return "reachable";
    case CellState::unreachable:
      return "unreachable";
    case CellState::blocked:
      return "blocked";
    case CellState::no_room:
      return "no_room";
    case CellState::unknown:
      return "unknown";
    case CellState::outside:
      return "outside";
    case CellState::stale:
      return "stale";
    case CellState::not_ready:
      return "not_ready";
    case CellState::profile_mismatch:
      return "profile_mismatch";
  }
  return "?";
}

const char* to_string(FieldEngine e) noexcept {
  switch (e) {
    case FieldEngine::automatic:
      return "automatic";
    case FieldEngine::textbook:
      return "textbook";
    case FieldEngine::breadth_first:
      return "breadth_first";
    case FieldEngine::two_cursor:
      return "two_cursor";
    case FieldEngine::buckets:
      return "buckets";
    case FieldEngine::heap:
      return "heap";
    case FieldEngine::directed:
      return "directed";
    case FieldEngine::bitboards:
      return "bitboards";
    case FieldEngine::sweep:
      return "sweep";
    case FieldEngine::queue:
      return "queue";
  }
  return "?";
}

const char* to_string(GoalRank r) noexcept {
  switch (r) {
    case GoalRank::counts:
      return "counts";
    case GoalRank::duplicate:
      return "duplicate";
    case GoalRank::dominated:
      return "dominated";
  }
  return "?";
}

Cost FlowField::cost_to_goal(CellIndex cell) const noexcept {
  const std::uint32_t page = cell.value >> kPageBits, slot = cell.value & kPageMask;
  if (costs16_ != nullptr) {
    const std::uint16_t cost = costs16_[page][slot];
    return cost >= kFirstState<std::uint16_t> ? kInfiniteCost : (bases_[page][slot >> kLineBits] + Cost{cost}) * scale_;
  }
  if (costs32_ != nullptr) {
    const std::uint32_t cost = costs32_[page][slot];
    return cost >= kFirstState<std::uint32_t> ? kInfiniteCost : cost * scale_;
  }
  const std::uint64_t cost = costs64_[page][slot];
  return cost >= kFirstState<std::uint64_t> ? kInfiniteCost : cost * scale_;
}

std::uint8_t FlowField::code_without_steps(CellIndex cell) const noexcept {
  const std::uint32_t page = cell.value >> kPageBits, slot = cell.value & kPageMask;
  const auto code_of = [&](auto cost) {
    using T = decltype(cost);
    if (cost >= kFirstState<T>) {
      const T above = cost - kFirstState<T>;
      return above == kNotReadyCode - kUnreachableCode
                 ? kNotReadyCode
                 : static_cast<std::uint8_t>(kUnreachableCode + std::min<T>(above, kOutsideCode - kUnreachableCode));
    }
    const bool portal = std::binary_search(portal_cells_.begin(), portal_cells_.end(), cell.value);
    return portal ? kPortalCode : kGoalCode;
  };
  if (costs16_ != nullptr) return code_of(costs16_[page][slot]);
  return costs32_ != nullptr ? code_of(costs32_[page][slot]) : code_of(costs64_[page][slot]);
}

Step FlowField::step(CellIndex cell, LookupState) const noexcept {
  const std::uint8_t c = code(cell);
  if (c >= kGoalCode) return {};
  if (c == kPortalCode) return {Step::Kind::portal, Direction::north, optimal_portals(cell).front().portal};
  return {Step::Kind::move, static_cast<Direction>(c), 0};
}

std::optional<WaySteps> FlowField::steps_to_goal(CellIndex cell) const noexcept {
  if (steps_ == nullptr || code(cell) > kGoalCode) return std::nullopt;
  return steps_[cell.value >> kPageBits][cell.value & kPageMask];
}

std::span<const PortalStep> FlowField::optimal_portals(CellIndex cell) const noexcept {
  const auto [first, last] = std::equal_range(portal_cells_.begin(), portal_cells_.end(), cell.value);
  const PortalStep* const steps = portal_steps_.data();
  return {steps + (first - portal_cells_.begin()), steps + (last - portal_cells_.begin())};
}

// Each walk ends at a cell whose goal is known, then is walked again to write it down: every cell is passed twice at
// most.
std::vector<std::uint32_t> FlowField::goal_indices() const {
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> owner(shape_.padded_cells(), kNone);
  for (std::size_t i = 0; i < goal_cells_.size(); ++i) owner[goal_cells_[i]] = goal_owners_[i];
  std::uint32_t offset[kDirections];
  for (int k = 0; k < kDirections; ++k) offset[k] = shape_.step(static_cast<Direction>(k));
  const auto next = [&](std::uint32_t p) {
    const std::uint8_t c = code({p});
    return c == kPortalCode ? optimal_portals({p}).front().to.value : p + offset[c];
  };
  for (std::uint32_t start = 0; start < owner.size(); ++start) {
    if (code({start}) >= kGoalCode || owner[start] != kNone) continue;
    std::uint32_t end = start;
    while (owner[end] == kNone) end = next(end);
    for (std::uint32_t p = start; owner[p] == kNone; p = next(p)) owner[p] = owner[end];
  }
  return owner;
}

namespace {

// One term a cell, mixed with its column, so that cells do not wait for each other. ns a cell: 1, as a chain 4.
template <class T, class Code>
std::uint64_t digest_run(const T* costs, T none, Cost base, Cost scale, const std::uint8_t* ties, std::uint32_t count,
                         std::uint64_t column, Code&& code_of) noexcept {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t cost = costs[i] >= none ? kInfiniteCost : (base + costs[i]) * scale;
    const auto code = ties[i] != 0 ? static_cast<std::uint8_t>(std::countr_zero(ties[i])) : code_of(i);
    const std::uint64_t bytes = code | std::uint64_t{ties[i]} << 8;
    std::uint64_t term = (cost ^ (column + i) * base::kGolden) + bytes * 0xC2B2AE3D27D4EB4Fu;
    term = (term ^ term >> 32) * 0xD6E8FEB86659FD93u;
    sum += term ^ term >> 29;
  }
  return sum;
}

}  // namespace

std::uint64_t FlowField::digest_of_row(std::int32_t layer, std::int32_t row) const noexcept {
  const auto width = static_cast<std::uint32_t>(shape_.width());
  std::uint64_t sum = 0;
  for (std::uint32_t column = 0; column < width;) {
    const std::uint32_t cell = shape_.at(static_cast<std::int32_t>(column), row, layer);
    const std::uint32_t page = cell >> kPageBits, slot = cell & kPageMask;
    const std::uint32_t end = costs16_ != nullptr ? (slot >> kLineBits << kLineBits) + (1u << kLineBits) : kPageMask + 1;
    const std::uint32_t count = std::min(width - column, end - slot);
    const auto run = [&](const auto* const* costs, Cost base) {
      using T = std::remove_cvref_t<decltype(costs[0][0])>;
      const auto code = [&](std::uint32_t i) { return code_without_steps({cell + i}); };
      return digest_run(costs[page] + slot, kFirstState<T>, base, scale_, ties_[page] + slot, count, column, code);
    };
    sum += costs16_ != nullptr   ? run(costs16_, bases_[page][slot >> kLineBits])
           : costs32_ != nullptr ? run(costs32_, 0)
                                 : run(costs64_, 0);
    column += count;
  }
  return sum;
}

// Readers may find out the same row at once: they find the same.
std::uint64_t FlowField::digest() const noexcept {
  base::Digest digest;
  digest.add(static_cast<std::uint64_t>(shape_.width())).add(static_cast<std::uint64_t>(shape_.height()));
  digest.add(static_cast<std::uint64_t>(shape_.layers()));
  std::atomic<std::uint64_t>* known = row_digests_;
  for (std::int32_t layer = 0; layer < shape_.layers(); ++layer) {
    for (std::int32_t row = 0; row < shape_.height(); ++row, ++known) {
      std::uint64_t sum = known->load(std::memory_order_relaxed);
      if (sum == 0) known->store(sum = digest_of_row(layer, row), std::memory_order_relaxed);
      digest.add(sum);
    }
  }
  for (std::size_t i = 0; i < portal_steps_.size(); ++i) {
    const auto [x, y, layer] = shape_.cell({portal_cells_[i]});
    digest.add(static_cast<std::uint32_t>(x)).add(static_cast<std::uint32_t>(y));
    digest.add(static_cast<std::uint32_t>(layer)).add(portal_steps_[i].portal);
  }
  return digest.value();
}

}  // namespace drover

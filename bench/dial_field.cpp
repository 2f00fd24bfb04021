// SPDX-License-Identifier: MIT
// Buckets are vectors that keep their memory; a bucket is spent from a copy of it that trades places with it.
#include "dial_field.hpp"

#include <algorithm>
#include <bit>

#include "heap_field.hpp"

namespace drover::bench {

DialField::DialField(const BenchMap& map, int moves)
    : stride_(static_cast<std::uint32_t>(map.width) + 2),
      unit_(moves == 4 ? 10 : 2),
      straight_(10 / unit_),
      diagonal_(14 / unit_) {
  const std::size_t cells = std::size_t{stride_} * (static_cast<std::size_t>(map.height) + 2);
  steps_.assign(cells, 0);
  costs_.assign(cells, kFar);
  if (!map.weights.empty()) weights_.assign(cells, 1);
  std::uint32_t dearest = 1;
  const auto open = [&](std::int32_t x, std::int32_t y) {
    return x >= 0 && y >= 0 && x < map.width && y < map.height && map.wall[map.at(x, y)] == 0;
  };
  for (std::int32_t y = 0; y < map.height; ++y) {
    for (std::int32_t x = 0; x < map.width; ++x) {
      if (!open(x, y)) continue;
      unsigned legal = 0;
      for (int d = 0; d < moves; ++d) {
        const std::int32_t nx = x + kDx[d], ny = y + kDy[d];
        if (open(nx, ny) && (d < 4 || (open(nx, y) && open(x, ny)))) legal |= 1u << d;
      }
      steps_[at(x, y)] = static_cast<std::uint8_t>(legal);
      if (map.weights.empty()) continue;
      weights_[at(x, y)] = map.weights[map.at(x, y)];
      dearest = std::max(dearest, weights_[at(x, y)]);
    }
  }
  buckets_.resize(std::bit_ceil(std::size_t{(moves == 4 ? straight_ : diagonal_)} * dearest + 1));
}

void DialField::run(Cell goal) {
  std::fill(costs_.begin(), costs_.end(), kFar);
  const std::size_t mask = buckets_.size() - 1;
  std::uint32_t offsets[8];
  for (int d = 0; d < 8; ++d)
    offsets[d] = static_cast<std::uint32_t>(kDx[d]) + static_cast<std::uint32_t>(kDy[d]) * stride_;
  const std::uint32_t* const weights = weights_.empty() ? nullptr : weights_.data();
  const std::uint32_t start = at(goal.x, goal.y);
  costs_[start] = 0;
  buckets_[0].push_back(start);
  std::size_t waiting = 1;
  std::vector<std::uint32_t> spent;
  for (std::uint32_t cost = 0; waiting > 0; ++cost) {
    std::vector<std::uint32_t>& bucket = buckets_[cost & mask];
    if (bucket.empty()) continue;
    spent.swap(bucket);
    waiting -= spent.size();
    for (const std::uint32_t cell : spent) {
      if (costs_[cell] != cost) continue;  // it was reached more cheaply since
      // From v outwards: who steps into v pays for v.
      const std::uint32_t weight = weights == nullptr ? 1 : weights[cell];
      const std::uint32_t straight = cost + straight_ * weight, diagonal = cost + diagonal_ * weight;
      for (unsigned steps = steps_[cell]; steps != 0; steps &= steps - 1) {
        const int d = std::countr_zero(steps);
        const std::uint32_t to = cell + offsets[d], next = d < 4 ? straight : diagonal;
        if (next >= costs_[to]) continue;
        costs_[to] = next;
        buckets_[next & mask].push_back(to);
        ++waiting;
      }
    }
    spent.clear();
  }
}

std::uint32_t DialField::cost(std::int32_t x, std::int32_t y) const {
  const std::uint32_t cost = costs_[at(x, y)];
  return cost == kFar ? kFar : cost * unit_;
}

}  // namespace drover::bench

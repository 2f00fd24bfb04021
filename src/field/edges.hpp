// SPDX-License-Identifier: MIT
// Edges of a plan with their costs, one by one: for what is not worth vector code.
#pragma once
#include "field/plan.hpp"
#include "nav/compiled_graph.hpp"

#include <bit>
#include <cstdint>

namespace drover::field {

/// The edges of a plan, forwards and backwards.
template <class T>
class Edges {
 public:
  explicit Edges(const Plan<T>& plan) noexcept
      : plan_(plan), graph_(*plan.graph), reverse_(graph_.reverse_moves()), directed_(graph_.directed()) {}

  /// Cost of the legal step from `p` in direction k to `q`.
  T step(std::uint32_t p, int k, std::uint32_t q) const noexcept {
    const std::uint64_t base = k < 4 ? plan_.straight : plan_.diagonal;
    const std::uint64_t ground = base * (plan_.factors != nullptr ? plan_.factors[q] : 1u);
    return static_cast<T>(directed_ ? ground + graph_.surcharge(p, k) : ground);
  }
  /// Calls visit(u, cost) for every edge u -> v.
  template <class Visit>
  void entering(std::uint32_t v, Visit&& visit) const {
    for (unsigned left = reverse_[v]; left != 0; left &= left - 1) {
      const int k = std::countr_zero(left);
      const std::uint32_t u = v + plan_.offsets[k];
      visit(u, step(u, static_cast<int>(opposite(static_cast<Direction>(k))), v));
    }
    if (graph_.portals().empty()) return;
    for (const nav::Portal& portal : graph_.portals().entering(v)) visit(portal.from, static_cast<T>(portal.cost));
  }
  std::size_t count_entering(std::uint32_t v) const noexcept {
    return kDirections + (graph_.portals().empty() ? 0 : graph_.portals().entering(v).size());
  }
  /// Whether the edge p -> q of this cost is optimal and leads to a smaller (cost, hops).
  template <class Costs>
  bool tie(const Costs& costs, std::uint32_t p, std::uint32_t q, T cost) const noexcept {
    if (costs[q] == kNoCost<T> || costs[q] + cost != costs[p]) return false;
    return cost != 0 || plan_.hops[q] < plan_.hops[p];
  }

 private:
  const Plan<T>& plan_;
  const nav::CompiledGraph& graph_;
  const std::uint8_t* reverse_;
  const bool directed_;
};

}  // namespace drover::field

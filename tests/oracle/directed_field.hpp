// SPDX-License-Identifier: MIT
// A field over an explicit list of directed edges: Dijkstra against the edges with forward costs, each rule by itself.
#pragma once
#include "oracle/reference_field.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace drover::oracle {

/// What one cell says of its step in direction `k`; several rules of one step add up and all must allow it.
struct StepRuleHere {
  std::size_t cell = 0;
  int k = 0;
  bool allowed = true;
  std::uint64_t extra = 0;
};

struct PortalHere {
  std::size_t from = 0, to = 0;
  std::uint64_t cost = 0;
  bool open = true;
};

/// What makes a ground directed. `price` is added to every step onto a body position that enters a cell; empty: none.
struct Directed {
  std::vector<StepRuleHere> rules;
  std::vector<PortalHere> portals;
  std::vector<std::uint64_t> price;
  std::vector<std::int64_t> height;
  std::uint64_t up = 0, down = 0;
};

/// `way`: 0 .. 7 a step in the order N E S W NE SE SW NW, 8 + n the portal n.
struct Edge {
  std::size_t from = 0, to = 0;
  std::uint64_t cost = 0;
  std::size_t way = 0;
};

/// As Reference; besides 'P' where the first optimal way is a portal, and every optimal portal of a cell, ascending.
struct DirectedReference : Reference {
  std::vector<std::vector<std::uint32_t>> portals;
};

/// Ascending by (from, way).
std::vector<Edge> edges_of(const Ground& ground, const Body& body, const Directed& directed);
DirectedReference directed_field(const Ground& ground, const Body& body, const Directed& directed,
                                 const std::vector<Target>& targets);

}  // namespace drover::oracle

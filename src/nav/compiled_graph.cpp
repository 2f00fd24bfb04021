// SPDX-License-Identifier: MIT
// Compiles a map for one profile, cell by cell.
#include "nav/compiled_graph.hpp"

#include "base/digest.hpp"
#include "base/no_throw.hpp"

#include <algorithm>
#include <array>

namespace drover::nav {

Result<std::shared_ptr<const CompiledGraph>> CompiledGraph::compile(const MapView& map, const MovementProfile& profile,
                                                                    const Host& host) {
  if (Status status = profile.validate(map.terrain_classes().size()); !status.ok()) return status;
  const GridShape& shape = map.shape();
  const int k = profile.footprint;
  if (k > shape.width() || k > shape.height()) {
    return Status(StatusCode::footprint, "profile \"" + profile.name + "\": footprint " + std::to_string(k) +
                                             " on a map of " + std::to_string(shape.width()) + "x" +
                                             std::to_string(shape.height()) + "; expected at most the map's size");
  }
  auto g = std::make_shared<CompiledGraph>();
  g->shape_ = shape;
  g->profile_ = profile;
  g->base_ = step_costs(profile.costs);
  g->host_ = host;
  const std::size_t n = shape.padded_cells();
  std::array<bool, 256> passable{};
  std::array<std::uint32_t, 256> cost{};
  for (std::size_t i = 0; i < map.terrain_classes().size(); ++i) {
    passable[i] = map.terrain_classes()[i].passable;
    cost[i] = map.terrain_classes()[i].cost;
  }
  for (const TerrainRule& r : profile.terrain) {
    if (r.passable) passable[r.terrain] = *r.passable;
    if (r.cost) cost[r.terrain] = *r.cost;
  }
  const auto each_cell = [&](auto&& body) {
    for (int l = 0; l < shape.layers(); ++l)
      for (int y = 0; y < shape.height(); ++y)
        for (int x = 0; x < shape.width(); ++x) body(shape.at(x, y, l), l);
  };
  std::vector<char> free(n, 0), fits(n, 0);
  each_cell([&](std::uint32_t i, int l) {
    const bool layer_ok =
        profile.layers.empty() || std::find(profile.layers.begin(), profile.layers.end(), l) != profile.layers.end();
    free[i] = layer_ok && passable[map.terrain({i})] && !map.unknown({i}) && !map.door_closed({i});
  });
  g->footings_.assign(n, static_cast<std::uint8_t>(Footing::blocked));
  g->moves_.assign(n, 0);
  g->factors_.assign(n, 0);
  bool first = true;
  each_cell([&](std::uint32_t i, int) {
    bool ok = true;
    std::uint32_t factor = 0;
    for (int dy = 0; dy < k && ok; ++dy)
      for (int dx = 0; dx < k && ok; ++dx) {
        const std::uint32_t q = i + static_cast<std::uint32_t>(dy) * shape.stride() + static_cast<std::uint32_t>(dx);
        ok = free[q];
        if (ok) factor = std::max(factor, map.has_weights() ? map.weight({q}) : cost[map.terrain({q})]);
      }
    fits[i] = ok;
    Footing f = Footing::open;
    if (!ok) f = free[i] ? Footing::no_room : map.unknown({i}) ? Footing::unknown : Footing::blocked;
    g->footings_[i] = static_cast<std::uint8_t>(f);
    if (f == Footing::unknown) ++g->unknown_cells_;
    if (!ok) return;
    ++g->open_cells_;
    g->factors_[i] = factor;
    g->min_factor_ = first ? factor : std::min(g->min_factor_, factor);
    g->max_factor_ = first ? factor : std::max(g->max_factor_, factor);
    first = false;
  });
  each_cell([&](std::uint32_t i, int) {
    if (!fits[i]) return;
    unsigned mask = 0;
    for (int d = 0; d < static_cast<int>(profile.moves); ++d) {
      if (!fits[i + shape.step(static_cast<Direction>(d))]) continue;
      if (d >= 4) {
        const bool a = fits[i + static_cast<std::uint32_t>(kDx[d])];
        const bool b = fits[i + shape.step(kDy[d] < 0 ? Direction::north : Direction::south)];
        if (profile.corner == CornerRule::strict && !(a && b)) continue;
        if (profile.corner == CornerRule::one_free && !(a || b)) continue;
      }
      mask |= 1u << d;
    }
    g->moves_[i] = static_cast<std::uint8_t>(mask);
  });
  g->content_hash_ = base::Digest().add(shape.stride()).add(g->base_.straight).add(g->base_.diagonal).value();
  each_cell([&](std::uint32_t i, int) {
    g->content_hash_ += base::mix(i, g->footings_[i] | static_cast<std::uint64_t>(g->moves_[i]) << 8 |
                                         static_cast<std::uint64_t>(g->factors_[i]) << 16);
  });
  if (g->min_factor_ == g->max_factor_) {
    g->uniform_factor_ = g->min_factor_;
    g->factors_.clear();
  }
  g->label();
  return std::shared_ptr<const CompiledGraph>(std::move(g));
}

void CompiledGraph::label() {
  labels_.assign(shape_.padded_cells(), ~0u);
  std::vector<std::uint32_t> queue;
  for (std::uint32_t s = 0; s < shape_.padded_cells(); ++s) {
    if (footings_[s] != static_cast<std::uint8_t>(Footing::open) || labels_[s] != ~0u) continue;
    const auto label = static_cast<std::uint32_t>(sizes_.size());
    queue.assign(1, s);
    labels_[s] = label;
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (int d = 0; d < kDirections; ++d) {
        if ((moves_[queue[i]] >> d & 1) == 0) continue;
        const std::uint32_t q = queue[i] + shape_.step(static_cast<Direction>(d));
        if (labels_[q] != ~0u) continue;
        labels_[q] = label;
        queue.push_back(q);
      }
    sizes_.push_back(queue.size());
  }
}

Result<std::shared_ptr<const CompiledGraph>> CompiledGraph::updated(const MapView& map,
                                                                    std::span<const CellIndex>) const {
  return compile(map, profile_, host_);
}

std::uint32_t CompiledGraph::component(CellIndex i) const noexcept { return labels_[i.value]; }
std::vector<std::uint64_t> CompiledGraph::component_sizes() const { return sizes_; }

}  // namespace drover::nav

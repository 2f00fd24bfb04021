// SPDX-License-Identifier: MIT
// Eyes in free cells drawn from the seed.
#include "fov_bench.hpp"

#include "maps.hpp"
#include "thread_clock.hpp"

#include <algorithm>
#include <vector>

#include <drover/search.hpp>

#include "base/counter_rng.hpp"

namespace drover::bench {

namespace {

constexpr std::uint64_t kViews = 20000, kCompared = 200;

std::vector<Cell> draw_eyes(const BenchMap& map, std::uint64_t seed) {
  const base::CounterRng rng(seed, 0x666f76);
  std::vector<Cell> eyes;
  for (std::uint64_t i = 0; eyes.size() < kViews; i += 2) {
    const Cell c{static_cast<std::int32_t>(rng.uniform(i, static_cast<std::uint32_t>(map.width))),
                 static_cast<std::int32_t>(rng.uniform(i + 1, static_cast<std::uint32_t>(map.height))), 0};
    if (map.wall[map.at(c.x, c.y)] == 0) eyes.push_back(c);
  }
  return eyes;
}

}  // namespace

Result<FovFigures> measure_fov(const FovDef& def) {
  const BenchMap plan = make_bench_map(MapKind::cave, def.size, def.seed);
  const Result<GridMap> map = to_grid_map(plan);
  if (!map) return map.status();
  const MapView view = map->view();
  const std::vector<Cell> eyes = draw_eyes(plan, def.seed);
  FovFigures out;
  out.views = eyes.size();
  FieldOfView sight;
  std::vector<std::uint64_t> took;
  took.reserve(eyes.size());
  std::uint64_t all_ns = 0, seen = 0;
  for (const Cell eye : eyes) {
    const Viewer viewer{eye, def.radius, {}};
    const std::uint64_t start = thread_ns();
    const Status status = sight.look(view, {&viewer, 1});
    took.push_back(thread_ns() - start);
    if (!status.ok()) return status;
    all_ns += took.back();
    seen += sight.count();
  }
  std::sort(took.begin(), took.end());
  out.view_ns = static_cast<double>(all_ns) / static_cast<double>(eyes.size());
  out.p99_ns = took[took.size() * 99 / 100];
  out.seen = static_cast<double>(seen) / static_cast<double>(eyes.size());

  out.equal = true;
  const auto r = static_cast<std::int32_t>(def.radius);
  std::uint64_t line_ns = 0, lines = 0;
  FieldOfView other;
  std::vector<Cell> cells;
  std::vector<std::uint8_t> clear;
  for (std::uint64_t i = 0; i < kCompared; ++i) {
    const Cell eye = eyes[i];
    const Viewer viewer{eye, def.radius, {}};
    if (Status status = sight.look(view, {&viewer, 1}); !status.ok()) return status;
    cells.clear();
    for (std::int32_t y = std::max(0, eye.y - r); y <= std::min(plan.height - 1, eye.y + r); ++y)
      for (std::int32_t x = std::max(0, eye.x - r); x <= std::min(plan.width - 1, eye.x + r); ++x)
        if ((x - eye.x) * (x - eye.x) + (y - eye.y) * (y - eye.y) <= r * r && plan.wall[plan.at(x, y)] == 0)
          cells.push_back({x, y, 0});
    clear.assign(cells.size(), 0);
    const std::uint64_t start = thread_ns();
    for (std::size_t k = 0; k < cells.size(); ++k) clear[k] = *sees(view, eye, cells[k]) ? 1 : 0;
    line_ns += thread_ns() - start;
    lines += cells.size();
    for (std::size_t k = 0; k < cells.size(); ++k) {
      out.equal = out.equal && (clear[k] != 0) == sight.sees(cells[k]);
      if (clear[k] == 0 || k % 16 != 0) continue;
      const Viewer back{cells[k], def.radius, {}};
      if (Status status = other.look(view, {&back, 1}); !status.ok()) return status;
      out.asymmetric += other.sees(eye) ? 0u : 1u;
    }
  }
  out.equal = out.equal && out.asymmetric == 0;
  out.baseline_ns = static_cast<double>(line_ns) / static_cast<double>(kCompared);
  out.line_ns = lines == 0 ? 0 : static_cast<double>(line_ns) / static_cast<double>(lines);
  return out;
}

}  // namespace drover::bench

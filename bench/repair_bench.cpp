// SPDX-License-Identifier: MIT
// A chain of edits, each repaired from the field before it.
#include "repair_bench.hpp"

#include <drover/bundle.hpp>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>
#include <vector>

#include "base/counter_rng.hpp"

namespace drover::bench {
namespace {

using Clock = std::chrono::steady_clock;

double us_since(Clock::time_point start) {
  return static_cast<double>((Clock::now() - start) / std::chrono::nanoseconds(1)) / 1e3;
}

double cpu_us_since(std::clock_t start) {
  return static_cast<double>(std::clock() - start) * 1e6 / static_cast<double>(CLOCKS_PER_SEC);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Draws edits and remembers which cells are walls.
class Edits {
 public:
  Edits(const BenchMap& map, Cell goal, RepairEdit kind, std::uint64_t seed)
      : width_(map.width), height_(map.height), wall_(map.wall), goal_(goal), kind_(kind), rng_(seed, 0x4E7A) {}

  MapEdit next() {
    if (!closed_.empty()) return change(std::exchange(closed_, {}), false);
    if (kind_ == RepairEdit::cell) {
      const Cell cell = any_cell();
      return change({cell}, wall_[at(cell)] == 0);
    }
    while (closed_.empty()) {
      const Cell from = any_cell();
      const bool upright = below(2) == 1, door = kind_ == RepairEdit::door;
      const std::int32_t width = !door ? 8 : upright ? 1 : 5, height = !door ? 8 : upright ? 5 : 1;
      for (std::int32_t y = from.y; y < std::min(from.y + height, height_); ++y)
        for (std::int32_t x = from.x; x < std::min(from.x + width, width_); ++x)
          if (Cell cell{x, y, 0}; !(cell == goal_) && wall_[at(cell)] == 0) closed_.push_back(cell);
    }
    return change(closed_, true);
  }

 private:
  std::uint32_t below(std::uint32_t bound) { return rng_.uniform(draws_++, bound); }
  std::size_t at(Cell c) const {
    return static_cast<std::size_t>(c.y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(c.x);
  }
  Cell any_cell() {
    for (;;) {
      const Cell cell{static_cast<std::int32_t>(below(static_cast<std::uint32_t>(width_))),
                      static_cast<std::int32_t>(below(static_cast<std::uint32_t>(height_))), 0};
      if (!(cell == goal_)) return cell;
    }
  }
  MapEdit change(const std::vector<Cell>& cells, bool close) {
    MapEdit edit;
    for (const Cell cell : cells) {
      wall_[at(cell)] = close ? 1 : 0;
      edit.cells.push_back({cell, CellChange::terrain, close ? kWall : kFloor});
    }
    return edit;
  }

  std::int32_t width_, height_;
  std::vector<std::uint8_t> wall_;
  Cell goal_;
  RepairEdit kind_;
  base::CounterRng rng_;
  std::uint64_t draws_ = 0;
  std::vector<Cell> closed_;  // by the last edit, to be opened by the next
};

class Run {
 public:
  Run(GridMap map, NavGraph graph, Cell goal, const RepairDef& def, const Host& host)
      : map_(std::move(map)), graph_(std::move(graph)), builder_(host), other_(host), def_(def) {
    goal_.cells = {{goal, 0}};
  }

  Status start() {
    Result<FieldRef> built = builder_.build(graph_, goal_);
    if (!built) return built.status();
    field_ = *std::move(built);
    publish(graph_, field_);
    return {};
  }

  Status step(const MapEdit& edit) {
    const auto edited = Clock::now();
    const Result<EditReport> changed = map_.apply(edit);
    if (!changed) return changed.status();
    map_us_.push_back(us_since(edited));
    const auto updated = Clock::now();
    Result<NavGraph> after = graph_.updated(map_.view(), changed->dirty);
    if (!after) return after.status();
    graph_us_.push_back(us_since(updated));
    if (Status status = repair(*after); !status.ok()) return status;
    graph_ = *std::move(after);
    return ++done_ % def_.check_every == 0 ? check() : Status{};
  }

  RepairFigures figures() const {
    RepairFigures f;
    std::vector<double> times = repair_us_;
    std::sort(times.begin(), times.end());
    f.median_us = times[times.size() / 2];
    f.p99_us = times[times.size() * 99 / 100];
    f.max_us = times.back();
    f.rebuild_us = median(rebuild_us_);
    f.graph_us = median(graph_us_);
    f.map_us = median(map_us_);
    f.worst_over_rebuild = worst_over_rebuild_;
    f.edits = done_;
    f.checked = rebuild_us_.size();
    f.fallbacks = fallbacks_;
    const auto repairs = static_cast<double>(std::max<std::uint64_t>(done_ - fallbacks_, 1));
    f.touched = static_cast<double>(touched_) / repairs;
    f.pages = static_cast<double>(pages_) / repairs;
    f.equal = equal_;
    return f;
  }

 private:
  void publish(const NavGraph& graph, const FieldRef& field) {
    store_.publish(std::make_shared<const NavBundle>(
        ++generation_, map_.view(), std::vector<std::pair<ProfileId, NavGraph>>{{{0, 1}, graph}},
        std::vector<BundleEntry>{{{0, 1}, {0, 1}, Freshness::current, field, {}}}));
  }

  Status repair(const NavGraph& after) {
    double least = 0, least_cpu = 0;
    FieldRef fresh;
    for (int i = 0; i < 3; ++i) {
      fresh.reset();
      const std::clock_t start_cpu = std::clock();
      const auto start = Clock::now();
      Result<FieldRef> repaired = builder_.repair(field_, graph_, after, goal_);
      if (!repaired) return repaired.status();
      fresh = *std::move(repaired);
      publish(after, fresh);
      const double took = us_since(start), took_cpu = cpu_us_since(start_cpu);
      least = i == 0 ? took : std::min(least, took);
      least_cpu = i == 0 ? took_cpu : std::min(least_cpu, took_cpu);
      if (rebuild_us_.empty() || least < rebuild_us_.back() / 4) break;
    }
    repair_us_.push_back(least);
    repair_cpu_us_ = least_cpu;
    return count(after, std::move(fresh));
  }

  // The report is asked for apart: the farthest cost of a field may take a look at all cells.
  Status count(const NavGraph& after, FieldRef fresh) {
    BuildReport report;
    const Result<FieldRef> again = builder_.repair(field_, graph_, after, goal_, {}, &report);
    if (!again) return again.status();
    if (report.repaired) {
      touched_ += report.touched;
      pages_ += report.pages_copied;
    } else {
      ++fallbacks_;
    }
    field_ = std::move(fresh);
    return {};
  }

  // While the field before is still there, as it is for who publishes one after the other.
  Status check() {
    const std::clock_t start_cpu = std::clock();
    const auto start = Clock::now();
    Result<FieldRef> built = other_.build(graph_, goal_);
    if (!built) return built.status();
    rebuild_us_.push_back(us_since(start));
    // The clock of the processor counts whole microseconds.
    worst_over_rebuild_ = std::max(worst_over_rebuild_, repair_cpu_us_ / std::max(cpu_us_since(start_cpu), 1.0));
    built_ = *std::move(built);
    equal_ = equal_ && field_->digest() == built_->digest();
    return {};
  }

  GridMap map_;
  NavGraph graph_;
  FieldBuilder builder_, other_;
  NavStore store_;
  const RepairDef& def_;
  GoalDef goal_;
  FieldRef field_, built_;
  std::vector<double> repair_us_, rebuild_us_, graph_us_, map_us_;
  double repair_cpu_us_ = 0, worst_over_rebuild_ = 0;
  std::uint64_t done_ = 0, fallbacks_ = 0, touched_ = 0, pages_ = 0, generation_ = 0;
  bool equal_ = true;
};

}  // namespace

Result<RepairFigures> measure_repair(const BenchMap& map, const RepairDef& def, const Host& host,
                                     const std::function<void(std::uint64_t)>& progress) {
  Result<GridMap> grid = to_grid_map(map);
  if (!grid) return grid.status();
  MovementProfile profile;
  profile.moves = def.moves == 4 ? Moves::four : Moves::eight;
  Result<NavGraph> graph = NavGraph::compile(grid->view(), profile, host);
  if (!graph) return graph.status();
  const Cell goal = map.nearest_free(map.width / 2, map.height / 2);
  Edits edits(map, goal, def.edit, def.seed);
  Run run(*std::move(grid), *std::move(graph), goal, def, host);
  if (Status status = run.start(); !status.ok()) return status;
  for (std::uint32_t i = 0; i < def.count; ++i) {
    if (Status status = run.step(edits.next()); !status.ok()) return status;
    progress(i + 1);
  }
  return run.figures();
}

}  // namespace drover::bench

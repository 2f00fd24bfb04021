// SPDX-License-Identifier: MIT
// Random maps that are edited again and again, with goals that mostly stay.
#pragma once
#include <drover/field.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "support/grids.hpp"

namespace drover::test {

/// What terrain classes cost; each is a kind of field of its own: units, engines, widths, hops.
enum class CostKind : std::uint8_t { one, few, free, multiples, uneven, huge, kinds };

class RepairWorld {
 public:
  RepairWorld(std::uint64_t seed, std::int32_t most) : draw_(seed) {
    draw_map(most);
    draw_profile();
    if (draw_.percent(25)) draw_weights();
    if (draw_.percent(40)) draw_steps();
    for (std::uint32_t i = draw_.percent(40) ? draw_.below(6) : 0; i > 0; --i) add_portal();
    for (std::uint32_t i = draw_.percent(40) ? draw_.below(4) : 0; i > 0; --i) add_door();
    graph_ = graph_of(map_.view(), profile_);
    draw_goal();
  }

  const NavGraph& graph() const { return graph_; }
  const GoalDef& goal() const { return goal_; }
  const FieldOptions& options() const { return options_; }

  /// One batch; the graph follows it in one of the two ways there are.
  void edit() {
    MapEdit edit;
    const std::uint32_t kind = draw_.below(10);
    std::uint32_t cells = kind < 6 ? 1 : kind < 8 ? 2 + draw_.below(6) : 0;
    if (draw_.percent(4)) cells = 1 + static_cast<std::uint32_t>(map_.shape().cell_count()) / 20;
    if (draw_.percent(15)) {
      blob(edit);
    } else {
      for (; cells > 0; --cells) edit.cells.push_back(random_change(any_cell()));
    }
    if (directed_ && draw_.percent(50)) edit.steps.push_back(random_rule());
    for (std::uint32_t i = 0; i < portals_; ++i)
      if (draw_.percent(20)) edit.portals.push_back({i, draw_.percent(60)});
    for (std::uint32_t i = 0; i < doors_; ++i)
      if (draw_.percent(30))
        edit.doors.push_back(
            {i, draw_.percent(60) ? DoorState::open : DoorState::closed, draw_.below(2) * draw_.below(30)});
    const Result<EditReport> report = map_.apply(edit);
    ASSERT_TRUE(report.ok()) << report.status().message();
    if (weighted_ && draw_.percent(10)) draw_weights();
    if (weighted_ || draw_.percent(10)) {
      graph_ = graph_of(map_.view(), profile_);
    } else {
      Result<NavGraph> updated = graph_.updated(map_.view(), report->dirty);
      ASSERT_TRUE(updated.ok()) << updated.status().message();
      graph_ = *std::move(updated);
    }
    if (draw_.percent(8)) draw_goal();
  }

 private:
  std::uint32_t class_cost(CostKind kind, std::uint32_t i) {
    switch (kind) {
      case CostKind::few:
        return 1 + draw_.below(9);
      case CostKind::free:
        return i == 2 ? 0 : draw_.below(3);
      case CostKind::multiples:
        return 30 * (1 + draw_.below(4));
      case CostKind::uneven:
        return draw_.below(5) * draw_.below(1000) + 1;
      case CostKind::huge:
        return kMaxCellCost - draw_.below(2) * draw_.below(kMaxCellCost);
      default:
        return 1;
    }
  }

  void draw_map(std::int32_t most) {
    GridMapDef def;
    const std::uint32_t form = draw_.below(12);
    def.width = form == 0 ? 1 : form < 3 ? draw_.between(60, 70) : draw_.between(1, most);
    def.height = form == 1 ? 1 : draw_.between(1, most);
    def.layers = draw_.percent(15) ? 2 : 1;
    def.origin = {draw_.between(-3, 3), draw_.between(-3, 3), 0};
    kind_ = static_cast<CostKind>(draw_.below(static_cast<std::uint32_t>(CostKind::kinds)));
    for (std::uint32_t i = 2; i < kClasses; ++i)
      def.terrain.push_back(
          {std::string(1, static_cast<char>('a' + i)), static_cast<char>('a' + i), class_cost(kind_, i), true});
    classes_ = static_cast<std::uint32_t>(def.terrain.size());
    if (draw_.percent(20)) def.slope = {draw_.below(9), draw_.below(3) * draw_.below(9)};
    Result<GridMap> made = GridMap::create(def);
    ASSERT_TRUE(made.ok()) << made.status().message();
    map_ = *std::move(made);
    if (draw_.percent(25)) factions_ = 2;
    for (std::uint32_t i = 0; i < factions_; ++i) ASSERT_TRUE(map_.add_faction(std::to_string(i)).ok());
    unknown_percent_ = draw_.percent(30) ? draw_.below(20) : 0;
    walls_percent_ = draw_.below(50);
    MapEdit edit;
    for (std::int32_t i = 0; i < cell_count(); ++i) edit.cells.push_back(random_change(cell(i)));
    ASSERT_TRUE(map_.apply(edit).ok());
    if (def.slope != SlopeCost{}) draw_heights();
  }
  void draw_heights() {
    const auto cells = static_cast<std::size_t>(cell_count() / map_.shape().layers());
    for (std::int32_t layer = 0; layer < map_.shape().layers(); ++layer) {
      std::vector<std::int32_t> heights(cells);
      for (std::int32_t& h : heights) h = draw_.between(-4, 4);
      ASSERT_TRUE(map_.set_heights(layer, heights).ok());
    }
  }
  void draw_weights() {
    weighted_ = true;
    const auto cells = static_cast<std::size_t>(cell_count() / map_.shape().layers());
    const bool all = weights_.empty();
    weights_.resize(cells);
    for (std::uint32_t& w : weights_)
      if (all || draw_.percent(3)) w = class_cost(kind_, draw_.below(4));
    for (std::int32_t layer = 0; layer < map_.shape().layers(); ++layer)
      ASSERT_TRUE(map_.set_weights(layer, weights_).ok());
  }
  void draw_profile() {
    const std::int32_t side = std::min(map_.shape().width(), map_.shape().height());
    profile_.footprint = std::min(draw_.percent(70) ? 1 : draw_.between(1, 3), side);
    profile_.moves = draw_.percent(40) ? Moves::four : Moves::eight;
    profile_.corner = static_cast<CornerRule>(draw_.below(3));
    profile_.costs = static_cast<CostBase>(draw_.below(3));
    if (factions_ > 0) profile_.faction = static_cast<FactionId>(draw_.below(factions_));
    options_.steps = draw_.percent(30);
  }
  void draw_steps() {
    directed_ = true;
    MapEdit edit;
    for (std::int32_t i = cell_count() / 4; i >= 0; --i) edit.steps.push_back(random_rule());
    ASSERT_TRUE(map_.apply(edit).ok());
  }
  void add_portal() {
    ASSERT_TRUE(map_.add_portal({any_cell(), any_cell(), draw_.below(3) * draw_.below(40), draw_.percent(70)}).ok());
    ++portals_;
  }
  void add_door() {
    DoorDef door;
    door.name = "door " + std::to_string(doors_);
    door.open = draw_.percent(60);
    door.cost = draw_.below(2) * draw_.below(30);
    for (std::uint32_t i = draw_.below(4); i > 0; --i) door.cells.push_back(any_cell());
    for (std::uint32_t i = draw_.below(3); i > 0; --i)
      door.steps.push_back({any_cell(), static_cast<Direction>(draw_.below(8))});
    if (map_.add_door(door).ok()) ++doors_;  // cells and steps belong to one door each
  }
  void draw_goal() {
    goal_ = {};
    if (draw_.percent(10)) {
      goal_.area =
          GoalArea{draw_.percent(50) ? GoalArea::Rule::within : GoalArea::Rule::in_sight, any_cell(), draw_.below(5)};
    } else {
      const std::uint32_t most_offset = draw_.percent(40) ? 1 + draw_.below(300) : 1;
      for (std::uint32_t i = draw_.percent(60) ? 1 : 1 + draw_.below(9); i > 0; --i)
        goal_.cells.push_back({free_cell(), draw_.below(most_offset)});
    }
    if (draw_.percent(40)) goal_.placement = GoalPlacement::nearest;
    if (goal_.placement == GoalPlacement::nearest && draw_.percent(20)) goal_.nearest_from = free_cell();
  }

  std::int32_t cell_count() const { return static_cast<std::int32_t>(map_.shape().cell_count()); }
  Cell cell(std::int32_t i) const {
    const GridShape& shape = map_.shape();
    return {shape.origin().x + i % shape.width(), shape.origin().y + i / shape.width() % shape.height(),
            i / shape.width() / shape.height()};
  }
  Cell any_cell() { return cell(static_cast<std::int32_t>(draw_.below(static_cast<std::uint32_t>(cell_count())))); }
  Cell free_cell() {
    for (int i = 0; i < 30; ++i)
      if (const Cell c = any_cell(); graph_.footing(c) == Footing::open) return c;
    return any_cell();
  }
  CellEdit random_change(Cell at) {
    if (draw_.percent(unknown_percent_)) {
      const FactionId who =
          factions_ > 0 && draw_.percent(50) ? static_cast<FactionId>(draw_.below(factions_)) : kEveryone;
      return {at, draw_.percent(50) ? CellChange::unknown : CellChange::known, kFloor, who};
    }
    if (draw_.percent(walls_percent_)) return {at, CellChange::terrain, kWall, kEveryone};
    const bool plain = draw_.percent(40);
    return {at, CellChange::terrain, plain ? kFloor : static_cast<TerrainId>(classes_ - 1 - draw_.below(kClasses - 2)),
            kEveryone};
  }
  void blob(MapEdit& edit) {
    const Cell from = any_cell();
    const bool wall = draw_.percent(60);
    const std::int32_t width = draw_.between(1, 5), height = draw_.between(1, 5);
    for (std::int32_t y = from.y; y < from.y + height; ++y)
      for (std::int32_t x = from.x; x < from.x + width; ++x)
        if (map_.shape().contains({x, y, from.layer}))
          edit.cells.push_back({{x, y, from.layer}, CellChange::terrain, wall ? kWall : kFloor, kEveryone});
  }
  StepEdit random_rule() {
    return {{any_cell(), static_cast<Direction>(draw_.below(8))}, draw_.percent(60), draw_.below(3) * draw_.below(20)};
  }

  static constexpr std::uint32_t kClasses = 6;
  Draws draw_;
  GridMap map_ = std::move(GridMap::create({.width = 1, .height = 1})).value();
  MovementProfile profile_;
  NavGraph graph_;
  GoalDef goal_;
  FieldOptions options_;
  CostKind kind_ = CostKind::one;
  std::vector<std::uint32_t> weights_;
  std::uint32_t classes_ = 0, portals_ = 0, doors_ = 0, factions_ = 0, walls_percent_ = 0, unknown_percent_ = 0;
  bool directed_ = false, weighted_ = false;
};

}  // namespace drover::test

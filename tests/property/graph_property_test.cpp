// SPDX-License-Identifier: MIT
// Compiled graphs against a definition that looks at one cell after the other, and updates against compiling anew.
#include "base/tasks.hpp"
#include "nav/compiled_graph.hpp"
#include "support/data.hpp"
#include "support/grids.hpp"
#include "support/shapes.hpp"
#include "support/threads.hpp"

#include <gtest/gtest.h>
#include <drover/graph.hpp>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace drover {
namespace {

using test::Draws;

template <class Body>
void for_each_cell(const GridShape& shape, Body&& body) {
  for (int layer = 0; layer < shape.layers(); ++layer)
    for (int y = 0; y < shape.height(); ++y)
      for (int x = 0; x < shape.width(); ++x) body(Cell{shape.origin().x + x, shape.origin().y + y, layer});
}

/// The rules as contracts.md words them: cell by cell, with no word and no shift.
class NaiveGraph {
 public:
  NaiveGraph(const MapView& map, const MovementProfile& profile)
      : map_(map), profile_(profile), factors_(map.shape().padded_cells()) {
    for_each_cell(map.shape(), [&](Cell anchor) { factors_[index(anchor).value] = dearest_below_body(anchor); });
    for (const StepRule& rule : map.step_rules()) rules_[{rule.from.value, rule.direction}] = rule;
  }

  Footing footing(Cell c) const {
    if (!map_.shape().contains(c)) return Footing::outside;
    if (factor(c)) return Footing::open;
    if (layer_allowed(c) && map_.unknown(index(c), profile_.faction)) return Footing::unknown;
    return free(c) ? Footing::no_room : Footing::blocked;
  }
  /// Dearest cell under the body; nothing where it does not fit.
  std::optional<std::uint32_t> factor(Cell anchor) const {
    return map_.shape().contains(anchor) ? factors_[index(anchor).value] : std::nullopt;
  }
  bool legal(Cell from, Direction d) const {
    if (!legal_but_for_rules(from, d)) return false;
    const std::vector<StepRule> rules = rules_below_body(from, d);
    return std::all_of(rules.begin(), rules.end(), [](const StepRule& rule) { return rule.allowed; });
  }
  bool legal_but_for_rules(Cell from, Direction d) const {
    if (static_cast<int>(d) >= static_cast<int>(profile_.moves)) return false;
    const Cell to{from.x + kDx[static_cast<int>(d)], from.y + kDy[static_cast<int>(d)], from.layer};
    if (!factor(from) || !factor(to)) return false;
    if (!is_diagonal(d)) return true;
    const int beside = (factor({to.x, from.y, from.layer}) ? 1 : 0) + (factor({from.x, to.y, from.layer}) ? 1 : 0);
    return beside >= (profile_.corner == CornerRule::strict ? 2 : profile_.corner == CornerRule::one_free ? 1 : 0);
  }
  /// Of a legal step.
  std::uint64_t surcharge(Cell from, Direction d) const {
    std::uint64_t extra = 0;
    for (const StepRule& rule : rules_below_body(from, d)) extra = std::max<std::uint64_t>(extra, rule.extra);
    if (!map_.has_heights()) return extra;
    const Cell to{from.x + kDx[static_cast<int>(d)], from.y + kDy[static_cast<int>(d)], from.layer};
    const std::int64_t climb = height(to) - height(from);
    return extra + static_cast<std::uint64_t>(climb > 0 ? climb * map_.slope().up : -climb * map_.slope().down);
  }

 private:
  std::vector<StepRule> rules_below_body(Cell anchor, Direction d) const {
    std::vector<StepRule> found;
    for (int i = 0; !rules_.empty() && i < profile_.footprint * profile_.footprint; ++i) {
      const Cell c{anchor.x + i % profile_.footprint, anchor.y + i / profile_.footprint, anchor.layer};
      const auto rule = rules_.find({index(c).value, d});
      if (rule != rules_.end()) found.push_back(rule->second);
    }
    return found;
  }
  std::int64_t height(Cell anchor) const {
    std::int64_t highest = map_.height(index(anchor));
    for (int i = 1; i < profile_.footprint * profile_.footprint; ++i) {
      const Cell c{anchor.x + i % profile_.footprint, anchor.y + i / profile_.footprint, anchor.layer};
      highest = std::max<std::int64_t>(highest, map_.height(index(c)));
    }
    return highest;
  }
  std::optional<std::uint32_t> dearest_below_body(Cell anchor) const {
    std::uint32_t dearest = 0;
    for (int dy = 0; dy < profile_.footprint; ++dy)
      for (int dx = 0; dx < profile_.footprint; ++dx) {
        const Cell c{anchor.x + dx, anchor.y + dy, anchor.layer};
        if (!free(c)) return std::nullopt;
        dearest = std::max(dearest, cost(c));
      }
    if (obstructed(anchor)) return std::nullopt;
    return dearest;
  }
  bool obstructed(Cell anchor) const {
    const Position middle = map_.frame().centre(anchor, profile_.footprint);
    const Fixed radius = map_.frame().length(profile_.radius());
    return std::any_of(map_.obstacles().begin(), map_.obstacles().end(), [&](const auto& shape) {
      return shape != nullptr && shape->on_layer(anchor.layer) && overlaps_circle(*shape, middle, radius);
    });
  }
  CellIndex index(Cell c) const { return map_.shape().index(c); }
  bool layer_allowed(Cell c) const {
    return profile_.layers.empty() ||
           std::find(profile_.layers.begin(), profile_.layers.end(), c.layer) != profile_.layers.end();
  }
  bool free(Cell c) const {
    if (!map_.shape().contains(c) || !layer_allowed(c)) return false;
    if (map_.unknown(index(c), profile_.faction) || map_.door_closed(index(c))) return false;
    const TerrainId terrain = map_.terrain(index(c));
    for (const TerrainRule& r : profile_.terrain)
      if (r.terrain == terrain && r.passable) return *r.passable;
    return map_.terrain_classes()[terrain].passable;
  }
  std::uint32_t cost(Cell c) const {
    if (map_.has_weights()) return map_.weight(index(c));
    const TerrainId terrain = map_.terrain(index(c));
    for (const TerrainRule& r : profile_.terrain)
      if (r.terrain == terrain && r.cost) return *r.cost;
    return map_.terrain_classes()[terrain].cost;
  }

  const MapView& map_;
  const MovementProfile& profile_;
  std::vector<std::optional<std::uint32_t>> factors_;
  std::map<std::pair<std::uint32_t, Direction>, StepRule> rules_;
};

// Labels by flooding over legal steps, forbidden ones too, and portals both ways, in the order of first cells.
std::vector<std::uint32_t> naive_components(const NaiveGraph& naive, const GridShape& shape,
                                            std::span<const PortalDef> portals, std::vector<std::uint64_t>& sizes) {
  std::vector<std::uint32_t> label(shape.padded_cells(), nav::Components::kNone);
  for_each_cell(shape, [&](Cell start) {
    if (!naive.factor(start) || label[shape.index(start).value] != nav::Components::kNone) return;
    std::vector<Cell> queue{start};
    label[shape.index(start).value] = static_cast<std::uint32_t>(sizes.size());
    const auto visit = [&](Cell to) {
      std::uint32_t& there = label[shape.index(to).value];
      if (there != nav::Components::kNone) return;
      there = static_cast<std::uint32_t>(sizes.size());
      queue.push_back(to);
    };
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (int d = 0; d < kDirections; ++d) {
        const Cell from = queue[i], to{from.x + kDx[d], from.y + kDy[d], from.layer};
        if (naive.legal_but_for_rules(from, static_cast<Direction>(d))) visit(to);
      }
      for (const PortalDef& portal : portals) {
        if (!portal.open || !naive.factor(portal.from) || !naive.factor(portal.to)) continue;
        if (portal.from == queue[i]) visit(portal.to);
        if (portal.to == queue[i]) visit(portal.from);
      }
    }
    sizes.push_back(queue.size());
  });
  return label;
}

::testing::AssertionResult equals_definition(const NavGraph& graph, const MapView& map,
                                             const MovementProfile& profile) {
  const NaiveGraph naive(map, profile);
  const GridShape& shape = map.shape();
  const nav::CompiledGraph& compiled = graph.compiled();
  std::vector<std::uint64_t> sizes;
  const std::vector<std::uint32_t> labels = naive_components(naive, shape, map.portals(), sizes);
  std::uint64_t open = 0, unknown = 0;
  std::uint32_t least = ~0u, most = 0;
  std::optional<Cell> bad;
  for_each_cell(shape, [&](Cell c) {
    const CellIndex i = shape.index(c);
    const auto factor = naive.factor(c);
    unsigned mask = 0, reverse = 0;
    bool same_costs = true;
    for (int k = 0; k < kDirections; ++k) {
      const auto d = static_cast<Direction>(k);
      const Cell there{c.x + kDx[k], c.y + kDy[k], c.layer};
      if (naive.legal(there, opposite(d))) reverse |= 1u << k;
      if (!naive.legal(c, d)) continue;
      mask |= 1u << k;
      same_costs = same_costs && compiled.surcharge(i.value, k) == naive.surcharge(c, d) &&
                   naive.surcharge(c, d) <= compiled.max_surcharge();
    }
    open += factor ? 1u : 0u;
    unknown += naive.footing(c) == Footing::unknown ? 1u : 0u;
    if (factor) least = std::min(least, *factor);
    if (factor) most = std::max(most, *factor);
    const bool same = graph.footing(c) == naive.footing(c) && graph.moves(c).bits == mask && same_costs &&
                      compiled.reverse_moves()[i.value] == reverse &&
                      (!factor || compiled.factor(i.value) == *factor) && compiled.component(i) == labels[i.value];
    if (!same && !bad) bad = c;
  });
  if (bad) return ::testing::AssertionFailure() << "cell " << bad->x << "," << bad->y << "," << bad->layer;
  if (open == 0) least = 0;
  if (graph.component_sizes() != sizes) return ::testing::AssertionFailure() << "component sizes";
  if (graph.open_cells() != open || compiled.unknown_cells() != unknown)
    return ::testing::AssertionFailure() << "counts of open and unknown cells";
  if (compiled.min_factor() != least || compiled.max_factor() != most)
    return ::testing::AssertionFailure() << "range of factors";
  if ((compiled.factors() == nullptr) != (least == most)) return ::testing::AssertionFailure() << "factor plane";
  return ::testing::AssertionSuccess();
}

// The same bytes, borders included, the same labels and the same hash.
::testing::AssertionResult equal(const NavGraph& a, const NavGraph& b) {
  const nav::CompiledGraph &x = a.compiled(), &y = b.compiled();
  const std::size_t n = x.shape().padded_cells();
  const auto differ = [&](const auto* p, const auto* q) {
    return (p == nullptr) != (q == nullptr) || (p != nullptr && !std::equal(p, p + n, q));
  };
  if (differ(x.moves(), y.moves())) return ::testing::AssertionFailure() << "moves";
  if (differ(x.reverse_moves(), y.reverse_moves())) return ::testing::AssertionFailure() << "reverse moves";
  // The other way round is fine: a rule that forbids only what was not legal leaves the old plane shared.
  if (x.moves() != x.reverse_moves() && y.moves() == y.reverse_moves())
    return ::testing::AssertionFailure() << "plane of reverse moves";
  for (std::uint32_t i = 0; i < n; ++i)
    for (unsigned left = x.moves()[i]; left != 0; left &= left - 1)
      if (x.surcharge(i, std::countr_zero(left)) != y.surcharge(i, std::countr_zero(left)))
        return ::testing::AssertionFailure() << "surcharge at index " << i;
  if (x.directed() != y.directed() || x.max_surcharge() != y.max_surcharge() ||
      x.portals().hash() != y.portals().hash() || x.portals().all().size() != y.portals().all().size())
    return ::testing::AssertionFailure() << "portals or bounds";
  if (differ(x.footings(), y.footings())) return ::testing::AssertionFailure() << "footings";
  if (differ(x.factors(), y.factors())) return ::testing::AssertionFailure() << "factors";
  if (x.factors() == nullptr && x.uniform_factor() != y.uniform_factor())
    return ::testing::AssertionFailure() << "uniform factor";
  if (x.min_factor() != y.min_factor() || x.max_factor() != y.max_factor())
    return ::testing::AssertionFailure() << "range of factors";
  if (x.open_cells() != y.open_cells() || x.unknown_cells() != y.unknown_cells())
    return ::testing::AssertionFailure() << "counts";
  if (x.component_sizes() != y.component_sizes()) return ::testing::AssertionFailure() << "component sizes";
  for (std::uint32_t i = 0; i < n; ++i)
    if (x.footing({i}) == Footing::open && x.component({i}) != y.component({i}))
      return ::testing::AssertionFailure() << "component of index " << i;
  if (x.content_hash() != y.content_hash()) return ::testing::AssertionFailure() << "content hash";
  return ::testing::AssertionSuccess();
}

struct World {
  GridMap map;
  MovementProfile profile;
  std::uint32_t doors;
  bool rules = false;  // edits change steps and portals too
};

Cell random_cell(Draws& draw, const GridShape& shape) {
  return {shape.origin().x + draw.between(0, shape.width() - 1), shape.origin().y + draw.between(0, shape.height() - 1),
          draw.between(0, shape.layers() - 1)};
}
GridStep random_step(Draws& draw, const GridShape& shape) {
  return {random_cell(draw, shape), static_cast<Direction>(draw.below(8))};
}

void add_directed(Draws& draw, World& world) {
  const GridShape& shape = world.map.shape();
  world.rules = true;
  MapEdit edit;
  for (std::uint32_t i = draw.below(40); i > 0; --i)
    edit.steps.push_back({random_step(draw, shape), draw.percent(50), draw.below(3) * 7});
  EXPECT_TRUE(world.map.apply(edit).ok());
  for (std::uint32_t i = draw.below(5); i > 0; --i)
    EXPECT_TRUE(world.map.add_portal({random_cell(draw, shape), random_cell(draw, shape), draw.below(9)}).ok());
  DoorDef door{"steps", {}, draw.percent(50), {}, draw.below(2) * 5};
  for (int i = 0; i < 3; ++i) door.steps.push_back({random_cell(draw, shape), static_cast<Direction>(i)});
  EXPECT_TRUE(world.map.add_door(door).ok());
  ++world.doors;
  if (draw.percent(50)) return;
  std::vector<std::int32_t> heights(static_cast<std::size_t>(shape.width()) * static_cast<std::size_t>(shape.height()));
  for (std::int32_t& h : heights) h = draw.between(-4, 9);
  EXPECT_TRUE(world.map.set_heights(shape.layers() - 1, heights).ok());
}

void add_fog(Draws& draw, World& world) {
  const std::uint32_t factions = 1 + draw.below(kMaxFactions);
  for (std::uint32_t f = 0; f < factions; ++f) EXPECT_TRUE(world.map.add_faction(std::to_string(f)).ok());
  world.profile.faction = static_cast<FactionId>(draw.below(factions));
  MapEdit fog;
  for_each_cell(world.map.shape(), [&](Cell c) {
    if (draw.percent(4)) fog.cells.push_back({c, CellChange::unknown, kFloor, world.profile.faction});
    if (draw.percent(4))
      fog.cells.push_back({c, CellChange::known, kFloor, static_cast<FactionId>(draw.below(factions))});
  });
  EXPECT_TRUE(world.map.apply(fog).ok());
}

void add_obstacles(Draws& draw, World& world) {
  test::ShapeDraws shapes(draw, world.map.shape(), world.map.view().frame());
  for (std::uint32_t i = 1 + draw.below(6); i > 0; --i) EXPECT_TRUE(world.map.add_obstacle(shapes.shape()).ok());
  if (draw.percent(50)) world.profile.body_radius = Fixed::ratio(world.profile.footprint * draw.between(1, 8), 16);
}

// Sizes about one word on purpose: most faults of shifted rows show at word ends.
World random_world(Draws& draw) {
  GridMapDef def;
  def.width = draw.percent(40) ? draw.between(60, 70) : draw.between(8, 140);
  def.height = draw.between(8, 24);
  def.layers = draw.between(1, 2);
  def.origin = {draw.between(-9, 9), draw.between(-9, 9), 0};
  if (draw.percent(40)) def.cell_size = Fixed::ratio(draw.between(1, 7), draw.percent(70) ? 4 : 3);
  if (draw.percent(20)) def.corner = test::quarters(draw.between(-30, 30), draw.between(-30, 30));
  const std::uint32_t walls = draw.below(45);
  def.slope = {draw.below(2) * 3, draw.below(2) * 2};
  def.terrain[kWall + 1].cost = draw.percent(50) ? 1 : draw.below(4);

  World world{*GridMap::create(def), {}, 0};
  MapEdit edit;
  for_each_cell(world.map.shape(), [&](Cell c) {
    if (draw.percent(walls)) edit.cells.push_back({c, CellChange::terrain, kWall});
    if (draw.percent(8)) edit.cells.push_back({c, CellChange::terrain, static_cast<TerrainId>(draw.below(8))});
    if (draw.percent(2)) edit.cells.push_back({c, CellChange::unknown, kFloor});
  });
  EXPECT_TRUE(world.map.apply(edit).ok());
  for (int layer = 0; draw.percent(40) && layer < def.layers; ++layer) {
    std::vector<std::uint32_t> weights(static_cast<std::size_t>(def.width * def.height));
    const std::uint32_t levels = draw.percent(30) ? 1 : 5;
    for (std::uint32_t& w : weights) w = draw.below(levels);
    EXPECT_TRUE(world.map.set_weights(layer, weights).ok());
  }
  for (const Cell corner : {Cell{1, 1, 0}, Cell{4, 2, 0}}) {
    DoorDef door{std::to_string(world.doors), {}, draw.percent(50)};
    for (int i = 0; i < 3; ++i)
      door.cells.push_back({def.origin.x + corner.x + i, def.origin.y + corner.y + (i == 2 ? 1 : 0), 0});
    EXPECT_TRUE(world.map.add_door(door).ok());
    ++world.doors;
  }
  if (draw.percent(60)) add_directed(draw, world);
  MovementProfile& p = world.profile;
  p.footprint = draw.percent(40) ? 1 : draw.between(2, 8);
  p.moves = draw.percent(80) ? Moves::eight : Moves::four;
  p.corner = static_cast<CornerRule>(draw.below(3));
  p.costs = static_cast<CostBase>(draw.below(3));
  if (draw.percent(30)) p.terrain.push_back({3, 5u, std::nullopt});
  if (draw.percent(30)) p.terrain.push_back({kWall, 2u, true});
  if (draw.percent(20)) p.terrain.push_back({kFloor, std::nullopt, false});
  if (draw.percent(20)) p.layers = {draw.between(0, 1)};
  if (draw.percent(40)) add_fog(draw, world);
  if (draw.percent(50)) add_obstacles(draw, world);
  return world;
}

MapEdit random_edit(Draws& draw, const World& world) {
  const GridShape& shape = world.map.shape();
  MapEdit edit;
  const std::int32_t cells = draw.percent(10) ? 200 : draw.between(0, 3);
  for (std::int32_t i = 0; i < cells; ++i) {
    const Cell c{shape.origin().x + draw.between(0, shape.width() - 1),
                 shape.origin().y + draw.between(0, shape.height() - 1), draw.between(0, shape.layers() - 1)};
    const CellChange change = draw.percent(20)   ? CellChange::unknown
                              : draw.percent(20) ? CellChange::known
                                                 : CellChange::terrain;
    const auto factions = static_cast<std::uint32_t>(world.map.view().factions().size());
    const bool one = factions > 0 && draw.percent(60);
    edit.cells.push_back({c, change, static_cast<TerrainId>(draw.below(4)),
                          one ? static_cast<FactionId>(draw.below(factions)) : kEveryone});
  }
  if (draw.percent(30)) {
    const std::uint32_t cost = world.rules ? draw.below(2) * 6 : 0;
    edit.doors.push_back({draw.below(world.doors), static_cast<DoorState>(draw.below(2)), cost});
  }
  for (std::uint32_t i = world.rules ? draw.below(4) : 0; i > 0; --i)
    edit.steps.push_back({random_step(draw, shape), draw.percent(50), draw.below(3) * 7});
  for (std::uint32_t i = 0; world.rules && i < world.map.view().portals().size(); ++i)
    if (draw.percent(20)) edit.portals.push_back({i, draw.percent(50)});
  const MapView map = world.map.view();
  test::ShapeDraws shapes(draw, shape, map.frame());
  for (std::uint32_t i = map.obstacles().empty() ? 0 : draw.below(3); i > 0; --i)
    edit.obstacles.push_back(shapes.edit(map));
  return edit;
}

TEST(GraphProperty, EveryCellIsWhatTheDefinitionSays) {
  const std::uint64_t worlds = test::long_run() ? 4000 : 300;
  for (std::uint64_t seed = 0; seed < worlds; ++seed) {
    Draws draw(seed);
    const World world = random_world(draw);
    const MapView map = world.map.view();
    ASSERT_TRUE(equals_definition(test::graph_of(map, world.profile), map, world.profile)) << "seed " << seed;
  }
}

TEST(GraphProperty, AnUpdateEqualsCompilingAnew) {
  const std::uint64_t worlds = test::long_run() ? 2000 : 200;
  std::uint64_t changed = 0;
  for (std::uint64_t seed = 0; seed < worlds; ++seed) {
    Draws draw(1'000'000 + seed);
    World world = random_world(draw);
    NavGraph graph = test::graph_of(world.map.view(), world.profile);
    for (int step = 0; step < 12; ++step) {
      const Result<EditReport> report = world.map.apply(random_edit(draw, world));
      ASSERT_TRUE(report.ok());
      const Result<NavGraph> updated = graph.updated(world.map.view(), report->dirty);
      ASSERT_TRUE(updated.ok());
      ASSERT_TRUE(equal(*updated, test::graph_of(world.map.view(), world.profile)))
          << "seed " << seed << ", step " << step;
      changed += updated->content_hash() != graph.content_hash() ? 1u : 0u;
      graph = *updated;
    }
  }
  EXPECT_GT(changed, worlds);
}

// Large enough that an update stays local instead of compiling anew.
TEST(GraphProperty, ALocalUpdateOfALargeMapEqualsCompilingAnew) {
  for (const int footprint : {1, 2, 8}) {
    for (const bool weighted : {false, true}) {
      Draws draw(static_cast<std::uint64_t>(footprint) * 2 + (weighted ? 1 : 0));
      GridMap map = test::map_of(draw.rows(300, 300, footprint == 8 ? 1 : 20));
      if (weighted) {
        std::vector<std::uint32_t> weights(300 * 300);
        for (std::uint32_t& w : weights) w = 1 + draw.below(9);
        ASSERT_TRUE(map.set_weights(0, weights).ok());
      }
      const MovementProfile profile = test::body(footprint, CornerRule::one_free);
      NavGraph graph = test::graph_of(map.view(), profile);
      for (int step = 0; step < 15; ++step) {
        const Cell cell{draw.between(0, 299), draw.between(0, 299), 0};
        const Result<EditReport> report = map.apply(test::set_terrain(cell, static_cast<TerrainId>(draw.below(2))));
        ASSERT_TRUE(report.ok());
        graph = *graph.updated(map.view(), report->dirty);
        ASSERT_TRUE(equal(graph, test::graph_of(map.view(), profile))) << footprint << ", step " << step;
      }
    }
  }
}

// Rules come and go on a plain map and on one that has them; the first forbidden step makes a plane of reverse moves.
TEST(GraphProperty, ALocalEditOfStepsAndDoorsEqualsCompilingAnew) {
  for (const int footprint : {1, 2, 5}) {
    for (const bool hills : {false, true}) {
      Draws draw(static_cast<std::uint64_t>(footprint) * 2 + (hills ? 1 : 0));
      GridMapDef def;
      def.width = def.height = 300;
      def.slope = {3, 1};
      World world{*GridMap::create(def), test::body(footprint, CornerRule::one_free), 0};
      if (hills) add_directed(draw, world);
      world.rules = true;
      NavGraph graph = test::graph_of(world.map.view(), world.profile);
      const std::uint64_t first = graph.content_hash();
      for (int step = 0; step < 12; ++step) {
        const MapView before = world.map.view();
        MapEdit edit;
        edit.steps.push_back({random_step(draw, world.map.shape()), draw.percent(50), draw.below(2) * 7});
        if (world.doors > 0) edit.doors.push_back({0, static_cast<DoorState>(draw.below(2)), draw.below(3)});
        const Result<EditReport> report = world.map.apply(edit);
        ASSERT_TRUE(report.ok());
        graph = *graph.updated(world.map.view(), report->dirty);
        ASSERT_TRUE(equal(graph, test::graph_of(world.map.view(), world.profile))) << footprint << ", step " << step;
        if (step % 2 == 0) continue;
        world.map.restore(before);
        graph = *graph.updated(before, report->dirty);
        ASSERT_TRUE(equal(graph, test::graph_of(before, world.profile))) << footprint << ", undone " << step;
      }
      MapEdit undo;
      for (const StepRule& rule : world.map.view().step_rules())
        undo.steps.push_back({{world.map.shape().cell(rule.from), rule.direction}});
      const Result<EditReport> report = world.map.apply(undo);
      ASSERT_TRUE(report.ok());
      if (!hills) {
        EXPECT_EQ(graph.updated(world.map.view(), report->dirty)->content_hash(), first);
        EXPECT_FALSE(graph.updated(world.map.view(), report->dirty)->directed());
      }
    }
  }
}

// A circle that rolls over a large map touches few words: no update compiles anew, and none asks for dirty cells.
TEST(GraphProperty, AMovedObstacleOnALargeMapEqualsCompilingAnew) {
  for (const int footprint : {1, 3}) {
    Draws draw(static_cast<std::uint64_t>(footprint));
    GridMap map = test::map_of(draw.rows(400, 400, footprint == 3 ? 1 : 20));
    test::ShapeDraws shapes(draw, map.shape(), map.view().frame());
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(map.add_obstacle(shapes.shape()).ok());
    const MovementProfile profile = test::body(footprint, CornerRule::one_free);
    NavGraph graph = test::graph_of(map.view(), profile);
    const std::uint64_t first = graph.content_hash();
    const MapView before = map.view();
    for (int step = 0; step < 25; ++step) {
      MapEdit edit;
      edit.obstacles.push_back(shapes.edit(map.view()));
      if (draw.percent(30)) edit.cells.push_back({random_cell(draw, map.shape()), CellChange::terrain, kFloor});
      const Result<EditReport> report = map.apply(edit);
      ASSERT_TRUE(report.ok());
      EXPECT_LE(report->dirty.size(), edit.cells.size());
      graph = *graph.updated(map.view(), report->dirty);
      ASSERT_TRUE(equal(graph, test::graph_of(map.view(), profile))) << footprint << ", step " << step;
    }
    // Back through all of them at once: lists are compared, not edits counted.
    map.restore(before);
    std::vector<CellIndex> all;
    for_each_cell(map.shape(), [&](Cell c) { all.push_back(map.shape().index(c)); });
    EXPECT_EQ(graph.updated(map.view(), all)->content_hash(), first);
  }
}

// What is open here opens or closes as a block, so that rings and unions of many placements at once are met too.
MapEdit block_edit(Draws& draw, const World& world) {
  const GridShape& shape = world.map.shape();
  const Cell at = random_cell(draw, shape);
  const TerrainId terrain = draw.percent(50) ? kWall : kFloor;
  MapEdit edit;
  const std::int32_t width = draw.between(1, 4), height = draw.between(1, 4);
  for (std::int32_t i = 0; i < width * height; ++i) {
    const Cell c{at.x + i % width, at.y + i / width, at.layer};
    if (shape.contains(c)) edit.cells.push_back({c, CellChange::terrain, terrain});
  }
  return edit;
}

// Every cell against the first of its own component and against a first cell of another one. Makes no numbers, so that
// notes pile up.
::testing::AssertionResult same_partition(const NavGraph& graph, const NavGraph& anew, Draws& draw) {
  const nav::CompiledGraph &x = graph.compiled(), &y = anew.compiled();
  std::vector<std::uint32_t> firsts;
  for (std::uint32_t i = 0; i < y.shape().padded_cells(); ++i) {
    if (y.footing({i}) != Footing::open) continue;
    const std::uint32_t label = y.component({i});
    if (label == firsts.size()) firsts.push_back(i);
    if (!x.components().connected(i, firsts[label])) return ::testing::AssertionFailure() << "cut off: index " << i;
    const std::uint32_t other = draw.below(static_cast<std::uint32_t>(firsts.size()));
    if (other != label && x.components().connected(firsts[other], i))
      return ::testing::AssertionFailure() << "joined: index " << i;
  }
  return ::testing::AssertionSuccess();
}

TEST(GraphProperty, ComponentsAreRightAfterEachOfThousandsOfEdits) {
  const std::uint64_t worlds = test::long_run() ? 2000 : 150;
  std::uint64_t carried = 0, anew = 0;
  for (std::uint64_t seed = 0; seed < worlds; ++seed) {
    Draws draw(2'000'000 + seed);
    World world = random_world(draw);
    if (draw.percent(50)) world.profile.footprint = 1, world.profile.body_radius.reset();
    NavGraph graph = test::graph_of(world.map.view(), world.profile);
    for (int step = 0; step < 40; ++step) {
      const Result<EditReport> report =
          world.map.apply(draw.percent(50) ? block_edit(draw, world) : random_edit(draw, world));
      ASSERT_TRUE(report.ok());
      graph = *graph.updated(world.map.view(), report->dirty);
      ++(graph.compiled().components().known() ? carried : anew);
      if (draw.percent(20)) continue;  // an edit that nobody asks about
      const NavGraph fresh = test::graph_of(world.map.view(), world.profile);
      ASSERT_TRUE(same_partition(graph, fresh, draw)) << "seed " << seed << ", step " << step;
      if (!draw.percent(10)) continue;
      ASSERT_TRUE(equal(graph, fresh)) << "seed " << seed << ", step " << step;
    }
  }
  EXPECT_GT(carried, anew);
  EXPECT_GT(anew, worlds);
}

// Past kMostNotes the labels are made anew; before that no question ever finds them unknown.
TEST(GraphProperty, NotesOfManyEditsStayRight) {
  for (const CornerRule corner : {CornerRule::strict, CornerRule::none}) {
    Draws draw(5);
    GridMap map = test::map_of(draw.rows(200, 200, 45));
    const MovementProfile profile = test::body(1, corner);
    NavGraph graph = test::graph_of(map.view(), profile);
    std::size_t unknown = 0;
    for (std::size_t step = 0; step < 3 * nav::LiveComponents::kMostNotes; ++step) {
      const Cell cell{draw.between(0, 199), draw.between(0, 199), 0};
      const Result<EditReport> report = map.apply(test::set_terrain(cell, kFloor));
      ASSERT_TRUE(report.ok());
      graph = *graph.updated(map.view(), report->dirty);
      if (!graph.compiled().components().known()) ++unknown;
      if (step % 8 != 0 && graph.compiled().components().known()) continue;
      ASSERT_TRUE(same_partition(graph, test::graph_of(map.view(), profile), draw)) << "step " << step;
    }
    EXPECT_GE(unknown, 1u);
    EXPECT_LE(unknown, 6u);
  }
}

// The thread sanitizer watches this one.
TEST(GraphProperty, ManyThreadsMayAskFirst) {
  Draws draw(11);
  GridMap map = test::map_of(draw.rows(200, 200, 35));
  NavGraph graph = test::graph_of(map.view());
  for (int cut = 0; cut < 20; ++cut) {
    MapEdit edit;
    for (int y = 0; y < 200; ++y) edit.cells.push_back({{10 * cut, y, 0}, CellChange::terrain, kWall});
    const Result<EditReport> report = map.apply(edit);
    ASSERT_TRUE(report.ok());
    graph = *graph.updated(map.view(), report->dirty);
    const NavGraph fresh = test::graph_of(map.view());
    std::vector<std::uint8_t> same(8);
    test::ThreadTasks tasks(8);
    base::parallel_for(tasks.host().tasks, same.size(), 1, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) {
        Draws mine(i);
        same[i] = same_partition(graph, fresh, mine) && graph.component_sizes() == fresh.component_sizes() ? 1 : 0;
      }
    });
    EXPECT_EQ(same, std::vector<std::uint8_t>(8, 1));
  }
}

TEST(GraphProperty, WorkersDoNotChangeTheGraph) {
  Draws draw(7);
  const GridMap map = test::map_of(draw.rows(300, 900, 30));
  const MovementProfile profile = test::body(2);
  const NavGraph serial = test::graph_of(map.view(), profile);
  for (const std::uint32_t workers : {1u, 2u, 3u, 8u}) {
    test::ThreadTasks tasks(workers);
    EXPECT_TRUE(equal(serial, test::graph_of(map.view(), profile, tasks.host()))) << workers;
  }
}

}  // namespace
}  // namespace drover

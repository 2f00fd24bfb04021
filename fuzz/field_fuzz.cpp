// SPDX-License-Identifier: MIT
// Bytes make a small world and edits of it: every engine at every level of vectors gives the textbook's answers, and
// a repaired field those of one that is built anew.
#include <drover/field.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "check.hpp"
#include "field/simd.hpp"

namespace drover::fuzz {
namespace {

// Zeros where the input ends.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
  std::uint32_t byte() { return at_ == end_ ? 0 : *at_++; }
  std::uint32_t below(std::uint32_t n) { return byte() % n; }
  std::uint32_t word() { return byte() | byte() << 8 | byte() << 16 | byte() << 24; }
  bool empty() const { return at_ == end_; }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

constexpr std::uint32_t kCosts[] = {1, 0, 2, 3, 9, 30, 255, 256, 4000, kMaxCellCost};
constexpr TerrainId kFirstOwn = 8;  // of the classes that a world adds

class World {
 public:
  explicit World(Bytes& in) : in_(in) {
    GridMapDef def;
    def.width = 1 + in_.below(70);
    def.height = 1 + in_.below(36);
    def.layers = 1 + in_.below(8) / 7;
    def.origin = {static_cast<std::int32_t>(in_.below(5)) - 2, 0, 0};
    for (char letter = 'a'; letter < 'c'; ++letter)
      def.terrain.push_back({std::string(1, letter), letter, kCosts[in_.below(10)], true});
    const std::uint32_t rule = in_.byte();
    profile_.moves = (rule & 1) != 0 ? Moves::four : Moves::eight;
    profile_.corner = static_cast<CornerRule>(rule / 2 % 3);
    profile_.costs = static_cast<CostBase>(rule / 6 % 3);
    profile_.footprint = static_cast<int>(std::min<std::int64_t>({1 + in_.below(16) / 12, def.width, def.height}));
    if (in_.below(8) == 7) def.slope = {in_.below(9), in_.below(9)};
    heights_ = def.slope != SlopeCost{};
    map_ = take(GridMap::create(def));
    for (std::uint32_t i = in_.below(8) / 4 * in_.below(4); i > 0; --i)
      take(map_.add_portal({any_cell(), any_cell(), kCosts[in_.below(10)], in_.below(4) != 3}));
    portals_ = map_.view().portals().size();
    goal_.placement = GoalPlacement::nearest;
    for (std::uint32_t i = 1 + in_.below(5); i > 0; --i) goal_.cells.push_back({any_cell(), offset()});
    edits_ = in_.below(5);
  }

  // The edits come before the ground, so that they stay what they are while that grows.
  void fill(std::vector<MapEdit>& edits) {
    for (std::uint32_t i = 0; i < edits_; ++i) edits.push_back(edit());
    MapEdit ground;
    for (std::uint32_t i = in_.below(8) / 5 * in_.below(24); i > 0; --i) ground.steps.push_back(step());
    const GridShape& shape = map_.shape();
    std::vector<std::int32_t> heights(static_cast<std::size_t>(shape.width()) *
                                      static_cast<std::size_t>(shape.height()));
    for (std::uint32_t n = 0; n < shape.cell_count() && !in_.empty(); ++n) {
      const std::uint32_t byte = in_.byte();
      if (heights_ && n < heights.size()) heights[n] = static_cast<std::int32_t>(byte / 8 % 8);
      ground.cells.push_back(change(cell(n), byte));
    }
    if (heights_) must(map_.set_heights(0, heights).ok());
    take(map_.apply(ground));
  }

  GridMap& map() { return map_; }
  const MovementProfile& profile() const { return profile_; }
  const GoalDef& goal() const { return goal_; }

  template <class T>
  static T take(Result<T> result) {
    must(result.ok());
    return *std::move(result);
  }

 private:
  Cell cell(std::uint32_t n) const {
    const GridShape& shape = map_.shape();
    const auto width = static_cast<std::uint32_t>(shape.width()), height = static_cast<std::uint32_t>(shape.height());
    return {shape.origin().x + static_cast<std::int32_t>(n % width),
            shape.origin().y + static_cast<std::int32_t>(n / width % height),
            static_cast<std::int32_t>(n / width / height)};
  }
  Cell any_cell() {
    const std::uint32_t n = in_.byte() | in_.byte() << 8;
    return cell(n % static_cast<std::uint32_t>(map_.shape().cell_count()));
  }
  static CellEdit change(Cell at, std::uint32_t byte) {
    constexpr TerrainId kClasses[] = {kFloor, kFloor, kFloor, kWall, kWall, kFirstOwn, kFirstOwn + 1, kFloor};
    return {at, byte % 8 == 7 ? CellChange::unknown : CellChange::terrain, kClasses[byte % 8]};
  }
  StepEdit step() {
    const std::uint32_t rule = in_.byte();
    return {{any_cell(), static_cast<Direction>(rule % 8)}, rule / 8 % 2 != 0, rule / 16 > 11 ? rule : 0};
  }
  MapEdit edit() {
    MapEdit edit;
    for (std::uint32_t i = 1 + in_.below(6); i > 0; --i) edit.cells.push_back(change(any_cell(), in_.byte()));
    for (std::uint32_t i = in_.below(8) / 6; i > 0; --i) edit.steps.push_back(step());
    if (portals_ > 0 && in_.below(4) == 3)
      edit.portals.push_back({in_.byte() % static_cast<std::uint32_t>(portals_), in_.below(2) != 0});
    return edit;
  }
  // Whole steps, odd ones, and some that need 64 bits.
  Cost offset() {
    const std::uint32_t kind = in_.below(8);
    return kind < 3 ? 0 : kind < 5 ? 10 * in_.below(32) : kind < 7 ? in_.word() % 500000 : Cost{in_.word()} << 20;
  }

  Bytes& in_;
  GridMap map_ = take(GridMap::create({1, 1}));
  MovementProfile profile_;
  GoalDef goal_;
  bool heights_ = false;
  std::size_t portals_ = 0;
  std::uint32_t edits_ = 0;
};

void must_equal(const FlowField& mine, const FlowField& want) {
  for (std::uint32_t p = 0; p < want.shape().padded_cells(); ++p) {
    const CellIndex i{p};
    must(mine.cost_to_goal(i) == want.cost_to_goal(i));
    must(mine.code(i) == want.code(i));
    must(mine.optimal_directions(i).bits == want.optimal_directions(i).bits);
    must(std::ranges::equal(mine.optimal_portals(i), want.optimal_portals(i)));
  }
  must(mine.digest() == want.digest());
}

void must_equal(const BuildReport& mine, const BuildReport& want) {
  must(mine.reachable == want.reachable && mine.unreachable == want.unreachable && mine.unknown == want.unknown);
  must(mine.max_cost == want.max_cost);
}

constexpr field::Simd kLevels[] = {field::Simd::avx512, field::Simd::avx2, field::Simd::sse4, field::Simd::scalar};
constexpr FieldEngine kEngines[] = {FieldEngine::automatic,  FieldEngine::queue,     FieldEngine::breadth_first,
                                    FieldEngine::two_cursor, FieldEngine::buckets,   FieldEngine::heap,
                                    FieldEngine::directed,   FieldEngine::bitboards, FieldEngine::sweep};

// The textbook's field; null where no goal has room, which all engines say then.
FieldRef check_engines(FieldBuilder& builder, const NavGraph& graph, const GoalDef& goal, BuildReport& said) {
  Result<FieldRef> want = builder.build(graph, goal, {FieldEngine::textbook}, &said);
  for (const field::Simd level : kLevels) {
    field::limit_simd(level);
    for (const FieldEngine engine : kEngines) {
      const bool vectors =
          engine == FieldEngine::automatic || engine == FieldEngine::bitboards || engine == FieldEngine::sweep;
      if (!vectors && level != field::Simd::scalar) continue;
      BuildReport report;
      const Result<FieldRef> field = builder.build(graph, goal, {engine}, &report);
      must(field.ok() == want.ok());
      if (!field) {
        expect_known(field.status());
        continue;
      }
      must_equal(**field, **want);
      must_equal(report, said);
    }
  }
  field::limit_simd(field::Simd::avx512);
  return want ? *std::move(want) : nullptr;
}

void check(Bytes in) {
  World world(in);
  std::vector<MapEdit> edits;
  world.fill(edits);
  NavGraph graph = World::take(NavGraph::compile(world.map().view(), world.profile()));
  FieldBuilder builder;
  BuildReport said;
  check_engines(builder, graph, world.goal(), said);
  Result<FieldRef> field = builder.build(graph, world.goal());
  for (const MapEdit& edit : edits) {
    const EditReport changed = World::take(world.map().apply(edit));
    NavGraph next = World::take(graph.updated(world.map().view(), changed.dirty));
    const FieldRef want = check_engines(builder, next, world.goal(), said);
    BuildReport report;
    Result<FieldRef> repaired = field ? builder.repair(*field, graph, next, world.goal(), {}, &report)
                                      : builder.build(next, world.goal(), {}, &report);
    must(repaired.ok() == (want != nullptr));
    if (repaired) {
      must_equal(**repaired, *want);
      must_equal(report, said);
    }
    field = std::move(repaired);
    graph = std::move(next);
  }
}

}  // namespace
}  // namespace drover::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  drover::fuzz::check(drover::fuzz::Bytes(data, size));
  return 0;
}

// SPDX-License-Identifier: MIT
// Cases from users about bundles: borrowed fields, slow readers, readers against a writer.
#include "cases/field_claims.hpp"

#include <drover/bundle.hpp>

#include <atomic>
#include <thread>

namespace drover::test {
namespace {

constexpr ProfileId kSmall{1, 1}, kBig{2, 1}, kSmallAgain{3, 1}, kDearer{4, 1};
constexpr GoalId kGoal{1, 1};

/// A map, one profile, one goal; every publication is a new generation.
class Town {
 public:
  explicit Town(const std::string& id) : table_(checks_of(id)[0]), case_(table_) {}

  void set(Cell cell, TerrainId terrain) {
    ASSERT_TRUE(case_.map->apply({{{cell, CellChange::terrain, terrain}}, {}}).ok());
  }
  BundleRef publish() {
    NavGraph graph = std::move(NavGraph::compile(case_.map->view(), case_.profile)).value();
    BundleEntry entry;
    entry.profile = kSmall;
    entry.goal = kGoal;
    entry.freshness = Freshness::current;
    entry.field = std::move(builder_.build(graph, case_.goal)).value();
    entry.stamp.field = ++generation_;
    std::vector<std::pair<ProfileId, NavGraph>> graphs{{kSmall, std::move(graph)}};
    auto bundle = std::make_shared<const NavBundle>(generation_, case_.map->view(), std::move(graphs),
                                                    std::vector<BundleEntry>{std::move(entry)});
    store.publish(bundle);
    return bundle;
  }
  const FieldBuilder& builder() const { return builder_; }
  std::uint64_t field_bytes() const { return store.snapshot()->entries()[0].field->bytes(); }

  NavStore store;

 private:
  toml::table table_;
  FieldCase case_;
  FieldBuilder builder_;
  std::uint64_t generation_ = 0;
};

TEST(PublishCases, footprint_field_is_never_borrowed) {
  const toml::table table = checks_of("footprint_field_is_never_borrowed")[0];
  const FieldCase c(table);
  const MapView map = c.map->view();
  MovementProfile small = c.profile, big = c.profile, again = c.profile, dearer = c.profile;
  big.footprint = 2;
  again.name = "small_again";
  again.body_radius = Fixed::ratio(1, 4);
  dearer.terrain = {{kFloor, 2, std::nullopt}};
  std::vector<std::pair<ProfileId, NavGraph>> graphs;
  for (const auto& [id, profile] : {std::pair{kSmall, small}, {kBig, big}, {kSmallAgain, again}, {kDearer, dearer}}) {
    graphs.emplace_back(id, std::move(NavGraph::compile(map, profile)).value());
  }
  EXPECT_EQ(graphs[0].second.content_hash(), graphs[2].second.content_hash());
  EXPECT_NE(graphs[0].second.content_hash(), graphs[1].second.content_hash());
  EXPECT_NE(graphs[0].second.content_hash(), graphs[3].second.content_hash());

  FieldBuilder builder;
  const FieldRef field = std::move(builder.build(graphs[0].second, c.goal)).value();
  const NavBundle bundle(1, map, graphs, {{kSmall, kGoal, Freshness::current, field, {}}});
  const Cell cell{0, 1, 0};
  for (const ProfileId other : {kBig, kDearer}) {
    const Lookup refused = bundle.look_up(field, other, cell);
    EXPECT_EQ(refused.state, CellState::profile_mismatch);
    EXPECT_EQ(refused.step.kind, Step::Kind::none);
    EXPECT_EQ(refused.cost, kInfiniteCost);
    EXPECT_EQ(bundle.look_up(other, kGoal, cell).state, CellState::not_ready);
  }
  for (const ProfileId own : {kSmall, kSmallAgain}) {
    const Lookup answer = bundle.look_up(field, own, cell);
    EXPECT_EQ(answer.state, CellState::reachable);
    EXPECT_EQ(answer.cost, 70u);
    EXPECT_EQ(answer.step.direction, Direction::east);
  }
}

// The case's one check is not a table of claims; the words of the list are asserted here.
TEST(PublishCases, publish_slow_reader) {
  Town town("publish_slow_reader");
  const Cell toggled{10, 10, 0}, beside{9, 9, 0};
  const BundleRef held = town.publish();
  const Lookup first = held->look_up(kSmall, kGoal, beside);
  EXPECT_EQ(first.cost, 23u * 14u);
  const std::uint64_t one_field = town.field_bytes();
  for (int i = 1; i <= 100; ++i) {
    town.set(toggled, i % 2 == 1 ? kWall : kFloor);
    town.publish();
    // The held bundle's field, and the current one's; never a queue of old ones behind the reader.
    EXPECT_EQ(town.builder().live_bytes(), 2 * one_field);
  }
  EXPECT_EQ(town.store.snapshot()->generation(), 101u);
  const Lookup again = held->look_up(kSmall, kGoal, beside);
  EXPECT_EQ(again.cost, first.cost);
  EXPECT_EQ(again.step.direction, first.step.direction);
  EXPECT_EQ(held->look_up(kSmall, kGoal, toggled).state, CellState::reachable);
}

TEST(PublishCases, publish_slow_reader_gives_its_field_back) {
  Town town("publish_slow_reader");
  BundleRef held = town.publish();
  town.set({10, 10, 0}, kWall);
  town.publish();
  const std::uint64_t one_field = town.field_bytes();
  held.reset();
  EXPECT_EQ(town.builder().live_bytes(), one_field);
  EXPECT_EQ(town.builder().pooled_bytes(), one_field);
}

struct Seen {
  std::uint64_t sum = 0, bytes = 0;
  friend bool operator==(const Seen&, const Seen&) = default;
};

Seen read_all(const NavBundle& bundle) {
  Seen seen;
  const FlowField& field = *bundle.entries()[0].field;
  for (std::uint32_t p = 0; p < field.shape().padded_cells(); ++p) {
    const Cost cost = field.cost_to_goal({p});
    if (cost != kInfiniteCost) seen.sum += cost;
    seen.bytes =
        (seen.bytes ^ field.code({p}) ^ std::uint64_t{field.optimal_directions({p}).bits} << 8) * 1099511628211u;
  }
  return seen;
}

TEST(PublishCases, publish_reader_against_writer) {
  run_case("publish_reader_against_writer", {"door"});
  Town town("publish_reader_against_writer");
  const Cell door{4, 2, 0};
  const Seen open = read_all(*town.publish());
  town.set(door, kWall);
  const Seen closed = read_all(*town.publish());
  EXPECT_EQ(open.sum, 1928u);
  EXPECT_EQ(closed.sum, 444u);

  std::atomic<bool> done{false};
  std::atomic<int> mixed{0}, reads{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&] {
      std::uint64_t newest = 0;
      while (!done.load()) {
        const BundleRef bundle = town.store.snapshot();
        const Seen seen = read_all(*bundle);
        const bool is_open = bundle->graph(kSmall).footing(door) == Footing::open;
        if (seen != (is_open ? open : closed) || bundle->generation() < newest) ++mixed;
        newest = bundle->generation();
        ++reads;
      }
    });
  }
  for (int i = 0; i < 1000 || reads.load() < 100; ++i) {
    town.set(door, i % 2 == 0 ? kFloor : kWall);
    town.publish();
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(mixed.load(), 0);
}

}  // namespace
}  // namespace drover::test

// SPDX-License-Identifier: MIT
// Random definitions: promises hold, regions are those of the compiled graph, hashes do not depend on vectors.
#include "field/simd.hpp"
#include "nav/compiled_graph.hpp"
#include "support/cave_oracle.hpp"
#include "support/data.hpp"
#include "support/grids.hpp"

#include <drover/cave.hpp>

namespace drover {
namespace {

CaveDef random_def(test::Draws& draws) {
  CaveDef def;
  def.width = 1 + draws.below(140);
  def.height = 1 + draws.below(60);
  def.seed = draws.below(1u << 30);
  def.walls_percent = static_cast<std::int32_t>(draws.below(101));
  def.mode = draws.percent(30) ? CaveMode::classic : CaveMode::refined;
  def.passes = static_cast<std::int32_t>(draws.below(4));
  def.generations = static_cast<std::int32_t>(draws.below(6));
  if (draws.percent(30)) def.rule = {draws.below(512), draws.below(512)};
  if (draws.percent(30)) def.min_room = draws.below(40);
  if (draws.percent(30)) def.min_pillar = draws.below(20);
  def.profile.footprint = draws.percent(60) ? 1 : 1 + static_cast<int>(draws.below(3));
  def.profile.moves = draws.percent(50) ? Moves::four : Moves::eight;
  def.profile.corner = static_cast<CornerRule>(draws.below(3));
  def.tunnel_width = def.profile.footprint + static_cast<std::int32_t>(draws.below(3));
  def.connect = static_cast<CaveConnect>(draws.below(3));
  def.origin = {draws.between(-500, 500), draws.between(-500, 500)};
  return def;
}

TEST(CaveProperty, RegionsAreThoseOfThePathfinder) {
  test::Draws draws(11);
  const int worlds = test::long_run() ? 20000 : 2000;
  int many = 0;
  for (int i = 0; i < worlds; ++i) {
    const CaveDef def = random_def(draws);
    const Result<Cave> cave = generate_cave(def);
    if (!cave.ok()) {
      ASSERT_TRUE(cave.status().code() == StatusCode::cave_empty || cave.status().code() == StatusCode::cave_promise)
          << cave.status().message();
      ASSERT_EQ(def.connect, CaveConnect::tunnels);
      continue;
    }
    if (def.profile.footprint > std::min(def.width, def.height)) {
      ASSERT_EQ(cave->regions(), 0u);
      continue;
    }
    const GridMap map = *cave->to_map();
    const std::vector<std::uint64_t> sizes = test::graph_of(map.view(), def.profile).compiled().component_sizes();
    ASSERT_EQ(cave->regions(), sizes.size()) << "world " << i;
    if (def.connect != CaveConnect::none) {
      ASSERT_LE(sizes.size(), 1u) << "world " << i;
    }
    many += sizes.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(many, worlds / 20);
}

TEST(CaveProperty, EveryInstructionSetMakesTheSameCave) {
  test::Draws draws(12);
  for (int i = 0; i < 300; ++i) {
    CaveDef def = random_def(draws);
    def.connect = CaveConnect::none;
    std::uint64_t first = 0;
    for (const field::Simd level : {field::Simd::scalar, field::Simd::sse4, field::Simd::avx2, field::Simd::avx512}) {
      field::limit_simd(level);
      const std::uint64_t hash = generate_cave(def)->content_hash();
      if (level == field::Simd::scalar) first = hash;
      EXPECT_EQ(hash, first) << "world " << i;
    }
    field::limit_simd(field::Simd::avx512);
  }
}

}  // namespace
}  // namespace drover

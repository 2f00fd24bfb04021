// SPDX-License-Identifier: MIT
// Caves of this version, cell for cell: other hashes are a break that the CHANGELOG tells.
#include "field/simd.hpp"

#include <gtest/gtest.h>
#include <drover/cave.hpp>

#include <string>
#include <vector>

namespace drover::test {
namespace {

struct Golden {
  const char* name;
  CaveDef def;
  std::uint64_t hash;
};

CaveDef sized(std::int64_t width, std::int64_t height, std::uint64_t seed) {
  CaveDef def;
  def.width = width;
  def.height = height;
  def.seed = seed;
  return def;
}

std::vector<Golden> caves() {
  std::vector<Golden> list;
  const auto add = [&](const char* name, std::uint64_t hash, CaveDef def) { list.push_back({name, def, hash}); };
  add("defaults", 0x457e55622d18ec16, {});
  add("large", 0xab45f4077191c38a, sized(1000, 1000, 7));
  CaveDef def = sized(50, 50, 1);
  def.mode = CaveMode::classic;
  add("classic", 0xc2f2b555fcdc84f4, def);
  def = sized(333, 129, 2);
  def.mode = CaveMode::classic;
  def.passes = 3;
  def.walls_percent = 40;
  add("classic, three passes", 0x74f85c8f56638534, def);
  def = sized(200, 100, 0xFFFFFFFFFFFFFFFF);
  def.rule = *CaveRule::parse("B678/S345678");
  def.generations = 4;
  def.connect = CaveConnect::none;
  add("another rule", 0xa428103832727022, def);
  def = sized(160, 90, 3);
  def.connect = CaveConnect::tunnels;
  def.min_room = 10;
  def.min_pillar = 6;
  add("tunnels", 0xbd3d4136a689065f, def);
  def.profile.footprint = 2;
  def.tunnel_width = 3;
  add("wide tunnels for a wide body", 0x4e85dddc4a8ec244, def);
  def.profile.footprint = 1;
  def.profile.corner = CornerRule::none;
  def.connect = CaveConnect::largest;
  add("a body that cuts corners", 0x74824668e88d9e3e, def);
  def = sized(300, 200, 4);
  def.border = CaveBorder::none;
  def.origin = {-1000003, 777};
  add("a window at negative coordinates", 0xe0d9160849d6a4fb, def);
  def = sized(64, 64, 5);
  def.walls_percent = 50;
  def.promise.min_floor_percent = 35;
  def.promise.start = Cell{32, 32};
  add("a promise that takes several starts", 0x5b7615bab55323c8, def);
  return list;
}

class GoldenCaves : public testing::TestWithParam<field::Simd> {
 protected:
  void SetUp() override { field::limit_simd(GetParam()); }
  void TearDown() override { field::limit_simd(field::Simd::avx512); }
};

TEST_P(GoldenCaves, AreTheSameOnEveryMachine) {
  for (const Golden& golden : caves()) {
    const Result<Cave> cave = generate_cave(golden.def);
    ASSERT_TRUE(cave.ok()) << golden.name << ": " << cave.status().message();
    EXPECT_EQ(cave->content_hash(), golden.hash) << golden.name;
  }
}

TEST_P(GoldenCaves, SoAreSpawns) {
  const GridMap map = *generate_cave(sized(120, 80, 11))->to_map();
  std::vector<SpawnDef> defs(3);
  defs[0].name = "player";
  defs[0].size = 6;
  defs[1].name = "stairs";
  defs[1].size = 2;
  defs[1].region_of = SpawnPlace(0u);
  defs[1].min_steps = 40;
  defs[2].name = "enemy";
  defs[2].size = 2;
  defs[2].count = 4;
  defs[2].region_of = defs[2].out_of_sight_of = SpawnPlace(0u);
  defs[2].spacing = 3;
  const Result<std::vector<Spawn>> spawns = place_spawns(map.view(), {}, defs, 99);
  ASSERT_TRUE(spawns.ok()) << spawns.status().message();
  std::string cells;
  for (const Spawn& s : *spawns) cells += std::to_string(s.cell.x) + "," + std::to_string(s.cell.y) + " ";
  EXPECT_EQ(cells, "60,10 13,12 34,63 25,61 51,47 100,60 ");
}

INSTANTIATE_TEST_SUITE_P(Levels, GoldenCaves,
                         testing::Values(field::Simd::scalar, field::Simd::sse4, field::Simd::avx2,
                                         field::Simd::avx512));

}  // namespace
}  // namespace drover::test

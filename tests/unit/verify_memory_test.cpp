// SPDX-License-Identifier: MIT
// The validator when memory runs out: nothing is thrown, and the run no longer looks clean.
#include <gtest/gtest.h>
#include <drover/verify.hpp>

#include "support/allowed_allocations.hpp"

#include <vector>

namespace drover {
namespace {

std::uint64_t violations_of_a_legal_run(const MapView& map, const std::vector<MovementProfile>& profiles,
                                        const std::vector<MoveRecord>& records, std::size_t allocations) {
  allowance = allocations;
  Validator v(map, profiles, {});
  for (std::uint64_t agent = 1; agent <= 3; ++agent) v.enter(agent, 0, {static_cast<std::int32_t>(agent), 1});
  v.tick(1, records);
  v.set_map(map);
  v.tick(2, {});
  v.leave(1);
  const std::uint64_t count = v.violations();
  const bool listed = v.first().size() <= count;
  allowance = ~std::size_t{0};
  EXPECT_TRUE(listed);
  return count;
}

TEST(ValidatorMemory, RunningOutAtAnyPointIsAViolationAndNothingIsThrown) {
  GridMapDef def;
  def.width = def.height = 8;
  const GridMap map = GridMap::create(def).value();
  const std::vector<MovementProfile> profiles(1);
  const std::vector<MoveRecord> records = {{1, {1, 1}, {1, 2}, 0}, {2, {2, 1}, {2, 2}, 0}, {3, {3, 1}, {3, 2}, 0}};
  std::size_t failed = 0;
  while (violations_of_a_legal_run(map.view(), profiles, records, failed) != 0) {
    ++failed;
    ASSERT_LT(failed, 1000u);
  }
  EXPECT_GT(failed, 10u);
}

}  // namespace
}  // namespace drover

// SPDX-License-Identifier: MIT
// Which profiles are valid.
#include <gtest/gtest.h>
#include <drover/profile.hpp>

#include <optional>
#include <string>

namespace drover {
namespace {

StatusCode code(const MovementProfile& p) { return p.validate(standard_terrain().size()).code(); }

TEST(MovementProfile, TheDefaultIsValid) {
  EXPECT_EQ(code({}), StatusCode::ok);
  EXPECT_EQ(MovementProfile().radius(), *Fixed::parse("0.35"));
}

// bad-input.md, the library's part of the row.
TEST(MovementProfile, body_size_senseless) {
  for (const int footprint : {0, -2, 9, 1000000000}) {
    MovementProfile p;
    p.footprint = footprint;
    const Status status = p.validate(8);
    EXPECT_EQ(status.code(), StatusCode::footprint) << footprint;
    EXPECT_NE(status.message().find("1 .. 8"), std::string::npos) << status.message();
  }
  for (const char* radius : {"0", "0.6", "-0.1"}) {
    MovementProfile p;
    p.body_radius = *Fixed::parse(radius);
    EXPECT_EQ(code(p), StatusCode::footprint) << radius;
  }
}

TEST(MovementProfile, ARadiusReachesFromAboveZeroToHalfTheFootprint) {
  for (int footprint = 1; footprint <= kMaxFootprint; ++footprint) {
    MovementProfile p;
    p.footprint = footprint;
    EXPECT_EQ(code(p), StatusCode::ok);
    p.body_radius = Fixed::ratio(footprint, 2);
    EXPECT_EQ(code(p), StatusCode::ok);
    p.body_radius = Fixed{Fixed::ratio(footprint, 2).raw + 1};
    EXPECT_EQ(code(p), StatusCode::footprint);
    p.body_radius = Fixed{1};
    EXPECT_EQ(code(p), StatusCode::ok);
  }
}

TEST(MovementProfile, CostsReachFromZeroTo2To20) {
  MovementProfile p;
  p.terrain = {{kFloor, 0u, std::nullopt}, {3, kMaxCellCost, std::nullopt}};
  EXPECT_EQ(code(p), StatusCode::ok);
  p.terrain = {{kFloor, kMaxCellCost + 1, std::nullopt}};
  EXPECT_EQ(code(p), StatusCode::cost_range);
}

TEST(MovementProfile, ATerrainClassIsOnTheMapAndStandsOnce) {
  MovementProfile p;
  p.terrain = {{8, 1u, std::nullopt}};
  EXPECT_EQ(code(p), StatusCode::argument);
  p.terrain = {{3, 1u, std::nullopt}, {3, 2u, std::nullopt}};
  EXPECT_EQ(code(p), StatusCode::argument);
}

TEST(StepCosts, AreTheDeclaredUnits) {
  EXPECT_EQ(step_costs(CostBase::uniform).diagonal, 1u);
  EXPECT_EQ(step_costs(CostBase::tens).diagonal, 14u);
  EXPECT_EQ(step_costs(CostBase::octile).straight, 985u);
  EXPECT_EQ(step_costs(CostBase::octile).diagonal, 1393u);
}

}  // namespace
}  // namespace drover

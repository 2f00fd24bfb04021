// SPDX-License-Identifier: MIT
// Two discs whose steps begin and end at different ticks, against an oracle in whole numbers of any size that goes
// through the ticks one by one, against a dense sampling of times, and against the validator's arithmetic.
#include "crowd/phases.hpp"
#include "oracle/big_integer.hpp"
#include "support/data.hpp"
#include "verify/timed_approach.hpp"

#include "base/counter_rng.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace drover::crowd {
namespace {

using oracle::Big;

enum Move : std::uint8_t { N, E, S, W, NE, SE, SW, NW, stay };

struct Pair {
  Body a, b;
  Phase phase_a, phase_b;
  int dx = 0, dy = 0;
};

int way_x(const Phase& p) { return p.moves() ? kDx[p.move] : 0; }
int way_y(const Phase& p) { return p.moves() ? kDy[p.move] : 0; }
std::uint32_t left(const Phase& p) { return p.moves() ? p.ticks - p.elapsed : 0; }

// The middle of b seen from that of a at a whole tick, in half cells times both durations.
struct Seen {
  Big x, y;
};
Seen seen(const Pair& p, std::uint32_t tick) {
  const long long ta = p.phase_a.ticks, tb = p.phase_b.ticks;
  const long long done_a = std::min(p.phase_a.elapsed + tick, p.phase_a.ticks),
                  done_b = std::min(p.phase_b.elapsed + tick, p.phase_b.ticks);
  const auto axis = [&](int offset, int of_a, int of_b) {
    const long long middle = 2 * offset + p.b.footprint - p.a.footprint;
    return Big(middle) * ta * tb + Big(2 * of_b) * done_b * ta - Big(2 * of_a) * done_a * tb;
  };
  return {axis(p.dx, way_x(p.phase_a), way_x(p.phase_b)), axis(p.dy, way_y(p.phase_a), way_y(p.phase_b))};
}

// From one tick to the next the distance is sqrt(quadratic): its least value is at an end or at the foot of the
// perpendicular.
bool apart_from_tick_to_tick(const Pair& p) {
  const Big scale = Big(p.phase_a.ticks) * Big(p.phase_b.ticks);
  const Big radii = Big(p.a.radius.raw + p.b.radius.raw) * scale;  // of half cells, with 31 fraction bits
  const Big square = radii * radii, unit = Big(1LL << 62);
  const auto far = [&](const Big& x, const Big& y) { return !((x * x + y * y) * unit < square); };
  const std::uint32_t ticks = std::max(left(p.phase_a), left(p.phase_b));
  for (std::uint32_t t = 0; t <= ticks; ++t) {
    const Seen from = seen(p, t);
    if (!far(from.x, from.y)) return false;
    if (t == ticks) break;
    const Seen to = seen(p, t + 1);
    const Big vx = to.x - from.x, vy = to.y - from.y;
    const Big along = from.x * vx + from.y * vy, speed = vx * vx + vy * vy;
    if (along.sign() >= 0 || !(-along < speed)) continue;
    const Big across = from.x * vy - from.y * vx;
    if (across * across * unit < square * speed) return false;
  }
  return true;
}

bool apart_for_the_validator(const Pair& p) {
  const std::uint32_t ticks = std::max(left(p.phase_a), left(p.phase_b));
  const int centre = p.b.footprint - p.a.footprint;
  for (std::uint32_t t = 0; t < std::max(ticks, 1u); ++t) {
    // Who has arrived stands at the end of its way.
    const auto course = [t](const Phase& phase) -> verify::Course {
      if (!phase.moves() || t >= left(phase)) return {};
      return {kDx[phase.move], kDy[phase.move], phase.ticks, phase.elapsed + t};
    };
    int x = p.dx, y = p.dy;
    if (p.phase_a.moves() && t >= left(p.phase_a)) x -= way_x(p.phase_a), y -= way_y(p.phase_a);
    if (p.phase_b.moves() && t >= left(p.phase_b)) x += way_x(p.phase_b), y += way_y(p.phase_b);
    if (verify::too_near(2 * x + centre, 2 * y + centre, course(p.phase_a), course(p.phase_b), p.a.radius + p.b.radius))
      return false;
  }
  return true;
}

// Nearest of 2,000 times.
double sampled(const Pair& p) {
  const double last = std::max(left(p.phase_a), left(p.phase_b));
  double least = 1e9;
  for (int i = 0; i <= 2000; ++i) {
    const double t = last * i / 2000;
    const auto part = [t](const Phase& phase) {
      return phase.moves() ? std::min(1.0, (phase.elapsed + t) / phase.ticks) : 0.0;
    };
    const double centre = (p.b.footprint - p.a.footprint) / 2.0;
    const double x = p.dx + centre + way_x(p.phase_b) * part(p.phase_b) - way_x(p.phase_a) * part(p.phase_a);
    const double y = p.dy + centre + way_y(p.phase_b) * part(p.phase_b) - way_y(p.phase_a) * part(p.phase_a);
    least = std::min(least, std::hypot(x, y));
  }
  return least;
}

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : rng_(seed, 5) {}
  std::uint32_t below(std::uint32_t bound) { return rng_.uniform(counter_++, bound); }
  Body body() {
    const auto k = static_cast<int>(1 + below(3));
    const std::int32_t hundredths =
        below(2) == 0 ? k * 50 - 15 : static_cast<std::int32_t>(1 + below(50 * static_cast<unsigned>(k)));
    return {k, Fixed::ratio(hundredths, 100)};
  }
  Phase phase(std::uint32_t longest) {
    Phase p;
    p.move = static_cast<std::uint8_t>(below(9));
    p.ticks = 1 + below(longest);
    p.elapsed = below(p.ticks);
    return p;
  }

 private:
  base::CounterRng rng_;
  std::uint64_t counter_ = 0;
};

TEST(Phases, EqualTheOracleAndTheValidatorAndNearlyTheSamples) {
  const std::uint64_t rounds = test::long_run() ? 400000 : 20000;
  std::uint64_t clear = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= rounds; ++seed) {
    Draws draw(seed);
    Pair p{draw.body(), draw.body(), draw.phase(9), draw.phase(9)};
    const int far = 4;
    p.dx = static_cast<int>(draw.below(2 * far + 1)) - far;
    p.dy = static_cast<int>(draw.below(2 * far + 1)) - far;
    const bool apart = stay_apart(BodyRule::discs, p.a, p.phase_a, p.b, p.phase_b, p.dx, p.dy);
    ASSERT_EQ(apart, apart_from_tick_to_tick(p)) << "seed " << seed;
    ASSERT_EQ(apart, apart_for_the_validator(p)) << "seed " << seed;
    const double least = sampled(p), radii = static_cast<double>(p.a.radius.raw + p.b.radius.raw) / 4294967296.0;
    ASSERT_FALSE(apart && least < radii - 1e-9) << "seed " << seed;
    ASSERT_FALSE(!apart && least > radii + 0.01) << "seed " << seed;
    ++(apart ? clear : refused);
  }
  EXPECT_GT(clear, rounds / 5);
  EXPECT_GT(refused, rounds / 10);
}

// As long as steps can get.
TEST(Phases, LongStepsEqualTheOracleToo) {
  const std::uint64_t rounds = test::long_run() ? 300 : 12;
  for (std::uint64_t seed = 1; seed <= rounds; ++seed) {
    Draws draw(seed);
    Pair p{draw.body(), draw.body(), draw.phase(seed % 3 == 0 ? 92682 : 3000), draw.phase(3000)};
    p.phase_a.elapsed = p.phase_a.ticks - std::min(p.phase_a.ticks, 500 + draw.below(500));
    p.phase_b.elapsed = p.phase_b.ticks - std::min(p.phase_b.ticks, 500 + draw.below(500));
    p.dx = static_cast<int>(draw.below(5)) - 2;
    p.dy = static_cast<int>(draw.below(5)) - 2;
    ASSERT_EQ(stay_apart(BodyRule::discs, p.a, p.phase_a, p.b, p.phase_b, p.dx, p.dy), apart_from_tick_to_tick(p))
        << "seed " << seed;
  }
}

// Steps that begin together and last equally long are those of the table.
TEST(Phases, StepsThatRunTogetherEqualTheTable) {
  PairTable table(BodyRule::discs);
  const Body bodies[] = {{1, Fixed::ratio(35, 100)}, {1, Fixed::ratio(45, 100)}, {2, Fixed::ratio(85, 100)}};
  for (const Body& body : bodies) table.add(body);
  for (std::uint8_t a = 0; a < 3; ++a)
    for (std::uint8_t b = 0; b < 3; ++b)
      for (int dy = -4; dy <= 4; ++dy)
        for (int dx = -4; dx <= 4; ++dx)
          for (std::uint8_t i = 0; i <= kStay; ++i)
            for (std::uint8_t j = 0; j <= kStay; ++j)
              for (const std::uint32_t ticks : {1u, 3u})
                ASSERT_EQ(stay_apart(BodyRule::discs, bodies[a], {i, 0, ticks}, bodies[b], {j, 0, ticks}, dx, dy),
                          table.clear(a, b, dx, dy, i, j))
                    << int{a} << " " << int{b} << " at " << dx << "," << dy << " moves " << int{i} << " " << int{j};
}

// Three cells apart along an axis nothing can happen: what a reservation looks at.
TEST(Phases, NobodyThreeCellsAwayMatters) {
  for (int ka = 1; ka <= 3; ++ka)
    for (int kb = 1; kb <= 3; ++kb) {
      const Body a{ka, Fixed::ratio(ka, 2)}, b{kb, Fixed::ratio(kb, 2)};
      for (int off = -4; off <= 4; ++off)
        for (std::uint8_t i = 0; i <= kStay; ++i)
          for (std::uint8_t j = 0; j <= kStay; ++j)
            for (std::uint32_t e = 0; e < 3; ++e) {
              EXPECT_TRUE(stay_apart(BodyRule::discs, a, {i, 0, 2}, b, {j, e, 3}, ka + 2, off));
              EXPECT_TRUE(stay_apart(BodyRule::discs, a, {i, 0, 2}, b, {j, e, 3}, off, -(kb + 2)));
            }
    }
}

const Body kSmall{1, Fixed::ratio(35, 100)};

bool apart(Phase a, Phase b, int dx, int dy) { return stay_apart(BodyRule::discs, kSmall, a, kSmall, b, dx, dy); }

// Together they come within 0.447; a leader with three quarters of its step behind it is out of the way.
TEST(Phases, FollowingRound135DegreesIsClearOnceTheLeaderIsFarEnough) {
  EXPECT_FALSE(apart({E, 0, 4}, {NW, 0, 4}, 1, 0));
  EXPECT_FALSE(apart({E, 0, 4}, {NW, 2, 4}, 1, 0));
  EXPECT_TRUE(apart({E, 0, 4}, {NW, 3, 4}, 1, 0));
}

TEST(Phases, CellsForbidExchangesAndCrossingsWheneverBothAreOnTheirWay) {
  const auto cells = [](Phase a, Phase b, int dx, int dy) {
    return stay_apart(BodyRule::cells, kSmall, a, kSmall, b, dx, dy);
  };
  EXPECT_FALSE(cells({E, 0, 2}, {W, 0, 3}, 1, 0));
  EXPECT_FALSE(cells({SE, 0, 2}, {SW, 3, 4}, 1, 0));
  EXPECT_TRUE(cells({E, 0, 2}, {NW, 0, 2}, 1, 0));
  EXPECT_TRUE(cells({E, 0, 2}, {stay, 0, 1}, 1, 1));
}

}  // namespace
}  // namespace drover::crowd

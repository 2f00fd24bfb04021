// SPDX-License-Identifier: MIT
// The validator against a judge that looks at every pair of agents at every rational time that can matter.
#include <gtest/gtest.h>
#include <drover/verify.hpp>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/data.hpp"
#include "verify/closest_approach.hpp"

namespace drover {
namespace {

// --- two moving points

// Every minimum inside the tick lies at a multiple of 1/|v|^2, so trying all times i/s with s up to 32 misses none.
TEST(ClosestApproach, EqualsTheLeastOverAllRationalTimes) {
  for (int dx = -4; dx <= 4; ++dx) {
    for (int dy = -4; dy <= 4; ++dy) {
      const int s = std::max(1, dx * dx + dy * dy);
      for (int x = -12; x <= 12; ++x) {
        for (int y = -12; y <= 12; ++y) {
          std::int64_t least = std::int64_t{1} << 40;  // times s * s
          for (int i = 0; i <= s; ++i) {
            const std::int64_t px = s * x + i * dx, py = s * y + i * dy;
            least = std::min(least, px * px + py * py);
          }
          const auto found = verify::closest_approach({x, y, dx, dy});
          ASSERT_EQ(found.numerator * s * s, least * found.denominator) << x << ' ' << y << ' ' << dx << ' ' << dy;
        }
      }
    }
  }
}

TEST(ClosestApproach, TouchingIsApartAndOneUnitMoreIsNot) {
  const Fixed one = Fixed::from_int(1), more{one.raw + 1}, less{one.raw - 1};
  EXPECT_TRUE(verify::apart({4, 1}, one));
  EXPECT_TRUE(verify::apart({4, 1}, less));
  EXPECT_FALSE(verify::apart({4, 1}, more));
  EXPECT_TRUE(verify::apart({128, 32}, one));
  EXPECT_FALSE(verify::apart({127, 32}, one));
  EXPECT_TRUE(verify::apart({256, 1}, Fixed::from_int(8)));
  EXPECT_FALSE(verify::apart({256, 1}, Fixed{Fixed::from_int(8).raw + 1}));
  EXPECT_FALSE(verify::apart({0, 1}, Fixed{1}));
}

// --- a world and the judge of all pairs

struct Walker {
  std::uint64_t key;
  std::uint32_t profile;
  Cell at;
};

struct World {
  std::vector<std::string> rows;
  std::vector<MovementProfile> profiles;
  std::vector<int> radii;  // sixteenths of a cell
  ValidatorRules rules;
  std::vector<Walker> walkers;

  bool fits(std::uint32_t profile, Cell at) const {
    const int size = profiles[profile].footprint;
    for (int y = at.y; y < at.y + size; ++y) {
      for (int x = at.x; x < at.x + size; ++x) {
        if (y < 0 || x < 0 || y >= static_cast<int>(rows.size()) || x >= static_cast<int>(rows[0].size())) return false;
        if (rows[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] != '.') return false;
      }
    }
    return true;
  }
  bool share(std::size_t a, Cell a_at, std::size_t b, Cell b_at) const {
    const int size_a = size(a), size_b = size(b);
    return a_at.x < b_at.x + size_b && b_at.x < a_at.x + size_a && a_at.y < b_at.y + size_b && b_at.y < a_at.y + size_a;
  }
  int size(std::size_t walker) const { return profiles[walkers[walker].profile].footprint; }
};

bool step_is_legal(const World& w, std::uint32_t profile, Cell from, Cell to) {
  const MovementProfile& p = w.profiles[profile];
  const int dx = to.x - from.x, dy = to.y - from.y;
  if (std::max(std::abs(dx), std::abs(dy)) != 1) return false;
  if (!w.fits(profile, to)) return false;
  if (dx == 0 || dy == 0) return true;
  if (p.moves == Moves::four) return false;
  const int free = (w.fits(profile, {to.x, from.y}) ? 1 : 0) + (w.fits(profile, {from.x, to.y}) ? 1 : 0);
  return p.corner == CornerRule::none || free == 2 || (free == 1 && p.corner == CornerRule::one_free);
}

// Times i/40 hold every minimum: |v|^2 of two steps is 1, 2, 4, 5 or 8. Unit of length: an eightieth of a cell.
bool bodies_clear(const World& w, std::size_t a, Cell a_to, std::size_t b, Cell b_to) {
  const Cell a_at = w.walkers[a].at, b_at = w.walkers[b].at;
  if (w.rules.bodies == BodyRule::cells && w.share(a, a_to, b, b_at) && w.share(a, a_at, b, b_to)) return false;
  const int centre = w.size(b) - w.size(a);
  const int x = 2 * (b_at.x - a_at.x) + centre, y = 2 * (b_at.y - a_at.y) + centre;
  const int dx = 2 * (b_to.x - b_at.x - a_to.x + a_at.x), dy = 2 * (b_to.y - b_at.y - a_to.y + a_at.y);
  const int reach =
      w.rules.bodies == BodyRule::cells ? 1 : 5 * (w.radii[w.walkers[a].profile] + w.radii[w.walkers[b].profile]);
  for (int i = 0; i <= 40; ++i) {
    const int px = 40 * x + i * dx, py = 40 * y + i * dy;
    if (px * px + py * py < reach * reach) return false;
  }
  return true;
}

/// An agent whose record (or whose standing there) breaks a rule, and the other one if it takes two.
struct Offence {
  std::size_t walker = 0, other = 0;
};

std::optional<Offence> offence_of_pairs(const World& w, const std::vector<Cell>& to) {
  for (std::size_t a = 0; a < to.size(); ++a) {
    for (std::size_t b = 0; b < to.size(); ++b) {
      if (a == b) continue;
      if (w.share(a, to[a], b, to[b]) || !bodies_clear(w, a, to[a], b, to[b])) return Offence{a, b};
      const bool moves = !(to[a] == w.walkers[a].at);
      if (w.rules.following == Following::forbidden && moves && w.share(a, to[a], b, w.walkers[b].at)) {
        return Offence{a, b};
      }
    }
  }
  return std::nullopt;
}

std::optional<Offence> first_offence(const World& w, std::uint64_t tick, const std::vector<MoveRecord>& records) {
  std::vector<Cell> to;
  for (const Walker& k : w.walkers) to.push_back(k.at);
  std::vector<bool> seen(to.size(), false);
  for (const MoveRecord& r : records) {
    std::size_t i = 0;
    while (i < to.size() && w.walkers[i].key != r.agent) ++i;
    if (i == to.size()) return Offence{};
    if (seen[i] || !(r.from == w.walkers[i].at) || r.start_tick + 1 != tick || r.ticks != 1 ||
        !step_is_legal(w, w.walkers[i].profile, r.from, r.to)) {
      return Offence{i, i};
    }
    seen[i] = true;
    to[i] = r.to;
  }
  return offence_of_pairs(w, to);
}

// --- making worlds, ticks and faults

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }

  World world() {
    World w;
    const int width = 4 + below(8), height = 3 + below(6), walls = below(25);
    for (int y = 0; y < height; ++y) {
      w.rows.emplace_back();
      for (int x = 0; x < width; ++x) w.rows.back() += below(100) < walls ? "#?W@"[below(4)] : '.';
    }
    for (int i = 0; i < 3; ++i) {
      MovementProfile p;
      p.footprint = std::max(1, below(5) - 1);
      w.radii.push_back(1 + below(8 * p.footprint));
      p.body_radius = Fixed::ratio(w.radii.back(), 16);
      p.moves = below(4) == 0 ? Moves::four : Moves::eight;
      p.corner = static_cast<CornerRule>(below(3));
      w.profiles.push_back(p);
    }
    w.rules.bodies = below(3) == 0 ? BodyRule::cells : BodyRule::discs;
    w.rules.following = below(4) == 0 ? Following::forbidden : Following::allowed;
    for (int tries = 1 + below(24); tries > 0; --tries) {
      const Walker k{static_cast<std::uint64_t>(1000 - tries),
                     static_cast<std::uint32_t>(below(3)),
                     {below(width), below(height)}};
      w.walkers.push_back(k);
      const std::size_t last = w.walkers.size() - 1;
      bool free = w.fits(k.profile, k.at);
      for (std::size_t i = 0; i < last; ++i) free = free && !w.share(i, w.walkers[i].at, last, k.at);
      if (!free) w.walkers.pop_back();
    }
    return w;
  }

  std::vector<MoveRecord> wishes(const World& w, std::uint64_t tick) {
    std::vector<MoveRecord> records;
    for (const Walker& k : w.walkers) {
      const int d = below(10);
      if (d >= kDirections) continue;
      const Cell to{k.at.x + kDx[d], k.at.y + kDy[d]};
      if (step_is_legal(w, k.profile, k.at, to)) records.push_back({k.key, k.at, to, tick - 1});
    }
    return records;
  }

  /// Wishes of which those that break a rule are dropped one by one.
  std::vector<MoveRecord> legal(const World& w, std::uint64_t tick) {
    std::vector<MoveRecord> records = wishes(w, tick);
    while (const auto offence = first_offence(w, tick, records)) {
      const auto drop = [&](std::size_t walker) {
        return std::erase_if(records, [&](const MoveRecord& r) { return r.agent == w.walkers[walker].key; });
      };
      if (drop(offence->walker) == 0) drop(offence->other);
    }
    return records;
  }

  void spoil(std::vector<MoveRecord>& records, const World& w) {
    const std::size_t i = random_() % records.size();
    MoveRecord& r = records[i];
    switch (below(8)) {
      case 0:
        r.from = {r.from.x + below(3) - 1, r.from.y + below(3) - 1};
        break;
      case 1:
        r.to = {r.to.x + below(5) - 2, r.to.y + below(5) - 2};
        break;
      case 2:
        r.to = w.walkers[random_() % w.walkers.size()].at;
        break;
      case 3:
        r.start_tick += static_cast<std::uint64_t>(below(2));
        break;
      case 4:
        records.push_back(r);
        break;
      case 5:
        r.agent = w.walkers[random_() % w.walkers.size()].key;
        break;
      case 6:
        records.erase(records.begin() + static_cast<std::ptrdiff_t>(i));
        break;
      default: {
        const int d = below(kDirections);
        r.to = {r.from.x + kDx[d], r.from.y + kDy[d]};
      }
    }
  }

 private:
  std::mt19937_64 random_;
};

GridMap map_of(const World& w) {
  const std::vector<std::string_view> rows(w.rows.begin(), w.rows.end());
  return GridMap::from_rows(rows).value();
}

Validator validator_of(const World& w) {
  Validator v(map_of(w).view(), w.profiles, w.rules);
  for (const Walker& k : w.walkers) v.enter(k.key, k.profile, k.at);
  return v;
}

std::string picture(const World& w, const std::vector<MoveRecord>& records) {
  std::string text = w.rules.bodies == BodyRule::cells ? "cells" : "discs";
  text += w.rules.following == Following::forbidden ? ", no following\n" : "\n";
  for (const std::string& row : w.rows) text += row + '\n';
  const auto name = [](Cell c) { return '(' + std::to_string(c.x) + ',' + std::to_string(c.y) + ')'; };
  for (const Walker& k : w.walkers) {
    text += std::to_string(k.key) + " size " + std::to_string(w.profiles[k.profile].footprint) + " radius " +
            std::to_string(w.radii[k.profile]) + "/16 at " + name(k.at) + '\n';
  }
  for (const MoveRecord& r : records)
    text += std::to_string(r.agent) + ": " + name(r.from) + " -> " + name(r.to) + '\n';
  return text;
}

void advance(World& w, const std::vector<MoveRecord>& records) {
  for (const MoveRecord& r : records) {
    for (Walker& k : w.walkers) {
      if (k.key == r.agent) k.at = r.to;
    }
  }
}

const int kWorlds = test::long_run() ? 100000 : 2000;

TEST(Validator, JudgesRandomTicksAsTheJudgeOfAllPairs) {
  int legal = 0, illegal = 0;
  for (int seed = 0; seed < kWorlds; ++seed) {
    Maker make(static_cast<std::uint64_t>(seed));
    const World w = make.world();
    const auto records = make.wishes(w, 1);
    Validator v = validator_of(w);
    ASSERT_EQ(v.violations(), 0u) << picture(w, {});
    v.tick(1, records);
    const bool offence = first_offence(w, 1, records).has_value();
    ASSERT_EQ(v.violations() > 0, offence) << "seed " << seed << ' ' << picture(w, records);
    ++(offence ? illegal : legal);
  }
  EXPECT_GT(legal, kWorlds / 10);
  EXPECT_GT(illegal, kWorlds / 10);
}

TEST(Validator, LetsALegalRunPassAndNoticesWhateverSpoilsIt) {
  int harmless = 0, harmful = 0;
  for (int seed = 0; seed < kWorlds / 4; ++seed) {
    Maker make(static_cast<std::uint64_t>(seed) + 1000000);
    World w = make.world();
    Validator run = validator_of(w);
    for (std::uint64_t tick = 1; tick <= 8; ++tick) {
      const auto records = make.legal(w, tick);
      run.tick(tick, records);
      ASSERT_EQ(run.violations(), 0u) << "seed " << seed << " tick " << tick << ' ' << picture(w, records);
      if (!records.empty()) {
        auto spoilt = records;
        make.spoil(spoilt, w);
        Validator judge = validator_of(w);
        judge.tick(tick, spoilt);
        const bool offence = first_offence(w, tick, spoilt).has_value();
        ASSERT_EQ(judge.violations() > 0, offence) << "seed " << seed << " tick " << tick << ' ' << picture(w, spoilt);
        ++(offence ? harmful : harmless);
      }
      advance(w, records);
    }
  }
  EXPECT_GT(harmless, kWorlds / 10);
  EXPECT_GT(harmful, kWorlds / 2);
}

}  // namespace
}  // namespace drover

// SPDX-License-Identifier: MIT
// Random scenes, baked twice.
#include "bake_bench.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/counter_rng.hpp"

namespace drover::bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr Fixed kRadius = Fixed::ratio(35, 100);

double us_since(Clock::time_point start) {
  return static_cast<double>((Clock::now() - start) / std::chrono::nanoseconds(1)) / 1e3;
}

double percentile(std::vector<double>& values, std::size_t percent) {
  std::sort(values.begin(), values.end());
  return values[(values.size() - 1) * percent / 100];
}

class Scene {
 public:
  Scene(std::int32_t size, std::uint64_t seed) : size_(size), rng_(seed, 0x424b) {}

  // In sixteenths of a unit.
  Fixed length(std::int32_t least, std::int32_t most) {
    return Fixed::ratio(least + static_cast<std::int32_t>(below(static_cast<std::uint32_t>(most - least + 1))), 16);
  }
  Position offset(std::int32_t most) { return {length(-most, most), length(-most, most)}; }

  Obstacle shape(std::uint32_t number) {
    Obstacle o;
    o.kind = static_cast<ObstacleKind>(number % 4);
    o.centre = {length(0, size_ * 16), length(0, size_ * 16)};
    switch (o.kind) {
      case ObstacleKind::circle:
        o.radius = length(8, 128);
        break;
      case ObstacleKind::capsule:
        o.points = {offset(160), offset(160)};
        o.radius = length(4, 32);
        break;
      case ObstacleKind::box:
        o.half = {length(8, 128), length(8, 128)};
        o.axis = {static_cast<std::int32_t>(below(200)) - 100, 1 + static_cast<std::int32_t>(below(100))};
        break;
      case ObstacleKind::polygon: {
        const std::uint32_t corners = 4 + below(9);
        for (std::uint32_t i = 0; i < corners; ++i) o.points.push_back(offset(160));
        if (below(4) == 0) o.holes.push_back({offset(64), offset(64), offset(64)});
        break;
      }
    }
    return o;
  }

 private:
  std::uint32_t below(std::uint32_t bound) { return rng_.uniform(draws_++, bound); }

  std::int32_t size_;
  base::CounterRng rng_;
  std::uint64_t draws_ = 0;
};

/// Counts of shapes by cell, from every cell of a shape's box.
class Plain {
 public:
  Plain(const GridShape& shape, const WorldFrame& frame) : shape_(shape), frame_(frame) {}

  void start() { counts_.assign(shape_.padded_cells(), 0); }
  void add(const Obstacle& o, int by) {
    const std::int64_t reach = reach_of(o).raw;
    const auto first = [](std::int64_t place) { return std::max<std::int64_t>(0, place >> Fixed::kFractionBits); };
    const auto last = [](std::int64_t place, std::int32_t size) {
      return std::min<std::int64_t>(size - 1, place >> Fixed::kFractionBits);
    };
    for (std::int64_t y = first(o.centre.y.raw - reach); y <= last(o.centre.y.raw + reach, shape_.height()); ++y) {
      for (std::int64_t x = first(o.centre.x.raw - reach); x <= last(o.centre.x.raw + reach, shape_.width()); ++x) {
        const Cell cell{static_cast<std::int32_t>(x), static_cast<std::int32_t>(y), 0};
        ++asked_;
        if (!overlaps_circle(o, frame_.centre(cell), kRadius)) continue;
        std::uint16_t& count = counts_[shape_.index(cell).value];
        count = static_cast<std::uint16_t>(count + by);
      }
    }
  }
  bool equals(const ObstacleBake& bake) const {
    for (std::uint32_t i = 0; i < counts_.size(); ++i) {
      if ((counts_[i] != 0) != bake.blocked({i})) return false;
    }
    return true;
  }
  std::uint64_t asked() const { return asked_; }

 private:
  static Fixed reach_of(const Obstacle& o) {
    std::int64_t reach = std::max(o.half.x.raw, o.half.y.raw) * 3 / 2;  // half a diagonal at least
    for (const Position& p : o.points) reach = std::max({reach, std::abs(p.x.raw), std::abs(p.y.raw)});
    for (const auto& hole : o.holes) {
      for (const Position& p : hole) reach = std::max({reach, std::abs(p.x.raw), std::abs(p.y.raw)});
    }
    return Fixed{reach} + o.radius + kRadius;
  }

  GridShape shape_;
  WorldFrame frame_;
  std::vector<std::uint16_t> counts_;
  std::uint64_t asked_ = 0;
};

struct Moves {
  std::vector<double> us, plain_us;
};

Result<Moves> walk(const BakeDef& def, Scene& scene, ObstacleBake& bake, Plain& plain) {
  Obstacle circle;
  circle.centre = {Fixed::ratio(def.size, 2), Fixed::ratio(def.size, 2)};
  circle.radius = Fixed::from_int(3);
  std::vector<CellIndex> changed;
  if (Status status = bake.add(circle, changed); !status.ok()) return status;
  plain.add(circle, 1);
  Moves out;
  for (std::uint32_t i = 0; i < def.moves; ++i) {
    Obstacle to = circle;
    const Position by = scene.offset(16);
    to.centre = {circle.centre.x + by.x, circle.centre.y + by.y};
    changed.clear();
    Clock::time_point start = Clock::now();
    Status status = bake.move(circle, to, changed);
    out.us.push_back(us_since(start));
    if (!status.ok()) return status;
    start = Clock::now();
    plain.add(to, 1);
    plain.add(circle, -1);
    out.plain_us.push_back(us_since(start));
    circle = to;
  }
  return out;
}

}  // namespace

Result<BakeFigures> measure_bake(const BakeDef& def, const Host& host,
                                 const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  const Result<GridShape> shape = GridShape::create(def.size, def.size);
  if (!shape) return shape.status();
  const WorldFrame frame(*shape);
  Scene scene(def.size, def.seed);
  std::vector<Obstacle> shapes;
  for (std::uint32_t i = 0; i < def.shapes; ++i) shapes.push_back(scene.shape(i));
  Result<ObstacleBake> bake = ObstacleBake::create(*shape, frame, kRadius, 1, host);
  Plain plain(*shape, frame);
  BakeFigures out;
  out.equal = true;
  std::vector<double> mine, other;
  std::vector<CellIndex> changed;
  for (std::uint32_t run = 0; run < def.runs; ++run) {
    changed.clear();
    Clock::time_point start = Clock::now();
    bake = ObstacleBake::create(*shape, frame, kRadius, 1, host);
    if (!bake) return bake.status();
    for (const Obstacle& o : shapes) {
      if (Status status = bake->add(o, changed); !status.ok()) return status;
    }
    mine.push_back(us_since(start) / 1e3);
    out.cells_asked = plain.asked();
    start = Clock::now();
    plain.start();
    for (const Obstacle& o : shapes) plain.add(o, 1);
    other.push_back(us_since(start) / 1e3);
    out.cells_asked = plain.asked() - out.cells_asked;
    out.equal = out.equal && plain.equals(*bake) && changed.size() == bake->blocked_cells();
    progress(run + 1, def.runs);
  }
  out.blocked = bake->blocked_cells();
  Result<Moves> moves = walk(def, scene, *bake, plain);
  if (!moves) return moves.status();
  out.equal = out.equal && plain.equals(*bake);
  out.bake_ms = percentile(mine, 50);
  out.baseline_ms = percentile(other, 50);
  out.move_median_us = percentile(moves->us, 50);
  out.move_p99_us = percentile(moves->us, 99);
  out.move_max_us = moves->us.back();
  out.move_baseline_us = percentile(moves->plain_us, 50);
  return out;
}

}  // namespace drover::bench

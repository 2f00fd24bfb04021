// SPDX-License-Identifier: MIT
// A map file in words, so that two can be compared and their difference read.
#pragma once
#include <drover/io.hpp>

#include <sstream>
#include <string>

namespace drover::test {

namespace words {

inline void add(std::ostream& out, Position p) { out << ' ' << p.x.raw << ',' << p.y.raw; }
inline void add(std::ostream& out, const std::vector<Position>& points) {
  out << " [";
  for (const Position p : points) add(out, p);
  out << " ]";
}
inline void add(std::ostream& out, const std::vector<Cell>& cells) {
  for (const Cell c : cells) out << ' ' << c.x << ',' << c.y << ',' << c.layer;
}
inline void add(std::ostream& out, const Obstacle& shape) {
  out << " kind " << static_cast<int>(shape.kind) << " at";
  add(out, shape.centre);
  out << " radius " << shape.radius.raw << " half";
  add(out, shape.half);
  out << " axis " << shape.axis.x << ',' << shape.axis.y;
  add(out, shape.points);
  for (const std::vector<Position>& hole : shape.holes) add(out, hole);
  out << " mask " << shape.layer_mask;
}

}  // namespace words

/// Everything but the file's name, places in it and warnings.
inline std::string in_words(const io::MapFile& map) {
  std::ostringstream out;
  out << map.cells.width << 'x' << map.cells.height << 'x' << map.cells.layers << " at " << map.origin.x << ','
      << map.origin.y << '\n';
  for (std::size_t i = 0; i < map.cells.cells.size(); ++i)
    out << static_cast<int>(map.cells.cells[i])
        << (static_cast<std::int64_t>(i + 1) % map.cells.width == 0 ? '\n' : ' ');
  for (const TerrainClass& kind : map.terrain)
    out << "terrain " << kind.name << ' ' << static_cast<int>(kind.letter) << ' ' << kind.cost << ' ' << kind.passable
        << '\n';
  for (const StepEdit& step : map.steps) {
    out << "step " << step.step.from.x << ',' << step.step.from.y << ',' << step.step.from.layer << ' '
        << to_string(step.step.direction) << ' ' << step.allowed << ' ' << step.extra << '\n';
  }
  for (const io::MapGoal& goal : map.goals) {
    out << "goal " << goal.name << ' ' << static_cast<int>(goal.on_arrival) << ' ' << goal.nearest;
    words::add(out, goal.cells);
    out << '\n';
  }
  for (const io::MapSpawn& spawn : map.spawns) {
    out << "spawn " << spawn.name << " profile " << spawn.profile << " goal " << spawn.goal << " count "
        << (spawn.count ? std::to_string(*spawn.count) : "-");
    words::add(out, spawn.cells);
    out << '\n';
  }
  for (const io::NamedObstacle& obstacle : map.obstacles) {
    out << "obstacle " << obstacle.name;
    words::add(out, obstacle.shape);
    for (const io::NamedObstacle::Stop& stop : obstacle.path) {
      out << " tick " << stop.tick;
      words::add(out, stop.at);
    }
    out << '\n';
  }
  return out.str();
}

}  // namespace drover::test

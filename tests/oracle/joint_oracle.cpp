// SPDX-License-Identifier: MIT
// Breadth-first over joint places, pair by pair from the rules as they are written.
#include "oracle/joint_oracle.hpp"

#include <set>

namespace drover::oracle {
namespace {

using Places = std::vector<int>;  // cell of each walker, or -1: gone

class Search {
 public:
  explicit Search(const JointWorld& world)
      : w_(world), width_(static_cast<int>(world.rows[0].size())), height_(static_cast<int>(world.rows.size())) {}

  int run(std::uint64_t most) {
    Places start;
    for (const JointWalker& a : w_.walkers) start.push_back(landed(a, a.y * width_ + a.x));
    std::set<Places> seen{start};
    std::vector<Places> now{start};
    for (int ticks = 0; !now.empty(); ++ticks) {
      std::vector<Places> later;
      for (const Places& places : now) {
        if (done(places)) return ticks;
        from_ = places;
        to_ = places;
        after_.clear();
        choose(0);
        for (const Places& next : after_)
          if (seen.insert(next).second) later.push_back(next);
        if (seen.size() > most) return -2;
      }
      now.swap(later);
    }
    return -1;
  }

 private:
  int landed(const JointWalker& a, int cell) const {
    return w_.vanish && cell == a.goal_y * width_ + a.goal_x ? -1 : cell;
  }
  bool done(const Places& places) const {
    for (std::size_t i = 0; i < places.size(); ++i)
      if (places[i] != -1 && places[i] != w_.walkers[i].goal_y * width_ + w_.walkers[i].goal_x) return false;
    return true;
  }
  bool floor(int x, int y) const {
    return x >= 0 && y >= 0 && x < width_ && y < height_ &&
           w_.rows[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] != '#';
  }
  void choose(std::size_t i) {
    if (i == from_.size()) {
      Places next;
      for (std::size_t k = 0; k < to_.size(); ++k) next.push_back(to_[k] == -1 ? -1 : landed(w_.walkers[k], to_[k]));
      after_.push_back(next);
      return;
    }
    if (from_[i] == -1) {
      to_[i] = -1;
      return choose(i + 1);
    }
    const int x = from_[i] % width_, y = from_[i] / width_;
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        const bool diagonal = dx != 0 && dy != 0;
        if (!floor(x + dx, y + dy) || (diagonal && !(w_.eight && floor(x + dx, y) && floor(x, y + dy)))) continue;
        to_[i] = (y + dy) * width_ + x + dx;
        bool together = true;
        for (std::size_t k = 0; k < i && together; ++k) together = from_[k] == -1 || may_run(k, i);
        if (together) choose(i + 1);
      }
  }
  // Places at the end differ, nobody exchanges or crosses, nobody follows where it is forbidden, discs stay apart.
  bool may_run(std::size_t a, std::size_t b) const {
    if (to_[a] == to_[b]) return false;
    if (!w_.following && (to_[a] == from_[b] || to_[b] == from_[a])) return false;
    const long long x = from_[b] % width_ - from_[a] % width_, y = from_[b] / width_ - from_[a] / width_;
    const long long x1 = to_[b] % width_ - to_[a] % width_, y1 = to_[b] / width_ - to_[a] / width_;
    const long long vx = x1 - x, vy = y1 - y, v2 = vx * vx + vy * vy;
    const long long least = w_.discs ? 4LL * w_.radius_percent * w_.radius_percent : 1;  // squared, of 10,000
    const auto far = [&](long long squared, long long over) { return squared * 10000 >= least * over; };
    // Nearest at time s / v2, if that is within the tick.
    const long long s = -(x * vx + y * vy);
    if (v2 == 0 || s <= 0) return far(x * x + y * y, 1);
    if (s >= v2) return far(x1 * x1 + y1 * y1, 1);
    const long long cross = x * vy - y * vx;
    return far(cross * cross, v2);
  }

  const JointWorld& w_;
  int width_, height_;
  Places from_, to_;
  std::vector<Places> after_;
};

}  // namespace

int joint_optimum(const JointWorld& world, std::uint64_t most) { return Search(world).run(most); }

}  // namespace drover::oracle

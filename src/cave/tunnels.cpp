// SPDX-License-Identifier: MIT
// One breadth-first search from all regions; Kruskal over the places where two of them meet.
#include "cave/tunnels.hpp"

#include <drover/geometry.hpp>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <vector>

namespace drover::cave {
namespace {

constexpr int kStraight = 4;  // directions before the diagonal ones
constexpr int kMostRounds = 8;

struct Meeting {
  std::uint32_t length, from, to;  // cells dug; the two anchors, by number
  friend bool operator<(const Meeting& a, const Meeting& b) noexcept {
    return std::tie(a.length, a.from, a.to) < std::tie(b.length, b.from, b.to);
  }
};

/// Anchors of the body inside the border, row by row.
class Digging {
 public:
  Digging(BitGrid& walls, const TunnelRules& rules)
      : walls_(walls),
        rules_(rules),
        across_(walls.width() - 1 - rules.footprint),
        down_(walls.height() - 1 - rules.footprint) {}

  /// False where nothing could be dug.
  bool dig(const Regions& regions) {
    if (across_ <= 0 || down_ <= 0 || rules_.width > std::min(walls_.width(), walls_.height()) - 2) return false;
    start(regions);
    spread();
    std::sort(meetings_.begin(), meetings_.end());
    parents_.resize(regions.count());
    std::iota(parents_.begin(), parents_.end(), 0u);
    bool dug = false;
    for (const Meeting& meeting : meetings_) {
      const std::uint32_t a = find(region_[meeting.from]), b = find(region_[meeting.to]);
      if (a == b) continue;
      parents_[std::max(a, b)] = std::min(a, b);
      dig_back(meeting.from);
      dig_back(meeting.to);
      dug = true;
    }
    return dug;
  }

 private:
  std::uint32_t number(std::int32_t x, std::int32_t y) const noexcept {
    return static_cast<std::uint32_t>(y - 1) * static_cast<std::uint32_t>(across_) + static_cast<std::uint32_t>(x - 1);
  }

  void start(const Regions& regions) {
    const std::size_t anchors = static_cast<std::size_t>(across_) * static_cast<std::size_t>(down_);
    region_.assign(anchors, Regions::kNone);
    distance_.assign(anchors, 0);
    queue_.clear();
    queue_.reserve(anchors);
    for (std::size_t i = 0; i < regions.runs().size(); ++i) {
      const Run& run = regions.runs()[i];
      if (run.y < 1 || run.y > down_) continue;
      for (std::int32_t x = std::max(run.begin, 1); x < std::min(run.end, across_ + 1); ++x) {
        region_[number(x, run.y)] = regions.region_of_run(i);
        queue_.push_back(number(x, run.y));
      }
    }
  }

  template <class Visit>
  void each_neighbour(std::uint32_t anchor, Visit&& visit) const {
    const auto x = static_cast<std::int32_t>(anchor % static_cast<std::uint32_t>(across_)),
               y = static_cast<std::int32_t>(anchor / static_cast<std::uint32_t>(across_));
    for (int d = 0; d < kStraight; ++d) {
      const std::int32_t nx = x + kDx[d], ny = y + kDy[d];
      if (nx < 0 || nx >= across_ || ny < 0 || ny >= down_) continue;
      if (!visit(number(nx + 1, ny + 1))) return;
    }
  }

  void spread() {
    meetings_.clear();
    for (std::size_t next = 0; next < queue_.size(); ++next) {
      const std::uint32_t here = queue_[next];
      each_neighbour(here, [&](std::uint32_t there) {
        if (region_[there] == Regions::kNone) {
          region_[there] = region_[here];
          distance_[there] = distance_[here] + 1;
          queue_.push_back(there);
        } else if (region_[there] != region_[here]) {
          meetings_.push_back({distance_[here] + distance_[there], std::min(here, there), std::max(here, there)});
        }
        return true;
      });
    }
  }

  std::uint32_t find(std::uint32_t region) noexcept {
    while (parents_[region] != region) region = parents_[region] = parents_[parents_[region]];
    return region;
  }

  void dig_back(std::uint32_t anchor) {
    while (distance_[anchor] != 0) {
      dig_at(anchor);
      each_neighbour(anchor, [&, here = anchor](std::uint32_t there) {
        if (region_[there] != region_[here] || distance_[there] + 1 != distance_[here]) return true;
        anchor = there;
        return false;
      });
    }
  }

  // The square of the tunnel lies so that it covers the body and no outermost cell.
  void dig_at(std::uint32_t anchor) {
    const auto x = static_cast<std::int32_t>(anchor % static_cast<std::uint32_t>(across_)) + 1,
               y = static_cast<std::int32_t>(anchor / static_cast<std::uint32_t>(across_)) + 1;
    const std::int32_t left = std::min(x, walls_.width() - 1 - rules_.width),
                       top = std::min(y, walls_.height() - 1 - rules_.width);
    for (std::int32_t row = top; row < top + rules_.width; ++row)
      set_run(walls_.row(row), left, left + rules_.width, false);
  }

  BitGrid& walls_;
  TunnelRules rules_;
  std::int32_t across_, down_;
  std::vector<std::uint32_t> region_, distance_, queue_, parents_;
  std::vector<Meeting> meetings_;
};

}  // namespace

bool dig_tunnels(BitGrid& walls, const TunnelRules& rules) {
  Digging digging(walls, rules);
  for (int round = 0; round < kMostRounds; ++round) {
    const Regions regions(room_for(walls, rules.footprint), true, rules.touch);
    if (regions.count() < 2) return regions.count() == 1;
    if (!digging.dig(regions)) return false;
  }
  return Regions(room_for(walls, rules.footprint), true, rules.touch).count() == 1;
}

}  // namespace drover::cave

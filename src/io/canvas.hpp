// SPDX-License-Identifier: MIT
// A picture in memory with the few shapes that maps need, edges smoothed.
#pragma once
#include "io/outline.hpp"
#include "io/png.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace drover::io {

inline Rgb mixed(Rgb a, Rgb b, double share) noexcept {
  const auto channel = [&](std::uint8_t from, std::uint8_t to) {
    return static_cast<std::uint8_t>(std::lround(from + (to - from) * std::clamp(share, 0.0, 1.0)));
  };
  return {channel(a.r, b.r), channel(a.g, b.g), channel(a.b, b.b)};
}

/// Positions are in pixels; the centre of the upper-left pixel is (0.5, 0.5). Everything outside is clipped.
class Canvas {
 public:
  Canvas(std::uint32_t width, std::uint32_t height, Rgb colour)
      : width_(width), height_(height), pixels_(std::size_t{width} * height, colour) {}

  std::uint32_t width() const noexcept { return width_; }
  std::uint32_t height() const noexcept { return height_; }
  const Rgb* row(std::uint32_t y) const noexcept { return pixels_.data() + std::size_t{y} * width_; }

  void blend(std::int64_t x, std::int64_t y, Rgb colour, double share) noexcept {
    if (x < 0 || y < 0 || x >= width_ || y >= height_) return;
    Rgb& pixel = pixels_[static_cast<std::size_t>(y) * width_ + static_cast<std::size_t>(x)];
    pixel = mixed(pixel, colour, share);
  }
  void fill(std::int64_t x, std::int64_t y, std::int64_t w, std::int64_t h, Rgb colour, double share = 1) noexcept {
    for (std::int64_t j = y; j < y + h; ++j) {
      for (std::int64_t i = x; i < x + w; ++i) blend(i, j, colour, share);
    }
  }
  /// Everything between the radii; `inner` 0 is a disc.
  void ring(double cx, double cy, double inner, double outer, Rgb colour, double share = 1) noexcept {
    const auto first = [](double v) { return static_cast<std::int64_t>(std::floor(v)); };
    for (std::int64_t y = first(cy - outer - 1); y <= first(cy + outer + 1); ++y) {
      for (std::int64_t x = first(cx - outer - 1); x <= first(cx + outer + 1); ++x) {
        const double distance = std::hypot(static_cast<double>(x) + 0.5 - cx, static_cast<double>(y) + 0.5 - cy);
        const double cover = std::min(outer - distance, inner > 0 ? distance - inner : 1e9) + 0.5;
        if (cover > 0) blend(x, y, colour, share * std::min(cover, 1.0));
      }
    }
  }
  void line(double x0, double y0, double x1, double y1, double thickness, Rgb colour, double share = 1) noexcept {
    const double reach = thickness / 2 + 1, dx = x1 - x0, dy = y1 - y0, length = dx * dx + dy * dy;
    const auto first = [](double v) { return static_cast<std::int64_t>(std::floor(v)); };
    for (std::int64_t y = first(std::min(y0, y1) - reach); y <= first(std::max(y0, y1) + reach); ++y) {
      for (std::int64_t x = first(std::min(x0, x1) - reach); x <= first(std::max(x0, x1) + reach); ++x) {
        const double px = static_cast<double>(x) + 0.5 - x0, py = static_cast<double>(y) + 0.5 - y0;
        const double t = length > 0 ? std::clamp((px * dx + py * dy) / length, 0.0, 1.0) : 0;
        const double cover = thickness / 2 - std::hypot(px - t * dx, py - t * dy) + 0.5;
        if (cover > 0) blend(x, y, colour, share * std::min(cover, 1.0));
      }
    }
  }
  /// What an odd number of rings surrounds, within the rows `top` .. `bottom` - 1.
  void solid(const DrawnRings& rings, std::int64_t top, std::int64_t bottom, Rgb colour, double share = 1) {
    constexpr int kLines = 4;  // looked along in each row of pixels
    std::vector<double> cover(width_), crossings;
    for (std::int64_t y = std::max<std::int64_t>(top, 0); y < std::min<std::int64_t>(bottom, height_); ++y) {
      std::fill(cover.begin(), cover.end(), 0.0);
      bool any = false;
      for (int line = 0; line < kLines; ++line) {
        cross(rings, static_cast<double>(y) + (line + 0.5) / kLines, crossings);
        any = any || !crossings.empty();
        for (std::size_t i = 0; i + 1 < crossings.size(); i += 2)
          add_span(cover, crossings[i], crossings[i + 1], kLines);
      }
      for (std::int64_t x = 0; any && x < width_; ++x) {
        if (const double part = cover[static_cast<std::size_t>(x)]; part > 0) blend(x, y, colour, share * part);
      }
    }
  }

 private:
  /// Where the rings cross a row, ascending; an even number.
  static void cross(const DrawnRings& rings, double y, std::vector<double>& crossings) {
    crossings.clear();
    for (const std::vector<DrawnPoint>& ring : rings) {
      for (std::size_t i = 0; i < ring.size(); ++i) {
        const DrawnPoint a = ring[i], b = ring[(i + 1) % ring.size()];
        if ((a.y > y) != (b.y > y)) crossings.push_back(a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y));
      }
    }
    std::sort(crossings.begin(), crossings.end());
  }
  void add_span(std::vector<double>& cover, double from, double to, int lines) const {
    from = std::clamp(from, 0.0, static_cast<double>(width_));
    to = std::clamp(to, 0.0, static_cast<double>(width_));
    for (double x = std::floor(from); x < to; ++x)
      cover[static_cast<std::size_t>(x)] += (std::min(to, x + 1) - std::max(from, x)) / lines;
  }

  std::uint32_t width_, height_;
  std::vector<Rgb> pixels_;
};

}  // namespace drover::io

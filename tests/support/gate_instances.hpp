// SPDX-License-Identifier: MIT
// Crowds that leave through a gate: drawn caves, rooms, walls and noise, and published instances.
#pragma once
#include "base/counter_rng.hpp"

#include <drover/geometry.hpp>
#include <drover/profile.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace drover::test {

struct GateInstance {
  std::vector<std::string> rows;  // '#' is wall
  Moves moves = Moves::four;
  std::vector<Cell> gates, starts;  // all different
};

enum class GateGround : std::uint8_t { cave, rooms, walls, noise };
inline constexpr int kGateGrounds = 4;

/// One drawn map; a pure function of the seed.
class GateDraw {
 public:
  GateDraw(std::uint64_t seed, GateGround ground, int size) : rng_(seed, 0x6a7e), size_(size) {
    rows_.assign(to_size(size), std::string(to_size(size), '.'));
    switch (ground) {
      case GateGround::cave:
        cave();
        break;
      case GateGround::rooms:
        rooms();
        break;
      case GateGround::walls:
        walls();
        break;
      case GateGround::noise:
        noise();
        break;
    }
    for (int i = 0; i < size_; ++i) at(i, 0) = at(i, size_ - 1) = at(0, i) = at(size_ - 1, i) = '#';
  }

  /// Gate cells side by side in the outermost free line of one side of the largest region, agents on `percent` of its
  /// cells. Nothing where no line is so wide.
  std::optional<GateInstance> instance(Moves moves, int width, std::uint32_t percent, std::size_t most) {
    keep_largest_region();
    GateInstance out;
    out.rows = rows_;
    out.moves = moves;
    out.gates = gate(width);
    if (out.gates.empty()) return std::nullopt;
    std::vector<Cell> free;
    for (int y = 0; y < size_; ++y)
      for (int x = 0; x < size_; ++x)
        if (at(x, y) == '.') free.push_back({x, y, 0});
    for (const Cell g : out.gates) std::erase(free, g);
    std::size_t count = free.size() * percent / 100;
    if (count > most) count = most;
    if (count < 2) return std::nullopt;
    for (std::size_t i = 0; i < count; ++i)
      std::swap(free[i], free[i + below(static_cast<std::uint32_t>(free.size() - i))]);
    out.starts.assign(free.begin(), free.begin() + static_cast<std::ptrdiff_t>(count));
    return out;
  }

  std::uint32_t below(std::uint32_t bound) { return rng_.uniform(counter_++, bound); }

 private:
  static std::size_t to_size(int n) { return static_cast<std::size_t>(n); }
  char& at(int x, int y) { return rows_[to_size(y)][to_size(x)]; }
  int between(int low, int high) { return low + static_cast<int>(below(static_cast<std::uint32_t>(high - low + 1))); }

  // The 5-of-9 automaton on 40 % walls with one free row, four times.
  void cave() {
    for (int y = 0; y < size_; ++y)
      for (int x = 0; x < size_; ++x)
        if (y != size_ / 2 && below(100) < 40) at(x, y) = '#';
    for (int pass = 0; pass < 4; ++pass) {
      for (int i = 0; i < size_; ++i) at(i, 0) = at(i, size_ - 1) = at(0, i) = at(size_ - 1, i) = '#';
      const std::vector<std::string> old = rows_;
      for (int y = 1; y < size_ - 1; ++y)
        for (int x = 1; x < size_ - 1; ++x) {
          int walls = 0;
          for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) walls += old[to_size(y + dy)][to_size(x + dx)] == '#';
          at(x, y) = walls >= 5 ? '#' : '.';
        }
    }
  }
  // A raster of walls with one or two doors in each side of a room.
  void rooms() {
    const int room = between(5, 12);
    for (int y = 0; y < size_; ++y)
      for (int x = 0; x < size_; ++x)
        if (x % room == 0 || y % room == 0) at(x, y) = '#';
    for (int y = 0; y < size_; y += room)
      for (int x = 0; x < size_; x += room)
        for (int doors = between(1, 2); doors > 0; --doors) {
          const int wide = between(1, 3), down = between(1, room - 1), right = between(1, room - 1);
          for (int i = 0; i < wide; ++i) {
            if (y + down + i < size_ && down + i < room) at(x, y + down + i) = '.';
            if (x + right + i < size_ && right + i < room) at(x + right + i, y) = '.';
          }
        }
  }
  void walls() {
    for (int n = size_ / 2; n > 0; --n) {
      const bool down = below(2) == 0;
      const int x = between(1, size_ - 2), y = between(1, size_ - 2);
      for (int length = between(2, size_ / 3), i = 0; i < length; ++i) {
        const int wx = down ? x : x + i, wy = down ? y + i : y;
        if (wx < size_ && wy < size_) at(wx, wy) = '#';
      }
    }
  }
  void noise() {
    const std::uint32_t walls = 5 + below(20);
    for (std::string& row : rows_)
      for (char& c : row)
        if (below(100) < walls) c = '#';
  }

  void keep_largest_region() {
    std::vector<std::pair<int, int>> best;
    std::vector<std::string> left = rows_;
    for (int y = 0; y < size_; ++y)
      for (int x = 0; x < size_; ++x) {
        std::vector<std::pair<int, int>> region;
        const auto take = [&](int cx, int cy) {
          if (left[to_size(cy)][to_size(cx)] != '.') return;
          left[to_size(cy)][to_size(cx)] = '#';
          region.emplace_back(cx, cy);
        };
        take(x, y);
        for (std::size_t i = 0; i < region.size(); ++i)
          for (int d = 0; d < 4; ++d) take(region[i].first + kDx[d], region[i].second + kDy[d]);
        if (region.size() > best.size()) best = std::move(region);
      }
    rows_.assign(to_size(size_), std::string(to_size(size_), '#'));
    for (const auto& [x, y] : best) at(x, y) = '.';
  }

  std::vector<Cell> gate(int width) {
    const bool column = below(2) == 0, far = below(2) == 0;
    for (int line = 1; line < size_ - 1; ++line)
      for (int first = 1; first + width < size_; ++first) {
        std::vector<Cell> cells;
        for (int i = 0; i < width; ++i) {
          const int l = far ? size_ - 1 - line : line;
          const Cell c{column ? l : first + i, column ? first + i : l, 0};
          if (at(c.x, c.y) == '.') cells.push_back(c);
        }
        if (cells.size() == to_size(width)) return cells;
      }
    return {};
  }

  base::CounterRng rng_;
  std::uint64_t counter_ = 0;
  int size_;
  std::vector<std::string> rows_;
};

/// Number `number` of its gate width: sizes 16 .. 64, both move sets, every kind of ground.
inline GateInstance gate_instance(int width, std::uint64_t number) {
  for (std::uint64_t attempt = 0;; ++attempt) {
    const std::uint64_t seed = (number << 20 | attempt) * 16 + static_cast<std::uint64_t>(width);
    const base::CounterRng rng(seed, 0x512e);
    const auto ground = static_cast<GateGround>(number % kGateGrounds);
    const Moves moves = number / kGateGrounds % 2 == 0 ? Moves::four : Moves::eight;
    const int size = 16 + static_cast<int>(rng.uniform(0, 49));
    GateDraw draw(seed, ground, size);
    if (auto out = draw.instance(moves, width, 5 + rng.uniform(1, 50), static_cast<std::size_t>(size) * 8))
      return *std::move(out);
  }
}

/// A file of type gate-evac-v1; nothing where it is none.
inline std::optional<GateInstance> read_gate(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string word, type;
  int connectivity = 0;
  std::size_t height = 0, width = 0;
  if (!(in >> word >> type >> word >> connectivity >> word >> height >> word >> width >> word)) return std::nullopt;
  GateInstance out;
  out.moves = connectivity == 4 ? Moves::four : Moves::eight;
  for (std::size_t y = 0; y < height && in >> word; ++y) {
    for (char& c : word) c = c == '.' ? '.' : '#';
    out.rows.push_back(word);
  }
  for (std::vector<Cell>* cells : {&out.gates, &out.starts}) {
    std::size_t count = 0;
    in >> word >> count;
    for (char comma; count > 0; --count) {
      Cell c;
      in >> c.x >> comma >> c.y;
      cells->push_back(c);
    }
  }
  if (type != "gate-evac-v1" || !in) return std::nullopt;
  return out;
}

}  // namespace drover::test

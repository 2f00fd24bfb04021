// SPDX-License-Identifier: MIT
// To one faction a fogged map is the map on which nobody knows what that faction does not.
#include <drover/field.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "field/field_bytes.hpp"
#include "support/data.hpp"
#include "support/grids.hpp"

namespace drover::test {
namespace {

/// A fogged map and, for each faction and for everyone, the map that it is to them.
class Sides {
 public:
  explicit Sides(Draws& draw) : draw_(draw), factions_(1 + draw.below(kMaxFactions)) {
    width_ = draw.percent(20) ? draw.between(60, 70) : draw.between(1, 24);  // also across words of 64
    const std::vector<std::string> rows = draw.rows(width_, draw.between(1, 20), draw.below(40));
    height_ = static_cast<std::int32_t>(rows.size());
    for (std::uint32_t f = 0; f <= factions_; ++f) maps_.push_back(map_of(rows));
    fogged_.emplace(map_of(rows));
    for (std::uint32_t f = 0; f < factions_; ++f) EXPECT_TRUE(fogged_->add_faction(std::to_string(f)).ok());
    for (const std::string& row : rows)
      for (const char letter : row) unknown_.emplace_back(factions_ + 1, letter == '?');
  }
  std::uint32_t factions() const { return factions_; }
  FactionId faction(std::uint32_t side) const { return side < factions_ ? static_cast<FactionId>(side) : kEveryone; }
  MapView fogged() const { return fogged_->view(); }
  MapView of(std::uint32_t side) const { return maps_[side].view(); }

  /// One batch. What changed on the fogged map.
  std::vector<CellIndex> edit(std::uint32_t cells) {
    MapEdit batch;
    std::vector<MapEdit> plain(maps_.size());
    for (; cells > 0; --cells) {
      const Cell cell{draw_.between(0, width_ - 1), draw_.between(0, height_ - 1)};
      const auto change = static_cast<CellChange>(draw_.below(3));
      const std::uint32_t side = draw_.below(factions_ + 1);
      const TerrainId terrain = draw_.percent(50) ? kFloor : kWall;
      if (!touched_once(batch, cell)) continue;
      batch.cells.push_back({cell, change, terrain, faction(side)});
      for (std::uint32_t s = 0; s < maps_.size(); ++s) tell(plain[s], s, batch.cells.back(), side);
    }
    for (std::uint32_t s = 0; s < maps_.size(); ++s) EXPECT_TRUE(maps_[s].apply(plain[s]).ok());
    const Result<EditReport> report = fogged_->apply(batch);
    EXPECT_TRUE(report.ok()) << report.status().message();
    return report->dirty;
  }

 private:
  static bool touched_once(const MapEdit& batch, Cell cell) {
    return std::none_of(batch.cells.begin(), batch.cells.end(), [&](const CellEdit& e) { return e.cell == cell; });
  }
  // In the words of a map without factions: the terrain first, then whether this side knows it.
  void tell(MapEdit& plain, std::uint32_t side, const CellEdit& edit, std::uint32_t whom) {
    std::vector<bool>& unknown = unknown_[static_cast<std::size_t>(edit.cell.y) * static_cast<std::size_t>(width_) +
                                          static_cast<std::size_t>(edit.cell.x)];
    const bool hides = edit.change == CellChange::unknown, everyone = whom == factions_;
    if (everyone || side == whom) {
      unknown[side] = hides;
    } else if (side == factions_ && !hides) {
      unknown[side] = false;  // no longer unknown to all
    }
    if (edit.change == CellChange::terrain) {
      // Apart from the rest, so that the class is there below what is unknown.
      EXPECT_TRUE(maps_[side].apply(set_terrain(edit.cell, edit.terrain)).ok());
    }
    plain.cells.push_back({edit.cell, unknown[side] ? CellChange::unknown : CellChange::known, kFloor});
  }

  Draws& draw_;
  std::uint32_t factions_;
  std::int32_t width_ = 1, height_ = 1;
  std::optional<GridMap> fogged_;
  std::vector<GridMap> maps_;
  std::vector<std::vector<bool>> unknown_;  // by cell, then side; the last one is everyone
};

// All but whose it is: cost, direction and ties of every cell, goals.
std::vector<std::byte> bytes_of(const FlowField& field) {
  base::ByteWriter out, maker;
  field::write_field(out, field);
  field::write_maker(maker, field);
  std::vector<std::byte> bytes(out.bytes().begin(), out.bytes().end());
  const auto at = std::search(bytes.begin(), bytes.end(), maker.bytes().begin(), maker.bytes().end());
  EXPECT_NE(at, bytes.end());
  bytes.erase(at, at + static_cast<std::ptrdiff_t>(maker.size()));
  return bytes;
}

void expect_the_same(FieldBuilder& builder, const NavGraph& fogged, const NavGraph& plain) {
  ASSERT_EQ(fogged.content_hash(), plain.content_hash());
  const GridShape& shape = plain.shape();
  for (std::int32_t n = 0; n < shape.width() * shape.height(); ++n) {
    const Cell goal{n % shape.width(), n / shape.width()};
    if (plain.footing(goal) != Footing::open) continue;
    const FieldRef a = *builder.build(fogged, {{{goal, 0}}, {}}), b = *builder.build(plain, {{{goal, 0}}, {}});
    ASSERT_EQ(a->digest(), b->digest());
    ASSERT_EQ(bytes_of(*a), bytes_of(*b));
    return;
  }
}

TEST(FogProperty, ToOneFactionItIsTheMapWhereNobodyKnowsWhatThatOneDoesNot) {
  FieldBuilder builder;
  const std::uint64_t worlds = long_run() ? 4000 : 300;
  for (std::uint64_t seed = 0; seed < worlds; ++seed) {
    SCOPED_TRACE(seed);
    Draws draw(seed + 0xf09);
    Sides sides(draw);
    MovementProfile profile = body(1 + static_cast<int>(draw.below(2)), static_cast<CornerRule>(draw.below(3)),
                                   draw.percent(70) ? Moves::eight : Moves::four);
    if (sides.fogged().shape().width() < 2 || sides.fogged().shape().height() < 2) profile.footprint = 1;
    sides.edit(draw.below(40));
    std::vector<NavGraph> graphs;
    for (std::uint32_t s = 0; s <= sides.factions(); ++s) {
      profile.faction = sides.faction(s);
      graphs.push_back(graph_of(sides.fogged(), profile));
    }
    for (int round = 0; round < 3; ++round) {
      for (std::uint32_t s = 0; s <= sides.factions(); ++s) {
        profile.faction = kEveryone;
        expect_the_same(builder, graphs[s], graph_of(sides.of(s), profile));
        if (HasFatalFailure()) return;
      }
      const std::vector<CellIndex> dirty = sides.edit(1 + draw.below(4));
      for (NavGraph& graph : graphs) graph = *graph.updated(sides.fogged(), dirty);
    }
  }
}

}  // namespace
}  // namespace drover::test

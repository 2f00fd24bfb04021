// SPDX-License-Identifier: MIT
// Caves from cellular automata, and places to start in them.
#pragma once
#include <drover/map.hpp>
#include <drover/profile.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace drover {

/// `classic`: the middle row (height / 2) starts open, then `passes` in place, row by row. `refined`: `generations` by
/// `rule`, each on a copy.
enum class CaveMode : std::uint8_t { refined, classic };

/// What becomes of floor that is apart. `largest`: only the largest region is kept. `tunnels`: regions are joined by
/// tunnels of `tunnel_width`, the shortest first.
enum class CaveConnect : std::uint8_t { none, largest, tunnels };

/// `wall`: the outermost cells are wall and stay so. `none`: a window of the endless cave of the seed; windows meet
/// without a seam, whatever their order.
enum class CaveBorder : std::uint8_t { wall, none };

/// With how many wall neighbours (of 8, bit n = n of them) floor becomes wall, and wall stays.
struct CaveRule {
  std::uint32_t birth = 0x1E0, survival = 0x1F0;  // B5678/S45678: five of nine
  friend constexpr bool operator==(const CaveRule&, const CaveRule&) noexcept = default;
  /// "B5678/S45678"; digits 0 .. 8, each once. Refuses anything else with `cave_range`.
  static Result<CaveRule> parse(std::string_view text);
  std::string text() const;
};

/// What must be true of the cave in the end, judged with the profile's moves, corner rule and size. Where it is not,
/// the next of at most kCaveAttempts random starts is tried.
struct CavePromise {
  bool floor = false;                  // the body can stand somewhere
  std::int32_t min_floor_percent = 0;  // 0 .. 100, of all cells
  std::optional<Cell> start, goal;     // the body can stand there; both: a way leads from one to the other
  std::uint64_t min_steps = 0;         // of the shortest such way
};
inline constexpr std::uint32_t kCaveAttempts = 16;

inline constexpr std::int64_t kMaxCaveSide = 1 << 16;
inline constexpr std::int32_t kMaxCaveGenerations = 1000;

struct CaveDef {
  std::int64_t width = 50, height = 50;  // 1 .. kMaxCaveSide, at most kMaxCells cells
  std::uint64_t seed = 1;
  std::int32_t walls_percent = 45;  // 0 .. 100: chance of a cell to start as wall
  CaveMode mode = CaveMode::refined;
  std::int32_t passes = 1;       // classic; 0 .. kMaxCaveGenerations
  std::int32_t generations = 5;  // refined; 0 .. kMaxCaveGenerations
  CaveRule rule;                 // refined
  CaveBorder border = CaveBorder::wall;
  Cell origin;                         // world cell in the upper-left corner
  std::int64_t min_room = 0;           // regions of fewer cells are filled
  std::int64_t min_pillar = 0;         // groups of fewer wall cells, apart from the border, are removed
  std::optional<CaveConnect> connect;  // default: largest if refined and bordered, else none
  std::int32_t tunnel_width = 1;       // 1 .. kMaxFootprint, at least the profile's footprint
  MovementProfile profile;             // whose moves, corner rule and footprint decide what is connected
  CavePromise promise;
  /// Takes the place of the random cells: what the profile cannot enter on its first layer is wall. Its size and origin
  /// replace those above; the border is not forced before the first generation.
  std::optional<MapView> start;

  CaveConnect connecting() const noexcept;
  /// `cave_range`, naming value and range; without a border also where more than fill and generations is asked for.
  /// `limit_cells` for a larger size.
  Status validate() const;
};

/// A finished cave, a bit a cell. Immutable and cheap to copy; any thread may read it.
class Cave {
 public:
  std::int32_t width() const noexcept;
  std::int32_t height() const noexcept;
  Cell origin() const noexcept;
  /// Outside is wall.
  bool wall(Cell c) const noexcept;
  /// Words of 64 cells of row `y` (0 .. height - 1), low bit first; 1 = wall, also beyond the width.
  std::span<const std::uint64_t> row(std::int32_t y) const noexcept;
  std::uint64_t floor_cells() const noexcept;
  /// Connected regions, for the profile that it was made for.
  std::uint32_t regions() const noexcept;
  /// Random starts that were tried, this one included.
  std::uint32_t attempts() const noexcept;
  /// Of size and cells: the same on every machine, whatever the instruction set or thread count.
  std::uint64_t content_hash() const noexcept;
  /// One layer of the standard terrain: floor and wall.
  Result<GridMap> to_map(const Host& host = {}) const;

 private:
  friend struct CaveMaker;
  struct Data;
  std::shared_ptr<const Data> data_;
};

/// A cave as a pure function of its definition. O(cells x generations / 64), and O(cells) more for tunnels. Errors:
/// cave_range; limit_cells; cave_empty or cave_promise where no attempt kept what was asked for (a region to connect, a
/// promise), naming what the last one lacked; out_of_memory. Any thread.
Result<Cave> generate_cave(const CaveDef& def);

/// A cell, or the first square of an earlier definition of the same call.
using SpawnPlace = std::variant<Cell, std::uint32_t>;

/// Something to put on a map: `count` squares of `size` x `size` free cells that nothing else of the call covers.
struct SpawnDef {
  std::string name;
  std::int32_t size = 1;  // 1 .. kMaxFootprint
  std::uint32_t count = 1;
  /// A way leads from there to each, for a body of `size`; where such a body has no room there, for the largest that
  /// has.
  std::optional<SpawnPlace> region_of;
  std::uint64_t min_steps = 0;  // of the shortest way from `region_of`, which is then needed
  std::uint64_t max_steps = ~std::uint64_t{0};
  std::int32_t spacing = 0;  // free cells between any two of this name, at least
  /// No clear line (as of GoalArea::in_sight) from there to any cell of the square.
  std::optional<SpawnPlace> out_of_sight_of;
};

struct Spawn {
  std::uint32_t def = 0;  // index among the definitions
  Cell cell;              // upper-left of its square
  friend bool operator==(const Spawn&, const Spawn&) noexcept = default;
};

/// Draws each place uniformly from all that fit, in the order of the definitions: always ends. `profile` says what may
/// be entered and how bodies move; its footprint is not used. O(cells) for each definition, and for each place where
/// there is a spacing. Errors: spawn_none, naming the definition, its size and the constraint that left nothing;
/// argument (sizes, a distance without a region, a definition that is not earlier or puts nothing); position (a cell
/// off the map); out_of_memory.
Result<std::vector<Spawn>> place_spawns(const MapView& map, const MovementProfile& profile,
                                        std::span<const SpawnDef> spawns, std::uint64_t seed);

}  // namespace drover

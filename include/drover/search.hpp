// SPDX-License-Identifier: MIT
// One way from one placement to another, who would lose every way if cells closed, and what can be seen: without a
// field.
#pragma once
#include <drover/field.hpp>
#include <drover/graph.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace drover {

/// Every outcome has a word of its own. `*_blocked`: a wall, or free ground without room for the body.
enum class PathStatus : std::uint8_t {
  found,
  unreachable,
  start_blocked,
  goal_blocked,
  start_unknown,
  goal_unknown,
  budget_exceeded
};
const char* to_string(PathStatus s) noexcept;

/// What a search takes for the rest of the way. `admissible`: octile for eight moves, Manhattan for four, both times
/// the least factor of the graph; nothing where a portal is cheaper than that. `manhattan_may_be_dearer` is Manhattan
/// for eight moves too: fewer cells are looked at, and the way found may not be the cheapest.
enum class Heuristic : std::uint8_t { admissible, manhattan_may_be_dearer };

/// `jump_points`: where eight moves, strict corners and one price leave nothing but straight and slanted ways to
/// choose, tens of times quicker than `astar`, bodies of any size too. `automatic` takes it there.
enum class PathAlgorithm : std::uint8_t { automatic, astar, jump_points };
const char* to_string(PathAlgorithm a) noexcept;

struct PathOptions {
  PathAlgorithm algorithm = PathAlgorithm::automatic;
  Heuristic heuristic = Heuristic::admissible;
  std::uint64_t budget = ~std::uint64_t{0};  // cells whose steps are tried, before the search gives up
};

struct Path {
  PathStatus status = PathStatus::unreachable;
  Cost cost = kInfiniteCost;                       // sum of the steps; infinite unless found
  std::vector<Cell> cells;                         // both ends too; empty unless found
  std::vector<Step> steps;                         // one less than cells
  std::uint64_t diagonals = 0;                     // among the steps
  std::uint64_t portals = 0;                       // among the steps
  std::uint64_t expanded = 0;                      // cells whose steps were tried, or jump points
  PathAlgorithm algorithm = PathAlgorithm::astar;  // that was taken
};

/// Shortest ways on the compiled graph: its legal steps and costs, one-ways, surcharges, portals, bodies up to 8 x 8;
/// by A*, or by jump points (Harabor and Grastien 2011, 2014) where they are valid.
///
/// Cost and reachability equal those of a field to the same goal. A* breaks ties by F, then H, then cell index; the
/// same graph and ends give the same path everywhere. Goals in another component are refused without looking at a cell.
/// Keeps 16 bytes a cell of scratch memory between searches, for each of the two algorithms that was used, and a bit a
/// cell for each of the last four graphs that jump points were searched on (kept up with edits): once grown, a search
/// allocates only in `path`, and nothing there either if it is used again. One thread at a time; one finder a thread.
class PathFinder {
 public:
  explicit PathFinder(const Host& host = {});
  ~PathFinder();
  PathFinder(PathFinder&&) noexcept;
  PathFinder& operator=(PathFinder&&) noexcept;

  /// Errors: argument (a null graph, a finder that was moved from, jump points where they are not valid), position (an
  /// end outside the map), out_of_memory;
  /// `path` is empty then.
  Status find(const NavGraph& graph, Cell from, Cell to, Path& path, const PathOptions& options = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// One search with memory of its own.
Result<Path> find_path(const NavGraph& graph, Cell from, Cell to, const PathOptions& options = {});

/// The corners that are left of a path where it is pulled straight: `waypoints` has both ends, the ends of its portals,
/// and of the cells between those that it must turn at. Nothing for a path that was not found.
///
/// Steps in one direction are one line, as they stand. Along any other line the body, its square swept along, enters no
/// cell where it does not fit, and none that is dearer than the cheapest cell that the line takes the place of; so
/// nothing is clipped, and the way is never longer. On graphs with one-ways, surcharges or portals there are no other
/// lines. O(cells of the path x 512). Errors: argument (a null graph, a path that is not one), position (a path of
/// another map), out_of_memory; `waypoints` is empty then. Any thread.
Status smooth_path(const NavGraph& graph, const Path& path, std::vector<Cell>& waypoints);

/// Who would lose every way: indices in the lists of goals and places, ascending; and how many would have one left.
struct LostWays {
  std::vector<std::uint32_t> goals, places;
  std::uint32_t goals_left = 0, places_left = 0;
};

/// Asks what closing some cells would take away, without an edit, a graph or a field: what a tower defence asks under
/// the mouse. The answer is what closing the cells, compiling and building would say, one-ways and portals included.
///
/// A place (the anchor of an agent) is lost if it has a way to one of the goals now and would have none. A goal is lost
/// if some place has a way to it now and none would; with no places given, if some other cell has. Ways may lead over
/// other goals; a place on a goal has one. Whoever's own placement closes loses every way it had. Closing a cell closes
/// every placement that covers it, and the steps that the corner rule then forbids.
///
/// Prepared once in O(cells) and O(goals + places) more for other goals and places of the same graph; a question costs
/// the runs of free cells in the rows of the closed cells, and O(log cells) for each goal, place and portal. On graphs
/// with forbidden steps preparing is O(cells) every time, and a question costs the cells whose way led over closed
/// ones. Once grown, questions allocate nothing. One thread at a time.
class BlockTester {
 public:
  explicit BlockTester(const Host& host = {});
  ~BlockTester();
  BlockTester(BlockTester&&) noexcept;
  BlockTester& operator=(BlockTester&&) noexcept;

  /// Holds the graph. Goals as placed; goals and places where the body cannot stand have no way to lose. Errors:
  /// argument (a null graph, a tester that was moved from), position (outside the map), out_of_memory; nothing is
  /// prepared then.
  Status prepare(const NavGraph& graph, std::span<const Cell> goals, std::span<const Cell> places);
  /// Closed cells may stand among `cells`; they change nothing. Errors: argument (nothing prepared), position,
  /// out_of_memory; `lost` is empty then.
  Status would_block(std::span<const Cell> cells, LostWays& lost);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A part of the view: directions from the first vector clockwise (on a map whose rows go down) to the second, both
/// included. Equal directions are one ray; a full circle is no cone at all.
struct SightCone {
  std::int32_t from_x = 1, from_y = 0, to_x = 1, to_y = 0;  // within +-32767; not 0, 0
};

struct Viewer {
  Cell at;
  std::uint32_t radius = 8;  // 0 .. kMaxGoalRadius: cells with dx^2 + dy^2 <= radius^2
  std::optional<SightCone> cone;
};

/// What somebody sees: cells on a clear line, by integers, so on every machine the same.
///
/// Two cells that are not opaque see each other or neither does: the line between their centres crosses the inside of
/// no opaque cell (one that touches a corner is clear), as in GoalArea::in_sight. Opaque cells are seen where a line
/// reaches any part of them, so walls along a corridor do not stay dark. A viewer sees its own cell always. With a cone
/// the centre of a cell must lie in it.
///
/// What is opaque is apart from what is solid: `opaque` says it of each terrain class, by TerrainId (classes beyond its
/// end are not); with none given, classes that are not passable. A closed door is opaque. Whether anybody knows a cell
/// does not matter.
///
/// O(cells of the discs), however large the map is. Scratch memory is kept, so once grown a look allocates nothing. One
/// thread at a time; one of these a thread. Source: A. Ford, Symmetric Shadowcasting (2017), by exact open intervals.
class FieldOfView {
 public:
  FieldOfView();
  ~FieldOfView();
  FieldOfView(FieldOfView&&) noexcept;
  FieldOfView& operator=(FieldOfView&&) noexcept;

  /// What all of them together see. Errors: position (a viewer outside the map), argument (a radius or a cone out of
  /// range, one that was moved from), out_of_memory; nothing is seen then.
  Status look(const MapView& map, std::span<const Viewer> viewers, std::span<const std::uint8_t> opaque = {});

  /// Of the last look().
  bool sees(Cell cell) const noexcept;
  std::uint64_t count() const noexcept;
  /// By layer, row and column.
  void cells(std::vector<Cell>& out) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Whether the line between the centres of two cells of a layer is clear, whatever the cells at its ends are: of cells
/// that are not opaque the same as a view of enough radius says. False across layers. O(distance), no memory. Errors:
/// position, argument (`opaque` as above).
Result<bool> sees(const MapView& map, Cell a, Cell b, std::span<const std::uint8_t> opaque = {});

}  // namespace drover

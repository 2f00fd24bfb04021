// SPDX-License-Identifier: MIT
// One way from one placement to another, and who would lose every way if cells closed: without a field.
#pragma once
#include <drover/field.hpp>
#include <drover/graph.hpp>

#include <cstdint>
#include <memory>
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

struct PathOptions {
  Heuristic heuristic = Heuristic::admissible;
  std::uint64_t budget = ~std::uint64_t{0};  // cells whose steps are tried, before the search gives up
};

struct Path {
  PathStatus status = PathStatus::unreachable;
  Cost cost = kInfiniteCost;    // sum of the steps; infinite unless found
  std::vector<Cell> cells;      // both ends too; empty unless found
  std::vector<Step> steps;      // one less than cells
  std::uint64_t diagonals = 0;  // among the steps
  std::uint64_t portals = 0;    // among the steps
  std::uint64_t expanded = 0;   // cells whose steps were tried
};

/// A* on the compiled graph: its legal steps and costs, one-ways, surcharges, portals, bodies up to 8 x 8.
///
/// Cost and reachability equal those of a field to the same goal. Ties go by F, then H, then cell index, so the same
/// graph and ends give the same path everywhere. Goals in another component are refused without looking at a cell.
/// Keeps 16 bytes a cell of scratch memory between searches, also of different maps: once grown, a search allocates
/// only in `path`, and nothing there either if it is used again. One thread at a time; one finder a thread.
class PathFinder {
 public:
  explicit PathFinder(const Host& host = {});
  ~PathFinder();
  PathFinder(PathFinder&&) noexcept;
  PathFinder& operator=(PathFinder&&) noexcept;

  /// Errors: argument (a null graph, a finder that was moved from), position (an end outside the map), out_of_memory;
  /// `path` is empty then.
  Status find(const NavGraph& graph, Cell from, Cell to, Path& path, const PathOptions& options = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// One search with memory of its own.
Result<Path> find_path(const NavGraph& graph, Cell from, Cell to, const PathOptions& options = {});

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

}  // namespace drover

// SPDX-License-Identifier: MIT
// drover path: one search, or every query of a MovingAI scenario against its stated length.
#include <drover/search.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <numeric>

#include "files.hpp"
#include "io/output.hpp"
#include "map_options.hpp"
#include "progress.hpp"
#include "stopwatch.hpp"
#include "tasks.hpp"

namespace drover::cli {

namespace {

// In straight steps; portals have no length.
double length_of(const Path& path) {
  const auto straight = static_cast<double>(path.steps.size() - path.diagonals - path.portals);
  return straight + std::numbers::sqrt2 * static_cast<double>(path.diagonals);
}

double number_of(Fixed f) { return std::ldexp(static_cast<double>(f.raw), -Fixed::kFractionBits); }

// What a file of queries came to.
struct Tally {
  std::uint64_t found = 0, wrong = 0;
  double max_error = 0;
  std::vector<std::uint64_t> ns;  // ascending once counted
  std::uint64_t wall_ns = 0;

  double us(std::uint64_t nanoseconds) const { return static_cast<double>(nanoseconds) / 1000; }
  std::uint64_t total_ns() const { return std::accumulate(ns.begin(), ns.end(), std::uint64_t{0}); }
  double mean_us() const { return ns.empty() ? 0 : us(total_ns()) / static_cast<double>(ns.size()); }
  /// Nearest rank.
  double percentile_us(std::size_t percent) const {
    return ns.empty() ? 0 : us(ns[std::max<std::size_t>((ns.size() * percent + 99) / 100, 1) - 1]);
  }
  double queries_per_second() const {
    return wall_ns == 0 ? 0 : static_cast<double>(ns.size()) * 1e9 / static_cast<double>(wall_ns);
  }
};

class PathCommand final : public Command {
 public:
  explicit PathCommand(CLI::App& app) {
    add_map_options(app, map_options_);
    app.add_option("--from", from_, "Where the way begins")->type_name("x,y[,layer]");
    app.add_option("--to", to_, "Where it ends")->type_name("x,y[,layer]");
    app.add_option("--scen", scen_, "Every query of a MovingAI scenario, its stated lengths checked; costs: octile")
        ->type_name("FILE");
    app.add_option("--algorithm", algorithm_, "How to search; every one gives the same cost [auto]")
        ->type_name("auto|astar|jps");
    app.add_flag("--smooth", smooth_,
                 "The corners that are left where the way is pulled straight, and its length then");
    app.add_option("--start-tick", start_tick_, "Not supported yet")->type_name("T");
    add_common(app, common_);
  }

  int run() override {
    check_options();
    if (!scen_.empty() && map_options_.costs.empty()) map_options_.costs = "octile";
    const LoadedMap loaded = load_map(map_options_);
    check_files(
        with_named({{"MAP", map_options_.map}, {"--weights", map_options_.weights}, {"--scen", scen_}}, loaded.inputs),
        {{"--json", common_.json}});
    const ThreadTasks tasks(threads_);
    const NavGraph graph = compile_graph(loaded, map_options_, tasks.host());
    need_ = memory_need(loaded);
    try {
      return scen_.empty() ? one_search(graph) : every_query(graph);
    } catch (const std::bad_alloc&) {
      refuse(io::no_memory(need_));
    }
  }

 private:
  void check_options() {
    if (!start_tick_.empty()) usage("--start-tick is not supported yet; leave it out");
    if (!algorithm_.empty())
      options_.algorithm = static_cast<PathAlgorithm>(choice("--algorithm", algorithm_, {"auto", "astar", "jps"}));
    threads_ = common_.thread_count();
    if (!scen_.empty()) {
      if (!from_.empty() || !to_.empty()) usage("--from or --to beside --scen; one of both is expected");
      if (smooth_) usage("--smooth beside --scen; --from x,y --to x,y is expected");
      return;
    }
    for (const auto& [option, text] : {std::pair{"--from", &from_}, std::pair{"--to", &to_}}) {
      if (text->empty()) usage(fmt::format("no {}; --from x,y --to x,y or --scen FILE is expected", option));
      if (!parse_cell(*text)) usage(fmt::format("{} {}; a cell x,y or x,y,layer is expected", option, *text));
    }
  }

  // Refuses what the map does not have before anything is searched.
  static Cell place(const NavGraph& graph, std::string_view option, const std::string& text) {
    const GridShape& shape = graph.shape();
    const Cell cell = *parse_cell(text);
    if (!shape.contains(cell)) {
      const Cell first = shape.origin();
      const Cell last{first.x + shape.width() - 1, first.y + shape.height() - 1, shape.layers() - 1};
      refuse(Status(StatusCode::position,
                    fmt::format("{} {} is not on the map; {} .. {} is expected", option, text,
                                io::cell_text(first, shape.layers()), io::cell_text(last, shape.layers()))));
    }
    return cell;
  }

  void find(const NavGraph& graph, Cell from, Cell to, Path& path) {
    const Status status = finder_.find(graph, from, to, path, options_);
    if (status.code() == StatusCode::out_of_memory) refuse(io::no_memory(need_));
    must(status);
    taken_ = path.algorithm;
  }

  int one_search(const NavGraph& graph) {
    const Cell from = place(graph, "--from", from_), to = place(graph, "--to", to_);
    Path path;
    const auto start = std::chrono::steady_clock::now();
    find(graph, from, to, path);
    const auto us = time_since<std::chrono::microseconds>(start);
    const std::int64_t layers = graph.shape().layers();
    std::string json = path_json(path, layers, us), text = path_text(path, layers, us);
    if (smooth_) add_waypoints(graph, path, layers, json, text);
    if (!common_.json.empty()) must(io::write_file(common_.json, json));
    if (common_.talks()) print(text);
    return 0;
  }

  static bool is_portal(const Path& path, Cell from, Cell to) {
    for (std::size_t i = 0; i < path.steps.size(); ++i)
      if (path.steps[i].kind == Step::Kind::portal && path.cells[i] == from && path.cells[i + 1] == to) return true;
    return false;
  }

  static void add_waypoints(const NavGraph& graph, const Path& path, std::int64_t layers, std::string& json,
                            std::string& text) {
    std::vector<Cell> ways;
    must(smooth_path(graph, path, ways));
    std::string list, line;
    double length = 0;
    for (std::size_t i = 0; i < ways.size(); ++i) {
      list += (i == 0 ? "" : ",") + cell_json(ways[i], layers);
      line += (i == 0 ? "" : " ") + io::cell_text(ways[i], layers);
      if (i > 0 && !is_portal(path, ways[i - 1], ways[i]))
        length += std::hypot(double{1} * ways[i].x - ways[i - 1].x, double{1} * ways[i].y - ways[i - 1].y);
    }
    json.resize(json.rfind('}'));
    json += fmt::format(",\"waypoints\":[{}],\"smooth_length\":{:.6f}}}\n", list, length);
    if (!ways.empty()) text += fmt::format("straight: length {:.6f}, {} points\n{}\n", length, ways.size(), line);
  }

  static std::string path_json(const Path& path, std::int64_t layers, std::uint64_t us) {
    std::string cells;
    for (const Cell& c : path.cells) cells += (cells.empty() ? "" : ",") + cell_json(c, layers);
    const bool found = path.status == PathStatus::found;
    return fmt::format(
        "{{\"status\":\"{}\",\"cost\":{},\"length\":{},\"cells\":[{}],\"expanded\":{},\"us\":{},\"algorithm\":"
        "\"{}\"}}\n",
        to_string(path.status), found ? fmt::to_string(path.cost) : "null",
        found ? fmt::format("{:.6f}", length_of(path)) : "null", cells, path.expanded, us, to_string(path.algorithm));
  }

  static std::string path_text(const Path& path, std::int64_t layers, std::uint64_t us) {
    const std::string effort = fmt::format("{} cells expanded, {} us", path.expanded, us);
    if (path.status != PathStatus::found) return fmt::format("{} ({})\n", to_string(path.status), effort);
    constexpr std::size_t kShown = 100;
    std::string text = fmt::format("found: cost {}, length {:.6f}, {} cells ({})\n", path.cost, length_of(path),
                                   path.cells.size(), effort);
    for (std::size_t i = 0; i < std::min(path.cells.size(), kShown); ++i)
      text += (i == 0 ? "" : " ") + io::cell_text(path.cells[i], layers);
    if (path.cells.size() > kShown) text += fmt::format(" and {} more (--json has all)", path.cells.size() - kShown);
    return text + "\n";
  }

  int every_query(const NavGraph& graph) {
    const std::string text = must(io::read_text_file(scen_, io::kScenFile));
    const std::vector<io::ScenQuery> queries = must(io::parse_scen(text, scen_, graph.shape()));
    Tally tally;
    tally.ns.reserve(queries.size());
    std::vector<std::string> wrong;
    {
      Progress progress(common_.talks() ? Progress::Show::on_terminal : Progress::Show::never, "queries",
                        queries.size());
      Path path;
      const auto loop = std::chrono::steady_clock::now();
      for (std::size_t i = 0; i < queries.size(); ++i) {
        const auto start = std::chrono::steady_clock::now();
        find(graph, queries[i].from, queries[i].to, path);
        tally.ns.push_back(time_since<std::chrono::nanoseconds>(start));
        if (std::string fault = check(queries[i], path, tally); !fault.empty()) {
          ++tally.wrong;
          if (wrong.size() < kShownWrong) wrong.push_back(std::move(fault));
        }
        progress.update(i + 1);
      }
      tally.wall_ns = time_since<std::chrono::nanoseconds>(loop);
    }
    std::sort(tally.ns.begin(), tally.ns.end());
    report(tally);
    for (const std::string& line : wrong) print_error("E_WRONG", line);
    return tally.wrong == 0 ? 0 : 1;
  }

  // What is wrong with the answer to a query, or an empty text.
  std::string check(const io::ScenQuery& query, const Path& path, Tally& tally) const {
    const double optimum = number_of(query.optimum);
    const bool found = path.status == PathStatus::found;
    const bool reachable = query.optimum > Fixed{} || query.from == query.to;
    tally.found += found ? 1u : 0u;
    const std::string stated = reachable ? fmt::format("length {:.6f}", optimum) : "no way";
    if (found && reachable) {
      const double error = std::abs(length_of(path) - optimum);
      tally.max_error = std::max(tally.max_error, error);
      if (error <= std::max(0.01, 2e-5 * optimum)) return {};
    } else if (found == reachable) {
      return {};
    }
    return fmt::format("{}:{}: from {} to {}: {}; {} is stated", io::printable(scen_), query.line,
                       io::cell_text(query.from), io::cell_text(query.to),
                       found ? fmt::format("length {:.6f}", length_of(path)) : to_string(path.status), stated);
  }

  void report(const Tally& t) const {
    const std::size_t queries = t.ns.size();
    if (!common_.json.empty()) {
      must(io::write_file(
          common_.json,
          fmt::format("{{\"queries\":{},\"found\":{},\"unreachable\":{},\"wrong\":{},\"max_error\":{:.6f},\"us_total\":"
                      "{:.3f},\"us_mean\":{:.3f},\"us_median\":{:.3f},\"us_p99\":{:.3f},\"queries_per_second\":{:.1f},"
                      "\"algorithm\":\"{}\"}}\n",
                      queries, t.found, queries - t.found, t.wrong, t.max_error, t.us(t.total_ns()), t.mean_us(),
                      t.percentile_us(50), t.percentile_us(99), t.queries_per_second(), to_string(taken_))));
    }
    if (!common_.talks()) return;
    print(
        fmt::format("{} queries: {} found, {} unreachable, {} wrong, largest error {:.6f}\n"
                    "{:.0f} queries a second; mean {:.1f} us, median {:.1f}, p99 {:.1f}\n",
                    queries, t.found, queries - t.found, t.wrong, t.max_error, t.queries_per_second(), t.mean_us(),
                    t.percentile_us(50), t.percentile_us(99)));
  }

  static constexpr std::size_t kShownWrong = 10;

  MapOptions map_options_;
  std::string from_, to_, scen_, algorithm_, start_tick_, need_;
  bool smooth_ = false;
  Common common_;
  std::uint32_t threads_ = 1;
  PathOptions options_;
  PathFinder finder_;
  PathAlgorithm taken_ = PathAlgorithm::astar;  // by the last search
};

}  // namespace

std::unique_ptr<Command> add_path(CLI::App& program, CLI::App*& app) {
  app = program.add_subcommand("path", "Find one way, or every way of a MovingAI scenario");
  return std::make_unique<PathCommand>(*app);
}

}  // namespace drover::cli

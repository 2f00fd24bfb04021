// SPDX-License-Identifier: MIT
// drover field: one flow field of a map, with its dumps and picture.
#include <fmt/format.h>
#include <drover/search.hpp>

#include <algorithm>
#include <chrono>
#include <numbers>
#include <utility>

#include "files.hpp"
#include "io/field_text.hpp"
#include "io/output.hpp"
#include "io/picture.hpp"
#include "map_options.hpp"
#include "stopwatch.hpp"
#include "tasks.hpp"

namespace drover::cli {

namespace {

struct FieldOptionsTyped {
  std::string engine, dump, directions, ties, steps, png, goal_of, nearest_from, edits, update, would_block;
  bool nearest = false;
};

class FieldCommand final : public Command {
 public:
  explicit FieldCommand(CLI::App& app) {
    add_map_options(app, map_options_);
    add_goal_option(app, map_options_);
    app.add_option("--engine", typed_.engine, "How to build it; every engine gives the same bytes [auto]")
        ->type_name("auto|textbook|queue|breadth_first|two_cursor|buckets|heap|directed|bitboards|sweep");
    app.add_option("--dump", typed_.dump, "Costs, one row a line")->type_name("FILE");
    app.add_option("--directions", typed_.directions, "Directions, one row a line")->type_name("FILE");
    app.add_option("--ties", typed_.ties, "Tie sets, two hex digits a cell")->type_name("FILE");
    app.add_option("--steps", typed_.steps, "Straight and diagonal steps of the way from each cell, as 3+2")
        ->type_name("FILE");
    app.add_option("--goal-of", typed_.goal_of, "Index of the goal that each cell leads to")->type_name("FILE");
    app.add_option("--png", typed_.png, "A picture of map and field")->type_name("FILE");
    app.add_flag("--nearest", typed_.nearest, "Move goals that cannot be stood on to the nearest cell that can");
    app.add_option("--nearest-from", typed_.nearest_from, "As --nearest, among the cells that can be reached from x,y")
        ->type_name("x,y");
    app.add_option("--edits", typed_.edits, "Lines x,y,char, applied after the first build")->type_name("FILE");
    app.add_option("--update", typed_.update, "How the field follows the edits; the same field either way [rebuild]")
        ->type_name("repair|rebuild");
    app.add_option("--would-block", typed_.would_block, "Who would lose every way if these cells closed")
        ->type_name("x,y[;x,y...]");
    add_common(app, common_);
  }

  int run() override {
    const FieldOptions options{check_options(), !typed_.steps.empty()};
    if (typed_.nearest || !typed_.nearest_from.empty()) map_options_.goals = GoalPlacement::nearest;
    LoadedMap loaded = load_map(map_options_);
    check_files(with_named({{"MAP", map_options_.map}, {"--weights", map_options_.weights}, {"--edits", typed_.edits}},
                           loaded.inputs),
                {{"--dump", typed_.dump},
                 {"--directions", typed_.directions},
                 {"--ties", typed_.ties},
                 {"--steps", typed_.steps},
                 {"--goal-of", typed_.goal_of},
                 {"--png", typed_.png},
                 {"--json", common_.json}});
    need_ = memory_need(loaded);
    for (const Cell& c : would_block_) {
      if (!loaded.map.shape().contains(c)) refuse_outside(c, loaded.map.shape());
    }
    try {
      build(loaded, options);
      if (!would_block_.empty()) ask_would_block(loaded);
      write_dumps(loaded);
    } catch (const std::bad_alloc&) {
      refuse(io::no_memory(need_));
    }
    report(loaded);
    return 0;
  }

 private:
  FieldEngine check_options() {
    if (!typed_.would_block.empty()) parse_would_block();
    if (!typed_.update.empty()) repairs_ = choice("--update", typed_.update, {"repair", "rebuild"}) == 0;
    if (!typed_.update.empty() && typed_.edits.empty()) usage("--update without --edits; --edits FILE is expected");
    if (!typed_.nearest_from.empty() && !parse_cell(typed_.nearest_from))
      usage(fmt::format("--nearest-from {}; a cell x,y is expected", typed_.nearest_from));
    threads_ = common_.thread_count();
    if (typed_.engine.empty()) return FieldEngine::automatic;
    constexpr FieldEngine kEngines[] = {FieldEngine::automatic,     FieldEngine::textbook,   FieldEngine::queue,
                                        FieldEngine::breadth_first, FieldEngine::two_cursor, FieldEngine::buckets,
                                        FieldEngine::heap,          FieldEngine::directed,   FieldEngine::bitboards,
                                        FieldEngine::sweep};
    return kEngines[choice("--engine", typed_.engine,
                           {"auto", "textbook", "queue", "breadth_first", "two_cursor", "buckets", "heap", "directed",
                            "bitboards", "sweep"},
                           {"bitboard"})];
  }

  void parse_would_block() {
    for (const io::Word& word : io::split_at(typed_.would_block, ';')) {
      const std::optional<Cell> cell = parse_cell(word.text);
      if (!cell) {
        usage(fmt::format("--would-block {}; cells such as 3,4 or 3,4,1, several with ';', are expected",
                          typed_.would_block));
      }
      would_block_.push_back(*cell);
    }
  }

  [[noreturn]] static void refuse_outside(Cell cell, const GridShape& shape) {
    refuse(
        Status(StatusCode::position, fmt::format("--would-block {}: outside; a cell of the {}x{} map is expected",
                                                 io::cell_text(cell, shape.layers()), shape.width(), shape.height())));
  }

  // On the map of the field, after its edits.
  void ask_would_block(const LoadedMap& loaded) {
    std::vector<Cell> goals, places;
    for (const PlacedGoal& goal : field_->goals()) goals.push_back(goal.placed);
    for (const LoadedMap::Agent& agent : loaded.agents) places.push_back(agent.at);
    BlockTester tester;
    LostWays lost;
    must(tester.prepare(graph_, goals, places));
    must(tester.would_block(would_block_, lost));
    for (const std::uint32_t i : lost.goals) lost_goals_.push_back(goals[i]);
    for (const std::uint32_t i : lost.places) lost_agents_.push_back(loaded.agents[i].key);
    std::sort(lost_agents_.begin(), lost_agents_.end());
  }

  void build(LoadedMap& loaded, const FieldOptions& options) {
    const ThreadTasks tasks(threads_);
    FieldBuilder builder(tasks.host());
    NavGraph& graph = graph_ = compile_graph(loaded, map_options_, tasks.host());
    GoalDef goal;
    if (loaded.named_goal.empty()) {
      goal.cells = parse_goal_cells(map_options_.goal);
    } else {
      goal = loaded.named_goal[0];
    }
    if (typed_.nearest) goal.placement = GoalPlacement::nearest;
    if (!typed_.nearest_from.empty()) {
      goal.placement = GoalPlacement::nearest;
      goal.nearest_from = parse_cell(typed_.nearest_from);
    }
    check_nearest_from(graph, goal);
    build_once([&] { return builder.build(graph, goal, options, &build_); }, tasks);
    if (typed_.edits.empty()) return;
    const std::string text = must(io::read_text_file(typed_.edits, io::kMapFile));
    MapEdit edit;
    edit.cells = must(io::parse_edits(text, typed_.edits, loaded.map.shape(), loaded.alphabet));
    const EditReport edited = must(loaded.map.apply(edit));
    const NavGraph before = graph;
    graph = repairs_ ? must(before.updated(loaded.map.view(), edited.dirty))
                     : compile_graph(loaded, map_options_, tasks.host());
    check_nearest_from(graph, goal);
    const FieldRef old = field_;
    build_once(
        [&] {
          return repairs_ ? builder.repair(old, before, graph, goal, options, &build_)
                          : builder.build(graph, goal, options, &build_);
        },
        tasks);
  }

  static void check_nearest_from(const NavGraph& graph, const GoalDef& goal) {
    if (!goal.nearest_from || graph.footing(*goal.nearest_from) == Footing::open) return;
    refuse(Status(StatusCode::position,
                  fmt::format("--nearest-from {}: the body cannot stand there; a free cell is expected",
                              io::cell_text(*goal.nearest_from, graph.shape().layers()))));
  }

  template <class Build>
  void build_once(Build&& build, const ThreadTasks& tasks) {
    const std::uint64_t busy = tasks.busy_ns();
    const auto start = std::chrono::steady_clock::now();
    Result<FieldRef> field = build();
    build_us_ = time_since<std::chrono::microseconds>(start);
    // The one parallel part of a build is the pass over directions.
    directions_us_ = (tasks.busy_ns() - busy) / 1000;
    if (!field && field.status().code() == StatusCode::out_of_memory) refuse(io::no_memory(need_));
    if (!field) {
      refuse(io::error_at(
          field.status().code(), {map_options_.map, 0, 0},
          field.status().message() + "; cells where the body can stand are expected (--nearest moves goals)"));
    }
    field_ = *std::move(field);
  }

  void write_dumps(const LoadedMap& loaded) const {
    if (!typed_.dump.empty()) must(io::write_file(typed_.dump, io::costs_text(*field_)));
    if (!typed_.directions.empty()) must(io::write_file(typed_.directions, io::directions_text(*field_)));
    if (!typed_.ties.empty()) must(io::write_file(typed_.ties, io::ties_text(*field_)));
    if (!typed_.steps.empty()) must(io::write_file(typed_.steps, io::steps_text(*field_)));
    if (!typed_.goal_of.empty()) must(io::write_file(typed_.goal_of, io::goal_indices_text(*field_)));
    if (!typed_.png.empty()) {
      io::PictureDef picture;
      picture.field = field_.get();
      must(io::write_picture(typed_.png, loaded.map.view(), picture));
    }
  }

  static std::string status_word(StatusCode code) {
    if (code == StatusCode::ok) return "ok";
    std::string word = std::string(error_name(code)).substr(2);
    for (char& c : word) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    return word;
  }

  std::string would_block_json(std::int64_t layers) const {
    if (would_block_.empty()) return {};
    std::string goals;
    for (const Cell c : lost_goals_) goals += (goals.empty() ? "" : ",") + cell_json(c, layers);
    return fmt::format(",\"would_block\":{{\"goals\":[{}],\"agents\":[{}]}}", goals, fmt::join(lost_agents_, ","));
  }

  std::string would_block_text(std::int64_t layers) const {
    if (would_block_.empty()) return {};
    if (lost_goals_.empty() && lost_agents_.empty())
      return fmt::format("if {} closed, nobody would lose every way\n", typed_.would_block);
    std::string text = fmt::format("if {} closed, every way would be lost to", typed_.would_block);
    const char* before = " goal ";
    for (const Cell c : lost_goals_) text += std::exchange(before, ", ") + io::cell_text(c, layers);
    before = lost_goals_.empty() ? " agent " : "; agent ";
    for (const std::uint64_t key : lost_agents_) text += std::exchange(before, ", ") + std::to_string(key);
    return text + "\n";
  }

  void report(const LoadedMap& loaded) const {
    const GridShape& shape = loaded.map.shape();
    if (!common_.json.empty()) {
      std::string goals;
      for (const PlacedGoal& g : field_->goals()) {
        goals += fmt::format("{}{{\"cell\":{},\"status\":\"{}\",\"placed\":{},\"rank\":\"{}\"}}",
                             goals.empty() ? "" : ",", cell_json(g.asked, shape.layers()), status_word(g.status),
                             cell_json(g.placed, shape.layers()), to_string(g.rank));
      }
      must(io::write_file(
          common_.json,
          fmt::format(
              "{{\"width\":{},\"height\":{},\"layers\":{},\"reachable\":{},\"unreachable\":{},\"unknown\":{},\"max_"
              "cost\":{},"
              "\"engine\":\"{}\",\"engine_reason\":\"{}\",\"cost_bits\":{},\"build_us\":{},\"directions_us\":{},"
              "\"threads\":{},\"digest\":\"{:016x}\",\"map_digest\":\"{:016x}\",\"goals\":[{}]{}}}\n",
              shape.width(), shape.height(), shape.layers(), build_.reachable, build_.unreachable, build_.unknown,
              build_.max_cost, engine_word(), build_.reason, build_.cost_bits, build_us_, directions_us_, threads_,
              field_->digest(), loaded.map.view().content_digest(), goals,
              update_json() + steps_json() + would_block_json(shape.layers()))));
    }
    if (!common_.talks()) return;
    std::string text =
        fmt::format("{} x {} cells: {} reachable, {} unreachable, {} unknown; dearest way {}\n", shape.width(),
                    shape.height(), build_.reachable, build_.unreachable, build_.unknown, build_.max_cost);
    text += goals_text();
    text += fmt::format("engine {} ({} us, directions {} us), digest {:016x}\n", engine_word(), build_us_,
                        directions_us_, field_->digest());
    if (repairs_ && build_.repaired)
      text += fmt::format("repaired: {} costs found anew, {} pages copied\n", build_.touched, build_.pages_copied);
    if (repairs_ && !build_.repaired) text += fmt::format("built again: {}\n", build_.not_repaired);
    text += would_block_text(shape.layers());
    if (!typed_.png.empty()) text += fmt::format("picture: {}\n", io::printable(typed_.png));
    print(text);
  }

  const char* engine_word() const { return build_.repaired ? "repair" : to_string(build_.engine); }

  // Empty without --update repair.
  std::string update_json() const {
    if (!repairs_) return {};
    return fmt::format(",\"repaired\":{},\"touched\":{},\"pages_copied\":{},\"not_repaired\":\"{}\"", build_.repaired,
                       build_.touched, build_.pages_copied, build_.not_repaired);
  }

  // What is not as it was asked.
  std::string goals_text() const {
    constexpr std::size_t kShown = 20;
    const std::int64_t layers = field_->shape().layers();
    std::string text;
    std::size_t lines = 0;
    for (const PlacedGoal& g : field_->goals()) {
      if ((g.placed == g.asked && g.rank == GoalRank::counts) || lines++ >= kShown) continue;
      text += fmt::format("goal {}", io::cell_text(g.asked, layers));
      if (!(g.placed == g.asked))
        text += fmt::format(" was moved to {} ({})", io::cell_text(g.placed, layers), status_word(g.status));
      if (!(g.placed == g.asked) && g.rank != GoalRank::counts) text += " and";
      if (g.rank == GoalRank::duplicate) text += " is a duplicate: another entry of this place counts";
      if (g.rank == GoalRank::dominated)
        text += fmt::format(" is dominated: a way to another goal costs {} there",
                            field_->cost_to_goal(field_->shape().index(g.placed)));
      text += "\n";
    }
    return lines <= kShown ? text : fmt::format("{}and {} goals more\n", text, lines - kShown);
  }

  // Empty without --steps.
  std::string steps_json() const {
    if (!field_->has_steps()) return {};
    const GridShape& shape = field_->shape();
    std::uint32_t most = 0;
    double longest = 0;
    for (std::uint32_t i = 0; i < shape.padded_cells(); ++i) {
      const std::optional<WaySteps> steps = field_->steps_to_goal({i});
      if (!steps) continue;
      most = std::max(most, steps->all());
      longest = std::max(longest, steps->straight + std::numbers::sqrt2 * steps->diagonal);
    }
    return fmt::format(",\"max_steps\":{},\"max_length\":{:.6f}", most, longest);
  }

  MapOptions map_options_;
  FieldOptionsTyped typed_;
  Common common_;
  bool repairs_ = false;
  std::uint32_t threads_ = 1;
  std::string need_;
  NavGraph graph_;
  FieldRef field_;
  std::vector<Cell> would_block_, lost_goals_;
  std::vector<std::uint64_t> lost_agents_;
  BuildReport build_;
  std::uint64_t build_us_ = 0, directions_us_ = 0;
};

}  // namespace

std::unique_ptr<Command> add_field(CLI::App& program, CLI::App*& app) {
  app = program.add_subcommand("field", "Build one flow field of a map");
  return std::make_unique<FieldCommand>(*app);
}

}  // namespace drover::cli

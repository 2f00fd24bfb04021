// SPDX-License-Identifier: MIT
// From options to a map and a profile.
#include "map_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "io/legend.hpp"

namespace drover::cli {

namespace {

// Letter and cost of each "S=3".
std::vector<std::pair<char, std::uint32_t>> parse_terrain_costs(const std::string& text) {
  std::vector<std::pair<char, std::uint32_t>> out;
  if (text.empty()) return out;
  for (const io::Word& word : io::split_at(text, ',')) {
    const io::ParsedInteger cost =
        word.text.size() > 2 && word.text[1] == '=' ? io::parse_integer(word.text.substr(2)) : io::ParsedInteger{};
    if (cost.kind != io::NumberKind::number || cost.value < 0 || cost.value > kMaxCellCost) {
      usage(fmt::format("--terrain-cost {}; S=3,W=5 with costs 0 .. {} is expected", text, kMaxCellCost));
    }
    out.emplace_back(word.text[0], static_cast<std::uint32_t>(cost.value));
  }
  return out;
}

// Options override what the profile of a scenario says.
void apply_rules(const MapOptions& o, MovementProfile& profile) {
  if (!o.moves.empty()) profile.moves = choice("--moves", o.moves, {"4", "8"}) == 0 ? Moves::four : Moves::eight;
  if (!o.corner.empty())
    profile.corner = static_cast<CornerRule>(choice("--corner", o.corner, {"strict", "one_free", "none"}));
  if (!o.costs.empty())
    profile.costs = static_cast<CostBase>(choice("--costs", o.costs, {"uniform", "tens", "octile"}));
  if (!o.footprint.empty()) {
    profile.footprint = static_cast<int>(whole_number("--footprint", o.footprint, 1, kMaxFootprint));
    profile.body_radius.reset();
  }
}

void apply_terrain_costs(const MapOptions& o, const std::vector<TerrainClass>& classes, MovementProfile& profile) {
  for (const auto& [letter, cost] : parse_terrain_costs(o.terrain_cost)) {
    const auto found =
        std::find_if(classes.begin(), classes.end(), [l = letter](const TerrainClass& c) { return c.letter == l; });
    if (found == classes.end()) {
      usage(fmt::format("--terrain-cost {}: no terrain has the letter {}; {} are known", o.terrain_cost, letter,
                        io::Alphabet::of(classes).letters()));
    }
    const auto id = static_cast<TerrainId>(found - classes.begin());
    std::erase_if(profile.terrain, [&](const TerrainRule& rule) { return rule.terrain == id; });
    profile.terrain.push_back({id, cost, true});
  }
}

template <class Item, class NameOf>
const Item& named(const std::vector<Item>& items, const std::string& name, std::string_view option, StatusCode code,
                  NameOf name_of) {
  for (const Item& item : items) {
    if (name_of(item) == name) return item;
  }
  std::vector<std::string_view> known;
  known.reserve(items.size());
  for (const Item& item : items) known.push_back(name_of(item));
  refuse(Status(code, fmt::format("{} {} is not in the scenario; known are {}", option, name,
                                  known.empty() ? "none" : io::joined(known))));
}

}  // namespace

bool is_scenario(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  return ending == ".toml" || ending == ".gate";
}

void apply_map_rules(const MapOptions& o, const std::vector<TerrainClass>& classes, MovementProfile& profile) {
  apply_rules(o, profile);
  apply_terrain_costs(o, classes, profile);
}

void load_weights(const MapOptions& o, GridMap& map) {
  if (o.weights.empty()) return;
  const std::string text = must(io::read_text_file(o.weights, io::kWeightsFile));
  const GridShape& shape = map.shape();
  const std::vector<std::uint32_t> weights = must(io::parse_weights(text, o.weights, shape));
  const std::size_t layer_cells = weights.size() / static_cast<std::size_t>(shape.layers());
  for (std::int32_t layer = 0; layer < shape.layers(); ++layer) {
    must(
        map.set_weights(layer, std::span(weights).subspan(static_cast<std::size_t>(layer) * layer_cells, layer_cells)));
  }
}

const io::ScenarioProfile& named_profile(const io::Scenario& scenario, const std::string& name) {
  return named(scenario.profiles, name, "--profile", StatusCode::profile_unknown,
               [](const io::ScenarioProfile& p) -> const std::string& { return p.profile.name; });
}

const io::ScenarioGoal& named_goal(const io::Scenario& scenario, const std::string& name) {
  return named(scenario.goals, name, "--goal", StatusCode::name_unknown,
               [](const io::ScenarioGoal& g) -> const std::string& { return g.name; });
}

namespace {

io::MapFileOptions legend_of(const MapOptions& o) {
  io::MapFileOptions options;
  if (const Status status = io::add_legend(o.legend, options); !status.ok())
    usage(fmt::format("--legend {}: {}", o.legend, status.message()));
  return options;
}

}  // namespace

void check_legend(const MapOptions& o) {
  if (!o.legend.empty() && is_scenario(o.map))
    usage("--legend beside a scenario; legend in its [map] is expected instead");
  legend_of(o);
}

io::MapFile load_map_file(const MapOptions& o) {
  io::MapFileOptions options = legend_of(o);
  options.paths = o.allow_outside ? io::PathRule::anywhere : io::PathRule::below_scenario;
  io::MapFile file = must(io::load_map_file(o.map, options));
  print_warnings(file.warnings);
  return file;
}

io::Scenario load_scenario(const MapOptions& o) {
  io::ScenarioOptions options;
  options.paths = o.allow_outside ? io::PathRule::anywhere : io::PathRule::below_scenario;
  options.goals = o.goals;
  io::Scenario scenario = must(io::load_scenario(o.map, options));
  print_warnings(scenario.warnings);
  return scenario;
}

namespace {

LoadedMap load_scenario_map(const MapOptions& o) {
  const io::Scenario scenario = load_scenario(o);
  LoadedMap loaded{must(io::make_map(scenario)), {}, scenario.alphabet, {}, scenario.inputs, {}};
  std::size_t profile = 0;
  if (!o.profile.empty()) {
    const io::ScenarioProfile& named = named_profile(scenario, o.profile);
    profile = static_cast<std::size_t>(&named - scenario.profiles.data());
    loaded.profile = named.profile;
  } else if (scenario.profiles.size() > 1) {
    refuse(Status(StatusCode::profile_unknown,
                  fmt::format("{} has {} profiles; --profile NAME is expected", o.map, scenario.profiles.size())));
  } else if (!scenario.profiles.empty()) {
    loaded.profile = scenario.profiles[0].profile;
  }
  apply_map_rules(o, scenario.terrain, loaded.profile);
  if (!o.takes_goal) return loaded;
  const auto is_name = [&](const io::ScenarioGoal& g) { return g.name == o.goal; };
  const auto found = std::find_if(scenario.goals.begin(), scenario.goals.end(), is_name);
  if (found != scenario.goals.end()) {
    loaded.named_goal.push_back(found->goal.where);
  } else if (o.goal.empty() && scenario.goals.size() == 1) {
    loaded.named_goal.push_back(scenario.goals[0].goal.where);
  } else if (o.goal.empty()) {
    refuse(Status(StatusCode::name_unknown,
                  fmt::format("{} has {} goals; --goal NAME is expected", o.map, scenario.goals.size())));
  } else if (o.goal.find(',') == std::string::npos) {
    named_goal(scenario, o.goal);
  }
  const std::size_t goal = found != scenario.goals.end() ? static_cast<std::size_t>(found - scenario.goals.begin()) : 0;
  for (const io::ScenarioAgent& agent : scenario.agents) {
    if (agent.profile == profile && (loaded.named_goal.empty() || agent.goal == goal))
      loaded.agents.push_back({agent.key, agent.at});
  }
  return loaded;
}

}  // namespace

void add_map_options(CLI::App& command, MapOptions& o) {
  command.add_option("MAP", o.map, "A map (.map, .txt, .png, .tmx, .tmj) or a scenario (.toml, .gate)");
  command.add_option("--profile", o.profile, "Which profile of the scenario")->type_name("NAME");
  command.add_option("--moves", o.moves, "Neighbours of a cell [8]")->type_name("4|8");
  command.add_option("--corner", o.corner, "When a diagonal step is legal [strict]")->type_name("strict|one_free|none");
  command.add_option("--costs", o.costs, "Cost of straight and diagonal steps: 1/1, 10/14, 985/1393 [tens]")
      ->type_name("uniform|tens|octile");
  command.add_option("--weights", o.weights, "Entering cost of every cell, one row a line")->type_name("FILE");
  command.add_option("--terrain-cost", o.terrain_cost, "Entering cost by terrain letter; makes that terrain passable")
      ->type_name("S=3,W=5");
  command.add_option("--footprint", o.footprint, "Body of K x K cells, anchored at its upper-left cell [1]")
      ->type_name("K");
  add_legend_option(command, o);
  command.add_flag("--allow-outside", o.allow_outside, "Let a scenario or a map name files outside its folder");
}

void add_legend_option(CLI::App& command, MapOptions& o) {
  command
      .add_option(
          "--legend", o.legend,
          "What letters of text and colours of pictures mean; a cost or `blocked` changes the ground or adds it")
      ->type_name("x=swamp,#00ff00=lava:5,\"palette 3=wall\"");
}

void add_goal_option(CLI::App& command, MapOptions& o) {
  o.takes_goal = true;
  command
      .add_option("--goal", o.goal,
                  "Goal cells x,y or x,y,layer, each with @offset if wanted; or a goal of the scenario")
      ->type_name("x,y[;x,y...]");
}

std::vector<GoalCell> parse_goal_cells(const std::string& text) {
  std::vector<GoalCell> goals;
  for (const io::Word& word : io::split_at(text, ';')) {
    const std::size_t at = std::min(word.text.find('@'), word.text.size());
    const std::optional<Cell> cell = parse_cell(word.text.substr(0, at));
    const io::ParsedInteger offset = at < word.text.size() ? io::parse_integer(word.text.substr(at + 1))
                                                           : io::ParsedInteger{io::NumberKind::number, 0, false};
    constexpr std::int64_t kMostOffset = std::int64_t{1} << 40;
    if (!cell || offset.kind != io::NumberKind::number || offset.value < 0 || offset.value > kMostOffset) {
      usage(fmt::format("--goal {}; cells such as 3,4 or 3,4@25 or 3,4,1, several with ';', are expected", text));
    }
    goals.push_back({*cell, static_cast<Cost>(offset.value)});
  }
  return goals;
}

LoadedMap load_map(const MapOptions& o, GoalRule goal) {
  if (o.map.empty()) {
    usage(o.takes_goal ? "no MAP; drover field MAP --goal x,y is expected"
                       : "no MAP; drover path MAP --from x,y --to x,y is expected");
  }
  const bool scenario = is_scenario(o.map);
  MovementProfile checked;
  apply_rules(o, checked);
  parse_terrain_costs(o.terrain_cost);
  check_legend(o);
  if (!scenario) {
    if (!o.profile.empty()) usage("--profile beside a map; it names a profile of a scenario");
    if (o.takes_goal && o.goal.empty() && goal == GoalRule::needed) usage("no --goal; --goal x,y[;x,y...] is expected");
    if (!o.goal.empty()) parse_goal_cells(o.goal);
  }
  if (scenario) {
    LoadedMap loaded = load_scenario_map(o);
    load_weights(o, loaded.map);
    return loaded;
  }
  const io::MapFile file = load_map_file(o);
  LoadedMap loaded{must(io::make_map(file)), checked, io::Alphabet::of(file.terrain), {}, file.parts, {}};
  apply_terrain_costs(o, file.terrain, loaded.profile);
  load_weights(o, loaded.map);
  return loaded;
}

std::string memory_need(const LoadedMap& loaded) {
  const GridShape& shape = loaded.map.shape();
  return io::map_need(shape.width(), shape.height(), shape.layers());
}

NavGraph compile_graph(const LoadedMap& loaded, const MapOptions& o, const Host& host) {
  Result<NavGraph> graph = NavGraph::compile(loaded.map.view(), loaded.profile, host);
  if (!graph && graph.status().code() == StatusCode::out_of_memory) refuse(io::no_memory(memory_need(loaded)));
  if (!graph) refuse(io::error_at(graph.status().code(), {o.map, 0, 0}, graph.status().message()));
  if (io::fits_nowhere(*graph)) {
    print_warnings({{"W_NO_ROOM", fmt::format("{}: a body of {}x{} cells fits nowhere on this map; it can have no goal",
                                              o.map, loaded.profile.footprint, loaded.profile.footprint)}});
  }
  return *std::move(graph);
}

std::string cell_json(Cell c, std::int64_t layers) {
  return layers > 1 ? fmt::format("[{},{},{}]", c.x, c.y, c.layer) : fmt::format("[{},{}]", c.x, c.y);
}

}  // namespace drover::cli

// SPDX-License-Identifier: MIT
// drover convert: a map from one format to another, and what is lost on the way.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app.hpp"
#include "files.hpp"
#include "io/map_formats.hpp"
#include "io/output.hpp"
#include "map_options.hpp"

namespace drover::cli {

namespace {

void add_lost(std::vector<io::Warning>& lost, std::string_view what, std::size_t count) {
  if (count > 0) lost.push_back({"W_LOST", fmt::format("{}: {}; no format of maps holds them", what, count)});
}

// What the ground is at the end of tick 0.
io::MapCells cells_of(const MapView& map, const io::MapCells& loaded) {
  io::MapCells cells = loaded;
  const GridShape& shape = map.shape();
  std::size_t at = 0;
  for (std::int32_t layer = 0; layer < shape.layers(); ++layer) {
    for (std::int32_t y = 0; y < shape.height(); ++y) {
      for (std::int32_t x = 0; x < shape.width(); ++x, ++at) {
        const CellIndex i{shape.at(x, y, layer)};
        cells.cells[at] = map.unknown(i) ? io::MapCells::kUnknown : map.terrain(i);
      }
    }
  }
  return cells;
}

std::size_t hidden_cells(const MapView& map) {
  const std::uint8_t* fog = map.fog_plane();
  if (fog == nullptr) return 0;
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < map.shape().padded_cells(); ++i) count += fog[i] != 0 ? 1 : 0;
  return count;
}

// The map of a scenario: ground, one-ways, obstacles and goals; groups and what happens later are no part of a map.
io::MapFile map_of(const io::Scenario& scenario, std::vector<io::Warning>& lost) {
  io::MapFile map;
  const GridMap made = must(io::make_map(scenario));
  const MapView view = made.view();
  map.file = scenario.file;
  map.cells = cells_of(view, scenario.map);
  map.origin = scenario.origin;
  map.terrain = scenario.terrain;
  for (const StepRule& rule : view.edited_step_rules())
    map.steps.push_back({{view.shape().cell(rule.from), rule.direction}, rule.allowed, rule.extra});
  // Those of a map file are in cells.
  if (scenario.cell_size == Fixed::from_int(1))
    map.obstacles = scenario.obstacles;
  else
    add_lost(lost, "obstacles on cells of another size than 1", scenario.obstacles.size());
  std::size_t areas = 0, offsets = 0;
  for (const io::ScenarioGoal& goal : scenario.goals) {
    if (goal.goal.where.area) {
      ++areas;
      continue;
    }
    io::MapGoal& to = map.goals.emplace_back();
    to.name = goal.name;
    to.on_arrival = goal.goal.on_arrival;
    to.nearest = goal.goal.where.placement == GoalPlacement::nearest;
    for (const GoalCell& cell : goal.goal.where.cells) {
      to.cells.push_back(cell.cell);
      offsets += cell.offset > 0 ? 1 : 0;
    }
  }
  add_lost(lost, "doors", view.doors().size());
  add_lost(lost, "portals", view.portals().size());
  add_lost(lost, "cells hidden from single factions", hidden_cells(view));
  add_lost(lost, "goals that are areas", areas);
  add_lost(lost, "offsets of goals", offsets);
  return map;
}

class ConvertCommand final : public Command {
 public:
  explicit ConvertCommand(CLI::App& app) {
    app.add_option("IN", options_.map, "A map (.map, .txt, .png, .tmx, .tmj) or a scenario (.toml, .gate)");
    app.add_option("OUT", out_, "A map; its ending says the format: .map, .txt, .png, .tmx or .tmj");
    add_legend_option(app, options_);
    app.add_flag("--allow-outside", options_.allow_outside, "Let IN name files outside its folder");
    add_common(app, common_);
  }

  int run() override {
    if (options_.map.empty() || out_.empty()) usage("no IN or no OUT; drover convert IN OUT is expected");
    check_legend(options_);
    check_map_ending(out_);
    std::vector<io::Warning> lost;
    const io::MapFile map = read(lost);
    const std::uint64_t digest = must(io::make_map(map)).view().content_digest();
    const io::SavedMap saved = must(io::save_map_file(out_, map));
    lost.insert(lost.end(), saved.warnings.begin(), saved.warnings.end());
    print_warnings(lost);
    report(map, digest, lost);
    return 0;
  }

 private:
  io::MapFile read(std::vector<io::Warning>& lost) {
    if (!is_scenario(options_.map)) {
      io::MapFile map = load_map_file(options_);
      check(map.parts);
      return map;
    }
    const io::Scenario scenario = load_scenario(options_);
    check(scenario.inputs);
    return map_of(scenario, lost);
  }

  void check(const std::vector<std::string>& named) const {
    check_files(with_named({{"IN", options_.map}}, named), {{"OUT", out_}, {"--json", common_.json}});
  }

  void report(const io::MapFile& map, std::uint64_t digest, const std::vector<io::Warning>& lost) const {
    if (common_.talks()) {
      print(fmt::format("{}: {} x {} cells{}, origin {},{}\n", io::printable(out_), map.cells.width, map.cells.height,
                        map.cells.layers > 1 ? fmt::format(", {} layers", map.cells.layers) : "", map.origin.x,
                        map.origin.y));
    }
    if (common_.json.empty()) return;
    nlohmann::ordered_json json{{"width", map.cells.width},
                                {"height", map.cells.height},
                                {"layers", map.cells.layers},
                                {"cells", map.cells.cells.size()},
                                {"origin", {map.origin.x, map.origin.y}},
                                {"map_digest", fmt::format("{:016x}", digest)},
                                {"lost", nlohmann::ordered_json::array()}};
    for (const io::Warning& warning : lost) json["lost"].push_back(io::printable(warning.message));
    must(io::write_file(common_.json, json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"));
  }

  MapOptions options_;
  std::string out_;
  Common common_;
};

}  // namespace

std::unique_ptr<Command> add_convert(CLI::App& program, CLI::App*& app) {
  app = program.add_subcommand("convert", "Write a map in another format: text, pictures, Tiled");
  return std::make_unique<ConvertCommand>(*app);
}

}  // namespace drover::cli

// SPDX-License-Identifier: MIT
// [[one_way]], [[edge]] and [[portal]] of a scenario, the steps of its doors, and its heights.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "io/map_text.hpp"
#include "io/scenario_reader.hpp"

namespace drover::io {

namespace {

Direction direction_of(const Document& document, const toml::node& node) {
  static const std::vector<std::string_view> kWords{"N", "E", "S", "W", "NE", "SE", "SW", "NW"};
  return static_cast<Direction>(choice_of(document, node, "direction", kWords));
}

Cell cell_on_map(const ScenarioReader& reader, const Section& section, std::string_view key, std::string_view what) {
  const toml::node& node = section.need(key);
  const Cell cell = cell_of(reader.document, node, key);
  need_on_map(reader, cell, Document::spot(node), what);
  return cell;
}

using StepKey = std::pair<std::uint64_t, int>;  // cell in the order of the map, direction

StepKey key_of(const Scenario& scenario, const GridStep& step) {
  const auto column = static_cast<std::uint64_t>(std::int64_t{step.from.x} - scenario.origin.x),
             row = static_cast<std::uint64_t>(std::int64_t{step.from.y} - scenario.origin.y),
             layer = static_cast<std::uint64_t>(step.from.layer);
  return {
      (layer * static_cast<std::uint64_t>(scenario.map.height) + row) * static_cast<std::uint64_t>(scenario.map.width) +
          column,
      static_cast<int>(step.direction)};
}

// A step may have a [[one_way]] and an [[edge]]: one rule. Those of the map file stand below both.
void read_steps(ScenarioReader& reader) {
  const Document& document = reader.document;
  std::map<StepKey, StepEdit> rules;
  for (const StepEdit& step : reader.map_file.steps) rules[key_of(reader.out, step.step)] = step;
  for (const toml::table* table : reader.tables("one_way")) {
    const Section section(document, *table, "[[one_way]]", {"at", "forbid"});
    const Cell at = cell_on_map(reader, section, "at", "one-way");
    for (const toml::node& node : array_of(document, section.need("forbid"), "forbid")) {
      const GridStep step{at, direction_of(document, node)};
      rules[key_of(reader.out, step)] = {step, false, 0};
    }
  }
  std::map<StepKey, bool> dearer;
  for (const toml::table* table : reader.tables("edge")) {
    const Section section(document, *table, "[[edge]]", {"at", "direction", "extra"});
    const GridStep step{cell_on_map(reader, section, "at", "edge"), direction_of(document, section.need("direction"))};
    const StepKey key = key_of(reader.out, step);
    if (!dearer.emplace(key, true).second)
      refuse(StatusCode::value, section.place(), "a second [[edge]] of this step; one is expected");
    StepEdit& rule = rules.emplace(key, StepEdit{step, true, 0}).first->second;
    rule.extra = cost_of(document, section.need("extra"), "extra", kMaxEdgeCost);
  }
  for (const auto& [key, rule] : rules) reader.out.steps.push_back(rule);
}

void read_portals(ScenarioReader& reader) {
  for (const toml::table* table : reader.tables("portal")) {
    const Section section(reader.document, *table, "[[portal]]", {"from", "to", "cost", "ticks"});
    ScenarioPortal portal;
    portal.spot = section.spot();
    portal.portal.from = cell_on_map(reader, section, "from", "portal");
    portal.portal.to = cell_on_map(reader, section, "to", "portal");
    portal.portal.cost = cost_of(reader.document, section.need("cost"), "cost", kMaxEdgeCost);
    if (const toml::node* ticks = section.find("ticks"); ticks != nullptr) {
      portal.portal.ticks =
          static_cast<std::uint32_t>(integer_of(reader.document, *ticks, {"ticks", 1, kMaxPortalTicks}));
      if (portal.portal.ticks > 1 && !reader.ground_speed()) {
        refuse(StatusCode::speed, reader.document.place(*ticks),
               fmt::format("ticks = {} with step = \"unit\"; ticks = 1, or step = \"ground_speed\" in [policy], is "
                           "expected",
                           portal.portal.ticks));
      }
    }
    reader.out.portals.push_back(portal);
  }
}

// The steepest step that the heights of one layer allow must have a cost in range.
void check_slope(const Document& document, const toml::node& node, const MapCells& map) {
  const std::uint64_t steepest = std::max(map.slope.up, map.slope.down);
  const auto cells = static_cast<std::ptrdiff_t>(map.width * map.height);
  for (auto layer = map.heights.begin(); layer != map.heights.end(); layer += cells) {
    const auto [low, high] = std::minmax_element(layer, layer + cells);
    const auto span = static_cast<std::uint64_t>(std::int64_t{*high} - *low);
    if (steepest == 0 || span <= kMaxEdgeCost / steepest) continue;
    refuse(StatusCode::cost_range, document.place(node),
           fmt::format("heights from {} to {} at {} a unit; a slope may cost at most {}", *low, *high, steepest,
                       kMaxEdgeCost));
  }
}

}  // namespace

void read_edges(ScenarioReader& reader) {
  read_steps(reader);
  read_portals(reader);
}

std::vector<GridStep> steps_of(const ScenarioReader& reader, const toml::node& node) {
  const Document& document = reader.document;
  std::vector<GridStep> steps;
  for (const toml::node& item : array_of(document, node, "edges")) {
    const toml::array& values = array_of(document, item, "an edge");
    if (values.size() != 3 && values.size() != 4) {
      refuse(StatusCode::value, document.place(item),
             fmt::format("an edge of {} values; [x, y, \"E\"] is expected", values.size()));
    }
    std::int32_t numbers[3] = {0, 0, 0};
    for (std::size_t i = 0; i + 1 < values.size(); ++i) {
      numbers[i] = static_cast<std::int32_t>(integer_of(document, values[i], {"a coordinate", INT32_MIN, INT32_MAX}));
    }
    const Cell from{numbers[0], numbers[1], numbers[2]};
    need_on_map(reader, from, Document::spot(item), "door");
    steps.push_back({from, direction_of(document, values[values.size() - 1])});
  }
  return steps;
}

void read_heights(ScenarioReader& reader, const Section& map) {
  const Document& document = reader.document;
  const toml::node* const slope = map.find("slope");
  const toml::node* const heights = map.find("heights");
  MapCells& cells = reader.out.map;
  if (slope != nullptr) {
    if (!slope->is_table())
      refuse(StatusCode::value, document.place(*slope), "slope is not a table; {up = 10, down = 0} is expected");
    const Section section(document, *slope->as_table(), "slope", {"up", "down"});
    for (const auto& [key, cost] : {std::pair{"up", &cells.slope.up}, std::pair{"down", &cells.slope.down}}) {
      if (const toml::node* node = section.find(key)) *cost = cost_of(document, *node, key, kMaxEdgeCost);
    }
    if (heights == nullptr)
      refuse(StatusCode::key_missing, document.place(*slope), "slope without heights; heights = \"FILE\" is expected");
  }
  if (heights == nullptr) return;
  const std::string path = scenario_path(reader, *heights, string_of(document, *heights, "heights"));
  const Result<std::string> text = read_text_file(path, kWeightsFile);
  reader.out.inputs.push_back(path);
  if (!text) throw Refusal{text.status()};
  Result<std::vector<std::int32_t>> numbers =
      parse_heights(*text, path, *GridShape::create(cells.width, cells.height, cells.layers));
  if (!numbers) throw Refusal{numbers.status()};
  cells.heights = std::move(*numbers);
  check_slope(document, *heights, cells);
}

}  // namespace drover::io

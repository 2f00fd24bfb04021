// SPDX-License-Identifier: MIT
// [[profile]], [[goal]], [[group]] and [[agent]] of a scenario.
#include <fmt/format.h>

#include "io/scenario_reader.hpp"

namespace drover::io {

namespace {

void read_size(const ScenarioReader& reader, const Section& section, MovementProfile& profile) {
  const Document& document = reader.document;
  const toml::node* radius = section.find("radius");
  const toml::node* body = section.find("body_radius");
  profile.footprint =
      static_cast<int>(integer_or(section, "footprint", 1, {"footprint", 1, kMaxFootprint, StatusCode::footprint}));
  if (radius != nullptr && (body != nullptr || section.find("footprint") != nullptr)) {
    refuse(StatusCode::value, document.place(*radius),
           "radius beside footprint or body_radius; radius alone, or the other two, is expected");
  }
  const toml::node* given = radius != nullptr ? radius : body;
  if (given == nullptr) return;
  const std::string_view name = radius != nullptr ? "radius" : "body_radius";
  const Fixed value = decimal_of(document, *given, name, StatusCode::footprint);
  if (value.raw <= 0 || value > Fixed::ratio(profile.footprint, 2)) {
    refuse(StatusCode::footprint, document.place(*given),
           fmt::format("{} = {}; above 0, at most {}/2 is expected", name, printable(document.typed(*given)),
                       profile.footprint));
  }
  profile.body_radius = value;
}

void read_terrain_rules(const ScenarioReader& reader, const Section& section, MovementProfile& profile) {
  const toml::node* node = section.find("terrain");
  if (node == nullptr) return;
  const Document& document = reader.document;
  if (!node->is_table())
    refuse(StatusCode::value, document.place(*node),
           "terrain is not a table; {swamp = 3, water = \"blocked\"} is expected");
  std::vector<std::string_view> known;
  for (const TerrainClass& kind : reader.out.terrain) known.push_back(kind.name);
  const Section rules(document, *node->as_table(), "terrain of [[profile]]", known);
  for (std::size_t id = 0; id < known.size(); ++id) {
    const toml::node* rule = rules.find(known[id]);
    if (rule == nullptr) continue;
    TerrainRule made{static_cast<TerrainId>(id), std::nullopt, true};
    if (rule->is_string()) {
      made.passable = choice_of(document, *rule, known[id], {"blocked", "passable"}) == 1;
    } else {
      made.cost = cost_of(document, *rule, known[id]);
    }
    profile.terrain.push_back(made);
  }
}

void read_speed(const ScenarioReader& reader, const Section& section, MovementProfile& profile) {
  const toml::node* node = section.find("speed");
  if (node == nullptr) return;
  const Place at = reader.document.place(*node);
  const Fixed speed = decimal_of(reader.document, *node, "speed", StatusCode::speed);
  const Fixed one = Fixed::from_int(1);
  if (speed < kMinSpeed || speed > one) {
    refuse(StatusCode::speed, at,
           fmt::format("speed {}; at least 1/65536 and at most 1 cell a tick is expected",
                       printable(reader.document.typed(*node))));
  }
  profile.speed = speed;
  if (speed == one) return;
  if (reader.ground_speed()) return;
  refuse(
      StatusCode::speed, at,
      fmt::format("speed {} with step = \"unit\"; speed = \"1\", or step = \"ground_speed\" in [policy], is expected",
                  printable(reader.document.typed(*node))));
}

void check_turn_cost(const ScenarioReader& reader, const Section& section) {
  const toml::node* node = section.find("turn_cost");
  if (node == nullptr) return;
  bool zero = true;
  for (const toml::node& item : array_of(reader.document, *node, "turn_cost"))
    zero = cost_of(reader.document, item, "turn_cost") == 0 && zero;
  only_value(section, "turn_cost", node, zero);
}

std::vector<std::uint32_t> goals_of(const ScenarioReader& reader, const Section& section, std::string_view key) {
  std::vector<std::uint32_t> out;
  const toml::node* node = section.find(key);
  if (node == nullptr) return out;
  for (const toml::node& item : array_of(reader.document, *node, key)) {
    out.push_back(reader.index_of(reader.goals, item, "goal", StatusCode::name_unknown));
  }
  return out;
}

void check_number_of_goals(const Document& document, const toml::node& node, std::uint64_t cells) {
  if (cells > kMaxGoalCells)
    refuse(StatusCode::limit_goals, document.place(node),
           fmt::format("{} goal cells; the limit is {}", cells, kMaxGoalCells));
  if (cells == 0) refuse(StatusCode::goal_none, document.place(node), "no cells; at least one goal cell is expected");
}

// {of = [x, y], radius = 3}
void read_area(const Document& document, const toml::node& node, GoalArea::Rule rule, ScenarioGoal& goal) {
  const std::string what = rule == GoalArea::Rule::within ? "within" : "in_sight";
  if (!node.is_table())
    refuse(StatusCode::value, document.place(node), what + " is not a table; {of = [x, y], radius = 3} is expected");
  const Section section(document, *node.as_table(), what, {"of", "radius"});
  GoalArea area{rule, cell_of(document, section.need("of"), "of"), 0};
  const toml::node& radius = section.need("radius");
  const bool large = radius.is_integer() && radius.as_integer()->get() > std::int64_t{kMaxGoalRadius};
  area.radius = static_cast<std::uint32_t>(
      integer_of(document, radius, {"radius", 0, kMaxGoalRadius, large ? StatusCode::limit_goals : StatusCode::value}));
  goal.goal.where.area = area;
  goal.spots.push_back(Document::spot(node));
}

void read_offsets(const Document& document, const Section& section, ScenarioGoal& goal) {
  const toml::node* offsets = section.find("offsets");
  if (offsets == nullptr) return;
  const toml::array& list = array_of(document, *offsets, "offsets");
  if (list.size() != goal.goal.where.cells.size()) {
    refuse(StatusCode::value, document.place(*offsets),
           fmt::format("{} offsets; one for each of {} cells is expected", list.size(), goal.goal.where.cells.size()));
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    const bool negative = list[i].is_integer() && list[i].as_integer()->get() < 0;
    goal.goal.where.cells[i].offset = static_cast<Cost>(integer_of(
        document, list[i],
        {"offset", 0, std::int64_t{1} << 40, negative ? StatusCode::cost_negative : StatusCode::cost_range}));
  }
}

void read_goal_cells(const ScenarioReader& reader, const Section& section, const toml::node& node, ScenarioGoal& goal) {
  const Document& document = reader.document;
  if (const NamedPlace* spawn = spawn_of(reader, node)) {
    check_number_of_goals(document, node, spawn->anchors.size());
    for (const Cell cell : spawn->anchors) goal.goal.where.cells.push_back({cell, 0});
    goal.spots.assign(spawn->anchors.size(), Document::spot(node));
    return read_offsets(document, section, goal);
  }
  if (node.is_array()) check_number_of_goals(document, node, node.as_array()->size());
  const std::vector<PlacedRect> rects = rects_of(document, node, "cells");
  std::uint64_t cells = 0;
  for (const PlacedRect& r : rects) {
    // Both sides are below 2^31; the limit keeps the sum small.
    cells += static_cast<std::uint64_t>(r.rect.width) * static_cast<std::uint64_t>(r.rect.height);
    check_number_of_goals(document, node, cells);
  }
  goal.goal.where.cells.reserve(cells);
  goal.spots.reserve(cells);
  for (const auto& [rect, spot] : rects) {
    for (std::int64_t y = 0; y < rect.height; ++y) {
      for (std::int64_t x = 0; x < rect.width; ++x) {
        const Cell cell{static_cast<std::int32_t>(std::min<std::int64_t>(rect.corner.x + x, INT32_MAX)),
                        static_cast<std::int32_t>(std::min<std::int64_t>(rect.corner.y + y, INT32_MAX)),
                        rect.corner.layer};
        goal.goal.where.cells.push_back({cell, 0});
        goal.spots.push_back(spot);
      }
    }
  }
  read_offsets(document, section, goal);
}

// A faction is there as soon as a profile names it.
void add_faction(ScenarioReader& reader, const Section& section) {
  const std::string name = section.text_or("faction", "all");
  if (reader.factions.contains(name)) return;
  const Place at = reader.document.place(*section.find("faction"));
  std::vector<std::string>& factions = reader.out.factions;
  if (name.empty()) refuse(StatusCode::value, at, "an empty name of a faction; a name is expected");
  if (factions.size() == kMaxFactions)
    refuse(StatusCode::limit_factions, at,
           fmt::format("faction {} beside {} others; the limit is {}", printable(name), factions.size(), kMaxFactions));
  reader.factions[name] = static_cast<std::uint32_t>(factions.size());
  factions.push_back(name);
}

// Exactly one of cells, within, in_sight.
void read_goal_place(const ScenarioReader& reader, const Section& section, ScenarioGoal& goal) {
  const Document& document = reader.document;
  const toml::node *cells = section.find("cells"), *within = section.find("within"),
                   *in_sight = section.find("in_sight"), *offsets = section.find("offsets");
  if (cells == nullptr && within == nullptr && in_sight == nullptr)
    refuse(StatusCode::key_missing, section.place(),
           "[[goal]] has no cells, within or in_sight; one of them is needed");
  const toml::node* area = within != nullptr ? within : in_sight;
  if (area == nullptr) return read_goal_cells(reader, section, *cells, goal);
  if (cells != nullptr || (within != nullptr && in_sight != nullptr))
    refuse(StatusCode::value, document.place(cells != nullptr ? *area : *in_sight),
           fmt::format("{} beside {}; one of cells, within and in_sight is expected",
                       within == nullptr || cells == nullptr ? "in_sight" : "within",
                       cells != nullptr ? "cells" : "within"));
  if (offsets != nullptr)
    refuse(StatusCode::value, document.place(*offsets), "offsets without cells; offsets of listed cells are expected");
  read_area(document, *area, within != nullptr ? GoalArea::Rule::within : GoalArea::Rule::in_sight, goal);
}

// One agent each.
void read_group_cells(const ScenarioReader& reader, const toml::node& cells, ScenarioGroup& group) {
  if (const NamedPlace* spawn = spawn_of(reader, cells)) {
    group.cells = spawn->anchors;
    group.spots.assign(group.cells.size(), Document::spot(cells));
    return;
  }
  const MapCells& map = reader.out.map;
  for (const auto& [rect, spot] : rects_of(reader.document, cells, "cells")) {
    // Both sides are below 2^31; more agents than cells would share one.
    if (group.cells.size() + static_cast<std::uint64_t>(rect.width * rect.height) >
        static_cast<std::uint64_t>(map.width * map.height * map.layers)) {
      refuse(StatusCode::limit_agents, reader.document.place(spot),
             fmt::format("a rect of {}x{} agents after {} others; the map has fewer cells", rect.width, rect.height,
                         group.cells.size()));
    }
    for (std::int64_t i = 0; i < rect.width * rect.height; ++i) {
      group.cells.push_back(
          {static_cast<std::int32_t>(std::min<std::int64_t>(rect.corner.x + i % rect.width, INT32_MAX)),
           static_cast<std::int32_t>(std::min<std::int64_t>(rect.corner.y + i / rect.width, INT32_MAX)),
           rect.corner.layer});
      group.spots.push_back(spot);
    }
  }
}

}  // namespace

FactionId faction_of(const ScenarioReader& reader, const Section& section) {
  const toml::node* node = section.find("faction");
  if (node == nullptr) return kEveryone;
  return static_cast<FactionId>(reader.index_of(reader.factions, *node, "faction", StatusCode::name_unknown));
}

void read_profiles(ScenarioReader& reader) {
  const Document& document = reader.document;
  for (const toml::table* table : reader.tables("profile")) {
    const Section section(document, *table, "[[profile]]",
                          {"name", "footprint", "radius", "body_radius", "moves", "corner", "costs", "terrain", "speed",
                           "turn_cost", "layers", "faction", "adopt_latency_ticks"});
    ScenarioProfile made;
    MovementProfile& profile = made.profile;
    made.spot = section.spot();
    profile.name = section.text("name");
    reader.add_name(reader.profiles, profile.name, static_cast<std::uint32_t>(reader.out.profiles.size()), section);
    read_size(reader, section, profile);
    if (const toml::node* moves = section.find("moves")) {
      const std::int64_t n = integer_of(document, *moves, {"moves", 4, 8});
      if (n != 4 && n != 8)
        refuse(StatusCode::value, document.place(*moves), fmt::format("moves = {}; 4 or 8 is expected", n));
      profile.moves = static_cast<Moves>(n);
    }
    if (const toml::node* node = section.find("corner"))
      profile.corner = static_cast<CornerRule>(choice_of(document, *node, "corner", {"strict", "one_free", "none"}));
    if (const toml::node* node = section.find("costs"))
      profile.costs = static_cast<CostBase>(choice_of(document, *node, "costs", {"uniform", "tens", "octile"}));
    read_terrain_rules(reader, section, profile);
    read_speed(reader, section, profile);
    check_turn_cost(reader, section);
    if (const toml::node* node = section.find("layers")) {
      for (const toml::node& item : array_of(document, *node, "layers")) {
        profile.layers.push_back(
            static_cast<std::int32_t>(integer_of(document, item, {"layer", 0, reader.out.map.layers - 1})));
      }
    }
    add_faction(reader, section);
    profile.faction = faction_of(reader, section);
    if (const toml::node* node = section.find("adopt_latency_ticks")) {
      made.adopt_latency_ticks =
          static_cast<std::uint32_t>(integer_of(document, *node, {"adopt_latency_ticks", 0, 1000000}));
    }
    reader.out.profiles.push_back(std::move(made));
  }
}

void read_goals(ScenarioReader& reader) {
  for (const toml::table* table : reader.tables("goal")) {
    const Section section(reader.document, *table, "[[goal]]",
                          {"name", "cells", "within", "in_sight", "offsets", "on_arrival", "nearest"});
    ScenarioGoal goal;
    goal.spot = section.spot();
    goal.name = section.text("name");
    reader.add_name(reader.goals, goal.name, static_cast<std::uint32_t>(reader.out.goals.size()), section);
    read_goal_place(reader, section, goal);
    if (const toml::node* node = section.find("on_arrival")) {
      goal.goal.on_arrival =
          static_cast<OnArrival>(choice_of(reader.document, *node, "on_arrival", {"stay", "vanish"}));
    }
    goal.goal.where.placement = section.flag_or("nearest", false) ? GoalPlacement::nearest : reader.options.goals;
    reader.out.goals.push_back(std::move(goal));
  }
}

void read_groups(ScenarioReader& reader) {
  const Document& document = reader.document;
  for (const toml::table* table : reader.tables("group")) {
    const Section section(
        document, *table, "[[group]]",
        {"name", "profile", "goal", "count", "area", "cells", "start_tick", "class", "first_key", "via"});
    ScenarioGroup group;
    group.spot = group.count_spot = section.spot();
    group.name = section.text_or("name", "");
    if (!group.name.empty())
      reader.add_name(reader.groups, group.name, static_cast<std::uint32_t>(reader.out.groups.size()), section);
    group.profile = reader.index_of(reader.profiles, section.need("profile"), "profile", StatusCode::profile_unknown);
    group.goal = reader.index_of(reader.goals, section.need("goal"), "goal", StatusCode::name_unknown);
    group.via = goals_of(reader, section, "via");
    group.start_tick = static_cast<std::uint64_t>(
        integer_or(section, "start_tick", 0, {"start_tick", 0, kMostTicks, StatusCode::tick}));
    group.priority_class = static_cast<std::int32_t>(integer_or(section, "class", 0, {"class", -1000000, 1000000}));
    if (const toml::node* node = section.find("first_key"))
      group.first_key = static_cast<std::uint64_t>(integer_of(document, *node, {"first_key", 1}));
    const toml::node* count = section.find("count");
    const toml::node* cells = section.find("cells");
    const toml::node* area = section.find("area");
    if (cells != nullptr && area != nullptr)
      refuse(StatusCode::value, document.place(*area), "area beside cells; one of them is expected");
    if (cells == nullptr && count == nullptr)
      refuse(StatusCode::key_missing, section.place(), "[[group]] has neither count nor cells; one of them is needed");
    if (cells != nullptr) {
      read_group_cells(reader, *cells, group);
      group.count = group.cells.size();
    }
    if (count != nullptr) {
      const auto wanted = static_cast<std::uint64_t>(integer_of(document, *count, {"count", 0, INT64_MAX}));
      if (cells != nullptr && wanted != group.count) {
        refuse(StatusCode::value, document.place(*count),
               fmt::format("count = {} beside {} cells; leave it out or make it equal", wanted, group.count));
      }
      group.count = wanted;
      group.count_spot = Document::spot(*count);
    }
    if (const NamedPlace* spawn = area != nullptr ? spawn_of(reader, *area) : nullptr) {
      group.area = runs_of(spawn->cells);
    } else if (area != nullptr) {
      for (const PlacedRect& r : rects_of(document, *area, "area")) group.area.push_back(r.rect);
    }
    reader.out.groups.push_back(std::move(group));
  }
}

void read_agents(ScenarioReader& reader) {
  const Document& document = reader.document;
  for (const toml::table* table : reader.tables("agent")) {
    const Section section(document, *table, "[[agent]]",
                          {"key", "at", "profile", "goal", "start_tick", "class", "via"});
    ScenarioAgent agent;
    agent.spot = section.spot();
    agent.key = static_cast<std::uint64_t>(integer_or(section, "key", 0, {"key", 1}));
    const toml::node& at = section.need("at");
    const NamedPlace* spawn = spawn_of(reader, at);
    agent.at = spawn != nullptr ? spawn->anchors.front() : cell_of(document, at, "at");
    agent.spot = Document::spot(at);
    agent.profile = reader.index_of(reader.profiles, section.need("profile"), "profile", StatusCode::profile_unknown);
    agent.goal = reader.index_of(reader.goals, section.need("goal"), "goal", StatusCode::name_unknown);
    agent.via = goals_of(reader, section, "via");
    agent.start_tick = static_cast<std::uint64_t>(
        integer_or(section, "start_tick", 0, {"start_tick", 0, kMostTicks, StatusCode::tick}));
    agent.priority_class = static_cast<std::int32_t>(integer_or(section, "class", 0, {"class", -1000000, 1000000}));
    reader.out.agents.push_back(std::move(agent));
  }
}

}  // namespace drover::io

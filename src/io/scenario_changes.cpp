// SPDX-License-Identifier: MIT
// [[door]], [[edit]], [[retarget]], [policy] and [run] of a scenario.
#include <fmt/format.h>

#include <algorithm>

#include "io/scenario_reader.hpp"

namespace drover::io {

namespace {

bool on_map(const Scenario& scenario, Cell c) {
  const std::int64_t x = std::int64_t{c.x} - scenario.origin.x, y = std::int64_t{c.y} - scenario.origin.y;
  return x >= 0 && y >= 0 && x < scenario.map.width && y < scenario.map.height && c.layer >= 0 &&
         c.layer < scenario.map.layers;
}

}  // namespace

void need_on_map(const ScenarioReader& reader, Cell cell, Spot spot, std::string_view what) {
  if (on_map(reader.out, cell)) return;
  refuse(StatusCode::edit_outside, reader.document.place(spot),
         fmt::format("{} cell {} is outside; the map is {}x{}", what, cell_text(cell, reader.out.map.layers),
                     reader.out.map.width, reader.out.map.height));
}

namespace {

std::uint64_t tick_of(const Section& section) {
  return static_cast<std::uint64_t>(
      integer_of(section.document(), section.need("tick"), {"tick", 0, kMostTicks, StatusCode::tick}));
}

// A number: open at that extra cost.
DoorEdit door_edit(const Document& document, std::uint32_t door, const toml::node& node, std::string_view what,
                   const std::vector<std::string_view>& words) {
  if (node.is_integer()) return {door, DoorState::open, cost_of(document, node, what, kMaxEdgeCost)};
  return {door, choice_of(document, node, what, words) == 0 ? DoorState::open : DoorState::closed, 0};
}

std::vector<PlacedRect> rects_or_none(const Document& document, const toml::node* node) {
  return node == nullptr ? std::vector<PlacedRect>{} : rects_of(document, *node, "cells");
}

void read_schedule(ScenarioReader& reader, const Section& section, std::uint32_t door) {
  const toml::node* node = section.find("schedule");
  if (node == nullptr) return;
  const Document& document = reader.document;
  for (const toml::node& item : array_of(document, *node, "schedule")) {
    const toml::array& pair = array_of(document, item, "a change of the schedule");
    if (pair.size() != 2)
      refuse(StatusCode::value, document.place(item),
             fmt::format("a change of {} values; [tick, \"open\"] is expected", pair.size()));
    ScenarioEdit edit;
    edit.spot = Document::spot(item);
    edit.tick = static_cast<std::uint64_t>(integer_of(document, pair[0], {"tick", 0, kMostTicks, StatusCode::tick}));
    edit.edit.doors.push_back(door_edit(document, door, pair[1], "schedule", {"open", "close"}));
    reader.out.edits.push_back(std::move(edit));
  }
}

CellEdit cell_edit_of(const ScenarioReader& reader, const toml::node& node, FactionId faction) {
  const Document& document = reader.document;
  const toml::array& values = array_of(document, node, "an edit");
  if (values.size() != 3 && values.size() != 4) {
    refuse(StatusCode::edit, document.place(node),
           fmt::format("an edit of {} values; [x, y, \"#\"] is expected", values.size()));
  }
  std::int32_t numbers[3] = {0, 0, 0};
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    numbers[i] = static_cast<std::int32_t>(integer_of(document, values[i], {"a coordinate", INT32_MIN, INT32_MAX}));
  }
  const toml::node& last = values[values.size() - 1];
  const std::string letter = string_of(document, last, "the letter of an edit");
  const std::int16_t meaning =
      letter.size() == 1 ? reader.out.alphabet.meaning[static_cast<unsigned char>(letter[0])] : Alphabet::kNone;
  if (meaning == Alphabet::kNone) {
    refuse(StatusCode::map_tile, document.place(last),
           fmt::format("'{}'; tiles are {}", printable(letter), reader.out.alphabet.letters()));
  }
  const Cell cell{numbers[0], numbers[1], numbers[2]};
  need_on_map(reader, cell, Document::spot(node), "edited");
  if (meaning == Alphabet::kUnknown) return {cell, CellChange::unknown, kFloor, faction};
  return {cell, CellChange::terrain, static_cast<TerrainId>(meaning), faction};
}

}  // namespace

void read_doors(ScenarioReader& reader) {
  const Document& document = reader.document;
  std::map<std::string, std::uint32_t, std::less<>> names;
  for (const toml::table* table : reader.tables("door")) {
    const Section section(document, *table, "[[door]]", {"name", "cells", "edges", "state", "schedule"});
    const auto index = static_cast<std::uint32_t>(reader.out.doors.size());
    ScenarioDoor door;
    door.spot = section.spot();
    door.door.name = section.text("name");
    reader.add_name(names, door.door.name, index, section);
    if (section.find("edges") == nullptr) section.need("cells");
    for (const auto& [rect, spot] : rects_or_none(document, section.find("cells"))) {
      need_on_map(reader, rect.corner, spot, "door");
      const std::int64_t right = std::int64_t{rect.corner.x} + rect.width - 1,
                         bottom = std::int64_t{rect.corner.y} + rect.height - 1;
      need_on_map(reader,
                  {static_cast<std::int32_t>(std::min<std::int64_t>(right, INT32_MAX)),
                   static_cast<std::int32_t>(std::min<std::int64_t>(bottom, INT32_MAX)), rect.corner.layer},
                  spot, "door");
      for (std::int64_t i = 0; i < rect.width * rect.height; ++i) {
        door.door.cells.push_back({static_cast<std::int32_t>(rect.corner.x + i % rect.width),
                                   static_cast<std::int32_t>(rect.corner.y + i / rect.width), rect.corner.layer});
      }
    }
    if (const toml::node* edges = section.find("edges")) door.door.steps = steps_of(reader, *edges);
    if (door.door.cells.empty() && door.door.steps.empty())
      refuse(StatusCode::value, section.place(), "a door without cells; at least one is expected");
    if (const toml::node* node = section.find("state")) {
      const DoorEdit state = door_edit(document, index, *node, "state", {"open", "closed"});
      door.door.open = state.state == DoorState::open;
      door.door.cost = state.cost;
    }
    reader.out.doors.push_back(std::move(door));
    read_schedule(reader, section, index);
  }
}

void read_edits(ScenarioReader& reader) {
  for (const toml::table* table : reader.tables("edit")) {
    const Section section(reader.document, *table, "[[edit]]", {"tick", "cells", "faction"});
    ScenarioEdit edit;
    edit.spot = section.spot();
    edit.tick = tick_of(section);
    const FactionId faction = faction_of(reader, section);
    for (const toml::node& item : array_of(reader.document, section.need("cells"), "cells"))
      edit.edit.cells.push_back(cell_edit_of(reader, item, faction));
    reader.out.edits.push_back(std::move(edit));
  }
  // Equal ticks keep file order: doors first, then edits.
  std::stable_sort(reader.out.edits.begin(), reader.out.edits.end(),
                   [](const ScenarioEdit& a, const ScenarioEdit& b) { return a.tick < b.tick; });
}

void read_retargets(ScenarioReader& reader) {
  const Document& document = reader.document;
  for (const toml::table* table : reader.tables("retarget")) {
    const Section section(document, *table, "[[retarget]]", {"tick", "group", "agent", "goal"});
    ScenarioRetarget retarget;
    retarget.spot = section.spot();
    retarget.tick = tick_of(section);
    const toml::node* group = section.find("group");
    const toml::node* agent = section.find("agent");
    if ((group == nullptr) == (agent == nullptr)) {
      refuse(group == nullptr ? StatusCode::key_missing : StatusCode::value, section.place(),
             fmt::format("[[retarget]] has {}; exactly one of group, agent is expected",
                         group == nullptr ? "no agent" : "group and agent"));
    }
    if (group != nullptr) retarget.group = reader.index_of(reader.groups, *group, "group", StatusCode::name_unknown);
    if (agent != nullptr) {
      retarget.agent = static_cast<std::uint64_t>(integer_of(document, *agent, {"agent", 1}));
      retarget.spot = Document::spot(*agent);
    }
    retarget.goal = reader.index_of(reader.goals, section.need("goal"), "goal", StatusCode::name_unknown);
    reader.out.retargets.push_back(retarget);
  }
  std::stable_sort(reader.out.retargets.begin(), reader.out.retargets.end(),
                   [](const ScenarioRetarget& a, const ScenarioRetarget& b) { return a.tick < b.tick; });
}

void read_policy(ScenarioReader& reader) {
  const toml::node* root = reader.document.root().get("policy");
  if (root == nullptr) return;
  const Document& document = reader.document;
  if (!root->is_table())
    refuse(StatusCode::value, document.place(*root), "policy is not a table; [policy] is expected");
  const Section section(document, *root->as_table(), "[policy]",
                        {"step", "bodies", "following", "on_stale", "on_goal_change", "guidance", "guidance_ticks",
                         "refusals_before_replan", "search_budget_cells", "field_cache_bytes", "adopt_latency_ticks",
                         "refresh_latency_ticks", "horizon_ticks", "time_horizon_ticks", "wait_cost", "motion"});
  SimulationDef& policy = reader.out.policy;
  // Range first: a senseless number is senseless in any version.
  const auto horizon = [&](std::string_view key) {
    const std::int64_t ticks = integer_or(section, key, 0, {key, 0, 65536, StatusCode::horizon});
    only_value(section, key, section.find(key), ticks == 0);
  };
  horizon("horizon_ticks");
  horizon("time_horizon_ticks");
  const auto only_default = [&](std::string_view key, std::int64_t value) {
    only_value(section, key, section.find(key), integer_or(section, key, value, {key, 0}) == value);
  };
  only_default("wait_cost", 10);
  if (const toml::node* node = section.find("step"))
    policy.step = static_cast<StepPolicy>(choice_of(document, *node, "step", {"unit", "ground_speed"}));
  if (const toml::node* node = section.find("motion")) choice_of(document, *node, "motion", {"cells"}, {"free"});
  if (const toml::node* node = section.find("guidance"))
    policy.guidance = static_cast<GuidancePolicy>(
        choice_of(document, *node, "guidance", {"plain", "forest"}, {"priced", "congestion"}));
  policy.guidance_ticks = static_cast<std::uint32_t>(
      integer_or(section, "guidance_ticks", policy.guidance_ticks, {"guidance_ticks", 1, 1000000}));
  if (const toml::node* node = section.find("bodies"))
    policy.bodies = static_cast<BodyRule>(choice_of(document, *node, "bodies", {"discs", "cells"}));
  if (const toml::node* node = section.find("following")) {
    const bool allowed = node->is_string() ? choice_of(document, *node, "following", {"allowed", "forbidden"}) == 0
                                           : section.flag_or("following", true);
    policy.following = allowed ? Following::allowed : Following::forbidden;
  }
  if (const toml::node* node = section.find("on_stale")) {
    policy.on_stale =
        static_cast<OnStale>(choice_of(document, *node, "on_stale", {"hold", "keep_if_legal", "own_search", "replan"}));
  }
  if (policy.on_stale == OnStale::replan)
    policy.refusals_before_replan = static_cast<std::uint32_t>(integer_or(
        section, "refusals_before_replan", policy.refusals_before_replan, {"refusals_before_replan", 1, 1000000}));
  else
    only_default("refusals_before_replan", 8);  // of the other policies nobody counts refusals
  policy.search_budget_cells = static_cast<std::uint64_t>(
      integer_or(section, "search_budget_cells", static_cast<std::int64_t>(policy.search_budget_cells),
                 {"search_budget_cells", 0}));
  policy.field_cache_bytes = static_cast<std::uint64_t>(integer_or(
      section, "field_cache_bytes", static_cast<std::int64_t>(policy.field_cache_bytes), {"field_cache_bytes", 0}));
  if (const toml::node* node = section.find("on_goal_change")) {
    policy.on_goal_change =
        static_cast<OnGoalChange>(choice_of(document, *node, "on_goal_change", {"hold", "keep_going"}));
  }
  policy.adopt_latency_ticks =
      static_cast<std::uint32_t>(integer_or(section, "adopt_latency_ticks", 1, {"adopt_latency_ticks", 0, 1000000}));
  policy.refresh_latency_ticks = static_cast<std::uint32_t>(
      integer_or(section, "refresh_latency_ticks", 0, {"refresh_latency_ticks", 0, 1000000}));
}

void read_run(ScenarioReader& reader) {
  Scenario& out = reader.out;
  if (const toml::node* root = reader.document.root().get("run")) {
    if (!root->is_table())
      refuse(StatusCode::value, reader.document.place(*root), "run is not a table; [run] is expected");
    const Section section(reader.document, *root->as_table(), "[run]", {"ticks", "seed", "tick_rate"});
    out.ticks = static_cast<std::uint64_t>(
        integer_or(section, "ticks", 10000, {"ticks", 0, kMostTicks, StatusCode::tick, StatusCode::tick}));
    out.tick_rate = static_cast<std::uint32_t>(
        integer_or(section, "tick_rate", 20, {"tick_rate", 1, 1000, StatusCode::tick, StatusCode::tick}));
    if (const toml::node* seed = section.find("seed")) out.policy.seed = seed_of(reader.document, *seed);
  }
  if (reader.options.seed) out.policy.seed = *reader.options.seed;
}

}  // namespace drover::io

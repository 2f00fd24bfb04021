// SPDX-License-Identifier: MIT
// One short line a command; of long batches the beginning.
#include "io/input_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/text.hpp"

namespace drover::io {

namespace {

constexpr std::size_t kShown = 4;

std::string name(const std::vector<std::string>& names, std::uint32_t index) {
  return index < names.size() && !names[index].empty() ? printable(names[index]) : fmt::format("#{}", index);
}

std::string agent(const Simulation& simulation, AgentId id) {
  const Result<AgentView> view = simulation.agent(id);
  return view ? fmt::format("agent {}", view->key) : fmt::format("agent of slot {}", id.index);
}

std::string state_of(const DoorEdit& door) {
  if (door.state == DoorState::closed) return "closed";
  return door.cost == 0 ? "open" : fmt::format("open at {}", door.cost);
}

std::string obstacle_text(const ObstacleEdit& e) {
  if (e.change == ObstacleChange::remove) return "is gone";
  const Position to = e.change == ObstacleChange::move ? e.centre : e.shape->centre;
  return fmt::format("{} {},{}", e.change == ObstacleChange::move ? "to" : "has a new shape at", decimal_text(to.x),
                     decimal_text(to.y));
}

std::string edit_text(const MapEdit& edit, const Simulation& simulation, const RecordingInfo& info) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (std::size_t i = 0; i < edit.doors.size() && i < kShown; ++i)
    add(fmt::format("door {} {}", name(info.doors, edit.doors[i].door), state_of(edit.doors[i])));
  const std::span<const TerrainClass> classes = simulation.map().terrain_classes();
  for (std::size_t i = 0; i < edit.cells.size() && i < kShown; ++i) {
    const CellEdit& e = edit.cells[i];
    const std::span<const std::string> factions = simulation.map().factions();
    add(fmt::format("cell {} {}{}", cell_text(e.cell),
                    e.change == CellChange::unknown ? "unknown"
                    : e.change == CellChange::known ? "known"
                    : e.terrain < classes.size()    ? printable(classes[e.terrain].name)
                                                    : "?",
                    e.faction < factions.size() ? fmt::format(" to {}", printable(factions[e.faction])) : ""));
  }
  for (std::size_t i = 0; i < edit.steps.size() && i < kShown; ++i) {
    const StepEdit& e = edit.steps[i];
    add(fmt::format("step {} {} {}", cell_text(e.step.from), to_string(e.step.direction),
                    e.allowed ? fmt::format("+{}", e.extra) : "forbidden"));
  }
  for (std::size_t i = 0; i < edit.portals.size() && i < kShown; ++i)
    add(fmt::format("portal {} {}", edit.portals[i].portal, edit.portals[i].open ? "open" : "closed"));
  for (std::size_t i = 0; i < edit.obstacles.size() && i < kShown; ++i)
    add(fmt::format("obstacle {} {}", name(info.obstacles, edit.obstacles[i].obstacle),
                    obstacle_text(edit.obstacles[i])));
  std::size_t all = 0, shown = 0;
  for (const std::size_t count :
       {edit.doors.size(), edit.cells.size(), edit.steps.size(), edit.portals.size(), edit.obstacles.size()}) {
    all += count;
    shown += std::min(count, kShown);
  }
  return all > shown ? fmt::format("{} and {} more", text, all - shown) : text;
}

std::string agent_text(const AgentDef& a, const RecordingInfo& info) {
  std::string text =
      fmt::format("agent {} comes at {}, profile {}", a.key, cell_text(a.at), name(info.profiles, a.profile.index));
  for (const GoalId via : a.via) text += fmt::format(", via {}", name(info.goals, via.index));
  text += fmt::format(", to {}, from tick {} on", name(info.goals, a.goal.index), a.start_tick);
  return a.priority_class == 0 ? text : fmt::format("{}, class {}", text, a.priority_class);
}

}  // namespace

std::string input_text(const Command& command, const Simulation& simulation, const RecordingInfo& info) {
  if (const auto* edit = std::get_if<EditMap>(&command.change)) return edit_text(edit->edit, simulation, info);
  if (const auto* goal = std::get_if<SetGoal>(&command.change)) {
    const std::vector<GoalCell>& cells = goal->where.cells;
    std::string text = fmt::format("goal {} to", name(info.goals, goal->goal.index));
    if (const std::optional<GoalArea>& area = goal->where.area)
      return fmt::format("{} {} {} of {}", text, area->rule == GoalArea::Rule::within ? "within" : "in sight within",
                         area->radius, cell_text(area->of));
    for (std::size_t i = 0; i < cells.size() && i < kShown; ++i)
      text += fmt::format(" {}{}", cell_text(cells[i].cell),
                          cells[i].offset == 0 ? "" : fmt::format("@{}", cells[i].offset));
    return cells.size() > kShown ? fmt::format("{} and {} more cells", text, cells.size() - kShown) : text;
  }
  if (const auto* add = std::get_if<AddAgent>(&command.change)) return agent_text(add->def, info);
  if (const auto* remove = std::get_if<RemoveAgent>(&command.change))
    return fmt::format("{} is removed", agent(simulation, remove->agent));
  if (const auto* jump = std::get_if<Teleport>(&command.change))
    return fmt::format("{} is put to {}", agent(simulation, jump->agent), cell_text(jump->to));
  if (const auto* push = std::get_if<Push>(&command.change))
    return fmt::format("{} is pushed {}", agent(simulation, push->agent), to_string(push->direction));
  const auto& change = std::get<Retarget>(command.change);
  return fmt::format("{} walks to {}", agent(simulation, change.agent), name(info.goals, change.goal.index));
}

}  // namespace drover::io

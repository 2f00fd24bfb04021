// SPDX-License-Identifier: MIT
// One function a kind, in the order of the declarations in simulation.hpp.
#include "sim/input_bytes.hpp"

#include "world/map_bytes.hpp"

namespace drover::sim {
namespace {

using base::ByteReader;
using base::ByteWriter;
using world::read_cell;
using world::write_cell;

enum class Kind : std::uint8_t { edit, set_goal, add_agent, remove_agent, retarget, goal, profile, teleport, push };

template <class Tag>
void write_id(ByteWriter& out, Id<Tag> id) {
  out.number(id.index);
  out.number(id.generation);
}

template <class Tag>
void read_id(ByteReader& in, Id<Tag>& id) {
  id.index = in.number32();
  id.generation = in.number32();
}

// 0 for nothing, else one more than the value.
template <class T>
void write_optional(ByteWriter& out, const std::optional<T>& value) {
  out.number(value ? std::uint64_t{*value} + 1 : 0);
}

std::optional<std::uint32_t> read_optional(ByteReader& in) {
  const std::uint64_t value = in.number(std::uint64_t{1} << 32);
  return value == 0 ? std::nullopt : std::optional<std::uint32_t>(static_cast<std::uint32_t>(value - 1));
}

void write_agent(ByteWriter& out, const AgentDef& a) {
  out.number(a.key);
  write_cell(out, a.at);
  write_id(out, a.profile);
  write_id(out, a.goal);
  out.number(a.via.size());
  for (const GoalId via : a.via) write_id(out, via);
  out.number(a.start_tick);
  out.signed_number(a.priority_class);
}

AgentDef read_agent(ByteReader& in) {
  AgentDef a;
  a.key = in.number();
  a.at = read_cell(in);
  read_id(in, a.profile);
  read_id(in, a.goal);
  a.via.resize(in.count(2));
  for (GoalId& via : a.via) read_id(in, via);
  a.start_tick = in.number();
  a.priority_class = in.signed32();
  return a;
}

void write_area(ByteWriter& out, const GoalArea& area) {
  out.u8(static_cast<std::uint8_t>(area.rule));
  write_cell(out, area.of);
  out.number(area.radius);
}

GoalArea read_area(ByteReader& in) {
  GoalArea area;
  area.rule = static_cast<GoalArea::Rule>(in.u8(static_cast<std::uint8_t>(GoalArea::Rule::in_sight)));
  area.of = read_cell(in);
  area.radius = in.number32(kMaxGoalRadius);
  return area;
}

void write_goal_place(ByteWriter& out, const GoalDef& goal) {
  out.number(goal.cells.size());
  for (const GoalCell& g : goal.cells) {
    write_cell(out, g.cell);
    out.number(g.offset);
  }
  out.u8(static_cast<std::uint8_t>(goal.placement));
  out.u8(goal.area ? 1 : 0);
  if (goal.area) write_area(out, *goal.area);
  out.u8(goal.nearest_from ? 1 : 0);
  if (goal.nearest_from) write_cell(out, *goal.nearest_from);
}

GoalDef read_goal_place(ByteReader& in) {
  GoalDef goal;
  goal.cells.resize(in.count(4));
  for (GoalCell& g : goal.cells) {
    g.cell = read_cell(in);
    g.offset = in.number();
  }
  goal.placement = static_cast<GoalPlacement>(in.u8(static_cast<std::uint8_t>(GoalPlacement::nearest)));
  if (in.flag()) goal.area = read_area(in);
  if (in.flag()) goal.nearest_from = read_cell(in);
  return goal;
}

}  // namespace

void write_profile(ByteWriter& out, const MovementProfile& p) {
  out.text(p.name);
  out.number(static_cast<std::uint64_t>(p.footprint));
  out.u8(p.body_radius ? 1 : 0);
  if (p.body_radius) out.signed_number(p.body_radius->raw);
  out.number(static_cast<std::uint64_t>(p.speed.raw));
  out.u8(static_cast<std::uint8_t>(p.moves));
  out.u8(static_cast<std::uint8_t>(p.corner));
  out.u8(static_cast<std::uint8_t>(p.costs));
  out.number(p.terrain.size());
  for (const TerrainRule& rule : p.terrain) {
    out.u8(rule.terrain);
    write_optional(out, rule.cost);
    write_optional(out, rule.passable);
  }
  out.number(p.layers.size());
  for (const std::int32_t layer : p.layers) out.signed_number(layer);
  out.u8(p.faction);
}

MovementProfile read_profile(ByteReader& in) {
  MovementProfile p;
  p.name = in.text();
  p.footprint = static_cast<int>(in.number(kMaxFootprint));
  if (in.flag()) p.body_radius = Fixed{in.signed_number()};
  p.speed = Fixed{static_cast<std::int64_t>(in.number(std::uint64_t{1} << 32))};
  p.moves = static_cast<Moves>(in.u8());
  in.expect(p.moves == Moves::four || p.moves == Moves::eight);
  p.corner = static_cast<CornerRule>(in.u8(static_cast<std::uint8_t>(CornerRule::none)));
  p.costs = static_cast<CostBase>(in.u8(static_cast<std::uint8_t>(CostBase::octile)));
  p.terrain.resize(in.count(3));
  for (TerrainRule& rule : p.terrain) {
    rule.terrain = in.u8();
    rule.cost = read_optional(in);
    if (const std::uint64_t passable = in.number(2); passable != 0) rule.passable = passable == 2;
  }
  p.layers.resize(in.count());
  for (std::int32_t& layer : p.layers) layer = in.signed32();
  p.faction = in.u8();
  return p;
}

void write_goal(ByteWriter& out, const SimulationGoal& goal) {
  write_goal_place(out, goal.where);
  out.u8(static_cast<std::uint8_t>(goal.on_arrival));
}

SimulationGoal read_goal(ByteReader& in) {
  SimulationGoal goal;
  goal.where = read_goal_place(in);
  goal.on_arrival = static_cast<OnArrival>(in.u8(static_cast<std::uint8_t>(OnArrival::vanish)));
  return goal;
}

void write_command(ByteWriter& out, const Command& command) {
  const auto kind = [&](Kind k) { out.u8(static_cast<std::uint8_t>(k)); };
  if (const auto* edit = std::get_if<EditMap>(&command.change)) {
    kind(Kind::edit);
    world::write_edit(out, edit->edit);
  } else if (const auto* goal = std::get_if<SetGoal>(&command.change)) {
    kind(Kind::set_goal);
    write_id(out, goal->goal);
    write_goal_place(out, goal->where);
  } else if (const auto* add = std::get_if<AddAgent>(&command.change)) {
    kind(Kind::add_agent);
    write_id(out, add->agent);
    write_agent(out, add->def);
  } else if (const auto* remove = std::get_if<RemoveAgent>(&command.change)) {
    kind(Kind::remove_agent);
    write_id(out, remove->agent);
  } else if (const auto* retarget = std::get_if<Retarget>(&command.change)) {
    kind(Kind::retarget);
    write_id(out, retarget->agent);
    write_id(out, retarget->goal);
  } else if (const auto* teleport = std::get_if<Teleport>(&command.change)) {
    kind(Kind::teleport);
    write_id(out, teleport->agent);
    write_cell(out, teleport->to);
  } else {
    const auto& push = std::get<Push>(command.change);
    kind(Kind::push);
    write_id(out, push.agent);
    out.u8(static_cast<std::uint8_t>(push.direction));
  }
  out.number(command.tick);
  out.number(command.key);
}

namespace {

Command read_command_of(Kind kind, ByteReader& in) {
  Command command;
  switch (kind) {
    case Kind::set_goal: {
      SetGoal goal;
      read_id(in, goal.goal);
      goal.where = read_goal_place(in);
      command.change = std::move(goal);
      break;
    }
    case Kind::add_agent: {
      AddAgent add;
      read_id(in, add.agent);
      add.def = read_agent(in);
      command.change = std::move(add);
      break;
    }
    case Kind::remove_agent: {
      RemoveAgent remove;
      read_id(in, remove.agent);
      command.change = remove;
      break;
    }
    case Kind::retarget: {
      Retarget retarget;
      read_id(in, retarget.agent);
      read_id(in, retarget.goal);
      command.change = retarget;
      break;
    }
    case Kind::teleport: {
      Teleport teleport;
      read_id(in, teleport.agent);
      teleport.to = read_cell(in);
      command.change = teleport;
      break;
    }
    case Kind::push: {
      Push push;
      read_id(in, push.agent);
      push.direction = static_cast<Direction>(in.u8(kDirections - 1));
      command.change = push;
      break;
    }
    default:
      command.change = EditMap{world::read_edit(in)};
      break;
  }
  command.tick = in.number();
  command.key = in.number();
  return command;
}

Kind read_kind(ByteReader& in) { return static_cast<Kind>(in.u8(static_cast<std::uint8_t>(Kind::push))); }

}  // namespace

Command read_command(ByteReader& in) {
  const Kind kind = read_kind(in);
  in.expect(kind != Kind::goal && kind != Kind::profile);
  return read_command_of(kind, in);
}

void write_input(ByteWriter& out, const Input& input) {
  if (const auto* command = std::get_if<Command>(&input)) return write_command(out, *command);
  if (const auto* goal = std::get_if<SimulationGoal>(&input)) {
    out.u8(static_cast<std::uint8_t>(Kind::goal));
    return write_goal(out, *goal);
  }
  const auto& profile = std::get<AddedProfile>(input);
  out.u8(static_cast<std::uint8_t>(Kind::profile));
  write_profile(out, profile.profile);
  write_optional(out, profile.options.adopt_latency_ticks);
}

Input read_input(ByteReader& in) {
  const Kind kind = read_kind(in);
  if (kind == Kind::goal) return read_goal(in);
  if (kind != Kind::profile) return read_command_of(kind, in);
  AddedProfile profile;
  profile.profile = read_profile(in);
  profile.options.adopt_latency_ticks = read_optional(in);
  return profile;
}

}  // namespace drover::sim

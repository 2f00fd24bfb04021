// SPDX-License-Identifier: MIT
// A crowd on a drawn map, run tick by tick under the validator.
#pragma once
#include <gtest/gtest.h>
#include <drover/simulation.hpp>
#include <drover/verify.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drover::test {

/// Before Validator::tick: the jumps that were ordered for this tick, and who was removed before its steps.
inline void tell_of_orders(const Simulation& sim, Validator& validator) {
  for (const Command& command : sim.commands())
    if (const auto* jump = std::get_if<Teleport>(&command.change))
      if (const Result<AgentView> agent = sim.agent(jump->agent); agent.ok()) validator.order(agent->key, jump->to);
  for (const Simulation::Entry& e : sim.removed()) validator.leave(e.key);
}

/// One agent with a goal cell of its own.
struct Walker {
  std::uint64_t key = 0;
  Cell at, goal;
  bool vanish = false;
  std::uint64_t start_tick = 0;
  int footprint = 1;
  std::optional<Fixed> radius = std::nullopt;
  std::int32_t priority_class = 0;
  Fixed speed = Fixed::from_int(1);
};

class Scene {
 public:
  explicit Scene(std::vector<std::string> rows, SimulationDef def = {}, const Host& host = {})
      : def_(def), host_(host) {
    std::vector<std::string_view> views(rows.begin(), rows.end());
    Result<GridMap> map = GridMap::from_rows(views, host);
    EXPECT_TRUE(map.ok()) << map.status().message();
    map_.emplace(*std::move(map));
  }
  explicit Scene(GridMap map, SimulationDef def = {}, const Host& host = {})
      : def_(def), host_(host), map_(std::move(map)) {}
  Scene& moves(Moves m) {
    profile_.moves = m;
    return *this;
  }
  Scene& costs(CostBase c) {
    profile_.costs = c;
    return *this;
  }

  /// Before open().
  GridMap& map() { return *map_; }
  std::uint32_t door(const std::string& name, std::vector<Cell> cells) {
    return *map_->add_door({name, std::move(cells), true});
  }

  /// Doors and profile first. Walkers with equal goals share one.
  void open(const std::vector<Walker>& walkers) {
    sim_.emplace(*Simulation::create(*std::move(map_), def_, host_));
    for (const Walker& w : walkers) add(w);
    const Status started = sim_->start();
    ASSERT_TRUE(started.ok()) << started.message();
    std::vector<MovementProfile> profiles(sim_->profiles().begin(), sim_->profiles().end());
    validator_.emplace(sim_->map(), profiles, ValidatorRules{def_.bodies, def_.following, def_.step});
    take_entries();
    remember();
  }
  AgentId add(const Walker& w) {
    MovementProfile p = profile_;
    p.footprint = w.footprint;
    p.body_radius = w.radius;
    p.speed = w.speed;
    p.name = std::to_string(w.footprint) + "/" + std::to_string(p.radius().raw) + "/" + std::to_string(p.speed.raw);
    if (!profile_ids_.contains(p.name)) profile_ids_[p.name] = *sim_->add_profile(p);
    const std::string goal = std::to_string(w.goal.x) + "," + std::to_string(w.goal.y) +
                             (w.goal.layer == 0 ? "" : "," + std::to_string(w.goal.layer)) + (w.vanish ? "v" : "");
    if (!goal_ids_.contains(goal)) {
      SimulationGoal g;
      g.where.cells = {{w.goal, 0}};
      g.on_arrival = w.vanish ? OnArrival::vanish : OnArrival::stay;
      goal_ids_[goal] = *sim_->add_goal(g);
    }
    AgentDef def;
    def.key = w.key;
    def.at = w.at;
    def.profile = profile_ids_[p.name];
    def.goal = goal_ids_[goal];
    def.start_tick = w.start_tick;
    def.priority_class = w.priority_class;
    const Result<AgentId> id = sim_->add_agent(def);
    EXPECT_TRUE(id.ok()) << id.status().message();
    return id.ok() ? *id : AgentId{};
  }
  GoalId goal(const std::string& name) { return goal_ids_.at(name); }
  ProfileId any_profile() { return profile_ids_.begin()->second; }

  StepReport step() {
    const MapView before = sim_->map();
    const StepReport report = sim_->step();
    if (sim_->map().map_version() != before.map_version() || sim_->map().overlay_version() != before.overlay_version())
      validator_->set_map(sim_->map());
    tell_of_orders(*sim_, *validator_);
    validator_->tick(report.tick, sim_->moves());
    take_entries();
    remember();
    return report;
  }
  void run(std::uint64_t ticks) {
    for (std::uint64_t i = 0; i < ticks && !sim_->finished(); ++i) step();
  }

  Simulation& sim() { return *sim_; }
  AgentId id(std::uint64_t key) { return *sim_->find_agent(key); }
  AgentView agent(std::uint64_t key) { return *sim_->agent(id(key)); }
  /// Position at the end of a tick; nothing where the agent was not on the map.
  std::optional<Cell> at(std::uint64_t tick, std::uint64_t key) const {
    const auto found = history_.at(tick).find(key);
    return found == history_.at(tick).end() ? std::nullopt : std::optional<Cell>(found->second);
  }
  std::uint64_t arrivals() const { return sim_->state_counts()[static_cast<std::size_t>(AgentState::arrived)]; }
  std::uint64_t arrival(std::uint64_t key) {
    return agent(key).state == AgentState::arrived ? agent(key).arrival_tick : ~std::uint64_t{0};
  }
  std::uint64_t refusals(Conflict c) const { return sim_->metrics().refusals[static_cast<std::size_t>(c)]; }
  std::uint64_t violations() const { return validator_->violations(); }
  std::string first_violation() const {
    if (validator_->first().empty()) return "none";
    const Violation& v = validator_->first().front();
    return "tick " + std::to_string(v.tick) + " " + to_string(v.kind) + " agents " + std::to_string(v.agent) + " " +
           std::to_string(v.other);
  }

 private:
  void take_entries() {
    for (const Simulation::Entry& e : sim_->entered()) validator_->enter(e.key, e.profile.index, e.cell);
    for (const Simulation::Entry& e : sim_->left().subspan(sim_->removed().size())) validator_->leave(e.key);
  }
  void remember() {
    history_.emplace_back();
    std::vector<AgentView> views;
    sim_->agents(views);
    for (const AgentView& v : views)
      if (v.state != AgentState::not_started) history_.back()[v.key] = v.cell;
  }

  SimulationDef def_;
  Host host_;
  MovementProfile profile_;
  std::optional<GridMap> map_;
  std::optional<Simulation> sim_;
  std::optional<Validator> validator_;
  std::map<std::string, ProfileId> profile_ids_;
  std::map<std::string, GoalId> goal_ids_;
  std::vector<std::map<std::uint64_t, Cell>> history_;
};

/// One list of rows for each layer; '#' is wall, all else floor.
inline GridMap layers_of(const std::vector<std::vector<std::string>>& layers) {
  GridMapDef def;
  def.width = static_cast<std::int64_t>(layers[0][0].size());
  def.height = static_cast<std::int64_t>(layers[0].size());
  def.layers = static_cast<std::int64_t>(layers.size());
  GridMap map = *GridMap::create(def);
  MapEdit walls;
  for (std::int32_t l = 0; l < def.layers; ++l)
    for (std::int32_t y = 0; y < def.height; ++y)
      for (std::int32_t x = 0; x < def.width; ++x)
        if (layers[static_cast<std::size_t>(l)][static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] == '#')
          walls.cells.push_back({{x, y, l}, CellChange::terrain, kWall});
  EXPECT_TRUE(map.apply(walls).ok());
  return map;
}

inline std::vector<std::string> open_rows(int width, int height) {
  return std::vector<std::string>(static_cast<std::size_t>(height), std::string(static_cast<std::size_t>(width), '.'));
}

}  // namespace drover::test

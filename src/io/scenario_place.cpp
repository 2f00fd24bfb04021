// SPDX-License-Identifier: MIT
// Keys and cells for every agent; goals and starts checked against the map before the first tick.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "base/counter_rng.hpp"
#include "field/goals.hpp"
#include "io/scenario_reader.hpp"

namespace drover::io {

namespace {

// Domains of random numbers that scenarios draw from; one per group.
constexpr std::uint32_t kSpawnDomain = 0x5350u << 16;

class Placer {
 public:
  explicit Placer(Scenario& scenario) : scenario_(scenario) {}

  void run() {
    compile();
    check_goals();
    number_agents();
    place_given();
    find_changing_cells();
    check_starts();
    for (std::size_t i = 0; i < scenario_.groups.size(); ++i) {
      if (scenario_.groups[i].cells.empty()) spawn(static_cast<std::uint32_t>(i));
    }
    std::sort(scenario_.agents.begin(), scenario_.agents.end(),
              [](const auto& a, const auto& b) { return a.key < b.key; });
    check_keys();
  }

 private:
  Place place(Spot spot) const { return scenario_.place(spot); }
  std::string text(Cell c) const { return cell_text(c, scenario_.map.layers); }
  std::string map_size() const {
    const Cell origin = scenario_.origin;
    return fmt::format("{}x{}{}", scenario_.map.width, scenario_.map.height,
                       origin.x == 0 && origin.y == 0 ? "" : fmt::format(" from {},{}", origin.x, origin.y));
  }
  const MovementProfile& profile(std::uint32_t i) const { return scenario_.profiles[i].profile; }

  void compile() {
    const GridMap map = or_refuse(make_map(scenario_));
    shape_ = map.shape();
    std::vector<ScenarioProfile> wanted = scenario_.profiles;
    if (wanted.empty()) wanted.emplace_back();
    for (const ScenarioProfile& p : wanted) {
      Result<NavGraph> graph = NavGraph::compile(map.view(), p.profile);
      if (!graph && graph.status().code() == StatusCode::out_of_memory) throw Refusal{graph.status()};
      if (!graph) throw Refusal{error_at(graph.status().code(), place(p.spot), graph.status().message())};
      if (fits_nowhere(*graph)) {
        const Status status =
            error_at(StatusCode::ok, place(p.spot),
                     fmt::format("profile {} of {}x{} cells fits nowhere; it can have no agent and no goal",
                                 printable(p.profile.name), p.profile.footprint, p.profile.footprint));
        scenario_.warnings.push_back({"W_NO_ROOM", status.message()});
      }
      graphs_.push_back(*std::move(graph));
    }
  }

  // Pairs (goal, profile) that some agent may use.
  std::set<std::pair<std::uint32_t, std::uint32_t>> used_goals() const {
    std::set<std::pair<std::uint32_t, std::uint32_t>> used;
    const auto use = [&](const auto& who) {
      used.emplace(who.goal, who.profile);
      for (const std::uint32_t goal : who.via) used.emplace(goal, who.profile);
    };
    for (const ScenarioGroup& group : scenario_.groups) {
      if (group.count > 0) use(group);
    }
    for (const ScenarioAgent& agent : scenario_.agents) use(agent);
    std::vector<std::pair<std::uint64_t, std::uint32_t>> profiles;  // key, profile
    for (const ScenarioAgent& agent : scenario_.agents) profiles.emplace_back(agent.key, agent.profile);
    std::sort(profiles.begin(), profiles.end());
    for (const ScenarioRetarget& r : scenario_.retargets) {
      if (r.group) {
        used.emplace(r.goal, scenario_.groups[*r.group].profile);
        continue;
      }
      auto at = std::lower_bound(profiles.begin(), profiles.end(), std::pair{r.agent, std::uint32_t{0}});
      for (; at != profiles.end() && at->first == r.agent; ++at) used.emplace(r.goal, at->second);
    }
    return used;
  }

  void check_goals() {
    std::vector<bool> has_user(scenario_.goals.size());
    for (const auto& [goal, profile_index] : used_goals()) {
      has_user[goal] = true;
      if (scenario_.goals[goal].goal.where.area) {
        check_area(scenario_.goals[goal], {&graphs_[profile_index], 1},
                   fmt::format(" for profile {}", printable(profile(profile_index).name)));
        continue;
      }
      check_goal(
          scenario_.goals[goal], [&, p = profile_index](Cell c) { return graphs_[p].footing(c); },
          profile(profile_index).name);
    }
    for (std::size_t i = 0; i < has_user.size(); ++i) {
      warn_of_duplicates(scenario_.goals[i]);
      if (has_user[i]) continue;
      if (scenario_.goals[i].goal.where.area) {
        check_area(scenario_.goals[i], graphs_, "");
        continue;
      }
      check_goal(
          scenario_.goals[i],
          [&](Cell c) {
            for (const NavGraph& graph : graphs_) {
              if (graph.footing(c) == Footing::open) return Footing::open;
            }
            return graphs_[0].footing(c);
          },
          "");
    }
  }

  // One of the graphs has room for it.
  void check_area(const ScenarioGoal& goal, std::span<const NavGraph> graphs, const std::string& who) const {
    Status status;
    for (const NavGraph& graph : graphs) {
      Status here = field::place_goals(graph, goal.goal.where).status;
      if (here.ok()) return;
      if (status.ok()) status = std::move(here);
    }
    refuse(status.code(), place(goal.spots[0]),
           fmt::format("goal {}{}: {}{}", printable(goal.name), who, status.message(),
                       status.code() == StatusCode::goal_outside
                           ? ""
                           : "; an area where the body fits is expected, or nearest = true"));
  }

  void warn_of_duplicates(const ScenarioGoal& goal) {
    std::vector<std::pair<std::uint32_t, std::size_t>> cells;
    for (std::size_t i = 0; i < goal.goal.where.cells.size(); ++i)
      cells.emplace_back(shape_.index(goal.goal.where.cells[i].cell).value, i);
    std::sort(cells.begin(), cells.end());
    std::size_t first = cells.size(), count = 0;
    for (std::size_t i = 1; i < cells.size(); ++i) {
      if (cells[i].first != cells[i - 1].first || !CellIndex{cells[i].first}.valid()) continue;
      first = std::min(first, cells[i].second);
      ++count;
    }
    if (count == 0) return;
    const Status status = error_at(StatusCode::ok, place(goal.spots[first]),
                                   fmt::format("goal {} names {} again{}; the least offset counts, then the first",
                                               printable(goal.name), text(goal.goal.where.cells[first].cell),
                                               count == 1 ? "" : fmt::format(" (and {} more)", count - 1)));
    scenario_.warnings.push_back({"W_GOAL_TWICE", status.message()});
  }

  template <class FootingOf>
  void check_goal(const ScenarioGoal& goal, FootingOf footing_of, const std::string& profile_name) const {
    if (goal.goal.where.placement == GoalPlacement::nearest) return;
    const std::string who =
        profile_name.empty() ? std::string() : fmt::format(" for profile {}", printable(profile_name));
    const std::vector<GoalCell>& cells = goal.goal.where.cells;
    std::vector<std::size_t> bad;
    for (std::size_t i = 0; i < goal.spots.size(); ++i) {
      if (footing_of(cells[i].cell) != Footing::open) bad.push_back(i);
    }
    if (bad.empty()) return;
    const Footing first = footing_of(cells[bad[0]].cell);
    if (bad.size() == 1) refuse_goal(goal, bad[0], first, who);
    std::string all;
    for (const std::size_t i : bad) {
      const StatusCode code = code_of(footing_of(cells[i].cell));
      all += fmt::format("{}{} {}", all.empty() ? "" : "; ", text(cells[i].cell), goal_word(code));
    }
    const bool outside = all.find("goal_outside") != std::string::npos;
    refuse(code_of(first), place(goal.spots[bad[0]]),
           fmt::format("goal {}{}: {}{}; cells where the body fits are expected, or nearest = true",
                       printable(goal.name), who, all, outside ? fmt::format("; the map is {}", map_size()) : ""));
  }

  static StatusCode code_of(Footing footing) {
    if (footing == Footing::outside) return StatusCode::goal_outside;
    return footing == Footing::unknown ? StatusCode::goal_unknown : StatusCode::goal_blocked;
  }
  static std::string_view goal_word(StatusCode code) {
    if (code == StatusCode::goal_outside) return "goal_outside";
    return code == StatusCode::goal_unknown ? "goal_unknown" : "goal_blocked";
  }

  [[noreturn]] void refuse_goal(const ScenarioGoal& goal, std::size_t i, Footing footing,
                                const std::string& who) const {
    const std::string name = printable(goal.name), cell = text(goal.goal.where.cells[i].cell);
    std::string what;
    if (footing == Footing::outside)
      what = fmt::format("goal {} at {} is outside; the map is {}", name, cell, map_size());
    else if (footing == Footing::unknown)
      what = fmt::format("goal {} at {} is unknown{}; a known free cell is expected", name, cell, who);
    else if (footing == Footing::no_room)
      what =
          fmt::format("goal {} at {}: the body has no room there{}; a cell where it fits is expected", name, cell, who);
    else
      what = fmt::format("goal {} at {} is blocked{}; a free cell is expected, or nearest = true", name, cell, who);
    refuse(code_of(footing), place(goal.spots[i]), what);
  }

  // Keys that are given are taken first; the rest count up through what is free, in file order.
  void number_agents() {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;  // first, one past the last
    for (const ScenarioAgent& agent : scenario_.agents) {
      if (agent.key != 0) taken.emplace_back(agent.key, agent.key + 1);
    }
    for (const ScenarioGroup& group : scenario_.groups) {
      if (group.first_key && group.count > 0) taken.emplace_back(*group.first_key, *group.first_key + group.count);
    }
    std::sort(taken.begin(), taken.end());
    std::uint64_t next = 1;
    std::size_t passed = 0;  // ranges that end at or below `next`
    const auto take = [&](std::uint64_t count) {
      for (; passed < taken.size() && taken[passed].first < next + count; ++passed)
        next = std::max(next, taken[passed].second);
      const std::uint64_t first = next;
      next += count;
      return first;
    };
    for (ScenarioGroup& group : scenario_.groups) {
      if (!group.first_key) group.first_key = take(group.count);
    }
    for (ScenarioAgent& agent : scenario_.agents) {
      if (agent.key == 0) agent.key = take(1);
    }
  }

  ScenarioAgent member(std::uint32_t group_index, std::uint64_t number, Cell at, Spot spot) const {
    const ScenarioGroup& group = scenario_.groups[group_index];
    return {*group.first_key + number, at,          group.profile, group.goal, group.via, group.start_tick,
            group.priority_class,      group_index, spot};
  }

  void place_given() {
    for (std::uint32_t g = 0; g < scenario_.groups.size(); ++g) {
      const ScenarioGroup& group = scenario_.groups[g];
      for (std::size_t i = 0; i < group.cells.size(); ++i)
        scenario_.agents.push_back(member(g, i, group.cells[i], group.spots[i]));
    }
  }

  template <class Visit>
  static void for_body(Cell anchor, int footprint, Visit visit) {
    for (std::int32_t dy = 0; dy < footprint; ++dy) {
      for (std::int32_t dx = 0; dx < footprint; ++dx) visit(Cell{anchor.x + dx, anchor.y + dy, anchor.layer});
    }
  }

  // Only late agents ask for these.
  void find_changing_cells() {
    const auto late = [](const ScenarioAgent& agent) { return agent.start_tick > 0; };
    if (std::none_of(scenario_.agents.begin(), scenario_.agents.end(), late)) return;
    for (const ScenarioDoor& door : scenario_.doors) {
      for (const Cell c : door.door.cells) changing_.push_back(shape_.index(c).value);
    }
    for (const ScenarioEdit& edit : scenario_.edits) {
      for (const CellEdit& e : edit.edit.cells) changing_.push_back(shape_.index(e.cell).value);
    }
    std::sort(changing_.begin(), changing_.end());
    take_moving_obstacles_away();
  }

  void take_moving_obstacles_away() {
    MapEdit gone;
    for (std::uint32_t i = 0; i < scenario_.obstacles.size(); ++i) {
      if (!scenario_.obstacles[i].path.empty()) gone.obstacles.push_back({i, ObstacleChange::remove});
    }
    if (gone.empty()) return;
    GridMap map = or_refuse(make_map(scenario_));
    or_refuse(map.apply(gone));
    for (const ScenarioProfile& p : scenario_.profiles)
      cleared_graphs_.push_back(or_refuse(NavGraph::compile(map.view(), p.profile)));
  }

  // A late agent may start where a door, an edit or an obstacle that moves makes room until then.
  bool may_open(const ScenarioAgent& agent) const {
    if (agent.start_tick == 0) return false;
    if (!cleared_graphs_.empty() && cleared_graphs_[agent.profile].footing(agent.at) == Footing::open) return true;
    bool changes = false;
    for_body(agent.at, profile(agent.profile).footprint, [&](Cell c) {
      const CellIndex i = shape_.index(c);
      changes = changes || (i.valid() && std::binary_search(changing_.begin(), changing_.end(), i.value));
    });
    return changes;
  }

  void check_starts() const {
    struct Claim {
      std::uint64_t tick;
      std::uint32_t cell;
      std::size_t agent;
    };
    std::vector<Claim> claims;
    for (std::size_t i = 0; i < scenario_.agents.size(); ++i) {
      const ScenarioAgent& agent = scenario_.agents[i];
      const Place at = place(agent.spot);
      const Footing footing = graphs_[agent.profile].footing(agent.at);
      if (footing == Footing::outside) {
        refuse(StatusCode::start_outside, at,
               fmt::format("agent {} starts at {}, outside; the map is {}", agent.key, text(agent.at), map_size()));
      }
      if (footing != Footing::open && !may_open(agent)) {
        const std::string_view why = footing == Footing::unknown   ? "the cell is unknown"
                                     : footing == Footing::no_room ? "its body has no room there"
                                                                   : "the cell is blocked";
        refuse(StatusCode::start_blocked, at,
               fmt::format("agent {} starts at {}: {}; a free cell is expected", agent.key, text(agent.at), why));
      }
      for_body(agent.at, profile(agent.profile).footprint, [&](Cell c) {
        claims.push_back({agent.start_tick, shape_.index(c).value, i});
      });
    }
    std::sort(claims.begin(), claims.end(), [](const Claim& a, const Claim& b) {
      return a.tick != b.tick ? a.tick < b.tick : a.cell != b.cell ? a.cell < b.cell : a.agent < b.agent;
    });
    for (std::size_t i = 1; i < claims.size(); ++i) {
      if (claims[i].tick != claims[i - 1].tick || claims[i].cell != claims[i - 1].cell) continue;
      const ScenarioAgent& first = scenario_.agents[claims[i - 1].agent];
      const ScenarioAgent& second = scenario_.agents[claims[i].agent];
      refuse(StatusCode::start_conflict, place(second.spot),
             fmt::format("agents {} and {} both start on cell {}; one agent a cell is expected", first.key, second.key,
                         text(shape_.cell({claims[i].cell}))));
    }
  }

  // Cells of the area as a padded plane; every cell where there is none.
  std::vector<std::uint8_t> area_plane(const ScenarioGroup& group) const {
    std::vector<std::uint8_t> plane(shape_.padded_cells(), group.area.empty() ? 1 : 0);
    const Cell origin = shape_.origin();
    for (const CellRect& rect : group.area) {
      if (rect.corner.layer < 0 || rect.corner.layer >= shape_.layers()) continue;
      const auto clip = [](std::int64_t v, std::int64_t most) { return std::clamp<std::int64_t>(v, 0, most); };
      const std::int64_t left = std::int64_t{rect.corner.x} - origin.x, top = std::int64_t{rect.corner.y} - origin.y;
      const std::int64_t x0 = clip(left, shape_.width()), x1 = clip(left + rect.width, shape_.width());
      for (std::int64_t y = clip(top, shape_.height()); y < clip(top + rect.height, shape_.height()); ++y) {
        const std::uint32_t row = shape_.at(0, static_cast<std::int32_t>(y), rect.corner.layer);
        std::fill(plane.begin() + row + x0, plane.begin() + row + x1, std::uint8_t{1});
      }
    }
    return plane;
  }

  // Draws placements one by one from those that are left, so it ends after as many draws as there are placements.
  void spawn(std::uint32_t group_index) {
    const ScenarioGroup& group = scenario_.groups[group_index];
    if (group.count == 0) return;
    const int k = profile(group.profile).footprint;
    std::vector<std::uint8_t> usable = area_plane(group);
    for (const ScenarioAgent& agent : scenario_.agents) {
      if (agent.start_tick != group.start_tick) continue;
      for_body(agent.at, profile(agent.profile).footprint, [&](Cell c) { usable[shape_.index(c).value] = 0; });
    }
    const auto fits = [&](Cell anchor) {
      bool free = graphs_[group.profile].footing(anchor) == Footing::open;
      if (free) for_body(anchor, k, [&](Cell c) { free = free && usable[shape_.index(c).value] != 0; });
      return free;
    };
    std::vector<std::uint32_t> free = free_placements(fits);
    if (group.count > free.size()) {
      refuse(StatusCode::limit_agents, place(group.count_spot),
             fmt::format("count = {} agents of profile {}; there is room for at most {}", group.count,
                         printable(profile(group.profile).name), free.size()));
    }
    const base::CounterRng rng(scenario_.policy.seed, kSpawnDomain + group_index);
    std::uint64_t placed = 0;
    for (std::size_t i = 0; i < free.size() && placed < group.count; ++i) {
      std::swap(free[i], free[i + rng.uniform(i, static_cast<std::uint32_t>(free.size() - i))]);
      const Cell anchor = shape_.cell({free[i]});
      if (k > 1 && !fits(anchor)) continue;
      for_body(anchor, k, [&](Cell c) { usable[shape_.index(c).value] = 0; });
      scenario_.agents.push_back(member(group_index, placed++, anchor, group.spot));
    }
    if (placed < group.count) {
      refuse(StatusCode::start_conflict, place(group.count_spot),
             fmt::format("count = {} agents of {}x{} cells, but only {} found room beside each other; fewer, or a "
                         "larger area, is expected",
                         group.count, k, k, placed));
    }
  }

  template <class Fits>
  std::vector<std::uint32_t> free_placements(Fits fits) const {
    std::vector<std::uint32_t> free;
    const Cell origin = shape_.origin();
    for (std::int32_t layer = 0; layer < shape_.layers(); ++layer) {
      for (std::int32_t y = 0; y < shape_.height(); ++y) {
        for (std::int32_t x = 0; x < shape_.width(); ++x) {
          if (fits({origin.x + x, origin.y + y, layer})) free.push_back(shape_.at(x, y, layer));
        }
      }
    }
    return free;
  }

  void check_keys() const {
    const std::vector<ScenarioAgent>& agents = scenario_.agents;
    for (std::size_t i = 1; i < agents.size(); ++i) {
      if (agents[i].key != agents[i - 1].key) continue;
      const ScenarioAgent& later = agents[i].spot.line >= agents[i - 1].spot.line ? agents[i] : agents[i - 1];
      refuse(StatusCode::name_twice, place(later.spot),
             fmt::format("key {} is given to two agents; keys are expected once", later.key));
    }
    for (const ScenarioRetarget& r : scenario_.retargets) {
      if (r.group) continue;
      const auto found = std::lower_bound(agents.begin(), agents.end(), r.agent,
                                          [](const ScenarioAgent& a, std::uint64_t key) { return a.key < key; });
      if (found == agents.end() || found->key != r.agent) {
        refuse(StatusCode::name_unknown, place(r.spot),
               fmt::format("agent {} is not there; the key of an agent is expected", r.agent));
      }
    }
  }

  Scenario& scenario_;
  GridShape shape_;
  std::vector<NavGraph> graphs_;
  std::vector<NavGraph> cleared_graphs_;  // without obstacles that move; only if late agents ask
  std::vector<std::uint32_t> changing_;   // indices of cells of doors and edits, ascending
};

}  // namespace

void place_agents(Scenario& scenario) {
  const Result<bool> done = guarded(map_need(scenario.map.width, scenario.map.height, scenario.map.layers), [&] {
    Placer(scenario).run();
    return true;
  });
  if (!done) throw Refusal{done.status()};
}

}  // namespace drover::io

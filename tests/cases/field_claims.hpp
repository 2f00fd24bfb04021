// SPDX-License-Identifier: MIT
// Claims of field cases, checked against a built field; a key that nobody knows fails the test.
#pragma once
#include "cases/case_reader.hpp"

#include <cstdio>

namespace drover::test {

/// A field as `drover field --dump`, `--directions` and `--ties` print it.
class Rendered {
 public:
  explicit Rendered(const FlowField& field) : field_(field) {}

  std::string cost(CellIndex i) const { return known(i) ? std::to_string(field_.cost_to_goal(i)) : mark(i); }
  std::string direction(CellIndex i) const {
    if (field_.state(i) == CellState::goal) return "G";
    if (field_.state(i) != CellState::reachable) return mark(i);
    const Step step = field_.step(i);
    return step.kind == Step::Kind::portal ? "P" : to_string(step.direction);
  }
  std::string ties(CellIndex i) const {
    std::string text;
    for (int k = 0; k < kDirections; ++k) {
      const auto d = static_cast<Direction>(k);
      if (field_.optimal_directions(i).has(d)) text += (text.empty() ? "" : " ") + std::string(to_string(d));
    }
    if (!field_.optimal_portals(i).empty()) text += text.empty() ? "P" : " P";
    return text;
  }
  std::string tie_byte(CellIndex i) const {
    char text[3];
    std::snprintf(text, sizeof text, "%02x", unsigned{field_.optimal_directions(i).bits});
    return field_.optimal_portals(i).empty() ? text : text + std::string("p");
  }

  template <class Word>
  std::vector<std::string> rows(Word&& word) const {
    std::vector<std::string> out;
    for (int y = 0; y < field_.shape().height(); ++y) {
      std::string row;
      for (int x = 0; x < field_.shape().width(); ++x) {
        row += (x > 0 ? " " : "") + word(CellIndex{field_.shape().at(x, y, 0)});
      }
      out.push_back(std::move(row));
    }
    return out;
  }

 private:
  bool known(CellIndex i) const {
    return field_.state(i) == CellState::goal || field_.state(i) == CellState::reachable;
  }
  std::string mark(CellIndex i) const {
    switch (field_.state(i)) {
      case CellState::unreachable:
        return "x";
      case CellState::unknown:
        return "?";
      case CellState::blocked:
      case CellState::no_room:
        return "#";
      default:
        return to_string(field_.state(i));
    }
  }

  const FlowField& field_;
};

/// One check: builds its field with every engine that applies and compares each claim.
class ClaimChecker {
 public:
  ClaimChecker(const toml::table& table, const std::set<std::string>& other_keys) : case_(table) {
    Result<NavGraph> graph = NavGraph::compile(case_.map->view(), case_.profile);
    EXPECT_TRUE(graph.ok()) << graph.status().message();
    graph_ = *std::move(graph);
    Result<FieldRef> built = builder_.build(graph_, case_.goal, {}, &report_);
    if (built) field_ = *std::move(built);
    for (const auto& [key, value] : table) {
      const std::string name(key.str());
      if (FieldCase::input_keys().contains(name) || other_keys.contains(name)) continue;
      SCOPED_TRACE(name);
      check(name, value);
    }
    if (field_ != nullptr) every_engine_agrees();
  }

  const FieldRef& field() const { return field_; }

 private:
  void check(const std::string& key, const toml::node& value) {
    if (key == "reachable") return check_number(value, field_ == nullptr ? 0 : report_.reachable);
    if (key == "components") return check_components(*value.as_array());
    if (key == "nearest") return check_nearest(*value.as_table());
    if (field_ == nullptr) {
      ADD_FAILURE() << "no field to check this with";
      return;
    }
    if (key == "unreachable") return check_number(value, report_.unreachable);
    if (key == "unknown_cells") return check_number(value, report_.unknown);
    if (key == "max_cost") return check_number(value, report_.max_cost);
    if (key == "sum_cost") return check_number(value, sum_of_costs());
    if (key == "follow_all") return follow_all();
    const Rendered shown(*field_);
    const auto cost = [&](CellIndex i) { return shown.cost(i); };
    const auto direction = [&](CellIndex i) { return shown.direction(i); };
    if (key == "dump") return check_rows(value, shown.rows(cost));
    if (key == "directions") return check_rows(value, shown.rows(direction));
    if (key == "tie_rows") return check_rows(value, shown.rows([&](CellIndex i) { return shown.tie_byte(i); }));
    if (key == "cost") return check_cells(value, cost);
    if (key == "dir") return check_cells(value, direction);
    if (key == "ties") return check_cells(value, [&](CellIndex i) { return shown.ties(i); });
    if (key == "goal_of") {
      const std::vector<std::uint32_t> owners = field_->goal_indices();
      return check_cells(value, [&](CellIndex i) { return std::to_string(owners[i.value]); });
    }
    ADD_FAILURE() << "unknown key";
  }

  static void check_number(const toml::node& value, std::uint64_t got) {
    EXPECT_EQ(got, static_cast<std::uint64_t>(number(value)));
  }
  static void check_rows(const toml::node& value, const std::vector<std::string>& got) {
    EXPECT_EQ(got, strings(*value.as_array()));
  }

  // [x, y, value] or [x, y, layer, value].
  template <class Word>
  void check_cells(const toml::node& value, Word&& word) {
    for (const toml::node& node : *value.as_array()) {
      const toml::array& claim = *node.as_array();
      Cell cell{static_cast<std::int32_t>(number(claim[0])), static_cast<std::int32_t>(number(claim[1])), 0};
      if (claim.size() == 4) cell.layer = static_cast<std::int32_t>(number(claim[2]));
      const toml::node& last = claim[claim.size() - 1];
      const std::string want = last.is_integer() ? std::to_string(number(last)) : last.value<std::string>().value();
      EXPECT_EQ(word(field_->shape().index(cell)), want) << cell.x << "," << cell.y;
    }
  }

  void check_components(const toml::array& sizes) {
    std::vector<std::uint64_t> want;
    for (const toml::node& size : sizes) want.push_back(static_cast<std::uint64_t>(number(size)));
    EXPECT_EQ(graph_.component_sizes(), want);
  }

  void check_nearest(const toml::table& claim) {
    const toml::array &asked = *claim["goal"].as_array(), &is = *claim["is"].as_array();
    const auto cell = [](const toml::array& a) {
      return Cell{static_cast<std::int32_t>(number(a[0])), static_cast<std::int32_t>(number(a[1])), 0};
    };
    const GoalDef moved{{{cell(asked), 0}}, GoalPlacement::nearest};
    BuildReport report;
    const Result<FieldRef> field = builder_.build(graph_, moved, {}, &report);
    ASSERT_TRUE(field.ok()) << field.status().message();
    EXPECT_EQ(report.goals[0].asked, cell(asked));
    EXPECT_EQ(report.goals[0].placed, cell(is));
    EXPECT_NE(report.goals[0].status, StatusCode::ok);
    const Result<FieldRef> direct = builder_.build(graph_, GoalDef{{{cell(is), 0}}, GoalPlacement::exact});
    ASSERT_TRUE(direct.ok());
    EXPECT_EQ((*field)->digest(), (*direct)->digest());
  }

  std::uint64_t sum_of_costs() const {
    std::uint64_t sum = 0;
    for (std::uint32_t p = 0; p < field_->shape().padded_cells(); ++p) {
      const Cost cost = field_->cost_to_goal({p});
      if (cost != kInfiniteCost) sum += cost;
    }
    return sum;
  }

  // Both the first and the last member of each tie set lead to a goal in at most as many steps as cells are reachable.
  void follow_all() const {
    for (std::uint32_t start = 0; start < field_->shape().padded_cells(); ++start) {
      for (const bool first : {true, false}) {
        std::uint32_t at = start;
        for (std::uint64_t steps = 0; field_->state({at}) == CellState::reachable; ++steps) {
          ASSERT_LE(steps, report_.reachable) << "from padding " << start;
          const DirectionSet ties = field_->optimal_directions({at});
          at += field_->shape().step(first ? ties.first()
                                           : static_cast<Direction>(std::bit_width(unsigned{ties.bits}) - 1));
        }
        if (field_->state({start}) == CellState::reachable) {
          EXPECT_EQ(field_->state({at}), CellState::goal);
        }
      }
    }
  }

  void every_engine_agrees() {
    for (const FieldEngine engine :
         {FieldEngine::textbook, FieldEngine::breadth_first, FieldEngine::two_cursor, FieldEngine::buckets,
          FieldEngine::heap, FieldEngine::directed, FieldEngine::sweep}) {
      BuildReport report;
      const Result<FieldRef> other = builder_.build(graph_, case_.goal, {engine}, &report);
      ASSERT_TRUE(other.ok()) << other.status().message();
      EXPECT_EQ((*other)->digest(), field_->digest()) << to_string(report.engine);
    }
  }

  FieldCase case_;
  NavGraph graph_;
  FieldBuilder builder_;
  BuildReport report_;
  FieldRef field_;
};

/// Runs every check of a case. `other_keys` belong to another test or to a later layer.
inline void run_case(const std::string& id, const std::set<std::string>& other_keys = {}) {
  int index = 0;
  for (const toml::table& check : checks_of(id)) {
    SCOPED_TRACE(id + ", check " + std::to_string(index++));
    ClaimChecker checker(check, other_keys);
  }
}

}  // namespace drover::test

// SPDX-License-Identifier: MIT
// Input blocks of field cases: a TOML table becomes a map, a profile and a goal list.
#pragma once
#include <gtest/gtest.h>
#include <drover/field.hpp>

#include "support/data.hpp"

#include <toml++/toml.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace drover::test {

/// The checks of a file: each is the case with the keys that the check changes. Without checks the case is its own.
inline std::vector<toml::table> checks_of(const std::string& id) {
  const auto path = repo_root() / "tests" / "cases" / "data" / (id + ".toml");
  toml::table base = toml::parse_file(path.string());
  std::vector<toml::table> checks;
  const toml::array* list = base["check"].as_array();
  if (list == nullptr) return {base};
  for (const toml::node& node : *list) {
    toml::table merged = base;
    merged.erase("check");
    for (const auto& [key, value] : *node.as_table()) {
      value.visit([&, name = key.str()](const auto& v) { merged.insert_or_assign(name, v); });
    }
    checks.push_back(std::move(merged));
  }
  return checks;
}

inline std::int64_t number(const toml::node& node) { return node.value<std::int64_t>().value(); }

inline std::vector<std::string> strings(const toml::array& list) {
  std::vector<std::string> out;
  for (const toml::node& node : list) out.push_back(node.value<std::string>().value());
  return out;
}

/// What a block describes; see "How to read an input block" of the case list.
class FieldCase {
 public:
  explicit FieldCase(const toml::table& table) : table_(table) {
    read_profile();
    read_rows();
    read_weights();
    read_goals();
    build_map();
  }

  static const std::set<std::string>& input_keys() {
    static const std::set<std::string> keys{
        "rows",      "layers",     "open",           "corridor",   "serpentine", "formula", "weights",
        "weight_at", "weight_all", "weight_formula", "goals",      "edit",       "moves",   "corner",
        "costs",     "footprint",  "forbid",         "edge_extra", "portals",    "heights", "slope"};
    return keys;
  }

  std::optional<GridMap> map;
  MovementProfile profile;
  GoalDef goal;

  int width() const { return static_cast<int>(layers_[0][0].size()); }
  int height() const { return static_cast<int>(layers_[0].size()); }
  char letter(int x, int y) const { return layers_[0][static_cast<std::size_t>(y)][static_cast<std::size_t>(x)]; }

 private:
  using Rows = std::vector<std::string>;

  void read_profile() {
    profile.footprint = static_cast<int>(table_["footprint"].value_or(std::int64_t{1}));
    profile.moves = table_["moves"].value_or(std::int64_t{8}) == 4 ? Moves::four : Moves::eight;
    const std::string corner = table_["corner"].value_or(std::string("strict"));
    profile.corner = corner == "none"       ? CornerRule::none
                     : corner == "one_free" ? CornerRule::one_free
                                            : CornerRule::strict;
    const std::string costs = table_["costs"].value_or(std::string("tens"));
    profile.costs = costs == "uniform" ? CostBase::uniform : costs == "octile" ? CostBase::octile : CostBase::tens;
  }

  void read_rows() {
    if (const toml::array* rows = table_["rows"].as_array()) layers_ = {strings(*rows)};
    if (const toml::array* layers = table_["layers"].as_array()) {
      for (const toml::node& layer : *layers) layers_.push_back(strings(*layer.as_array()));
    }
    if (const toml::array* size = table_["open"].as_array()) layers_ = {open(number((*size)[0]), number((*size)[1]))};
    if (const auto n = table_["corridor"].value<std::int64_t>()) layers_ = {open(*n, 1)};
    if (const auto n = table_["serpentine"].value<std::int64_t>()) layers_ = {serpentine(*n)};
    if (const toml::table* formula = table_["formula"].as_table()) layers_ = {walls_by_formula(*formula)};
    if (const toml::array* edits = table_["edit"].as_array()) {
      for (const toml::node& edit : *edits) {
        const toml::array& e = *edit.as_array();
        cell_of(number(e[0]), number(e[1])) = e[2].value<std::string>().value()[0];
      }
    }
  }

  char& cell_of(std::int64_t x, std::int64_t y) {
    return layers_[0][static_cast<std::size_t>(y)][static_cast<std::size_t>(x)];
  }
  static Rows open(std::int64_t width, std::int64_t height) {
    return Rows(static_cast<std::size_t>(height), std::string(static_cast<std::size_t>(width), '.'));
  }
  static Rows serpentine(std::int64_t n) {
    Rows rows = open(n, n);
    for (std::size_t y = 1; y < rows.size(); y += 2) {
      rows[y].assign(rows[y].size(), '#');
      rows[y][y % 4 == 1 ? rows[y].size() - 1 : 0] = '.';
    }
    return rows;
  }
  static std::uint64_t mixed(std::size_t x, std::uint64_t a, std::size_t y, std::uint64_t b) {
    return (x * a) ^ (y * b);
  }

  Rows walls_by_formula(const toml::table& f) {
    Rows rows = open(number(*f.get("width")), number(*f.get("height")));
    const auto mod = static_cast<std::uint64_t>(number(*f.get("mod")));
    const auto below = static_cast<std::uint64_t>(number(*f.get("below")));
    for (std::size_t y = 0; y < rows.size(); ++y) {
      for (std::size_t x = 0; x < rows[y].size(); ++x) {
        if (mixed(x, 73856093, y, 19349663) % mod < below) rows[y][x] = '#';
      }
    }
    for (const toml::node& clear : *f["clear"].as_array()) {
      const toml::array& c = *clear.as_array();
      rows[static_cast<std::size_t>(number(c[1]))][static_cast<std::size_t>(number(c[0]))] = '.';
    }
    return rows;
  }

  std::uint32_t& weight(std::size_t x, std::size_t y) { return weights_[y * layers_[0][0].size() + x]; }

  void read_weights() {
    const std::size_t cells = layers_[0].size() * layers_[0][0].size();
    const auto all = table_["weight_all"].value<std::int64_t>();
    const toml::array *rows = table_["weights"].as_array(), *some = table_["weight_at"].as_array();
    const toml::table* formula = table_["weight_formula"].as_table();
    if (!all && rows == nullptr && some == nullptr && formula == nullptr) return;
    weights_.assign(cells, static_cast<std::uint32_t>(all.value_or(1)));
    for (std::size_t y = 0; y < layers_[0].size(); ++y) {
      for (std::size_t x = 0; x < layers_[0][0].size(); ++x) {
        if (rows != nullptr) weight(x, y) = static_cast<std::uint32_t>(number((*(*rows)[y].as_array())[x]));
        if (formula == nullptr) continue;
        const auto levels = static_cast<std::uint64_t>(number(*formula->get("levels")));
        weight(x, y) = static_cast<std::uint32_t>(1 + mixed(x, 83492791, y, 2654435761) % levels);
      }
    }
    for (std::size_t i = 0; some != nullptr && i < some->size(); ++i) {
      const toml::array& w = *(*some)[i].as_array();
      weight(static_cast<std::size_t>(number(w[0])), static_cast<std::size_t>(number(w[1]))) =
          static_cast<std::uint32_t>(number(w[2]));
    }
  }

  // [x, y], [x, y, offset], or with several layers [x, y, layer].
  void read_goals() {
    const toml::array* goals = table_["goals"].as_array();
    for (std::size_t i = 0; goals != nullptr && i < goals->size(); ++i) {
      const toml::array& g = *(*goals)[i].as_array();
      GoalCell cell{{static_cast<std::int32_t>(number(g[0])), static_cast<std::int32_t>(number(g[1])), 0}, 0};
      if (g.size() == 3 && layers_.size() > 1)
        cell.cell.layer = static_cast<std::int32_t>(number(g[2]));
      else if (g.size() == 3)
        cell.offset = static_cast<Cost>(number(g[2]));
      goal.cells.push_back(cell);
    }
  }

  void build_map() {
    GridMapDef def;
    def.width = width();
    def.height = height();
    def.layers = static_cast<std::int64_t>(layers_.size());
    if (const toml::table* slope = table_["slope"].as_table()) {
      def.slope = {static_cast<std::uint32_t>(number(*slope->get("up"))),
                   static_cast<std::uint32_t>(number(*slope->get("down")))};
    }
    map.emplace(std::move(GridMap::create(def)).value());
    MapEdit edit;
    for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
      for (std::size_t y = 0; y < layers_[layer].size(); ++y) {
        for (std::size_t x = 0; x < layers_[layer][y].size(); ++x) {
          const Cell cell{static_cast<std::int32_t>(x), static_cast<std::int32_t>(y), static_cast<std::int32_t>(layer)};
          add_letter(edit, cell, layers_[layer][y][x], def.terrain);
        }
      }
    }
    ASSERT_TRUE(map->apply(edit).ok());
    if (!weights_.empty()) {
      ASSERT_TRUE(map->set_weights(0, weights_).ok());
    }
    build_edges();
  }

  static Cell cell_of(const toml::array& list) {
    const std::int64_t layer = list.size() > 2 && list[2].is_integer() ? number(list[2]) : 0;
    return {static_cast<std::int32_t>(number(list[0])), static_cast<std::int32_t>(number(list[1])),
            static_cast<std::int32_t>(layer)};
  }
  static Direction direction_of(const toml::node& node) {
    for (int k = 0; k < kDirections; ++k) {
      if (node.value<std::string>() == to_string(static_cast<Direction>(k))) return static_cast<Direction>(k);
    }
    ADD_FAILURE() << "no direction";
    return {};
  }

  // forbid = [[x, y, "E"]], edge_extra = [[x, y, "E", n]], portals = [{from, to, cost}], heights.
  void build_edges() {
    MapEdit edit;
    for (const char* key : {"forbid", "edge_extra"}) {
      const toml::array* list = table_[key].as_array();
      for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
        const toml::array& e = *(*list)[i].as_array();
        const GridStep step{cell_of(e), direction_of(e[2])};
        edit.steps.push_back({step, e.size() == 4, e.size() == 4 ? static_cast<std::uint32_t>(number(e[3])) : 0});
      }
    }
    ASSERT_TRUE(map->apply(edit).ok());
    const toml::array* portals = table_["portals"].as_array();
    for (std::size_t i = 0; portals != nullptr && i < portals->size(); ++i) {
      const toml::table& p = *(*portals)[i].as_table();
      ASSERT_TRUE(map->add_portal({cell_of(*p.get("from")->as_array()), cell_of(*p.get("to")->as_array()),
                                   static_cast<std::uint32_t>(number(*p.get("cost")))})
                      .ok());
    }
    std::vector<std::int32_t> heights;
    const toml::array* rows = table_["heights"].as_array();
    for (std::size_t i = 0; rows != nullptr && i < rows->size(); ++i) {
      for (const toml::node& h : *(*rows)[i].as_array()) heights.push_back(static_cast<std::int32_t>(number(h)));
    }
    ASSERT_TRUE(heights.empty() || map->set_heights(0, heights).ok());
  }

  static void add_letter(MapEdit& edit, Cell cell, char letter, const std::vector<TerrainClass>& classes) {
    if (letter == '.') return;
    if (letter == '?') return edit.cells.push_back({cell, CellChange::unknown, kFloor});
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (classes[i].letter == letter) {
        return edit.cells.push_back({cell, CellChange::terrain, static_cast<TerrainId>(i)});
      }
    }
    ADD_FAILURE() << "no terrain has the letter " << letter;
  }

  const toml::table& table_;
  std::vector<Rows> layers_;
  std::vector<std::uint32_t> weights_;
};

}  // namespace drover::test

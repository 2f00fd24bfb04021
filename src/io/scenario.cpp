// SPDX-License-Identifier: MIT
// A scenario from its text to checked, plain data.
#include <fmt/format.h>

#include <filesystem>

#include "base/digest.hpp"
#include "io/scenario_reader.hpp"

namespace drover::io {

std::vector<const toml::table*> ScenarioReader::tables(std::string_view name) const {
  std::vector<const toml::table*> found;
  const toml::node* node = document.root().get(name);
  if (node == nullptr) return found;
  if (!node->is_array())
    refuse(StatusCode::value, document.place(*node),
           fmt::format("{} is not a list of tables; [[{}]] is expected", name, name));
  for (const toml::node& item : *node->as_array()) {
    if (!item.is_table())
      refuse(StatusCode::value, document.place(item),
             fmt::format("{} is not a list of tables; [[{}]] is expected", name, name));
    found.push_back(item.as_table());
  }
  return found;
}

bool ScenarioReader::ground_speed() const {
  const toml::node_view step = document.root()["policy"]["step"];
  return step.is_string() && step.as_string()->get() == "ground_speed";
}

void ScenarioReader::add_name(std::map<std::string, std::uint32_t, std::less<>>& names, const std::string& name,
                              std::uint32_t index, const Section& section) const {
  const Place at = document.place(section.need("name"));
  if (name.empty())
    refuse(StatusCode::value, at, fmt::format("an empty name in {}; a name is expected", section.title()));
  if (!names.emplace(name, index).second) {
    refuse(StatusCode::name_twice, at,
           fmt::format("{} {} stands here a second time; names are expected once", section.title(), printable(name)));
  }
}

std::uint32_t ScenarioReader::index_of(const std::map<std::string, std::uint32_t, std::less<>>& names,
                                       const toml::node& node, std::string_view what, StatusCode code) const {
  const std::string name = string_of(document, node, what);
  if (const auto found = names.find(name); found != names.end()) return found->second;
  std::vector<std::string_view> known;
  std::string list;
  for (const auto& [key, index] : names) {
    known.push_back(key);
    if (known.size() <= 20) list += (list.empty() ? "" : ", ") + printable(key);
  }
  const auto meant = nearest_word(name, known);
  refuse(code, document.place(node),
         fmt::format("unknown {} {}; {}known are {}", what, printable(name),
                     meant ? fmt::format("did you mean {}? ", printable(*meant)) : "", list.empty() ? "none" : list));
}

Result<Scenario> parse_scenario(std::string_view text, const std::string& file, const ScenarioOptions& options) {
  return guarded(fmt::format("the scenario {} has {} bytes as text", printable(file), text.size()), [&] {
    const Document document(text, file);
    const Section top(document, document.root(), "the scenario",
                      {"map", "terrain", "profile", "goal", "group", "agent", "door", "one_way", "edge", "portal",
                       "edit", "obstacle", "retarget", "policy", "run", "spawn"},
                      {"timed_cost", "chaser", "walker"});
    Scenario scenario;
    scenario.name = std::filesystem::path(file).stem().string();
    scenario.file = file;
    ScenarioReader reader{document, options, scenario, {}, {}, {}, {}, {{"all", kEveryone}}};
    read_terrain(reader);
    read_map(reader);
    read_profiles(reader);
    read_edges(reader);
    read_doors(reader);
    read_edits(reader);
    read_policy(reader);
    read_run(reader);
    take_obstacles(reader);
    read_obstacles(reader);
    read_paths(reader);
    read_spawns(reader);
    read_goals(reader);
    take_goals(reader);
    read_groups(reader);
    take_groups(reader);
    read_agents(reader);
    read_retargets(reader);
    place_agents(scenario);
    return scenario;
  });
}

Result<Scenario> load_scenario(const std::string& path, const ScenarioOptions& options) {
  return guarded(fmt::format("the scenario {}", printable(path)), [&] {
    const bool named_gate = std::filesystem::path(path).extension() == ".gate";
    const Result<std::string> text = read_text_file(path, named_gate ? kGateFile : kScenarioFile);
    if (!text) throw Refusal{text.status()};
    const bool gate = named_gate || text->compare(0, 9, "type gate") == 0;
    Result<Scenario> scenario = gate ? parse_gate(*text, path, options) : parse_scenario(*text, path, options);
    if (!scenario) throw Refusal{scenario.status()};
    scenario->digest = base::digest_of(std::as_bytes(std::span(*text)));
    return std::move(*scenario);
  });
}

}  // namespace drover::io

// SPDX-License-Identifier: MIT
// `cave` of [map]: the map is made from its definition.
#include <fmt/format.h>

#include <drover/cave.hpp>

#include "io/cave_map.hpp"
#include "io/scenario_reader.hpp"

namespace drover::io {

namespace {

template <class Number>
void read_number(const Section& section, std::string_view key, Number& out, std::int64_t least, std::int64_t most) {
  if (const toml::node* node = section.find(key))
    out = static_cast<Number>(integer_of(section.document(), *node, {key, least, most, StatusCode::cave_range}));
}

// How large is too large, the definition says.
void read_size(const Section& section, CaveDef& def) {
  const toml::node* node = section.find("size");
  if (node == nullptr) return;
  const Document& document = section.document();
  const toml::array& sides = array_of(document, *node, "size");
  if (sides.size() != 2)
    refuse(StatusCode::value, document.place(*node),
           fmt::format("size of {} numbers; [width, height] is expected", sides.size()));
  def.width = integer_of(document, sides[0], {"width", 1, INT64_MAX, StatusCode::cave_range});
  def.height = integer_of(document, sides[1], {"height", 1, INT64_MAX, StatusCode::cave_range});
}

void read_words(const Section& section, CaveDef& def) {
  const Document& document = section.document();
  if (const toml::node* node = section.find("mode"))
    def.mode = static_cast<CaveMode>(choice_of(document, *node, "mode", {"refined", "classic"}));
  if (const toml::node* node = section.find("connect"))
    def.connect = static_cast<CaveConnect>(choice_of(document, *node, "connect", {"none", "largest", "tunnels"}));
  if (const toml::node* node = section.find("border"))
    def.border = static_cast<CaveBorder>(choice_of(document, *node, "border", {"wall", "none"}));
  if (const toml::node* node = section.find("rule")) {
    const Result<CaveRule> rule = CaveRule::parse(string_of(document, *node, "rule"));
    if (!rule) refuse(rule.status().code(), document.place(*node), printable(rule.status().message()));
    def.rule = *rule;
  }
}

void check_together(const Section& section, const CaveDef& def) {
  const auto refuse_beside = [&](std::string_view key, std::string_view other) {
    if (const toml::node* node = section.find(key))
      refuse(StatusCode::value, section.document().place(*node),
             fmt::format("{} beside {}; one of them is expected", key, other));
  };
  const bool classic = def.mode == CaveMode::classic;
  for (const std::string_view key : {"rule", "generations"})
    if (classic) refuse_beside(key, "mode = \"classic\"");
  if (!classic) refuse_beside("passes", "mode = \"refined\"");
  if (section.find("start") == nullptr) return;
  for (const std::string_view key : {"size", "seed", "walls", "border"}) refuse_beside(key, "start");
}

GridMap start_of(ScenarioReader& reader, const toml::node& node) {
  const std::string path = scenario_path(reader, node, string_of(reader.document, node, "start"));
  const MapFile file =
      or_refuse(load_map_file(path, {reader.out.alphabet, reader.out.terrain, reader.legend, reader.options.paths}));
  reader.out.inputs.insert(reader.out.inputs.end(), file.parts.begin(), file.parts.end());
  reader.out.inputs.push_back(path);
  return or_refuse(make_map(file.cells, file.terrain, reader.out.origin));
}

}  // namespace

void read_cave(ScenarioReader& reader, const toml::node& node) {
  const Document& document = reader.document;
  if (!node.is_table())
    refuse(StatusCode::value, document.place(node), "cave is not a table; {size = [50, 50], seed = \"1\"} is expected");
  const Section section(document, *node.as_table(), "cave of [map]",
                        {"size", "seed", "walls", "mode", "passes", "rule", "generations", "connect", "tunnel_width",
                         "min_room", "min_pillar", "border", "start"});
  CaveDef def;
  read_size(section, def);
  read_words(section, def);
  if (const toml::node* seed = section.find("seed")) def.seed = seed_of(document, *seed);
  read_number(section, "walls", def.walls_percent, 0, 100);
  read_number(section, "passes", def.passes, 0, kMaxCaveGenerations);
  read_number(section, "generations", def.generations, 0, kMaxCaveGenerations);
  read_number(section, "tunnel_width", def.tunnel_width, 1, kMaxFootprint);
  read_number(section, "min_room", def.min_room, 0, std::int64_t{kMaxCells});
  read_number(section, "min_pillar", def.min_pillar, 0, std::int64_t{kMaxCells});
  check_together(section, def);
  def.origin = reader.out.origin;
  // Who asks for a region asks for floor.
  def.promise.floor = def.connect.value_or(CaveConnect::none) != CaveConnect::none;
  std::optional<GridMap> start;
  if (const toml::node* from = section.find("start")) def.start = start.emplace(start_of(reader, *from)).view();
  const Result<Cave> cave = generate_cave(def);
  if (!cave && cave.status().code() == StatusCode::out_of_memory) throw Refusal{cave.status()};
  if (!cave) refuse(cave.status().code(), document.place(node), cave.status().message());
  reader.out.map = cave_cells(*cave);
}

}  // namespace drover::io

// SPDX-License-Identifier: MIT
// [map] and [[terrain]] of a scenario.
#include <fmt/format.h>

#include <algorithm>

#include "io/legend.hpp"
#include "io/map_text.hpp"
#include "io/paths.hpp"
#include "io/scenario_reader.hpp"

namespace drover::io {

namespace {

char letter_of(const Document& document, const toml::node& node, std::string_view letter) {
  if (letter.size() != 1 || letter[0] <= ' ' || letter[0] > '~' || letter[0] == '?') {
    refuse(StatusCode::value, document.place(node),
           fmt::format("letter \"{}\"; one printable ASCII letter other than ? is expected", printable(letter)));
  }
  return letter[0];
}

}  // namespace

std::string scenario_path(const ScenarioReader& reader, const toml::node& node, const std::string& name) {
  return path_beside(reader.document.file(), name, reader.options.paths, reader.document.place(node), "scenario");
}

namespace {

void read_layers(ScenarioReader& reader, const std::vector<const toml::array*>& layers) {
  MapCells& map = reader.out.map;
  const Document& document = reader.document;
  map.layers = static_cast<std::int64_t>(layers.size());
  map.height = static_cast<std::int64_t>(layers[0]->size());
  const std::string* first = nullptr;
  for (const toml::array* rows : layers) {
    if (static_cast<std::int64_t>(rows->size()) != map.height) {
      refuse(StatusCode::map_truncated, document.place(*rows),
             fmt::format("a layer of {} rows; the first layer has {}", rows->size(), map.height));
    }
    for (const toml::node& node : *rows) {
      if (!node.is_string())
        refuse(StatusCode::value, document.place(node), "a row is not a string; rows such as \"..#\" are expected");
      const std::string& row = node.as_string()->get();
      if (first == nullptr) {
        first = &row;
        map.width = static_cast<std::int64_t>(row.size());
        check_map_size(map.width, map.height, map.layers, document.place(*rows));
      }
      Place place = document.place(node);
      ++place.column;  // the quote
      if (row.size() != first->size()) {
        place.column += static_cast<std::uint32_t>(std::min(row.size(), first->size()));
        refuse(StatusCode::map_row_length, place,
               fmt::format("row has {} tiles; the first row has {}", row.size(), first->size()));
      }
      append_row(map, row, reader.out.alphabet, place);
    }
  }
}

// "#rrggbb", "palette 3" and "transparent" are of pictures, a single letter is of text.
void read_legend(ScenarioReader& reader, const Section& section) {
  const toml::node* node = section.find("legend");
  if (node == nullptr) return;
  if (!node->is_table())
    refuse(StatusCode::value, reader.document.place(*node), "legend is not a table; {\".\" = \"floor\"} is expected");
  Legend legend;
  for (const auto& [key, value] : *node->as_table()) {
    const bool unknown = value.is_string() && value.as_string()->get() == "unknown";
    if (key.str() == "?" && unknown) continue;
    const std::optional<std::string> color = legend_color(key.str());
    const char letter = color ? '\0' : letter_of(reader.document, value, key.str());
    const auto meaning =
        unknown
            ? Alphabet::kUnknown
            : static_cast<std::int16_t>(reader.index_of(reader.terrain, value, "terrain", StatusCode::name_unknown));
    if (!color) {
      reader.out.alphabet.meaning[static_cast<unsigned char>(letter)] = meaning;
    } else if (!legend.colors.emplace(*color, meaning).second) {
      refuse(StatusCode::key_twice, reader.document.place(value),
             fmt::format("{} is given twice in the legend; once is expected", *color));
    }
  }
  if (!legend.colors.empty()) reader.legend = std::move(legend);
}

}  // namespace

void read_terrain(ScenarioReader& reader) {
  std::vector<TerrainClass>& classes = reader.out.terrain;
  classes = standard_terrain();
  for (std::size_t i = 0; i < classes.size(); ++i) reader.terrain[classes[i].name] = static_cast<std::uint32_t>(i);
  const std::size_t standard = classes.size();
  std::map<std::string, std::uint32_t, std::less<>> mine;
  std::string letters_given;
  for (const toml::table* table : reader.tables("terrain")) {
    const Section section(reader.document, *table, "[[terrain]]", {"name", "letter", "cost", "passable"});
    const std::string name = section.text("name");
    reader.add_name(mine, name, 0, section);
    const auto known = reader.terrain.find(name);
    const std::size_t index = known == reader.terrain.end() ? classes.size() : known->second;
    if (index == classes.size()) {
      if (classes.size() == 255)
        refuse(StatusCode::value, section.place(), "more than 255 kinds of terrain; 255 is the limit");
      classes.push_back({name, '\0', 1, true});
      reader.terrain[name] = static_cast<std::uint32_t>(index);
    }
    if (const toml::node* node = section.find("letter")) {
      const char letter = letter_of(reader.document, *node, string_of(reader.document, *node, "letter"));
      if (letters_given.find(letter) != std::string::npos) {
        refuse(StatusCode::name_twice, reader.document.place(*node),
               fmt::format("letter {} stands for two terrains; one is expected", letter));
      }
      letters_given += letter;
      // A standard letter may be given to another terrain.
      for (std::size_t i = 0; i < standard; ++i) {
        if (classes[i].letter == letter) classes[i].letter = '\0';
      }
      classes[index].letter = letter;
    }
    if (const toml::node* node = section.find("cost")) {
      classes[index].cost = cost_of(reader.document, *node, "cost");
      classes[index].passable = true;
    }
    classes[index].passable = section.flag_or("passable", classes[index].passable);
  }
  reader.out.alphabet = Alphabet::of(classes);
}

void read_map(ScenarioReader& reader) {
  const toml::node* node = reader.document.root().get("map");
  if (node == nullptr)
    refuse(StatusCode::key_missing, {reader.document.file(), 0, 0}, "no [map]; that table is needed");
  if (!node->is_table())
    refuse(StatusCode::value, reader.document.place(*node), "map is not a table; [map] is expected");
  const Section section(reader.document, *node->as_table(), "[map]",
                        {"file", "rows", "layers", "cave", "origin", "cell_size", "legend", "heights", "slope"});
  std::vector<std::string_view> sources;
  for (const std::string_view key : {"file", "rows", "layers", "cave"}) {
    if (section.find(key) != nullptr) sources.push_back(key);
  }
  if (sources.size() != 1) {
    refuse(sources.empty() ? StatusCode::key_missing : StatusCode::value, section.place(),
           fmt::format("[map] has {}; exactly one of file, rows, layers, cave is expected",
                       sources.empty() ? "no cells" : joined(sources, " and ")));
  }
  read_legend(reader, section);
  if (const toml::node* origin = section.find("origin")) {
    reader.out.origin = cell_of(reader.document, *origin, "origin");
    if (origin->as_array()->size() != 2)
      refuse(StatusCode::value, reader.document.place(*origin), "origin has a layer; [x, y] is expected");
  }
  if (const toml::node* size = section.find("cell_size")) {
    reader.out.cell_size = decimal_of(reader.document, *size, "cell_size", StatusCode::value);
    if (reader.out.cell_size.raw <= 0)
      refuse(StatusCode::value, reader.document.place(*size),
             "cell_size is not above 0; a size such as \"1\" is expected");
  }
  const toml::node& source = section.need(sources[0]);
  if (sources[0] == "file") {
    read_map_file(reader, source, section.find("origin"));
    return read_heights(reader, section);
  }
  if (sources[0] == "cave") {
    read_cave(reader, source);
    return read_heights(reader, section);
  }
  const toml::array& list = array_of(reader.document, source, sources[0]);
  std::vector<const toml::array*> layers{&list};
  if (sources[0] == "layers") {
    layers.clear();
    for (const toml::node& layer : list) layers.push_back(&array_of(reader.document, layer, "a layer"));
  }
  if (layers.empty() || layers[0]->empty())
    refuse(StatusCode::map_empty, reader.document.place(source), "no rows; a map is expected");
  read_layers(reader, layers);
  read_heights(reader, section);
}

}  // namespace drover::io

// SPDX-License-Identifier: MIT
// [[spawn]]: places that are drawn once the map is known, and how other tables name them.
#include <fmt/format.h>

#include <drover/cave.hpp>

#include "io/scenario_reader.hpp"

namespace drover::io {

namespace {

using Names = std::map<std::string, std::uint32_t, std::less<>>;

/// The [[spawn]] tables as one call of place_spawns().
class SpawnReader {
 public:
  explicit SpawnReader(ScenarioReader& reader) : reader_(reader) {}

  void run() {
    for (const toml::table* table : reader_.tables("spawn")) read(*table);
    if (!defs_.empty()) place();
  }

 private:
  void read(const toml::table& table) {
    const Document& document = reader_.document;
    const Section section(document, table, "[[spawn]]",
                          {"name", "size", "count", "region_of", "min_path", "max_path", "spacing", "out_of_sight_of"});
    SpawnDef def;
    def.name = section.text("name");
    def.size = static_cast<std::int32_t>(integer_or(section, "size", 1, {"size", 1, kMaxFootprint}));
    def.count = static_cast<std::uint32_t>(integer_or(section, "count", 1, {"count", 1, std::int64_t{kMaxCells}}));
    def.spacing = static_cast<std::int32_t>(integer_or(section, "spacing", 0, {"spacing", 0, 1 << 16}));
    if (const toml::node* node = section.find("region_of")) def.region_of = place_of(*node, "region_of");
    if (const toml::node* node = section.find("out_of_sight_of"))
      def.out_of_sight_of = place_of(*node, "out_of_sight_of");
    read_range(section, def);
    reader_.add_name(names_, def.name, static_cast<std::uint32_t>(defs_.size()), section);
    defs_.push_back(std::move(def));
    tables_.push_back(&table);
  }

  void read_range(const Section& section, SpawnDef& def) const {
    const Document& document = reader_.document;
    const toml::node *least = section.find("min_path"), *most = section.find("max_path");
    if (!def.region_of && (least != nullptr || most != nullptr))
      refuse(StatusCode::key_missing, document.place(least != nullptr ? *least : *most),
             "a path to nowhere; region_of is needed beside min_path and max_path");
    if (least != nullptr)
      def.min_steps =
          static_cast<std::uint64_t>(integer_of(document, *least, {"min_path", 0, std::int64_t{kMaxCells}}));
    if (most != nullptr)
      def.max_steps = static_cast<std::uint64_t>(
          integer_of(document, *most, {"max_path", static_cast<std::int64_t>(def.min_steps), INT64_MAX}));
  }

  // A cell, or the name of a spawn that stands before this one: "player" or {spawn = "player"}.
  SpawnPlace place_of(const toml::node& node, std::string_view what) const {
    if (node.is_array()) {
      const Cell cell = cell_of(reader_.document, node, what);
      need_on_map(reader_, cell, Document::spot(node), what);
      return cell;
    }
    const toml::node* name = &node;
    if (node.is_table())
      name = &Section(reader_.document, *node.as_table(), std::string(what), {"spawn"}).need("spawn");
    if (name->is_string()) {
      if (const auto mine = names_.find(name->as_string()->get()); mine != names_.end()) return mine->second;
    }
    Names known = names_;
    for (const auto& [word, index] : reader_.place_names) known.emplace(word, index);
    const std::uint32_t index = reader_.index_of(known, *name, "spawn", StatusCode::name_unknown);
    return first_cell(reader_, reader_.places[index], *name);
  }

  void place() {
    const GridMap map = or_refuse(make_map(reader_.out));
    const MovementProfile profile =
        reader_.out.profiles.empty() ? MovementProfile{} : reader_.out.profiles.front().profile;
    const Result<std::vector<Spawn>> spawns = place_spawns(map.view(), profile, defs_, reader_.out.policy.seed);
    if (!spawns) refuse_first(map, profile);
    const auto first = static_cast<std::uint32_t>(reader_.places.size());
    reader_.places.resize(first + defs_.size());
    for (const auto& [name, index] : names_) reader_.place_names[name] = first + index;
    for (const Spawn& spawn : *spawns) {
      NamedPlace& place = reader_.places[first + spawn.def];
      place.anchors.push_back(spawn.cell);
      const std::int32_t side = defs_[spawn.def].size;
      for (std::int32_t i = 0; i < side * side; ++i)
        place.cells.push_back({spawn.cell.x + i % side, spawn.cell.y + i / side, spawn.cell.layer});
    }
  }

  // With the table that fails: what stands behind it changes nothing.
  [[noreturn]] void refuse_first(const GridMap& map, const MovementProfile& profile) const {
    Status status;
    std::size_t count = 0;
    while (status.ok())
      status = place_spawns(map.view(), profile, std::span(defs_).first(++count), reader_.out.policy.seed).status();
    if (status.code() == StatusCode::out_of_memory) throw Refusal{status};
    refuse(status.code(), reader_.document.place(*tables_[count - 1]),
           fmt::format("spawn {}; a map with more room, or less asked for, is expected", printable(status.message())));
  }

  ScenarioReader& reader_;
  std::vector<SpawnDef> defs_;
  std::vector<const toml::table*> tables_;
  Names names_;
};

}  // namespace

Cell first_cell(const ScenarioReader& reader, const NamedPlace& place, const toml::node& node) {
  if (!place.anchors.empty()) return place.anchors.front();
  refuse(StatusCode::start_outside, reader.document.place(node),
         "a spawn of the map file that holds no cell; an object that holds the middle of a cell is expected");
}

const NamedPlace* spawn_of(const ScenarioReader& reader, const toml::node& node) {
  const toml::table* table = node.as_table();
  if (table == nullptr || table->get("spawn") == nullptr) return nullptr;
  const Section section(reader.document, *table, "a place", {"spawn"});
  const toml::node& spawn = section.need("spawn");
  const NamedPlace& found =
      reader.places[reader.index_of(reader.place_names, spawn, "spawn", StatusCode::name_unknown)];
  first_cell(reader, found, spawn);
  return &found;
}

void read_spawns(ScenarioReader& reader) {
  for (const MapSpawn& spawn : reader.map_file.spawns) {
    reader.place_names.emplace(spawn.name, static_cast<std::uint32_t>(reader.places.size()));
    reader.places.push_back({spawn.cells, spawn.cells});
  }
  SpawnReader(reader).run();
}

}  // namespace drover::io

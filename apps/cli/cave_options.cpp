// SPDX-License-Identifier: MIT
// Words of the command line to a CaveDef and SpawnDefs.
#include "cave_options.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace drover::cli {

namespace {

[[noreturn]] void wrong(std::string_view option, std::string_view value, std::string_view expected) {
  wrong_value(StatusCode::cave_range, fmt::format("{} {}; {} is expected", option, value, expected));
}

std::int64_t ranged(std::string_view option, std::string_view value, std::int64_t least, std::int64_t most) {
  const io::ParsedInteger number = io::parse_integer(value);
  if (number.kind != io::NumberKind::number || number.value < least || number.value > most)
    wrong(option, value, fmt::format("a whole number {} .. {}", least, most));
  return number.value;
}

template <class Number>
void read_number(std::string_view option, const std::string& value, Number& out, std::int64_t least,
                 std::int64_t most) {
  if (!value.empty()) out = static_cast<Number>(ranged(option, value, least, most));
}

template <class Choice>
void read_word(std::string_view option, const std::string& value, Choice& out,
               const std::vector<std::string_view>& words) {
  if (value.empty()) return;
  const auto found = std::find(words.begin(), words.end(), value);
  if (found == words.end()) wrong(option, value, io::joined(words, " or "));
  out = static_cast<Choice>(found - words.begin());
}

// How large is too large, the definition says.
void read_size(const std::string& text, CaveDef& def) {
  if (text.empty()) return;
  const std::vector<io::Word> sides = io::split_at(text, 'x');
  std::vector<std::int64_t> numbers;
  for (const io::Word& side : sides) {
    const io::ParsedInteger number = io::parse_integer(side.text);
    if (number.kind == io::NumberKind::malformed || number.negative) break;
    numbers.push_back(number.kind == io::NumberKind::overflow ? INT64_MAX : number.value);
  }
  if (sides.size() != 2 || numbers.size() != 2 || numbers[0] < 1 || numbers[1] < 1)
    wrong("--size", text, fmt::format("WxH in cells, each 1 .. {}, such as 50x50,", kMaxCaveSide));
  def.width = numbers[0];
  def.height = numbers[1];
}

void read_origin(const std::string& text, CaveDef& def) {
  if (text.empty()) return;
  const std::optional<Cell> cell = parse_cell(text);
  if (!cell || std::count(text.begin(), text.end(), ',') != 1)
    wrong("--origin", text, fmt::format("x,y, each {} .. {},", INT32_MIN, INT32_MAX));
  def.origin = *cell;
}

void check_together(const CaveOptions& options, const CaveDef& def) {
  struct Given {
    std::string_view option;
    const std::string& value;
  };
  if (!options.start.empty()) {
    for (const Given& g : {Given{"--size", options.size}, Given{"--origin", options.origin},
                           Given{"--walls", options.walls}, Given{"--border", options.border}})
      if (!g.value.empty())
        usage(fmt::format("{} beside --start; the map says that, one of them is expected", g.option));
  }
  const bool classic = def.mode == CaveMode::classic;
  for (const Given& g : {Given{"--rule", options.rule}, Given{"--generations", options.generations}})
    if (classic && !g.value.empty()) usage(fmt::format("{} beside --mode classic; refined is expected", g.option));
  if (!classic && !options.passes.empty()) usage("--passes beside --mode refined; classic is expected");
  if (def.border == CaveBorder::none && !options.spawn.empty())
    wrong_value(StatusCode::cave_range,
                "--spawn in a window of an endless cave, which has fill and generations only; --border wall is "
                "expected");
}

}  // namespace

void add_cave_options(CLI::App& command, CaveOptions& o) {
  const auto add = [&](const char* name, std::string& to, const char* type, const char* text) {
    command.add_option(name, to, text)->type_name(type);
  };
  add("--size", o.size, "WxH", "In cells [50x50]");
  add("--seed", o.seed, "S", "Of cells and spawns [1]");
  add("--walls", o.walls, "P", "Percent of the cells that start as wall, 0 .. 100 [45]");
  add("--mode", o.mode, "refined|classic", "Generations on a copy, or passes in place from an open middle row");
  add("--passes", o.passes, "N", "classic [1]");
  add("--rule", o.rule, "B../S..",
      "refined: wall neighbours with which floor becomes wall / wall stays [B5678/S45678]");
  add("--generations", o.generations, "N", "refined [5]");
  add("--connect", o.connect, "none|largest|tunnels",
      "What becomes of floor that is apart [refined: largest, else none]");
  add("--tunnel-width", o.tunnel_width, "W", "Cells [1]");
  add("--min-room", o.min_room, "A", "Floor of fewer cells is filled [0]");
  add("--min-pillar", o.min_pillar, "B", "Walls of fewer cells, apart from the border, are removed [0]");
  add("--border", o.border, "wall|none", "none: a window of the endless cave of that seed [wall]");
  add("--origin", o.origin, "x,y", "Of the endless cave, in the upper-left corner [0,0]");
  add("--start", o.start, "FILE", "A map instead of random cells (its first layer)");
  add("--spawn", o.spawn, "NAME:SIDE[xCOUNT],...", "Free squares, all in the region of the first: player:6,enemy:2x5");
}

CaveDef parse_cave(const CaveOptions& o) {
  CaveDef def;
  read_size(o.size, def);
  if (!o.seed.empty()) {
    const auto seed = io::parse_seed(o.seed);
    if (!seed) wrong_value(StatusCode::seed, fmt::format("--seed {}; 0 .. 18446744073709551615 is expected", o.seed));
    def.seed = *seed;
  }
  read_number("--walls", o.walls, def.walls_percent, 0, 100);
  read_word("--mode", o.mode, def.mode, {"refined", "classic"});
  read_number("--passes", o.passes, def.passes, 0, kMaxCaveGenerations);
  if (!o.rule.empty()) {
    const Result<CaveRule> rule = CaveRule::parse(o.rule);
    if (!rule) wrong_value(rule.status().code(), rule.status().message());
    def.rule = *rule;
  }
  read_number("--generations", o.generations, def.generations, 0, kMaxCaveGenerations);
  if (!o.connect.empty()) read_word("--connect", o.connect, def.connect.emplace(), {"none", "largest", "tunnels"});
  read_number("--tunnel-width", o.tunnel_width, def.tunnel_width, 1, kMaxFootprint);
  read_number("--min-room", o.min_room, def.min_room, 0, std::int64_t{kMaxCells});
  read_number("--min-pillar", o.min_pillar, def.min_pillar, 0, std::int64_t{kMaxCells});
  read_word("--border", o.border, def.border, {"wall", "none"});
  read_origin(o.origin, def);
  check_together(o, def);
  // Who asks for a region or a place asks for floor.
  def.promise.floor = !o.spawn.empty() || def.connect.value_or(CaveConnect::none) != CaveConnect::none;
  if (const Status status = def.validate(); status.code() == StatusCode::cave_range)
    wrong_value(status.code(), status.message());
  else if (!status.ok())
    refuse(status);
  return def;
}

std::vector<SpawnDef> parse_spawns(const std::string& text) {
  std::vector<SpawnDef> spawns;
  if (text.empty()) return spawns;
  for (const io::Word& word : io::split_at(text, ',')) {
    const std::size_t colon = word.text.rfind(':');
    if (colon == std::string_view::npos || colon == 0)
      wrong("--spawn", text, "NAME:SIDE or NAME:SIDExCOUNT, several with commas, such as player:6,enemy:2x5,");
    const std::vector<io::Word> numbers = io::split_at(word.text.substr(colon + 1), 'x');
    if (numbers.size() > 2) wrong("--spawn", text, "SIDE or SIDExCOUNT, such as 2x5,");
    SpawnDef def;
    def.name = std::string(word.text.substr(0, colon));
    def.size = static_cast<std::int32_t>(ranged("--spawn side", numbers[0].text, 1, kMaxFootprint));
    if (numbers.size() == 2)
      def.count =
          static_cast<std::uint32_t>(ranged("--spawn count", numbers[1].text, 1, static_cast<std::int64_t>(kMaxCells)));
    if (!spawns.empty()) def.region_of = SpawnPlace(std::uint32_t{0});
    spawns.push_back(std::move(def));
  }
  return spawns;
}

}  // namespace drover::cli

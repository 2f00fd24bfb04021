// SPDX-License-Identifier: MIT
// Colours of map pictures, and a legend as lines of ASCII.
#include "io/png_legend.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/text.hpp"

namespace drover::io {

namespace {

struct NamedColor {
  std::string_view name;
  std::uint32_t color;
};
// Colours that every paint program offers.
constexpr NamedColor kStandard[] = {{"floor", 0xffffff}, {"wall", 0x000000},  {"ground", 0xc0c0c0},
                                    {"swamp", 0x808000}, {"water", 0x0000ff}, {"trees", 0x008000},
                                    {"out", 0x404040},   {"border", 0x808080}};
constexpr std::uint32_t kUnknownColor = 0x800080;
// For other classes, in their order: apart for colour-blind eyes too; what is beyond them is counted out.
constexpr std::uint32_t kMore[] = {0xe69f00, 0x56b4e9, 0x009e73, 0xf0e442, 0xd55e00, 0xcc79a7, 0x0072b2};

std::uint32_t counted_color(std::uint32_t n) {
  const std::uint32_t mixed = (n + 1) * 0x9e3779b1u;
  return (mixed >> 8 & 0x7f7f7f) + 0x404040;
}

std::string quoted(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if ((c > ' ' && c <= '~' && c != '%') || (c == ' ' && !out.empty()))
      out += c;
    else
      out += fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  return out;
}

std::optional<std::uint32_t> hex_number(std::string_view text) {
  std::uint32_t value = 0;
  for (const char c : text) {
    const std::size_t digit = std::string_view("0123456789abcdef").find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    value = value << 4 | static_cast<std::uint32_t>(digit);
  }
  return value;
}

std::optional<std::string> unquoted(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const auto value = i + 2 < text.size() ? hex_number(text.substr(i + 1, 2)) : std::nullopt;
    if (!value) return std::nullopt;
    out += static_cast<char>(*value);
    i += 2;
  }
  return out;
}

std::optional<Cell> origin_of(const std::vector<Word>& words) {
  std::int32_t at[2] = {0, 0};
  for (std::size_t i = 0; i < 2; ++i) {
    const ParsedInteger number = words.size() == 3 ? parse_integer(words[i + 1].text) : ParsedInteger{};
    if (number.kind != NumberKind::number || number.value < INT32_MIN || number.value > INT32_MAX) return std::nullopt;
    at[i] = static_cast<std::int32_t>(number.value);
  }
  return Cell{at[0], at[1], 0};
}

// "#ff8800 L 5 passable lava", "#00ff88 none 1 blocked tar pit", "#800080 unknown".
std::optional<PictureLegend::Entry> entry_of(std::string_view line) {
  const std::vector<Word> words = split_words(line);
  if (words.size() < 2 || words[0].text.size() != 7 || words[0].text[0] != '#') return std::nullopt;
  const auto color = hex_number(words[0].text.substr(1));
  if (!color) return std::nullopt;
  PictureLegend::Entry entry{*color, words.size() == 2, {}};
  if (entry.unknown) return words[1].text == "unknown" ? std::optional(entry) : std::nullopt;
  if (words.size() < 5) return std::nullopt;
  const std::string_view letter = words[1].text, ease = words[3].text;
  const ParsedInteger cost = parse_integer(words[2].text);
  const auto name = unquoted(line.substr(words[4].column - 1));
  const bool shown = letter.size() == 1 && letter[0] > ' ' && letter[0] <= '~' && letter[0] != '?';
  if ((!shown && letter != "none") || cost.kind != NumberKind::number || cost.value < 0 || cost.value > kMaxCellCost ||
      (ease != "passable" && ease != "blocked") || !name)
    return std::nullopt;
  entry.kind = {*name, shown ? letter[0] : '\0', static_cast<std::uint32_t>(cost.value), ease == "passable"};
  return entry;
}

bool same(const TerrainClass& a, const TerrainClass& b) {
  return a.name == b.name && a.letter == b.letter && a.cost == b.cost && a.passable == b.passable;
}

// A letter stands for one class: first come those that the file may not change, then the file's, then the rest.
void part_letters(std::vector<TerrainClass>& terrain, const std::vector<int>& rank) {
  std::string taken = "?";
  for (int r = 0; r <= 2; ++r) {
    for (std::size_t i = 0; i < terrain.size(); ++i) {
      if (rank[i] != r || terrain[i].letter == '\0') continue;
      if (taken.find(terrain[i].letter) != std::string::npos)
        terrain[i].letter = '\0';
      else
        taken += terrain[i].letter;
    }
  }
}

}  // namespace

std::array<std::uint32_t, 256> terrain_colors(const std::vector<TerrainClass>& terrain) {
  std::array<std::uint32_t, 256> colors{};
  colors[MapCells::kUnknown] = kUnknownColor;
  std::vector<std::uint32_t> taken{kUnknownColor};
  for (const NamedColor& standard : kStandard) taken.push_back(standard.color);
  std::size_t more = 0;
  for (std::size_t i = 0; i < terrain.size(); ++i) {
    const auto standard = std::find_if(std::begin(kStandard), std::end(kStandard),
                                       [&](const NamedColor& s) { return s.name == terrain[i].name; });
    if (standard != std::end(kStandard)) {
      colors[i] = standard->color;
      continue;
    }
    do {
      colors[i] = more < std::size(kMore) ? kMore[more] : counted_color(static_cast<std::uint32_t>(more));
      ++more;
    } while (std::find(taken.begin(), taken.end(), colors[i]) != taken.end());
    taken.push_back(colors[i]);
  }
  return colors;
}

std::string picture_text(const MapFile& map, const std::array<std::uint32_t, 256>& colors) {
  std::string text(kPngKeyword);
  text += '\0';
  text += fmt::format("1\norigin {} {}\n#{:06x} unknown\n", map.origin.x, map.origin.y, colors[MapCells::kUnknown]);
  for (std::size_t i = 0; i < map.terrain.size(); ++i) {
    const TerrainClass& kind = map.terrain[i];
    const bool shown = kind.letter > ' ' && kind.letter <= '~' && kind.letter != '?';
    text += fmt::format("#{:06x} {} {} {} {}\n", colors[i], shown ? std::string(1, kind.letter) : "none", kind.cost,
                        kind.passable ? "passable" : "blocked", quoted(kind.name));
  }
  return text;
}

PictureLegend parse_picture_text(std::string_view text, const std::string& file, const std::string& chunk) {
  LineCursor lines(text, file);
  PictureLegend legend;
  const auto bad = [&](std::string_view line) {
    refuse(StatusCode::png, {file, 0, 0},
           fmt::format("{}: '{}' in the legend; a line as drover writes it, such as #ffffff . 1 passable floor, is "
                       "expected",
                       chunk, printable(line.substr(0, 60))));
  };
  const std::string_view version = lines.done() ? std::string_view() : lines.next();
  if (version != "1") {
    refuse(StatusCode::version_unsupported, {file, 0, 0},
           fmt::format("{}: a legend of version {}; 1 is supported", chunk, printable(version.substr(0, 20))));
  }
  while (!lines.done()) {
    const std::string_view line = lines.next();
    const std::vector<Word> words = split_words(line);
    if (words.empty()) continue;
    if (words[0].text == "origin") {
      const auto origin = origin_of(words);
      if (!origin) bad(line);
      legend.origin = *origin;
      continue;
    }
    auto entry = entry_of(line);
    const auto clashes = [&](const PictureLegend::Entry& other) {
      return other.color == entry->color || (other.unknown == entry->unknown && other.kind.name == entry->kind.name);
    };
    if (!entry || legend.entries.size() == 256 || std::any_of(legend.entries.begin(), legend.entries.end(), clashes))
      bad(line);
    legend.entries.push_back(*std::move(entry));
  }
  return legend;
}

std::optional<std::vector<std::int16_t>> join_terrain(std::vector<TerrainClass>& terrain,
                                                      const std::vector<TerrainClass>& of_file) {
  const std::vector<TerrainClass> standard = standard_terrain();
  std::vector<int> rank;  // 0: kept as it is, 1: from the file, 2: as standard
  for (std::size_t i = 0; i < terrain.size(); ++i)
    rank.push_back(i < standard.size() && same(terrain[i], standard[i]) ? 2 : 0);
  std::vector<std::int16_t> index;
  for (const TerrainClass& kind : of_file) {
    std::size_t i = 0;
    while (i < terrain.size() && terrain[i].name != kind.name) ++i;
    if (i == 255) return std::nullopt;
    if (i == terrain.size()) {
      terrain.push_back(kind);
      rank.push_back(1);
    } else if (rank[i] == 2) {
      terrain[i] = kind;
      rank[i] = 1;
    }
    index.push_back(static_cast<std::int16_t>(i));
  }
  part_letters(terrain, rank);
  return index;
}

}  // namespace drover::io

// SPDX-License-Identifier: MIT
// MovingAI maps and plain rows: header, sizes checked before memory is taken, every tile checked where it stands.
#include "io/map_text.hpp"

#include <fmt/format.h>

namespace drover::io {

namespace {

std::string tile_text(char letter) {
  if (letter == '\t') return "tab";
  return fmt::format("'{}'", printable(std::string_view(&letter, 1)));
}

struct Header {
  std::optional<std::int64_t> height, width;
  bool type = false;
};

// Takes one header line; true when it was the closing `map`.
bool take_header_line(LineCursor& lines, Header& header) {
  const std::string_view line = lines.next();
  const std::vector<Word> words = split_words(line);
  const std::string_view key = words.empty() ? std::string_view{} : words[0].text;
  const auto once = [&](bool seen) {
    if (seen)
      refuse(StatusCode::map_header, lines.place(1),
             fmt::format("{} stands here a second time; once is expected", key));
  };
  if (key == "type") {
    once(header.type);
    header.type = true;
    if (words.size() != 2 || words[1].text != "octile") {
      const std::string found = words.size() < 2 ? "nothing" : printable(words[1].text);
      refuse(StatusCode::version_unsupported, lines.place(words.size() < 2 ? 5 : words[1].column),
             fmt::format("map type {}; only octile is supported", found));
    }
  } else if (key == "height") {
    once(header.height.has_value());
    header.height = header_number(words, lines);
  } else if (key == "width") {
    once(header.width.has_value());
    header.width = header_number(words, lines);
  } else if (key == "map" && words.size() == 1) {
    for (const auto& [name, seen] :
         {std::pair{"type", header.type}, {"height", header.height.has_value()}, {"width", header.width.has_value()}}) {
      if (!seen)
        refuse(StatusCode::map_header, lines.place(1),
               fmt::format("rows begin but {} is missing; type, height, width, map", name));
    }
    return true;
  } else {
    refuse(StatusCode::map_header, lines.place(1),
           fmt::format("header line '{}'; type octile, height H, width W or map is expected",
                       printable(line.substr(0, 40))));
  }
  return false;
}

MapCells parse_moving_ai(std::string_view text, const std::string& file, const Alphabet& alphabet) {
  LineCursor lines(text, file);
  Header header;
  do {
    if (lines.done()) {
      refuse(StatusCode::map_header, lines.place(),
             "the file ends within the header; type, height, width and map are expected");
    }
  } while (!take_header_line(lines, header));
  MapCells map{*header.width, *header.height, 1, {}};
  check_map_size(map.width, map.height, 1, {file, 0, 0});
  read_rows(map, lines, alphabet);
  if (!lines.only_blank_left()) {
    std::string_view line = lines.next();
    while (trimmed(line).empty()) line = lines.next();
    refuse(
        StatusCode::map_trailing, lines.place(1),
        fmt::format("'{}' after the last row; height {} rows are expected", printable(line.substr(0, 40)), map.height));
  }
  return map;
}

// Counts first, so that sizes are checked before the cells are stored.
MapCells measure_rows(std::string_view text, const std::string& file) {
  MapCells map{0, 0, 0, {}};
  LineCursor lines(text, file);
  std::int64_t row = 0;
  while (!lines.done() && !lines.only_blank_left()) {
    const std::string_view line = lines.next();
    if (const auto layer = layer_line(line)) {
      const bool opening = map.layers == 0 && row == 0 && *layer == 0;
      if (!opening && (*layer != map.layers || row == 0)) {
        refuse(StatusCode::map_header, lines.place(1),
               fmt::format("layer {}; layers are counted 0, 1, 2 with rows in each", *layer));
      }
      if (!opening) {
        if (map.layers == 1) map.height = row;
        if (row != map.height) {
          refuse(StatusCode::map_truncated, lines.place(1),
                 fmt::format("a layer of {} rows; layer 0 has {}", row, map.height));
        }
        row = 0;
      }
      ++map.layers;
      continue;
    }
    if (map.layers == 0) map.layers = 1;
    if (row == 0 && map.layers == 1) map.width = static_cast<std::int64_t>(line.size());
    if (static_cast<std::int64_t>(line.size()) != map.width) {
      refuse(StatusCode::map_row_length,
             lines.place(std::min<std::size_t>(line.size(), static_cast<std::size_t>(map.width)) + 1),
             fmt::format("row has {} tiles; the first row has {}", line.size(), map.width));
    }
    ++row;
  }
  if (map.layers <= 1) map.height = row;
  if (row != map.height)
    refuse(StatusCode::map_truncated, lines.place(),
           fmt::format("a layer of {} rows; layer 0 has {}", row, map.height));
  return map;
}

MapCells parse_plain(std::string_view text, const std::string& file, const Alphabet& alphabet) {
  MapCells map = measure_rows(text, file);
  check_map_size(map.width, map.height, map.layers, {file, 0, 0});
  map.cells.reserve(static_cast<std::size_t>(map.width * map.height * map.layers));
  LineCursor lines(text, file);
  while (!lines.done() && !lines.only_blank_left()) {
    const std::string_view line = lines.next();
    if (!layer_line(line)) append_row(map, line, alphabet, lines.place(1));
  }
  return map;
}

}  // namespace

Alphabet Alphabet::of(const std::vector<TerrainClass>& classes) {
  Alphabet alphabet;
  alphabet.meaning.fill(kNone);
  alphabet.meaning['?'] = kUnknown;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (classes[i].letter != '\0')
      alphabet.meaning[static_cast<unsigned char>(classes[i].letter)] = static_cast<std::int16_t>(i);
  }
  return alphabet;
}

Alphabet Alphabet::standard() { return of(standard_terrain()); }

std::string Alphabet::letters() const {
  std::string out;
  for (std::size_t i = 0; i < meaning.size(); ++i) {
    if (meaning[i] == kNone) continue;
    if (!out.empty()) out += ' ';
    const char letter = static_cast<char>(i);
    out += printable(std::string_view(&letter, 1));
  }
  return out;
}

void check_map_size(std::int64_t width, std::int64_t height, std::int64_t layers, const Place& place) {
  if (width < 1 || height < 1 || layers < 1) {
    refuse(StatusCode::map_size, place, fmt::format("map of {}x{}; at least 1x1 is expected", width, height));
  }
  if (const Result<GridShape> shape = GridShape::create(width, height, layers); !shape) {
    refuse(shape.status().code(), place, shape.status().message());
  }
}

void append_row(MapCells& map, std::string_view row, const Alphabet& alphabet, Place place) {
  const std::uint32_t first = place.column;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::int16_t meaning = alphabet.meaning[static_cast<unsigned char>(row[i])];
    if (meaning == Alphabet::kNone) {
      place.column = first + static_cast<std::uint32_t>(i);
      refuse(StatusCode::map_tile, place,
             fmt::format("{} at column {}; tiles are {}", tile_text(row[i]), i + 1, alphabet.letters()));
    }
    map.cells.push_back(static_cast<std::uint8_t>(meaning));
  }
}

void read_rows(MapCells& map, LineCursor& lines, const Alphabet& alphabet) {
  const auto width = static_cast<std::size_t>(map.width);
  for (std::int64_t row = 0; row < map.height; ++row) {
    if (lines.only_blank_left()) {
      refuse(StatusCode::map_truncated, lines.place(),
             fmt::format("the map ends after {} rows; height says {}", row, map.height));
    }
    const std::string_view line = lines.next();
    if (line.size() != width) {
      refuse(StatusCode::map_row_length, lines.place(std::min(line.size(), width) + 1),
             fmt::format("row has {} tiles; header says width {}", line.size(), map.width));
    }
    // Not earlier: a header may promise more rows than the file has bytes.
    if (row == 0) map.cells.reserve(width);
    append_row(map, line, alphabet, lines.place(1));
  }
}

std::int64_t header_number(const std::vector<Word>& words, const LineCursor& lines) {
  const ParsedInteger number = words.size() == 2 ? parse_integer(words[1].text) : ParsedInteger{};
  if (number.kind == NumberKind::overflow) {
    refuse(
        number.negative ? StatusCode::map_size : StatusCode::limit_cells, lines.place(words[1].column),
        fmt::format("{} {}; 1 to {} cells in all are supported", words[0].text, printable(words[1].text), kMaxCells));
  }
  if (number.kind != NumberKind::number) {
    refuse(StatusCode::map_header, lines.place(words.size() > 1 ? words[1].column : 1),
           fmt::format("{} without a whole number; for example {} 64", words[0].text, words[0].text));
  }
  return number.value;
}

std::optional<std::int64_t> layer_line(std::string_view line) {
  if (line.substr(0, 6) != "layer ") return std::nullopt;
  const ParsedInteger number = parse_integer(trimmed(line.substr(6)));
  if (number.kind != NumberKind::number) return std::nullopt;
  return number.value;
}

Result<MapCells> parse_map(std::string_view text, const std::string& file, const Alphabet& alphabet) {
  return guarded(fmt::format("the map {} has {} bytes as text", printable(file), text.size()), [&] {
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
      refuse(StatusCode::map_empty, {file, 0, 0}, "the file is empty; a map is expected");
    }
    LineCursor first(text, file);
    const std::vector<Word> words = split_words(first.next());
    const bool has_ending = file.size() > 4 && file.compare(file.size() - 4, 4, ".map") == 0;
    const bool has_header =
        words.size() == 2 && (words[0].text == "type" || words[0].text == "height" || words[0].text == "width");
    return has_header || has_ending ? parse_moving_ai(text, file, alphabet) : parse_plain(text, file, alphabet);
  });
}

}  // namespace drover::io

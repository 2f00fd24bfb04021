// SPDX-License-Identifier: MIT
// Weights, heights, costs and edits: small text tables that stand beside a map.
#include <fmt/format.h>

#include "io/field_claims.hpp"
#include "io/map_text.hpp"

namespace drover::io {

namespace {

std::uint32_t weight_of(const Word& word, const LineCursor& lines) {
  const ParsedInteger number = parse_integer(word.text);
  const Place place = lines.place(word.column);
  const std::string shown = printable(word.text.substr(0, 40));
  if (number.kind == NumberKind::malformed || word.text == "-0") {
    refuse(StatusCode::number, place,
           fmt::format("'{}' is not a whole number; 0 .. {} is expected", shown, kMaxCellCost));
  }
  if (number.negative)
    refuse(StatusCode::cost_negative, place, fmt::format("cost {}; 0 .. {} is expected", shown, kMaxCellCost));
  if (number.kind == NumberKind::overflow || number.value > kMaxCellCost) {
    refuse(StatusCode::cost_range, place, fmt::format("cost {}; 0 .. {} is expected", shown, kMaxCellCost));
  }
  return static_cast<std::uint32_t>(number.value);
}

std::int32_t height_of(const Word& word, const LineCursor& lines) {
  const ParsedInteger number = parse_integer(word.text);
  if (number.kind == NumberKind::number && number.value >= INT32_MIN && number.value <= INT32_MAX)
    return static_cast<std::int32_t>(number.value);
  refuse(
      StatusCode::number, lines.place(word.column),
      fmt::format("'{}' is not a height; a whole number of 32 bits is expected", printable(word.text.substr(0, 40))));
}

DumpedCost cost_of_dump(const Word& word, const LineCursor& lines) {
  if (word.text == "#") return {ClaimedState::blocked, kInfiniteCost};
  if (word.text == "x") return {ClaimedState::unreachable, kInfiniteCost};
  if (word.text == "?") return {ClaimedState::unknown, kInfiniteCost};
  const ParsedInteger number = parse_integer(word.text);
  if (number.kind == NumberKind::number && !number.negative)
    return {ClaimedState::reachable, static_cast<Cost>(number.value)};
  refuse(StatusCode::number, lines.place(word.column),
         fmt::format("'{}' is not a cost; a whole number, # x or ? is expected", printable(word.text.substr(0, 40))));
}

// One row a line, `layer N` lines between layers.
template <class T, class ValueOf>
std::vector<T> table_of(std::string_view text, const std::string& file, const GridShape& shape, std::string_view what,
                        ValueOf&& value_of) {
  std::vector<T> values;
  LineCursor lines(text, file);
  const auto width = static_cast<std::size_t>(shape.width());
  const std::int64_t wanted = std::int64_t{shape.height()} * shape.layers();
  std::int64_t row = 0;
  for (; !lines.done() && !lines.only_blank_left(); ++row) {
    std::string_view line = lines.next();
    if (shape.layers() > 1 && row % shape.height() == 0 && layer_line(line) == row / shape.height()) {
      if (lines.only_blank_left()) break;
      line = lines.next();
    }
    const std::vector<Word> words = split_words(line);
    if (row >= wanted)
      refuse(StatusCode::weights_size, lines.place(1), fmt::format("a row too many; {} rows are expected", wanted));
    for (std::size_t i = 0; i < std::min(words.size(), width); ++i) values.push_back(value_of(words[i], lines));
    if (words.size() != width) {
      const std::size_t column = words.size() > width ? words[width].column : line.size() + 1;
      refuse(StatusCode::weights_size, lines.place(column),
             fmt::format("row has {} {}; the map is {} wide", words.size(), what, width));
    }
  }
  if (row != wanted)
    refuse(StatusCode::weights_size, lines.place(1), fmt::format("{} rows of {}; {} are expected", row, what, wanted));
  return values;
}

CellEdit edit_of(std::string_view line, const LineCursor& lines, const GridShape& shape, const Alphabet& alphabet) {
  const std::vector<Word> words = split_at(line, ',');
  const auto malformed = [&](std::size_t column) {
    refuse(StatusCode::edit, lines.place(column),
           fmt::format("'{}' is not an edit; x,y,char or x,y,layer,char is expected", printable(line.substr(0, 40))));
  };
  if (words.size() != 3 && words.size() != 4) malformed(1);
  std::int64_t numbers[3] = {0, 0, 0};
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const ParsedInteger number = parse_integer(trimmed(words[i].text));
    if (number.kind == NumberKind::malformed) malformed(words[i].column);
    numbers[i] = number.kind == NumberKind::overflow ? (number.negative ? INT64_MIN : INT64_MAX) : number.value;
  }
  const Word& letter = words.back();
  if (letter.text.empty()) malformed(letter.column);
  const std::int16_t meaning =
      letter.text.size() == 1 ? alphabet.meaning[static_cast<unsigned char>(letter.text[0])] : Alphabet::kNone;
  if (meaning == Alphabet::kNone) {
    refuse(StatusCode::map_tile, lines.place(letter.column),
           fmt::format("'{}'; tiles are {}", printable(letter.text.substr(0, 40)), alphabet.letters()));
  }
  const auto inside = [](std::int64_t v) { return v >= INT32_MIN && v <= INT32_MAX; };
  const Cell cell{static_cast<std::int32_t>(numbers[0]), static_cast<std::int32_t>(numbers[1]),
                  static_cast<std::int32_t>(numbers[2])};
  if (!inside(numbers[0]) || !inside(numbers[1]) || !inside(numbers[2]) || !shape.contains(cell)) {
    refuse(StatusCode::edit_outside, lines.place(1),
           fmt::format("cell {} is outside; the map is {}x{}", printable(line.substr(0, letter.column - 2)),
                       shape.width(), shape.height()));
  }
  if (meaning == Alphabet::kUnknown) return {cell, CellChange::unknown, kFloor};
  return {cell, CellChange::terrain, static_cast<TerrainId>(meaning)};
}

}  // namespace

Result<std::vector<std::uint32_t>> parse_weights(std::string_view text, const std::string& file,
                                                 const GridShape& shape) {
  return guarded(fmt::format("the weights {} have {} bytes as text", printable(file), text.size()),
                 [&] { return table_of<std::uint32_t>(text, file, shape, "weights", weight_of); });
}

Result<std::vector<std::int32_t>> parse_heights(std::string_view text, const std::string& file,
                                                const GridShape& shape) {
  return guarded(fmt::format("the heights {} have {} bytes as text", printable(file), text.size()),
                 [&] { return table_of<std::int32_t>(text, file, shape, "heights", height_of); });
}

Result<std::vector<DumpedCost>> parse_costs(std::string_view text, const std::string& file, const GridShape& shape) {
  return guarded(fmt::format("the costs {} have {} bytes as text", printable(file), text.size()),
                 [&] { return table_of<DumpedCost>(text, file, shape, "costs", cost_of_dump); });
}

Result<std::vector<CellEdit>> parse_edits(std::string_view text, const std::string& file, const GridShape& shape,
                                          const Alphabet& alphabet) {
  return guarded(fmt::format("the edits {} have {} bytes as text", printable(file), text.size()), [&] {
    std::vector<CellEdit> edits;
    LineCursor lines(text, file);
    while (!lines.done()) {
      if (const std::string_view line = trimmed(lines.next()); !line.empty())
        edits.push_back(edit_of(line, lines, shape, alphabet));
    }
    return edits;
  });
}

}  // namespace drover::io

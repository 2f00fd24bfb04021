// SPDX-License-Identifier: MIT
// Pieces of the map parsers that .map, .txt, .gate and scenario rows share.
#pragma once
#include "io/text.hpp"

namespace drover::io {

/// Refuses sizes below 1x1 and above the limits, counted in 64 bits.
void check_map_size(std::int64_t width, std::int64_t height, std::int64_t layers, const Place& place);
/// Appends one row of letters to `map`, refusing letters without a meaning. `column` is where the row's first letter
/// stands.
void append_row(MapCells& map, std::string_view row, const Alphabet& alphabet, Place place);
/// `height H` rows of `width W` from `lines`, after the line `map`. The cells of the map are filled in.
void read_rows(MapCells& map, LineCursor& lines, const Alphabet& alphabet);
/// The value of a header line `height 12`: a whole number, or E_MAP_HEADER; far too large ones become E_LIMIT_CELLS.
std::int64_t header_number(const std::vector<Word>& words, const LineCursor& lines);
/// The layer number of a line `layer N`, nothing for any other line.
std::optional<std::int64_t> layer_line(std::string_view line);

/// MovingAI with a header, or plain rows with `layer N` lines between layers; what the letters alone do not tell is
/// added to `lost`, as a reader with these options would see it.
enum class TextForm : std::uint8_t { moving_ai, plain };
std::string map_text(const MapFile& map, TextForm form, const MapFileOptions& reader, std::vector<Warning>& lost);

}  // namespace drover::io

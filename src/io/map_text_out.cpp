// SPDX-License-Identifier: MIT
// Maps as text: a letter for every kind of ground that is used, found where it has none of its own.
#include <fmt/format.h>

#include <algorithm>

#include "io/map_formats.hpp"
#include "io/map_text.hpp"

namespace drover::io {

namespace {

constexpr std::string_view kFree =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789*+-:;<>=^_|~!$%&()[]{}/'`\\\",.#@";

// What a reader makes of a class it has by this letter.
bool reads_back(const TerrainClass& kind, char letter, const MapFileOptions& reader) {
  const std::int16_t meaning = reader.alphabet.meaning[static_cast<unsigned char>(letter)];
  if (meaning < 0 || static_cast<std::size_t>(meaning) >= reader.terrain.size()) return false;
  const TerrainClass& read = reader.terrain[static_cast<std::size_t>(meaning)];
  return read.name == kind.name && read.cost == kind.cost && read.passable == kind.passable;
}

class Letters {
 public:
  Letters(const MapFile& map, const MapFileOptions& reader, std::string_view ending) : map_(map), reader_(reader) {
    for (const std::uint8_t what : map.cells.cells) used_[what] = true;
    of_[MapCells::kUnknown] = '?';
    for (std::size_t i = 0; i < map.terrain.size(); ++i) {
      const char letter = map.terrain[i].letter;
      if (used_[i] && letter > ' ' && letter <= '~' && taken_.find(letter) == std::string::npos) take(i, letter);
    }
    for (std::size_t i = 0; i < map.terrain.size(); ++i) {
      if (used_[i] && of_[i] == '\0') take(i, free_letter(ending));
    }
  }

  char of(std::uint8_t what) const { return of_[what]; }

  // "L=lava:3,a=tar:blocked": the legend that tells a reader what the letters do not.
  void add_lost(std::vector<Warning>& lost) const {
    std::string legend;
    std::size_t count = 0;
    for (std::size_t i = 0; i < map_.terrain.size(); ++i) {
      const TerrainClass& kind = map_.terrain[i];
      if (!used_[i] || reads_back(kind, of_[i], reader_)) continue;
      legend += fmt::format("{}{}={}:{}", count == 0 ? "" : ",", of_[i], kind.name,
                            kind.passable ? std::to_string(kind.cost) : "blocked");
      ++count;
    }
    if (count == 0) return;
    lost.push_back({"W_LOST", fmt::format("kinds of ground that letters do not tell: {}; --legend \"{}\" reads them",
                                          count, printable(legend))});
  }

 private:
  void take(std::size_t i, char letter) {
    of_[i] = letter;
    taken_ += letter;
  }

  // Letters that already mean something to the reader come last.
  char free_letter(std::string_view ending) const {
    for (const bool known : {false, true}) {
      for (const char letter : kFree) {
        const bool means = reader_.alphabet.meaning[static_cast<unsigned char>(letter)] != Alphabet::kNone;
        if (means == known && taken_.find(letter) == std::string::npos) return letter;
      }
    }
    refuse(StatusCode::format, {map_.file, 0, 0},
           fmt::format("the map has more than {} kinds of ground, {} has no letters for more; .png, .tmx or .tmj is "
                       "expected",
                       taken_.size() - 1, ending));
  }

  const MapFile& map_;
  const MapFileOptions& reader_;
  std::array<bool, 256> used_{};
  std::array<char, 256> of_{};
  std::string taken_ = "?";
};

}  // namespace

std::string map_text(const MapFile& map, TextForm form, const MapFileOptions& reader, std::vector<Warning>& lost) {
  const std::string_view ending = form == TextForm::moving_ai ? ".map" : ".txt";
  const Letters letters(map, reader, ending);
  add_lost(map, ending, {}, lost);
  letters.add_lost(lost);
  const auto width = static_cast<std::size_t>(map.cells.width), height = static_cast<std::size_t>(map.cells.height);
  std::string text;
  text.reserve(map.cells.cells.size() + map.cells.cells.size() / width + 64);
  if (form == TextForm::moving_ai) text += fmt::format("type octile\nheight {}\nwidth {}\nmap\n", height, width);
  const std::uint8_t* cell = map.cells.cells.data();
  for (std::int64_t layer = 0; layer < map.cells.layers; ++layer) {
    if (layer > 0) text += fmt::format("layer {}\n", layer);
    for (std::size_t y = 0; y < height; ++y) {
      for (std::size_t x = 0; x < width; ++x) text += letters.of(*cell++);
      text += '\n';
    }
  }
  return text;
}

}  // namespace drover::io

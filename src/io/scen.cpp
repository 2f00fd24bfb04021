// SPDX-License-Identifier: MIT
// MovingAI scenarios: one query a line, nine fields.
#include <fmt/format.h>

#include "io/text.hpp"

namespace drover::io {

namespace {

constexpr std::size_t kFields = 9;  // bucket, map, width, height, four coordinates, length

// The fields of a line; blanks in the name of the map belong to it.
struct Line {
  const LineCursor& lines;
  std::vector<Word> words;

  const Word& from_end(std::size_t n) const { return words[words.size() - n]; }

  std::int64_t whole(const Word& word, std::string_view what) const {
    const ParsedInteger number = parse_integer(word.text);
    if (number.kind == NumberKind::malformed) {
      refuse(StatusCode::number, lines.place(word.column),
             fmt::format("{} '{}'; a whole number is expected", what, printable(word.text.substr(0, 40))));
    }
    return number.kind == NumberKind::number ? number.value : number.negative ? INT64_MIN : INT64_MAX;
  }

  Cell cell(std::size_t x_from_end, std::string_view what, const GridShape& shape) const {
    const Word &x_word = from_end(x_from_end), &y_word = from_end(x_from_end - 1);
    const std::int64_t x = whole(x_word, "x"), y = whole(y_word, "y");
    if (x < 0 || x >= shape.width() || y < 0 || y >= shape.height()) {
      refuse(StatusCode::scen_position, lines.place(x_word.column),
             fmt::format("{} {},{} is not on the map; 0,0 .. {},{} is expected", what,
                         printable(x_word.text.substr(0, 20)), printable(y_word.text.substr(0, 20)), shape.width() - 1,
                         shape.height() - 1));
    }
    return {shape.origin().x + static_cast<std::int32_t>(x), shape.origin().y + static_cast<std::int32_t>(y), 0};
  }

  Fixed length() const {
    const Word& word = from_end(1);
    const Result<Fixed> length = Fixed::parse(word.text);
    if (!length || *length < Fixed{} || word.text.front() == '-') {
      refuse(StatusCode::number, lines.place(word.column),
             fmt::format("length '{}'; a decimal number of 0 or more is expected", printable(word.text.substr(0, 40))));
    }
    return *length;
  }

  void check_size(const GridShape& shape) const {
    const std::int64_t width = whole(from_end(7), "width"), height = whole(from_end(6), "height");
    if (width == shape.width() && height == shape.height()) return;
    refuse(StatusCode::scen, lines.place(from_end(7).column),
           fmt::format("a query for a map of {}x{}; the map is {}x{}", width, height, shape.width(), shape.height()));
  }
};

ScenQuery query_of(std::string_view text, const LineCursor& lines, const GridShape& shape) {
  const Line line{lines, split_words(text)};
  if (line.words.size() < kFields) {
    refuse(StatusCode::scen, lines.place(text.size() + 1),
           fmt::format("{} fields; bucket, map, width, height, start x, start y, goal x, goal y, length are expected",
                       line.words.size()));
  }
  line.whole(line.words[0], "bucket");
  const Cell from = line.cell(5, "start", shape), to = line.cell(3, "goal", shape);
  line.check_size(shape);
  return {from, to, line.length(), lines.number()};
}

void read_version(LineCursor& lines) {
  const std::vector<Word> words = lines.done() ? std::vector<Word>() : split_words(lines.next());
  if (words.size() != 2 || words[0].text != "version") {
    refuse(StatusCode::scen, {lines.file(), 1, 1}, "no version; a first line 'version 1' is expected");
  }
  if (words[1].text == "1" || words[1].text == "1.0") return;
  refuse(StatusCode::version_unsupported, lines.place(words[1].column),
         fmt::format("version {}; 1 is expected", printable(words[1].text.substr(0, 20))));
}

}  // namespace

Result<std::vector<ScenQuery>> parse_scen(std::string_view text, const std::string& file, const GridShape& shape) {
  return guarded(fmt::format("the queries {} have {} bytes as text", printable(file), text.size()), [&] {
    std::vector<ScenQuery> queries;
    LineCursor lines(text, file);
    read_version(lines);
    while (!lines.done()) {
      const std::string_view line = lines.next();
      if (!trimmed(line).empty()) queries.push_back(query_of(line, lines, shape));
    }
    return queries;
  });
}

}  // namespace drover::io

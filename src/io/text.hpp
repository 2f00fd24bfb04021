// SPDX-License-Identifier: MIT
// Lines, words and numbers of text files, and the exception that carries a refusal out of a parser.
#pragma once
#include "base/text.hpp"

#include <drover/io.hpp>

#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace drover::io {

/// Thrown inside parsers only; every public function of drover::io catches it and answers with its status.
struct Refusal {
  Status status;
};
[[noreturn]] void refuse(StatusCode code, const Place& place, std::string_view message);

/// Runs `body`, turning a Refusal or std::bad_alloc into a failed result. `need` names the memory in the latter case.
template <class Body>
auto guarded(std::string_view need, Body body) -> Result<decltype(body())>;
/// The value, or a Refusal with the status.
template <class T>
T or_refuse(Result<T> result) {
  if (!result) throw Refusal{result.status()};
  return std::move(*result);
}
inline void or_refuse(const Status& status) {
  if (!status.ok()) throw Refusal{status};
}
Status no_memory(std::string_view need);
/// An out_of_memory of the library gets the name of what needed it; anything else stays.
Status named_memory(const Status& status, std::string_view need);
/// "a map of 64x64 with a field takes about 49152 bytes".
std::string map_need(std::int64_t width, std::int64_t height, std::int64_t layers);

/// Walks the lines of a text; a line end is LF, CR LF or the end of the text.
class LineCursor {
 public:
  LineCursor(std::string_view text, std::string file) : rest_(text), file_(std::move(file)) {}

  bool done() const noexcept { return rest_.empty(); }
  /// Precondition: not done. Without its line end.
  std::string_view next();
  std::string_view peek() const;
  /// Number of the line that next() gave last.
  std::uint32_t number() const noexcept { return number_; }
  Place place(std::size_t column = 0) const { return {file_, number_, static_cast<std::uint32_t>(column)}; }
  const std::string& file() const noexcept { return file_; }
  /// True if only blank lines follow.
  bool only_blank_left() const noexcept;

 private:
  std::string_view rest_;
  std::string file_;
  std::uint32_t number_ = 0;
};

/// The words of a line, with the column of each.
struct Word {
  std::string_view text;
  std::size_t column = 0;  // from 1
};
std::vector<Word> split_words(std::string_view line);
std::vector<Word> split_at(std::string_view line, char separator);
std::string_view trimmed(std::string_view text) noexcept;

/// Decimal, optional minus, nothing else. `overflow`: a well-formed number that does not fit.
enum class NumberKind : std::uint8_t { number, malformed, overflow };
struct ParsedInteger {
  NumberKind kind = NumberKind::malformed;
  std::int64_t value = 0;
  bool negative = false;
};
ParsedInteger parse_integer(std::string_view text) noexcept;
/// Decimal or 0x hexadecimal, 0 .. 2^64 - 1.
std::optional<std::uint64_t> parse_seed(std::string_view text) noexcept;

using base::cell_text;
/// "-3.25": rounded to at most four decimals, for people.
std::string decimal_text(Fixed value);

/// The one of `known` that is closest to `word`, if close enough to be meant.
std::optional<std::string_view> nearest_word(std::string_view word, const std::vector<std::string_view>& known);
std::string joined(const std::vector<std::string_view>& words, std::string_view separator = ", ");

template <class Body>
auto guarded(std::string_view need, Body body) -> Result<decltype(body())> {
  try {
    return body();
  } catch (const Refusal& refusal) {
    return named_memory(refusal.status, need);
  } catch (const std::bad_alloc&) {
    return no_memory(need);
  } catch (const std::length_error&) {
    return no_memory(need);
  }
}

}  // namespace drover::io

// SPDX-License-Identifier: MIT
// Lines, words, numbers; how bytes are shown in messages.
#include "io/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/int128.hpp"

namespace drover::io {

namespace {

// Length of the UTF-8 sequence at the front that may be shown, 0 if it must be escaped. C1 controls and the marks that
// reorder text are escaped too: a name could otherwise rewrite the line it stands in.
std::size_t showable(std::string_view s) {
  const auto byte = [&](std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
  const auto tail = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7F ? 1 : 0;
  std::size_t length = 0;
  std::uint32_t point = 0;
  if (first >= 0xC2 && first < 0xE0) {
    length = 2;
    point = first & 0x1Fu;
  } else if (first >= 0xE0 && first < 0xF0) {
    length = 3;
    point = first & 0x0Fu;
  } else if (first >= 0xF0 && first < 0xF5) {
    length = 4;
    point = first & 0x07u;
  } else {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (!tail(i)) return 0;
    point = (point << 6) | (byte(i) & 0x3Fu);
  }
  const bool overlong = (length == 3 && point < 0x800) || (length == 4 && (point < 0x10000 || point > 0x10FFFF));
  const bool control = point < 0xA0 || (point >= 0x200B && point <= 0x200F) || (point >= 0x2028 && point <= 0x202E) ||
                       (point >= 0x2060 && point <= 0x2069) || (point >= 0xD800 && point <= 0xDFFF) || point == 0xFEFF;
  return overlong || control ? 0 : length;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1), before(b.size() + 1), two_before(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    two_before = before;
    before = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({before[j] + 1, row[j - 1] + 1, before[j - 1] + (a[i - 1] == b[j - 1] ? 0u : 1u)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], two_before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string printable(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    if (const std::size_t length = showable(bytes); length > 0) {
      out.append(bytes.substr(0, length));
      bytes.remove_prefix(length);
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes.front()));
      bytes.remove_prefix(1);
    }
  }
  return out;
}

Status error_at(StatusCode code, const Place& place, std::string_view message) {
  std::string text = printable(place.file);
  if (place.line > 0) text += fmt::format(":{}", place.line);
  if (place.line > 0 && place.column > 0) text += fmt::format(":{}", place.column);
  if (!text.empty()) text += ": ";
  return {code, text + std::string(message)};
}

void refuse(StatusCode code, const Place& place, std::string_view message) {
  throw Refusal{error_at(code, place, message)};
}

Status no_memory(std::string_view need) {
  return {StatusCode::out_of_memory, fmt::format("no memory: {}; raise the limit or use a smaller input", need)};
}

Status named_memory(const Status& status, std::string_view need) {
  const bool named = status.message().compare(0, 10, "no memory:") == 0;
  return status.code() == StatusCode::out_of_memory && !named ? no_memory(need) : status;
}

std::string map_need(std::int64_t width, std::int64_t height, std::int64_t layers) {
  return fmt::format("a map of {}x{}{} with a field takes about {} bytes", width, height,
                     layers > 1 ? fmt::format("x{}", layers) : "", map_bytes(width, height, layers));
}

std::string_view LineCursor::peek() const {
  const std::size_t end = rest_.find('\n');
  std::string_view line = rest_.substr(0, end);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

std::string_view LineCursor::next() {
  const std::string_view line = peek();
  const std::size_t end = rest_.find('\n');
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  ++number_;
  return line;
}

bool LineCursor::only_blank_left() const noexcept {
  return rest_.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

std::vector<Word> split_words(std::string_view line) {
  std::vector<Word> words;
  std::size_t at = 0;
  while ((at = line.find_first_not_of(" \t", at)) != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    words.push_back({line.substr(at, end - at), at + 1});
    at = end;
  }
  return words;
}

std::vector<Word> split_at(std::string_view line, char separator) {
  std::vector<Word> words;
  std::size_t at = 0;
  for (;;) {
    const std::size_t end = std::min(line.find(separator, at), line.size());
    words.push_back({line.substr(at, end - at), at + 1});
    if (end == line.size()) return words;
    at = end + 1;
  }
}

std::string_view trimmed(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

ParsedInteger parse_integer(std::string_view text) noexcept {
  ParsedInteger out;
  out.negative = !text.empty() && text.front() == '-';
  const std::string_view digits = text.substr(out.negative ? 1 : 0);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) return out;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out.value);
  out.kind = error == std::errc{} ? NumberKind::number : NumberKind::overflow;
  return out;
}

std::optional<std::uint64_t> parse_seed(std::string_view text) noexcept {
  int base = 10;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    base = 16;
    text.remove_prefix(2);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string decimal_text(Fixed value) {
  constexpr int kDecimals = 4;
  const base::Int128 scaled = base::Int128{value.raw} * 10000 + (base::Int128{1} << (Fixed::kFractionBits - 1));
  const auto number = static_cast<std::int64_t>(scaled >> Fixed::kFractionBits);  // fits: 2^31 x 10^4
  const std::uint64_t magnitude = static_cast<std::uint64_t>(number < 0 ? -number : number);
  std::string text = fmt::format("{}{}.{:0{}}", number < 0 ? "-" : "", magnitude / 10000, magnitude % 10000, kDecimals);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::optional<std::string_view> nearest_word(std::string_view word, const std::vector<std::string_view>& known) {
  std::optional<std::string_view> best;
  std::size_t least = word.size() > 64 ? 0 : std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string_view candidate : known) {
    if (const std::size_t distance = edit_distance(word.substr(0, 64), candidate); distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

std::string joined(const std::vector<std::string_view>& words, std::string_view separator) {
  std::string out;
  for (const std::string_view word : words) {
    if (!out.empty()) out += separator;
    out += word;
  }
  return out;
}

}  // namespace drover::io

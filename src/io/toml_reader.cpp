// SPDX-License-Identifier: MIT
// toml++ behind places, ranges and names of errors.
#include "io/toml_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace drover::io {

namespace {

constexpr std::string_view kBareEnd = " \t\r\n,]}#";

// Seeds go up to 2^64 - 1, TOML integers to 2^63 - 1: a bare seed is read as a string. Columns of what comes before it
// stay.
std::string quote_bare_seeds(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 16);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    const std::size_t key = line.find_first_not_of(" \t");
    if (key != std::string_view::npos && line.substr(key, 4) == "seed") {
      const std::size_t equals = line.find_first_not_of(" \t", key + 4);
      const std::size_t value =
          equals == std::string_view::npos || line[equals] != '=' ? equals : line.find_first_not_of(" \t", equals + 1);
      if (value != std::string_view::npos && value != equals &&
          std::string_view("\"'[{\r\n#").find(line[value]) == std::string_view::npos) {
        const std::size_t stop = std::min(line.find_first_of(kBareEnd, value), line.size());
        out.append(line.substr(0, value)).append("'").append(line.substr(value, stop - value)).append("'");
        line.remove_prefix(stop);
      }
    }
    out.append(line);
  }
  return out;
}

constexpr int kMostKeyParts = 16;

// Where the string that begins at `at` ends; one line at most unless its quotes are tripled.
std::size_t behind_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string tripled(3, quote);
  const bool block = text.substr(at, 3) == tripled;
  for (at += block ? 3 : 1; at < text.size(); ++at) {
    if (text[at] == '\\' && quote == '"') {
      ++at;
    } else if (!block && (text[at] == quote || text[at] == '\n')) {
      return at + (text[at] == quote ? 1 : 0);
    } else if (block && text.substr(at, 3) == tripled) {
      return std::min(text.find_first_not_of(quote, at), text.size());
    }
  }
  return text.size();
}

// Where a key has its first part too many, or npos. toml++ makes a table of each part and recurses through them.
std::size_t find_deep_key(std::string_view text) {
  int parts = 1;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = behind_string(text, at);
      continue;
    }
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (std::string_view("=,[]{}\n").find(c) != std::string_view::npos) parts = 1;
    if (c == '.' && ++parts > kMostKeyParts) return at;
    ++at;
  }
  return std::string_view::npos;
}

StatusCode code_of(std::string_view description) {
  const auto says = [&](std::string_view words) { return description.find(words) != std::string_view::npos; };
  if (says("cannot redefine")) return StatusCode::key_twice;
  if (says("utf-8")) return StatusCode::encoding;
  if (says("representable in 64 bits") || says("floating-point") || says("integer")) return StatusCode::number;
  return StatusCode::toml;
}

const char* kind_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a decimal";
    case toml::node_type::boolean:
      return "true or false";
    default:
      return "a date";
  }
}

[[noreturn]] void refuse_kind(const Document& document, const toml::node& node, std::string_view what,
                              std::string_view expected, StatusCode code = StatusCode::value) {
  refuse(code, document.place(node), fmt::format("{} is {}; {} is expected", what, kind_of(node), expected));
}

PlacedRect rect_of(const Document& document, const toml::node& node, std::string_view what) {
  if (node.is_array()) return {{cell_of(document, node, what), 1, 1}, Document::spot(node)};
  if (!node.is_table()) refuse_kind(document, node, what, "a cell [x, y] or {rect = [x, y, w, h]}");
  const Section section(document, *node.as_table(), std::string(what), {"rect", "layer"});
  const toml::array& numbers = array_of(document, section.need("rect"), "rect");
  if (numbers.size() != 4)
    refuse(StatusCode::value, document.place(numbers),
           fmt::format("rect of {} numbers; [x, y, w, h] is expected", numbers.size()));
  const auto number = [&](std::size_t i, std::string_view name, std::int64_t least) {
    return integer_of(document, numbers[i], {name, least, INT32_MAX});
  };
  PlacedRect out;
  out.rect.corner.x = static_cast<std::int32_t>(number(0, "x", INT32_MIN));
  out.rect.corner.y = static_cast<std::int32_t>(number(1, "y", INT32_MIN));
  out.rect.width = number(2, "width", 1);
  out.rect.height = number(3, "height", 1);
  out.rect.corner.layer = static_cast<std::int32_t>(integer_or(section, "layer", 0, {"layer", 0, INT32_MAX}));
  out.spot = Document::spot(node);
  return out;
}

}  // namespace

Document::Document(std::string_view text, std::string file) : text_(quote_bare_seeds(text)), file_(std::move(file)) {
  line_starts_.push_back(0);
  for (std::size_t at = 0; (at = text_.find('\n', at)) != std::string::npos; ++at) line_starts_.push_back(at + 1);
  if (const std::size_t deep = find_deep_key(text_); deep != std::string_view::npos) {
    const auto line = std::upper_bound(line_starts_.begin(), line_starts_.end(), deep) - line_starts_.begin();
    const std::size_t column = deep - line_starts_[static_cast<std::size_t>(line) - 1] + 1;
    refuse(StatusCode::toml, place({static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(column)}),
           fmt::format("a key of more than {} dotted parts; fewer are expected", kMostKeyParts));
  }
  try {
    const std::string_view all = text_;
    root_ = toml::parse(all);
  } catch (const toml::parse_error& error) {
    const std::string_view description = error.description();
    Spot at = spot(error.source());
    if (at.column > 1 && code_of(description) == StatusCode::number) {
      // toml++ points behind a bad number; walk back to where it begins.
      const std::size_t line = line_starts_[std::min<std::size_t>(at.line, line_starts_.size()) - 1];
      std::size_t byte = std::min(line + at.column - 1, text_.size());
      while (byte > line && std::string_view(" \t=,[{").find(text_[byte - 1]) == std::string_view::npos) --byte;
      at.column = static_cast<std::uint32_t>(byte - line + 1);
    }
    refuse(code_of(description), place(at), fmt::format("{}; TOML is expected", printable(description)));
  }
}

std::string_view Document::typed(const toml::node& node) const {
  const Spot at = spot(node);
  if (at.line == 0 || at.line > line_starts_.size()) return {};
  // Goes on from the last place, else a long list on one line takes quadratic time.
  if (at.line != walked_.line || at.column < walked_.column) {
    walked_ = {at.line, 1};
    walked_byte_ = line_starts_[at.line - 1];
  }
  std::size_t& byte = walked_byte_;
  // Columns count code points.
  for (; walked_.column < at.column && byte < text_.size(); ++walked_.column) {
    do {
      ++byte;
    } while (byte < text_.size() && (static_cast<unsigned char>(text_[byte]) & 0xC0u) == 0x80u);
  }
  const std::string_view all = text_;
  const std::string_view rest = all.substr(std::min(byte, text_.size()));
  return rest.substr(0, rest.find_first_of(kBareEnd));
}

Section::Section(const Document& document, const toml::table& table, std::string title,
                 std::vector<std::string_view> known, std::vector<std::string_view> later)
    : document_(&document), table_(&table), title_(std::move(title)) {
  const auto among = [](const std::vector<std::string_view>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  for (const auto& [key, node] : table) {
    if (among(known, key.str())) continue;
    const Place at = document.place(Document::spot(key.source()));
    if (among(later, key.str())) refuse_later(at, fmt::format("{} in {}", printable(key.str()), title_));
    std::vector<std::string_view> all = known;
    all.insert(all.end(), later.begin(), later.end());
    const auto meant = nearest_word(key.str(), all);
    refuse(
        StatusCode::key_unknown, at,
        fmt::format("unknown key {} in {}; {}", printable(key.str()), title_,
                    meant ? fmt::format("did you mean {}?", *meant) : fmt::format("known keys are {}", joined(all))));
  }
}

const toml::node& Section::need(std::string_view key) const {
  const toml::node* node = find(key);
  if (node == nullptr)
    refuse(StatusCode::key_missing, place(), fmt::format("{} has no {}; that key is needed", title_, key));
  return *node;
}

std::string Section::text(std::string_view key) const { return string_of(*document_, need(key), key); }

std::string Section::text_or(std::string_view key, std::string otherwise) const {
  const toml::node* node = find(key);
  return node == nullptr ? std::move(otherwise) : string_of(*document_, *node, key);
}

bool Section::flag_or(std::string_view key, bool otherwise) const {
  const toml::node* node = find(key);
  if (node == nullptr) return otherwise;
  if (!node->is_boolean()) refuse_kind(*document_, *node, key, "true or false");
  return node->as_boolean()->get();
}

std::int64_t integer_of(const Document& document, const toml::node& node, const IntegerRule& rule) {
  const auto range = [&] {
    return rule.most == INT64_MAX ? fmt::format("at least {}", rule.least)
                                  : fmt::format("{} .. {}", rule.least, rule.most);
  };
  const std::string_view typed = document.typed(node);
  if (node.is_floating_point() || (node.is_integer() && typed == "-0")) {
    refuse(rule.not_an_integer, document.place(node),
           fmt::format("{} = {} is not a whole number; {} is expected", rule.what, printable(typed), range()));
  }
  if (!node.is_integer()) refuse_kind(document, node, rule.what, fmt::format("a whole number, {},", range()));
  const std::int64_t value = node.as_integer()->get();
  if (value < rule.least || value > rule.most) {
    refuse(rule.out_of_range, document.place(node), fmt::format("{} = {}; {} is expected", rule.what, value, range()));
  }
  return value;
}

std::int64_t integer_or(const Section& section, std::string_view key, std::int64_t otherwise, const IntegerRule& rule) {
  const toml::node* node = section.find(key);
  return node == nullptr ? otherwise : integer_of(section.document(), *node, rule);
}

std::uint32_t cost_of(const Document& document, const toml::node& node, std::string_view what, std::uint32_t most) {
  const bool negative = node.is_integer() && node.as_integer()->get() < 0;
  return static_cast<std::uint32_t>(
      integer_of(document, node, {what, 0, most, negative ? StatusCode::cost_negative : StatusCode::cost_range}));
}

Fixed decimal_of(const Document& document, const toml::node& node, std::string_view what, StatusCode code) {
  std::string text;
  if (node.is_string()) {
    text = node.as_string()->get();
  } else if (node.is_integer() || node.is_floating_point()) {
    text = document.typed(node);
  } else {
    refuse_kind(document, node, what, "a decimal in a string", code);
  }
  const Result<Fixed> value = Fixed::parse(text);
  if (!value)
    refuse(StatusCode::number, document.place(node),
           fmt::format("{} = \"{}\"; a decimal such as \"0.35\" is expected", what, printable(text)));
  return *value;
}

std::string string_of(const Document& document, const toml::node& node, std::string_view what) {
  if (!node.is_string()) refuse_kind(document, node, what, "a string");
  return node.as_string()->get();
}

const toml::array& array_of(const Document& document, const toml::node& node, std::string_view what) {
  if (!node.is_array()) refuse_kind(document, node, what, "a list");
  return *node.as_array();
}

std::uint64_t seed_of(const Document& document, const toml::node& node) {
  std::string text(document.typed(node));
  if (node.is_string()) {
    text = node.as_string()->get();
  } else if (!node.is_integer()) {
    refuse_kind(document, node, "seed", "a non-negative integer or a string", StatusCode::seed);
  }
  const auto seed = parse_seed(text);
  if (!seed)
    refuse(StatusCode::seed, document.place(node),
           fmt::format("seed {}; 0 .. 18446744073709551615 is expected", printable(text)));
  return *seed;
}

Cell cell_of(const Document& document, const toml::node& node, std::string_view what) {
  if (!node.is_array()) refuse_kind(document, node, what, "a cell [x, y] or [x, y, layer]");
  const toml::array& numbers = *node.as_array();
  if (numbers.size() != 2 && numbers.size() != 3) {
    refuse(StatusCode::value, document.place(node),
           fmt::format("{} has {} numbers; a cell [x, y] or [x, y, layer] is expected", what, numbers.size()));
  }
  constexpr std::string_view kNames[] = {"x", "y", "layer"};
  std::int32_t values[3] = {0, 0, 0};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    values[i] = static_cast<std::int32_t>(integer_of(document, numbers[i], {kNames[i], INT32_MIN, INT32_MAX}));
  }
  return {values[0], values[1], values[2]};
}

std::vector<PlacedRect> rects_of(const Document& document, const toml::node& node, std::string_view what) {
  std::vector<PlacedRect> out;
  if (node.is_table()) {
    out.push_back(rect_of(document, node, what));
    return out;
  }
  const toml::array& list = array_of(document, node, what);
  out.reserve(list.size());
  for (const toml::node& item : list) out.push_back(rect_of(document, item, what));
  return out;
}

std::size_t choice_of(const Document& document, const toml::node& node, std::string_view what,
                      const std::vector<std::string_view>& words, const std::vector<std::string_view>& later) {
  const std::string word = string_of(document, node, what);
  const auto found = std::find(words.begin(), words.end(), word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  if (std::find(later.begin(), later.end(), word) != later.end()) {
    refuse_later(document.place(node), fmt::format("{} = \"{}\"", what, word));
  }
  refuse(StatusCode::value, document.place(node),
         fmt::format("{} = \"{}\"; {} is expected", what, printable(word), joined(words, " or ")));
}

void refuse_later(const Place& place, std::string_view what) {
  refuse(StatusCode::key_unsupported, place, fmt::format("{} is not supported yet; leave it out", what));
}

void only_value(const Section& section, std::string_view key, const toml::node* node, bool supported) {
  if (node == nullptr || supported) return;
  refuse_later(section.document().place(*node), fmt::format("this value of {} in {}", key, section.title()));
}

}  // namespace drover::io

// SPDX-License-Identifier: MIT
// TOML with places: every value is checked for type and range where it stands, every key against the known ones.
#pragma once
#include <toml++/toml.h>

#include "io/text.hpp"

namespace drover::io {

/// A parsed file. Refuses bad TOML with `toml`, a key given twice with `key_twice`, numbers that do not fit with
/// `number`.
class Document {
 public:
  Document(std::string_view text, std::string file);

  const toml::table& root() const noexcept { return root_; }
  const std::string& file() const noexcept { return file_; }
  Place place(Spot spot) const { return {file_, spot.line, spot.column}; }
  Place place(const toml::node& node) const { return place(spot(node)); }
  static Spot spot(const toml::node& node) { return spot(node.source()); }
  static Spot spot(const toml::source_region& source) { return {source.begin.line, source.begin.column}; }
  /// A bare value as it was typed.
  std::string_view typed(const toml::node& node) const;

 private:
  std::string text_;
  std::string file_;
  std::vector<std::size_t> line_starts_;
  toml::table root_;
  mutable Spot walked_{0, 0};  // the last place that typed() went to, and its byte
  mutable std::size_t walked_byte_ = 0;
};

/// One table of the file with the keys it may have. `later`: keys of features that this version does not have.
class Section {
 public:
  Section(const Document& document, const toml::table& table, std::string title, std::vector<std::string_view> known,
          std::vector<std::string_view> later = {});

  const Document& document() const noexcept { return *document_; }
  const std::string& title() const noexcept { return title_; }
  Place place() const { return document_->place(*table_); }
  Spot spot() const { return Document::spot(*table_); }
  const toml::node* find(std::string_view key) const { return table_->get(key); }
  /// Refuses the section with `key_missing` if the key is not there.
  const toml::node& need(std::string_view key) const;

  std::string text(std::string_view key) const;
  std::string text_or(std::string_view key, std::string otherwise) const;
  bool flag_or(std::string_view key, bool otherwise) const;

 private:
  const Document* document_;
  const toml::table* table_;
  std::string title_;
};

struct IntegerRule {
  std::string_view what;
  std::int64_t least = 0, most = INT64_MAX;
  StatusCode out_of_range = StatusCode::value;
  StatusCode not_an_integer = StatusCode::number;
};
std::int64_t integer_of(const Document& document, const toml::node& node, const IntegerRule& rule);
std::int64_t integer_or(const Section& section, std::string_view key, std::int64_t otherwise, const IntegerRule& rule);
/// A cost 0 .. `most`.
std::uint32_t cost_of(const Document& document, const toml::node& node, std::string_view what,
                      std::uint32_t most = kMaxCellCost);
/// A decimal in a string ("0.07"); a bare number is taken as it was typed.
Fixed decimal_of(const Document& document, const toml::node& node, std::string_view what, StatusCode code);
std::string string_of(const Document& document, const toml::node& node, std::string_view what);
const toml::array& array_of(const Document& document, const toml::node& node, std::string_view what);
std::uint64_t seed_of(const Document& document, const toml::node& node);
Cell cell_of(const Document& document, const toml::node& node, std::string_view what);
/// A list of cells and rectangles, or one rectangle. Not expanded.
struct PlacedRect {
  CellRect rect;
  Spot spot;
};
std::vector<PlacedRect> rects_of(const Document& document, const toml::node& node, std::string_view what);

/// Index of the chosen word among `words`; words in `later` are refused as not supported yet.
std::size_t choice_of(const Document& document, const toml::node& node, std::string_view what,
                      const std::vector<std::string_view>& words, const std::vector<std::string_view>& later = {});
[[noreturn]] void refuse_later(const Place& place, std::string_view what);
/// Refuses anything but the one value that this version supports.
void only_value(const Section& section, std::string_view key, const toml::node* node, bool supported);

}  // namespace drover::io

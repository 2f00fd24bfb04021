// SPDX-License-Identifier: MIT
// A Tiled map as a tree in the words of TMX: what both syntaxes are read into, and what both are printed from.
#pragma once
#include "io/text.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace drover::io::tiled {

/// How a value is printed: XML writes a switch as 1, JSON as true.
enum class ValueKind : std::uint8_t { text, number, boolean, toggle };

struct Attribute {
  std::string name, value;
  ValueKind kind = ValueKind::text;
  std::size_t at = 0;  // byte of the source
};

struct Element {
  std::string tag;
  std::size_t at = 0;
  std::vector<Attribute> attributes = {};
  std::vector<Element> children = {};
  std::string text = {};  // of data and chunk
  std::size_t text_at = 0;
  std::vector<std::uint32_t> gids = {};  // of data and chunk that name each cell; then text is empty
  std::size_t row = 0;                   // of them, how many a line when printed

  const Attribute* find(std::string_view name) const noexcept;
  const Element* child(std::string_view name) const noexcept;
  /// Empty where there is none.
  std::string_view value(std::string_view name) const noexcept;
  Element& add(std::string name);
  Element& set(std::string name, std::string value_text, ValueKind kind = ValueKind::text);
};

/// The text that elements come from. Places are found fastest in ascending order.
class Source {
 public:
  Source(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}
  std::string_view text() const noexcept { return text_; }
  const std::string& file() const noexcept { return file_; }
  Spot spot(std::size_t at) const noexcept;
  Place place(std::size_t at) const;
  [[noreturn]] void refuse(StatusCode code, std::size_t at, std::string_view message) const;

 private:
  std::string_view text_;
  std::string file_;
  mutable std::size_t walked_ = 0, line_start_ = 0;
  mutable std::uint32_t line_ = 1;
};

/// A whole number; `otherwise` where the attribute is missing. Refuses anything else with `tiled`.
std::int64_t integer_or(const Source& source, const Element& element, std::string_view name, std::int64_t otherwise);
/// The same within 1 .. most, and it must be there.
std::int64_t size_of(const Source& source, const Element& element, std::string_view name, std::int64_t most);

/// A custom property: what its `value` says, or its text.
struct Property {
  std::string_view value;
  std::size_t at = 0;
};
std::optional<Property> property(const Element& owner, std::string_view name);
std::optional<bool> bool_property(const Source& source, const Element& owner, std::string_view name);
/// 0 .. most. A cost (`code` cost_range) below 0 is cost_negative.
std::optional<std::uint64_t> integer_property(const Source& source, const Element& owner, std::string_view name,
                                              std::uint64_t most, StatusCode code);

/// Refuses with xml, xml_dtd.
Element read_xml(const Source& source);
/// Refuses with json, json_depth, key_twice.
Element read_json(const Source& source);
std::string xml_text(const Element& map);
std::string json_text(const Element& map);

}  // namespace drover::io::tiled

// SPDX-License-Identifier: MIT
// Attributes and properties of Tiled elements, checked for type and range where they stand.
#include "io/tiled_model.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace drover::io::tiled {

namespace {

template <class Items, class Name>
auto* find_by(Items& items, Name name, std::string_view wanted) noexcept {
  const auto found = std::find_if(items.begin(), items.end(), [&](const auto& item) { return item.*name == wanted; });
  return found == items.end() ? nullptr : &*found;
}

}  // namespace

const Attribute* Element::find(std::string_view name) const noexcept {
  return find_by(attributes, &Attribute::name, name);
}

const Element* Element::child(std::string_view name) const noexcept { return find_by(children, &Element::tag, name); }

std::string_view Element::value(std::string_view name) const noexcept {
  const Attribute* attribute = find(name);
  if (attribute == nullptr) return {};
  return attribute->value;
}

Element& Element::add(std::string name) {
  children.push_back({std::move(name)});
  return children.back();
}

Element& Element::set(std::string name, std::string value_text, ValueKind kind) {
  attributes.push_back({std::move(name), std::move(value_text), kind, 0});
  return *this;
}

Spot Source::spot(std::size_t at) const noexcept {
  at = std::min(at, text_.size());
  if (at < walked_) {
    walked_ = line_start_ = 0;
    line_ = 1;
  }
  for (; walked_ < at; ++walked_) {
    if (text_[walked_] != '\n') continue;
    ++line_;
    line_start_ = walked_ + 1;
  }
  return {line_, static_cast<std::uint32_t>(at - line_start_ + 1)};
}

Place Source::place(std::size_t at) const {
  const Spot found = spot(at);
  return {file_, found.line, found.column};
}

void Source::refuse(StatusCode code, std::size_t at, std::string_view message) const {
  io::refuse(code, place(at), message);
}

std::int64_t integer_or(const Source& source, const Element& element, std::string_view name, std::int64_t otherwise) {
  const Attribute* attribute = element.find(name);
  if (attribute == nullptr) return otherwise;
  const ParsedInteger number = parse_integer(attribute->value);
  if (number.kind != NumberKind::number) {
    source.refuse(StatusCode::tiled, attribute->at,
                  fmt::format("{} \"{}\" of <{}>; a whole number is expected", name,
                              printable(attribute->value.substr(0, 40)), element.tag));
  }
  return number.value;
}

std::int64_t size_of(const Source& source, const Element& element, std::string_view name, std::int64_t most) {
  const Attribute* attribute = element.find(name);
  const std::int64_t size = integer_or(source, element, name, 0);
  if (size < 1 || size > most) {
    source.refuse(
        StatusCode::tiled, attribute == nullptr ? element.at : attribute->at,
        fmt::format("<{}> has {}; 1 .. {} is expected", element.tag,
                    attribute == nullptr ? fmt::format("no {}", name) : fmt::format("{} {}", name, size), most));
  }
  return size;
}

std::optional<Property> property(const Element& owner, std::string_view name) {
  const Element* list = owner.child("properties");
  if (list == nullptr) return std::nullopt;
  for (const Element& entry : list->children) {
    if (entry.value("name") != name) continue;
    if (const Attribute* value = entry.find("value")) return Property{value->value, value->at};
    return Property{entry.text, entry.at};
  }
  return std::nullopt;
}

std::optional<bool> bool_property(const Source& source, const Element& owner, std::string_view name) {
  const std::optional<Property> found = property(owner, name);
  if (!found) return std::nullopt;
  if (found->value == "true" || found->value == "false") return found->value == "true";
  source.refuse(StatusCode::value, found->at,
                fmt::format("{} is \"{}\"; true or false is expected", name, printable(found->value.substr(0, 40))));
}

std::optional<std::uint64_t> integer_property(const Source& source, const Element& owner, std::string_view name,
                                              std::uint64_t most, StatusCode code) {
  const std::optional<Property> found = property(owner, name);
  if (!found) return std::nullopt;
  const ParsedInteger number = parse_integer(found->value);
  const auto refused = [&](StatusCode as) {
    source.refuse(as, found->at,
                  fmt::format("{} is {}; 0 .. {} is expected", name, printable(found->value.substr(0, 40)), most));
  };
  if (number.kind == NumberKind::malformed) refused(StatusCode::number);
  if (number.negative) refused(code == StatusCode::cost_range ? StatusCode::cost_negative : code);
  if (number.kind == NumberKind::overflow || static_cast<std::uint64_t>(number.value) > most) refused(code);
  return static_cast<std::uint64_t>(number.value);
}

}  // namespace drover::io::tiled

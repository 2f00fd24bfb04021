// SPDX-License-Identifier: MIT
// Sentences for statuses: texts, integers and cells, one after the other.
#pragma once
#include <drover/geometry.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace drover::base {

namespace text_parts {
inline void append(std::string& out, std::string_view part) { out += part; }
inline void append(std::string& out, std::integral auto number) { out += std::to_string(number); }
}  // namespace text_parts

template <class... Parts>
std::string concat(const Parts&... parts) {
  std::string out;
  (text_parts::append(out, parts), ...);
  return out;
}

/// "12,3" or, on a layer above the first or with `layers` > 1, "12,3,1".
inline std::string cell_text(Cell c, std::int64_t layers = 1) {
  const std::string text = concat(c.x, ",", c.y);
  return layers > 1 || c.layer != 0 ? concat(text, ",", c.layer) : text;
}

}  // namespace drover::base

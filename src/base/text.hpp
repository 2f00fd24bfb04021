// SPDX-License-Identifier: MIT
// Sentences for statuses: texts and integers, one after the other.
#pragma once
#include <concepts>
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

}  // namespace drover::base

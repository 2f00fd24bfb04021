// SPDX-License-Identifier: MIT
// What every target asks of what it is given back.
#pragma once
#include <drover/status.hpp>

#include <cstdint>
#include <string_view>

namespace drover::fuzz {

inline void must(bool holds) {
  if (!holds) __builtin_trap();
}

/// A refusal that a user can read: not a fault of ours, with a text.
inline void expect_known(const Status& status) {
  must(status.code() != StatusCode::internal && !status.message().empty());
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace drover::fuzz

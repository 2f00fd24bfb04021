// SPDX-License-Identifier: MIT
// RGB pictures as PNG, row by row.
#pragma once
#include <drover/status.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace drover::io {

struct Rgb {
  std::uint8_t r = 0, g = 0, b = 0;
  friend bool operator==(const Rgb&, const Rgb&) = default;
};

/// Writes width x height pixels; `fill` is called once for each row, from the top.
Status write_png(const std::string& path, std::uint32_t width, std::uint32_t height,
                 const std::function<void(std::uint32_t row, std::span<Rgb> pixels)>& fill);

}  // namespace drover::io

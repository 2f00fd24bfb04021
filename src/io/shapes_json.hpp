// SPDX-License-Identifier: MIT
// Scenes of shapes in JSON: what `drover bake` reads. docs/formats/shapes.md.
#pragma once
#include <drover/io.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace drover::io {

inline constexpr FileLimits kShapesFile{std::uint64_t{1} << 26, std::uint64_t{1} << 26};

/// {"shapes": [...]}, every shape valid, in file order; none of them moves. Errors: json, json_depth, key_twice,
/// key_unknown, key_missing, value, number, obstacle, limit_obstacles, each with its place.
Result<std::vector<NamedObstacle>> parse_shapes(std::string_view text, const std::string& file);

}  // namespace drover::io

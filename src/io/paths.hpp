// SPDX-License-Identifier: MIT
// Where the files that a file names may lie.
#pragma once
#include "io/text.hpp"

namespace drover::io {

/// The path of `name` beside `file`. Refuses what leaves the folder of `file` with path_outside, links followed first,
/// unless the rule says anywhere. `whose`: "scenario", "map".
std::string path_beside(const std::string& file, const std::string& name, PathRule rule, const Place& place,
                        std::string_view whose);

}  // namespace drover::io

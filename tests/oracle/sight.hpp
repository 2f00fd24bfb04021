// SPDX-License-Identifier: MIT
// Lines of sight by clipping a segment to every square in turn, in exact fractions.
#pragma once
#include "oracle/reference_field.hpp"

namespace drover::oracle {

/// Whether the segment between two centres crosses the inside of no '#' or '?' square but those at its ends.
bool clear_line(const Ground& ground, int layer, int from_x, int from_y, int to_x, int to_y);

}  // namespace drover::oracle

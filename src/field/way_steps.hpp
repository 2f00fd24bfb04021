// SPDX-License-Identifier: MIT
// Straight and diagonal steps of the ways that directions lead, once those are written.
#pragma once
#include "field/field_data.hpp"

namespace drover::field {

/// Fills data.steps(). One pass along the directions. O(cells).
void write_steps(FlowFieldData& data) noexcept;

}  // namespace drover::field

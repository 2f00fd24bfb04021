// SPDX-License-Identifier: MIT
// Fields as text: costs, directions, tie sets, goals, steps; one row a line, `layer N` between layers.
// docs/formats/map.md.
#pragma once
#include <drover/field.hpp>

#include <string>

namespace drover::io {

std::string costs_text(const FlowField& field);
std::string directions_text(const FlowField& field);
std::string ties_text(const FlowField& field);
std::string goal_indices_text(const FlowField& field);
/// "3+2": straight and diagonal steps, and portals where there are some. Precondition: the field has them.
std::string steps_text(const FlowField& field);

}  // namespace drover::io

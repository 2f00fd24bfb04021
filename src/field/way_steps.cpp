// SPDX-License-Identifier: MIT
// Each walk ends where the steps are known, then is walked again to write them down.
#include "field/way_steps.hpp"

namespace drover::field {
void write_steps(FlowFieldData& data) noexcept {
  const GridShape& shape = data.shape();
  WaySteps* const steps = data.steps();
  const auto counted = [&](std::uint32_t cell) { return steps[cell].straight != ~std::uint32_t{0}; };
  for (const std::uint32_t goal : data.goal_cells()) steps[goal] = {};
  std::uint32_t offsets[kDirections];
  for (int k = 0; k < kDirections; ++k) offsets[k] = shape.step(static_cast<Direction>(k));
  for (std::uint32_t start = 0; start < shape.padded_cells(); ++start) {
    if (data.code({start}) >= FlowField::kGoalCode) continue;
    WaySteps way;
    std::uint32_t cell = start;
    const auto move_on = [&](std::uint32_t one) {
      const std::uint8_t code = data.code({cell});
      (code < 4 ? way.straight : code < kDirections ? way.diagonal : way.portals) += one;
      cell = code == FlowField::kPortalCode ? data.optimal_portals({cell}).front().to.value : cell + offsets[code];
    };
    while (!counted(cell)) move_on(1);
    const WaySteps rest = steps[cell];
    way = {way.straight + rest.straight, way.diagonal + rest.diagonal, way.portals + rest.portals};
    for (cell = start; !counted(cell);) {
      steps[cell] = way;
      move_on(~std::uint32_t{0});
    }
  }
}

}  // namespace drover::field

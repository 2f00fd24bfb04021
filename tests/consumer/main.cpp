// SPDX-License-Identifier: MIT
// The least a consumer does: include a public header, call into the core, see the answer.
#include <drover/geometry.hpp>

#include <cstdio>

int main() {
  const auto shape = drover::GridShape::create(5, 4, 1, drover::Cell{-2, -1, 0});
  if (!shape) return 1;
  const drover::CellIndex inside = shape->index(drover::Cell{2, 2, 0});
  const drover::CellIndex outside = shape->index(drover::Cell{3, 2, 0});
  std::printf("%llu cells\n", static_cast<unsigned long long>(shape->cell_count()));
  return shape->cell_count() == 20 && inside.valid() && !outside.valid() ? 0 : 1;
}

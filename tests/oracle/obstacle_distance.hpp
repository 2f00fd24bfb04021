// SPDX-License-Identifier: MIT
// Distances to shapes by nearest points, in whole numbers that never overflow.
#pragma once
#include <drover/obstacle.hpp>

#include "oracle/big_integer.hpp"

namespace drover::oracle {

/// A place in halves of a Fixed.
struct Place2 {
  Big x, y;
};

/// The middle of the body of `footprint` cells whose anchor is in this column and row, counted from the corner.
Place2 body_middle(Position corner, Fixed cell_size, int footprint, long long column, long long row);

/// -1, 0 or 1: the distance from the place to the shape is below, equal to or above the radius.
int compare_distance(const Obstacle& shape, const Place2& at, Fixed radius);

}  // namespace drover::oracle

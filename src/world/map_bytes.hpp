// SPDX-License-Identifier: MIT
// A map as bytes, and back.
#pragma once
#include "base/bytes.hpp"

#include <drover/map.hpp>

namespace drover::world {

void write_cell(base::ByteWriter& out, Cell cell);
Cell read_cell(base::ByteReader& in) noexcept;

/// Everything that can be read of the map, versions too. O(cells).
void write_map(base::ByteWriter& out, const MapView& map);
/// Equal content, equal digest. Errors: snapshot (not what write_map wrote), limit_cells, out_of_memory.
Result<GridMap> read_map(base::ByteReader& in, const Host& host);

void write_edit(base::ByteWriter& out, const MapEdit& edit);
MapEdit read_edit(base::ByteReader& in);

}  // namespace drover::world

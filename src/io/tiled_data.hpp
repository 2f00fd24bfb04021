// SPDX-License-Identifier: MIT
// The cells of tile layers out of their four packings.
#pragma once
#include "io/tiled_model.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace drover::io::tiled {

/// The `cells` gids of a <data> or of a <chunk> within it, flip bits and all. Memory grows with what is unpacked and
/// never beyond that size: refuses with layer_size what unpacks to more or less, naming `what`.
std::vector<std::uint32_t> unpack(const Source& source, const Element& data, const Element& part, std::uint64_t cells,
                                  std::string_view what);

}  // namespace drover::io::tiled

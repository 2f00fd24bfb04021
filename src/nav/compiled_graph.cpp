// SPDX-License-Identifier: MIT
// Making compiled graphs; the work is in GraphWriter.
#include "nav/compiled_graph.hpp"

#include "nav/graph_writer.hpp"

namespace drover::nav {

Result<std::shared_ptr<const CompiledGraph>> CompiledGraph::compile(const MapView& map, const MovementProfile& profile,
                                                                    const Host& host) {
  return GraphWriter::compile(map, profile, host);
}

Result<std::shared_ptr<const CompiledGraph>> CompiledGraph::updated(const MapView& map,
                                                                    std::span<const CellIndex> dirty) const {
  return GraphWriter::update(*this, map, dirty);
}

}  // namespace drover::nav

// SPDX-License-Identifier: MIT
// A field in the words of the oracle.
#pragma once
#include <drover/field.hpp>
#include <drover/verify.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace drover::io {

CellClaim claim_of(const FlowField& field, CellIndex cell);
/// Reads the field as it is asked; it must live as long.
FieldClaims claims_of(const FlowField& field);

/// What a dump of costs says of a cell: `blocked` for '#', also where it stands for no_room.
struct DumpedCost {
  ClaimedState state = ClaimedState::reachable;
  Cost cost = kInfiniteCost;
};
/// Row by row, layer by layer, as costs_text writes them. Errors: number, weights_size, out_of_memory.
Result<std::vector<DumpedCost>> parse_costs(std::string_view text, const std::string& file, const GridShape& shape);
/// The field with other costs.
FieldClaims claims_of(const FlowField& field, std::vector<DumpedCost> costs);

}  // namespace drover::io

// SPDX-License-Identifier: MIT
// A field as bytes, and back: for fields of a map that is no more, which nobody could build again.
#pragma once
#include "base/bytes.hpp"

#include <drover/field.hpp>

namespace drover::field {

/// O(cells).
void write_field(base::ByteWriter& out, const FlowField& field);
/// Steps of the result stay on the map, whatever the bytes say. Errors: snapshot, out_of_memory.
Result<FieldRef> read_field(base::ByteReader& in, const GridShape& shape, const Host& host);

/// Whose field it is: digest of the rules, factions that knew the same.
struct Maker {
  std::uint64_t profile_digest = 0;
  std::uint16_t served = 0;
};
void write_maker(base::ByteWriter& out, const FlowField& field);
Maker read_maker(base::ByteReader& in) noexcept;
/// Says by which profile's rules a field was built: another one with equal steps and costs. Nobody else may hold it
/// yet.
void name_maker(const FieldRef& fresh, const Maker& maker) noexcept;

}  // namespace drover::field

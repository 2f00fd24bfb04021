// SPDX-License-Identifier: MIT
// A planned forest as bytes.
#pragma once
#include "base/bytes.hpp"
#include "crowd/forest.hpp"

#include <memory>

namespace drover::crowd {

void write_forest(base::ByteWriter& out, const Forest& forest);
/// Null, and the reader has failed, where the bytes are no forest on this ground: steps that are not legal, that cross,
/// may not follow each other or lead nowhere.
std::shared_ptr<const Forest> read_forest(base::ByteReader& in, const ForestGround& ground);

}  // namespace drover::crowd

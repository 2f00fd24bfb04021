// SPDX-License-Identifier: MIT
// Maps written down and read again.
#pragma once
#include "base/bytes.hpp"
#include "world/map_bytes.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace drover::test {

/// Every byte is read, the content is the same, and no shorter part is taken for a map.
inline GridMap through_bytes(const MapView& map) {
  base::ByteWriter out;
  world::write_map(out, map);
  base::ByteReader in(out.bytes());
  Result<GridMap> read = world::read_map(in, {});
  EXPECT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(in.left(), 0u);
  EXPECT_EQ(read->view().content_digest(), map.content_digest());
  EXPECT_EQ(read->view().map_version(), map.map_version());
  for (std::size_t size = 0; size < out.size(); ++size) {
    base::ByteReader cut(out.bytes().first(size));
    EXPECT_EQ(world::read_map(cut, {}).status().code(), StatusCode::snapshot) << size;
  }
  return *std::move(read);
}

}  // namespace drover::test

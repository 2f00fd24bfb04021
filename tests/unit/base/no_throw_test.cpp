// SPDX-License-Identifier: MIT
// The boundary at which a failed allocation becomes a status.
#include "base/no_throw.hpp"

#include <gtest/gtest.h>

namespace drover::base {
namespace {

TEST(NoThrow, PassesAResultThrough) {
  EXPECT_EQ(*no_throw([]() -> Result<int> { return 3; }), 3);
  EXPECT_EQ(no_throw([]() -> Status { return {StatusCode::edit, "no"}; }).message(), "no");
}

TEST(NoThrow, AFailedAllocationIsOutOfMemory) {
  const Result<int> result = no_throw([]() -> Result<int> { throw std::bad_alloc(); });
  EXPECT_EQ(result.status().code(), StatusCode::out_of_memory);
  EXPECT_EQ(no_throw([]() -> Status { throw std::bad_alloc(); }).code(), StatusCode::out_of_memory);
}

TEST(NoThrow, AMissingPlaneNamesItsBytes) {
  EXPECT_EQ(out_of_memory(123456789).message(), "no memory for 123456789 bytes");
}

}  // namespace
}  // namespace drover::base

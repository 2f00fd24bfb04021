// SPDX-License-Identifier: MIT
// Planes: alignment, ownership, refusal; and who is the sole owner.
#include "base/memory.hpp"

#include "support/counting_allocator.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <thread>

namespace drover::base {
namespace {

TEST(Plane, LivesOnA64ByteBoundaryAndHoldsItsFill) {
  const auto plane = Plane<std::uint32_t>::filled({}, 1000, 7);
  ASSERT_TRUE(plane.valid());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(plane.data()) % 64, 0u);
  EXPECT_EQ(plane.size(), 1000u);
  for (const std::uint32_t v : plane) EXPECT_EQ(v, 7u);
}

TEST(Plane, GivesBackWhatItTookWithTheSameSize) {
  test::CountingAllocator memory;
  {
    auto a = Plane<std::uint16_t>::filled(memory.hook(), 100, 1);
    auto b = Plane<std::uint16_t>::copy_of(memory.hook(), a);
    EXPECT_EQ(memory.bytes_out(), 400u);
    a = std::move(b);
    EXPECT_EQ(memory.bytes_out(), 200u);
    EXPECT_EQ(a[99], 1);
  }
  EXPECT_EQ(memory.bytes_out(), 0u);
  EXPECT_EQ(memory.calls(), 2u);
}

TEST(Plane, RefusedMemoryAndSizesBeyondTheAddressSpaceLeaveItEmpty) {
  test::CountingAllocator memory;
  memory.fail_at(0);
  EXPECT_FALSE(Plane<std::uint8_t>::filled(memory.hook(), 10, 0).valid());
  EXPECT_FALSE(Plane<std::uint64_t>::uninitialised({}, std::numeric_limits<std::size_t>::max() / 4).valid());
  EXPECT_FALSE(Plane<std::uint64_t>().valid());
}

TEST(SoleOwner, IsTrueOnlyWithoutOtherHolders) {
  auto value = std::make_shared<int>(1);
  EXPECT_TRUE(sole_owner(value));
  auto other = value;
  EXPECT_FALSE(sole_owner(value));
  other.reset();
  EXPECT_TRUE(sole_owner(value));
  EXPECT_FALSE(sole_owner(std::shared_ptr<int>()));
}

// Under ThreadSanitizer this fails if the check does not order the reader's last read before the write.
TEST(SoleOwner, OrdersTheLastReadOfAnotherThreadBeforeAWrite) {
  auto value = std::make_shared<int>(1);
  int read = 0;
  std::thread reader([held = value, &read]() mutable {
    read = *held;
    held.reset();
  });
  while (!sole_owner(value)) std::this_thread::yield();
  *value = 2;
  reader.join();
  EXPECT_EQ(read, 1);
}

}  // namespace
}  // namespace drover::base

// SPDX-License-Identifier: MIT
// Loops in pieces: each index once, cut the same way with and without workers.
#include "base/tasks.hpp"

#include "support/threads.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <utility>
#include <vector>

namespace drover::base {
namespace {

using Pieces = std::set<std::pair<std::uint64_t, std::uint64_t>>;

Pieces pieces(const Tasks& tasks, std::uint64_t count, std::uint64_t grain) {
  Pieces result;
  std::mutex mutex;
  parallel_for(tasks, count, grain, [&](std::uint64_t begin, std::uint64_t end) {
    const std::lock_guard lock(mutex);
    EXPECT_TRUE(result.insert({begin, end}).second);
  });
  return result;
}

TEST(ParallelFor, CutsByGrainWhateverTheWorkers) {
  const Pieces expected{{0, 4}, {4, 8}, {8, 10}};
  EXPECT_EQ(pieces({}, 10, 4), expected);
  for (const std::uint32_t workers : {1u, 2u, 8u})
    EXPECT_EQ(pieces(test::ThreadTasks(workers).host().tasks, 10, 4), expected);
}

TEST(ParallelFor, NothingToDoAsksNobody) {
  EXPECT_TRUE(pieces({}, 0, 4).empty());
  EXPECT_TRUE(pieces(test::ThreadTasks(2).host().tasks, 0, 4).empty());
  EXPECT_EQ(pieces({}, 1, ~std::uint64_t{0}), (Pieces{{0, 1}}));
}

}  // namespace
}  // namespace drover::base

// SPDX-License-Identifier: MIT
// Bounds and optimum of every published gate instance are the published ones.
#include "io/run_bound.hpp"
#include "support/data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace drover::test {
namespace {

std::vector<std::uint32_t> numbers_of(const std::filesystem::path& file, const std::string& key) {
  std::ifstream text(file);
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string first;
    if (!(words >> first) || first != key) continue;
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t n; words >> n;) numbers.push_back(n);
    return numbers;
  }
  return {};
}

TEST(GateBounds, AreThePublishedOnes) {
  DROVER_REQUIRE_DATA("mapf/gate");
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(data_root() / "mapf/gate")) {
    if (entry.path().extension() != ".gate") continue;
    ++files;
    SCOPED_TRACE(entry.path().filename().string());
    const Result<io::Scenario> scenario = io::load_scenario(entry.path().string());
    ASSERT_TRUE(scenario.ok()) << scenario.status().message();
    const io::GateFacts& facts = *scenario->gate;
    const Result<io::RunBounds> bounds = io::run_bounds(*scenario, io::ExactBound::compute);
    ASSERT_TRUE(bounds.ok()) << bounds.status().message();
    ASSERT_TRUE(facts.bound_queue && facts.bound_ring && facts.optimal_makespan && facts.optimal_sum_of_arrivals);
    EXPECT_EQ(bounds->queue, facts.bound_queue);
    EXPECT_EQ(bounds->ring, facts.bound_ring);
    ASSERT_TRUE(bounds->exact.has_value()) << bounds->exact_note;
    EXPECT_EQ(bounds->exact_note, "");
    EXPECT_EQ(bounds->exact->makespan(), *facts.optimal_makespan);
    EXPECT_EQ(bounds->exact->sum_of_arrivals(), *facts.optimal_sum_of_arrivals);
    EXPECT_EQ(bounds->exact->evacuated_by_tick, numbers_of(entry.path(), "max_evacuated_by_tick"));
    EXPECT_EQ(bounds->best(), facts.optimal_makespan);
  }
  EXPECT_GE(files, 15u);
}

}  // namespace
}  // namespace drover::test

// SPDX-License-Identifier: MIT
// Names and exit statuses of all codes, and Result.
#include <gtest/gtest.h>
#include <drover/status.hpp>

#include <memory>
#include <set>
#include <string>

namespace drover {
namespace {

constexpr int kCodes = static_cast<int>(StatusCode::format) + 1;

TEST(Status, EveryCodeHasANameOfItsOwn) {
  std::set<std::string> names;
  for (int i = 0; i < kCodes; ++i) {
    const std::string name = error_name(static_cast<StatusCode>(i));
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(name.rfind("E_", 0) == 0, i != 0) << name;
  }
  EXPECT_EQ(names.count("OK"), 1u);
}

TEST(Status, NamesAreThoseThatScriptsRely) {
  EXPECT_STREQ(error_name(StatusCode::out_of_memory), "E_NOMEM");
  EXPECT_STREQ(error_name(StatusCode::cannot_open), "E_OPEN");
  EXPECT_STREQ(error_name(StatusCode::not_a_file), "E_NOT_A_FILE");
  EXPECT_STREQ(error_name(StatusCode::map_row_length), "E_MAP_ROW_LENGTH");
  EXPECT_STREQ(error_name(StatusCode::limit_cells), "E_LIMIT_CELLS");
  EXPECT_STREQ(error_name(StatusCode::edit_outside), "E_EDIT_OUTSIDE");
  EXPECT_STREQ(error_name(StatusCode::version_unsupported), "E_VERSION_UNSUPPORTED");
}

TEST(Status, ExitStatusIsBadInputExceptForTheseCodes) {
  const auto expected = [](StatusCode code) {
    switch (code) {
      case StatusCode::ok:
        return 0;
      case StatusCode::usage:
      case StatusCode::same_file:
        return 2;
      case StatusCode::not_a_file:
      case StatusCode::cannot_open:
      case StatusCode::write:
        return 4;
      case StatusCode::out_of_memory:
      case StatusCode::limit_cells:
      case StatusCode::limit_line:
      case StatusCode::limit_file:
      case StatusCode::limit_goals:
      case StatusCode::limit_agents:
      case StatusCode::limit_replay:
      case StatusCode::limit_factions:
      case StatusCode::limit_obstacles:
        return 5;
      case StatusCode::version_unsupported:
        return 6;
      case StatusCode::internal:
        return 70;
      default:
        return 3;
    }
  };
  for (int i = 0; i < kCodes; ++i) {
    const auto code = static_cast<StatusCode>(i);
    EXPECT_EQ(exit_status(code), expected(code)) << error_name(code);
  }
}

TEST(Result, HoldsAValueOrTheReasonWhyNot) {
  Result<int> good = 7;
  EXPECT_TRUE(good.ok());
  EXPECT_EQ(*good, 7);
  EXPECT_EQ(good.status().code(), StatusCode::ok);

  const Result<int> bad = Status(StatusCode::value, "3 is not even");
  EXPECT_FALSE(bad.ok());
  EXPECT_EQ(bad.status().code(), StatusCode::value);
  EXPECT_EQ(bad.status().message(), "3 is not even");
}

TEST(Result, CarriesWhatCanOnlyBeMoved) {
  Result<std::unique_ptr<int>> made = std::make_unique<int>(5);
  const std::unique_ptr<int> taken = *std::move(made);
  EXPECT_EQ(*taken, 5);
}

}  // namespace
}  // namespace drover

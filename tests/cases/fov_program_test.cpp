// SPDX-License-Identifier: MIT
// `drover fov`: its answers and its refusals.
#include "support/program.hpp"

#include <gtest/gtest.h>

#include "support/temp_folder.hpp"

namespace drover::test {
namespace {

class FovProgram : public ::testing::Test {
 protected:
  Outcome fov(const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"fov", temp.write("room.txt", "..........\n....#.....\n..........\n")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_drover(temp, arguments);
  }

  TempFolder temp;
};

TEST_F(FovProgram, CountsAndListsWhatIsSeen) {
  const Outcome all = fov({"--at", "0,1", "--json", "-"});
  expect_accepted(all);
  EXPECT_EQ(json_value(all.out, "count"), "21");
  EXPECT_NE(all.out.find("[4,1]"), std::string::npos);  // the pillar
  EXPECT_EQ(all.out.find("[5,1]"), std::string::npos);  // behind it
  EXPECT_EQ(json_value(fov({"--at", "0,1", "--radius", "1", "--json", "-"}).out, "count"), "4");
  EXPECT_EQ(json_value(fov({"--at", "0,1;9,1", "--radius", "1", "--json", "-"}).out, "count"), "8");
  EXPECT_EQ(json_value(fov({"--at", "0,0", "--cone", "1,0;1,0", "--radius", "3", "--json", "-"}).out, "count"), "4");
  EXPECT_EQ(json_value(fov({"--at", "0,1", "--radius", "20", "--opaque", "@", "--json", "-"}).out, "count"), "30");
}

TEST_F(FovProgram, DrawsTheViewOfOneEye) {
  const Outcome drawn = fov({"--at", "3,1", "--radius", "2"});
  expect_accepted(drawn);
  EXPECT_NE(drawn.out.find("\n ...\n..@#\n ...\n"), std::string::npos) << drawn.out;
}

TEST_F(FovProgram, WrongQuestionsAreRefused) {
  expect_refused(fov({}), 2, "E_USAGE", "--at");
  expect_refused(fov({"--at", "x"}), 2, "E_USAGE", "--at x");
  expect_refused(fov({"--at", "10,0"}), 3, "E_POSITION", "--at 10,0");
  expect_refused(fov({"--at", "0,0", "--radius", "513"}), 2, "E_USAGE", "--radius 513");
  expect_refused(fov({"--at", "0,0", "--cone", "0,0;1,1"}), 2, "E_USAGE", "--cone");
  expect_refused(fov({"--at", "0,0", "--opaque", "q"}), 2, "E_VALUE", "--opaque q");
}

}  // namespace
}  // namespace drover::test

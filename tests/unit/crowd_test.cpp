// SPDX-License-Identifier: MIT
// Words and sentences about agents.
#include <gtest/gtest.h>
#include <drover/crowd.hpp>

namespace drover {
namespace {

TEST(CrowdWords, StatesAreTheWordsOfTheReport) {
  EXPECT_STREQ(to_string(AgentState::not_started), "not_started");
  EXPECT_STREQ(to_string(AgentState::moving), "moving");
  EXPECT_STREQ(to_string(AgentState::waiting), "waiting");
  EXPECT_STREQ(to_string(AgentState::stopped), "stopped");
  EXPECT_STREQ(to_string(AgentState::unreachable), "unreachable");
  EXPECT_STREQ(to_string(AgentState::no_space), "no_space");
  EXPECT_STREQ(to_string(AgentState::enclosed), "enclosed");
  EXPECT_STREQ(to_string(AgentState::arrived), "arrived");
}

TEST(CrowdWords, FirstAndLastNamesFitTheirEnumerators) {
  EXPECT_STREQ(to_string(Reason::none), "none");
  EXPECT_STREQ(to_string(Reason::goal_occupied), "goal_occupied");
  EXPECT_STREQ(to_string(Reason::arrived), "arrived");
  EXPECT_STREQ(to_string(Conflict::vertex), "vertex");
  EXPECT_STREQ(to_string(Conflict::horizon), "horizon");
  EXPECT_STREQ(to_string(AgentEventKind::started), "started");
  EXPECT_STREQ(to_string(AgentEventKind::removed), "removed");
}

TEST(CrowdWords, AChainIsOneSentence) {
  WhyLink first, second;
  first = {41, AgentState::waiting, Reason::reserved_by, 17, {17, 7}, {18, 7}, 12};
  second = {17, AgentState::waiting, Reason::goal_occupied, 3, {18, 7}, {20, 7}, 30};
  EXPECT_EQ(to_text({first, second}),
            "agent 41 waits 12 ticks: cell (18,7) held by agent 17, which waits: goal cell (20,7) occupied by agent 3");
}

TEST(CrowdWords, CellsOfUpperFloorsSayWhichFloor) {
  const WhyLink link{3, AgentState::waiting, Reason::goal_occupied, 2, {4, 0, 1}, {5, 0, 1}, 7};
  EXPECT_EQ(to_text({link}), "agent 3 waits 7 ticks: goal cell (5,0,1) occupied by agent 2");
}

TEST(CrowdWords, WhoStandsSaysWhy) {
  WhyLink link;
  link.key = 5;
  link.state = AgentState::stopped;
  link.reason = Reason::stale;
  EXPECT_EQ(to_text({link}), "agent 5 stands: its field is of an older map");
  link.state = AgentState::arrived;
  link.reason = Reason::arrived;
  EXPECT_EQ(to_text({link}), "agent 5 has arrived");
  EXPECT_EQ(to_text({}), "");
}

}  // namespace
}  // namespace drover

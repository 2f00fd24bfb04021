// SPDX-License-Identifier: MIT
// Files of queries: what is read, and what is refused at which line and column.
#include <gtest/gtest.h>
#include <drover/io.hpp>

namespace drover::test {
namespace {

Result<std::vector<io::ScenQuery>> scen(const std::string& lines, Cell origin = {}) {
  return io::parse_scen(lines, "q.scen", *GridShape::create(9, 5, 1, origin));
}

void expect_refused(const std::string& lines, StatusCode code, const std::string& message) {
  const Status status = scen(lines).status();
  EXPECT_EQ(status.code(), code) << status.message();
  EXPECT_EQ(status.message(), "q.scen:" + message);
}

TEST(Scen, FieldsAreSeparatedByTabsOrBlanks) {
  const auto queries = scen("version 1\n0\ta.map\t9\t5\t1\t2\t8\t4\t2.41421356\n\n3 maps/a.map 9 5 0 0 0 0 0\r\n");
  ASSERT_TRUE(queries.ok()) << queries.status().message();
  ASSERT_EQ(queries->size(), 2u);
  EXPECT_EQ((*queries)[0].from, (Cell{1, 2}));
  EXPECT_EQ((*queries)[0].to, (Cell{8, 4}));
  EXPECT_EQ((*queries)[0].optimum, *Fixed::parse("2.41421356"));
  EXPECT_EQ((*queries)[0].line, 2u);
  EXPECT_EQ((*queries)[1].optimum, Fixed{});
  EXPECT_EQ((*queries)[1].line, 4u);
}

TEST(Scen, TheNameOfTheMapMayHaveBlanks) {
  const auto queries = scen("version 1.0\n0\tmy old map.map\t9\t5\t1\t2\t8\t4\t7");
  ASSERT_TRUE(queries.ok()) << queries.status().message();
  EXPECT_EQ((*queries)[0].from, (Cell{1, 2}));
}

TEST(Scen, CellsCountFromTheCornerOfTheMap) {
  EXPECT_EQ((*scen("version 1\n0 m 9 5 0 0 8 4 9\n", {-3, 7, 0}))[0].to, (Cell{5, 11}));
}

TEST(Scen, WithoutQueriesThereAreNone) { EXPECT_TRUE(scen("version 1\n \n")->empty()); }

TEST(Scen, WhatIsWrongIsNamedWithItsPlace) {
  expect_refused("", StatusCode::scen, "1:1: no version; a first line 'version 1' is expected");
  expect_refused("0 m 9 5 0 0 1 1 1\n", StatusCode::scen, "1:1: no version; a first line 'version 1' is expected");
  expect_refused("version 2\n", StatusCode::version_unsupported, "1:9: version 2; 1 is expected");
  expect_refused("version 1\n0 m 9 5 0 0 1 1\n", StatusCode::scen,
                 "2:16: 8 fields; bucket, map, width, height, start x, start y, goal x, goal y, length are expected");
  expect_refused("version 1\n0 m 9 5 0 1.5 1 1 1\n", StatusCode::number, "2:11: y '1.5'; a whole number is expected");
  expect_refused("version 1\nx m 9 5 0 0 1 1 1\n", StatusCode::number, "2:1: bucket 'x'; a whole number is expected");
  expect_refused("version 1\n0 m 9 6 0 0 1 1 1\n", StatusCode::scen, "2:5: a query for a map of 9x6; the map is 9x5");
  for (const std::string length : {"-1", "-0", "nan", "inf", "1e3", "abc", "99999999999"}) {
    expect_refused("version 1\n0 m 9 5 0 0 1 1 " + length + "\n", StatusCode::number,
                   "2:17: length '" + length + "'; a decimal number of 0 or more is expected");
  }
}

TEST(Scen, CellsOffTheMapAreNamed) {
  expect_refused("version 1\n0 m 9 5 8 4 0 0 1\n0 m 9 5 9 0 0 0 1\n", StatusCode::scen_position,
                 "3:9: start 9,0 is not on the map; 0,0 .. 8,4 is expected");
  expect_refused("version 1\n0 m 9 5 0 0 -1 4 1\n", StatusCode::scen_position,
                 "2:13: goal -1,4 is not on the map; 0,0 .. 8,4 is expected");
  expect_refused("version 1\n0 m 9 5 0 99999999999999999999 1 4 1\n", StatusCode::scen_position,
                 "2:9: start 0,99999999999999999999 is not on the map; 0,0 .. 8,4 is expected");
}

}  // namespace
}  // namespace drover::test

// SPDX-License-Identifier: MIT
// Random maps through every format by the program: what a format holds comes back, the rest is counted.
#include "base/counter_rng.hpp"
#include "support/program.hpp"

namespace drover::test {
namespace {

const std::string kLetters = ".#GSWT@O?";

struct Draw {
  base::CounterRng rng;
  std::uint64_t at = 0;
  std::uint32_t below(std::uint32_t most) { return rng.uniform(at++, most); }
};

struct Rows {
  std::vector<std::string> rows;
  std::string text() const {
    std::string out;
    for (const std::string& row : rows) out += row + "\n";
    return out;
  }
  std::string toml() const {
    std::string out;
    for (const std::string& row : rows) out += "\"" + row + "\", ";
    return "[" + out + "]";
  }
};

Rows random_rows(Draw& draw, const std::string& letters) {
  Rows out;
  const std::uint32_t width = 1 + draw.below(12), height = 1 + draw.below(9);
  for (std::uint32_t y = 0; y < height; ++y) {
    std::string row;
    for (std::uint32_t x = 0; x < width; ++x) row += letters[draw.below(static_cast<std::uint32_t>(letters.size()))];
    out.rows.push_back(row);
  }
  return out;
}

class ConvertProperty : public ::testing::Test {
 protected:
  // The map digest that it prints; warnings must be `lost`, one each.
  std::string convert(const std::string& in, const std::string& out, const std::vector<std::string>& lost = {}) {
    const Outcome outcome = run_drover(temp, {"convert", temp / in, temp / out, "--json", "-"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    std::size_t lines = 0;
    for (const char c : outcome.err) lines += c == '\n' ? 1 : 0;
    EXPECT_EQ(lines, lost.size()) << in << " to " << out << ": " << outcome.err;
    for (const std::string& what : lost) EXPECT_NE(outcome.err.find(what), std::string::npos) << outcome.err;
    return json_value(outcome.out, "map_digest");
  }
  TempFolder temp;
};

TEST_F(ConvertProperty, TextGoesThroughTiledAndPicturesAndComesBack) {
  for (std::uint32_t seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE(seed);
    Draw draw{base::CounterRng(seed, 1)};
    const Rows map = random_rows(draw, kLetters);
    temp.write("a.txt", map.text());
    const std::string digest = convert("a.txt", "b.tmx");
    EXPECT_EQ(convert("b.tmx", "c.tmj"), digest);
    EXPECT_EQ(convert("c.tmj", "d.png"), digest);
    EXPECT_EQ(convert("d.png", "e.txt"), digest);
    EXPECT_EQ(convert("e.txt", "f.map"), digest);
    EXPECT_EQ(temp.read("e.txt"), map.text());
    const std::string head = "type octile\nheight " + std::to_string(map.rows.size()) + "\nwidth " +
                             std::to_string(map.rows[0].size()) + "\nmap\n";
    EXPECT_EQ(temp.read("f.map"), head + map.text());
  }
}

TEST_F(ConvertProperty, LayersGoThroughTiled) {
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    Draw draw{base::CounterRng(seed, 2)};
    const Rows first = random_rows(draw, kLetters);
    std::string text = first.text();
    const std::uint32_t layers = 2 + draw.below(3);
    for (std::uint32_t layer = 1; layer < layers; ++layer) {
      Rows next = first;
      for (std::string& row : next.rows) {
        for (char& c : row) c = kLetters[draw.below(9)];
      }
      text += "layer " + std::to_string(layer) + "\n" + next.text();
    }
    temp.write("a.txt", text);
    const std::string digest = convert("a.txt", "b.tmj");
    EXPECT_EQ(convert("b.tmj", "c.tmx"), digest);
    EXPECT_EQ(convert("c.tmx", "d.txt"), digest);
    EXPECT_EQ(temp.read("d.txt"), text);
  }
}

// A scenario with ground, letters, one-ways and goals of its own, somewhere in the world.
TEST_F(ConvertProperty, GroundOriginOneWaysAndGoalsComeBackFromWhatHoldsThem) {
  static constexpr const char* kDirections[] = {"N", "E", "S", "W", "NE", "SE", "SW", "NW"};
  for (std::uint32_t seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE(seed);
    Draw draw{base::CounterRng(seed, 3)};
    const Rows map = random_rows(draw, ".#GWT@O?Lp,");  // S is no letter here
    const auto width = static_cast<std::uint32_t>(map.rows[0].size()),
               height = static_cast<std::uint32_t>(map.rows.size());
    const std::int64_t x0 = std::int64_t{draw.below(2000)} - 1000, y0 = std::int64_t{draw.below(2000)} - 1000;
    const auto cell = [&] {
      return "[" + std::to_string(x0 + draw.below(width)) + ", " + std::to_string(y0 + draw.below(height)) + "]";
    };
    std::string steps;
    const std::size_t forbidden = draw.below(6);
    const std::string trap = cell();
    if (forbidden > 0) steps = "[[one_way]]\nat = " + trap + "\nforbid = [";
    for (std::size_t i = 0; i < forbidden; ++i) steps += "\"" + std::string(kDirections[i]) + "\", ";
    if (forbidden > 0) steps += "]\n";
    // A goal needs a place to stand on: there may be none.
    const bool has_goal = map.text().find_first_of(".GL,") != std::string::npos;
    const std::string goal = "[[goal]]\nname = \"the gate & co.\"\ncells = [" + cell() + "]\nnearest = true\n";
    temp.write("a.toml", "[map]\norigin = [" + std::to_string(x0) + ", " + std::to_string(y0) + "]\nrows = " +
                             map.toml() + "\n[[terrain]]\nname = \"lava \\u00e4 100%\"\nletter = \"L\"\ncost = " +
                             std::to_string(draw.below(1048577)) +
                             "\n[[terrain]]\nname = \"pit\"\nletter = \"p\"\npassable = false\n"
                             "[[terrain]]\nname = \"swamp\"\nletter = \",\"\ncost = 5\n"
                             "[[profile]]\nname = \"p\"\n" +
                             steps + (has_goal ? goal : ""));
    const std::string digest = convert("a.toml", "b.tmx");
    EXPECT_EQ(convert("b.tmx", "c.tmj"), digest);
    EXPECT_EQ(convert("c.tmj", "d.tmx"), digest);
    EXPECT_EQ(temp.read("d.tmx"), temp.read("b.tmx")) << "goals too";
    std::vector<std::string> lost;
    if (forbidden > 0) lost.push_back("one-way steps: " + std::to_string(forbidden) + ";");
    if (has_goal) lost.emplace_back("goals: 1;");
    EXPECT_EQ(convert("d.tmx", "e.png", lost), digest);
    const std::string picture = convert("e.png", "f.png");
    EXPECT_EQ(temp.read("f.png"), temp.read("e.png"));
    EXPECT_EQ(picture == digest, forbidden == 0);
    lost = {"origin " + std::to_string(x0) + "," + std::to_string(y0)};
    if (x0 == 0 && y0 == 0) lost.clear();
    if (map.text().find_first_of("Lp,") != std::string::npos) lost.emplace_back("kinds of ground");
    EXPECT_EQ(convert("e.png", "g.txt", lost), picture);
    EXPECT_EQ(temp.read("g.txt"), map.text());
  }
}

}  // namespace
}  // namespace drover::test

// SPDX-License-Identifier: MIT
// `drover convert` as a program: what comes out, what is said to be lost, what stays whole when it fails.
#include "support/program.hpp"

namespace drover::test {
namespace {

const std::string kRows = "..#SW\n.TO@G\n?...#\n";
const std::string kMap = "type octile\nheight 3\nwidth 5\nmap\n" + kRows;

class Convert : public ::testing::Test {
 protected:
  Outcome convert(const std::string& in, const std::string& out, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"convert", temp / in, temp / out, "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_drover(temp, arguments);
  }
  // Warnings by their message, in order; each begins with the code.
  static std::vector<std::string> lost(const Outcome& outcome) {
    std::vector<std::string> out;
    std::istringstream lines(outcome.err);
    const std::string head = "drover: warning W_LOST: ";
    for (std::string line; std::getline(lines, line);) {
      EXPECT_EQ(line.rfind(head, 0), 0u) << line;
      const std::string message = line.substr(std::min(head.size(), line.size()));
      // Without the path of the temporary folder.
      out.push_back(message[0] == '/' ? message.substr(message.rfind('/', message.find(": ")) + 1) : message);
    }
    return out;
  }
  TempFolder temp;
};

TEST_F(Convert, TextAndPicturesGoRoundWithoutLoss) {
  temp.write("a.map", kMap);
  std::string digest;
  for (const auto& [in, out] :
       {std::pair{"a.map", "b.png"}, {"b.png", "c.txt"}, {"c.txt", "d.map"}, {"d.map", "e.png"}}) {
    const Outcome outcome = convert(in, out, {"--json", "-"});
    expect_accepted(outcome);
    if (digest.empty()) digest = json_value(outcome.out, "map_digest");
    EXPECT_EQ(json_value(outcome.out, "map_digest"), digest) << out;
    EXPECT_EQ(outcome.out.substr(0, 65),
              "{\"width\":5,\"height\":3,\"layers\":1,\"cells\":15,\"origin\":[0,0],\"map_d");
    EXPECT_NE(outcome.out.find("\"lost\":[]"), std::string::npos) << outcome.out;
  }
  EXPECT_EQ(temp.read("c.txt"), kRows);
  EXPECT_EQ(temp.read("d.map"), kMap);
  EXPECT_EQ(temp.read("e.png"), temp.read("b.png"));
  const Outcome field = run_drover(temp, {"field", temp / "b.png", "--goal", "0,0", "--json", "-"});
  EXPECT_EQ(json_value(field.out, "map_digest"), digest) << "every command loads it alike";
}

TEST_F(Convert, LayersNeedAFormatThatHoldsThem) {
  temp.write("a.txt", "..#\nlayer 1\n#..\n");
  expect_accepted(convert("a.txt", "b.txt"));
  EXPECT_EQ(temp.read("b.txt"), "..#\nlayer 1\n#..\n");
  for (const char* out : {"b.map", "b.png"}) {
    const Outcome outcome = convert("a.txt", out);
    expect_refused(outcome, 3, "E_FORMAT", "2 layers (0, 1)");
    EXPECT_NE(outcome.err.find(".txt, .tmx or .tmj is expected"), std::string::npos) << outcome.err;
    EXPECT_FALSE(temp.has(out));
  }
}

TEST_F(Convert, ATickZeroMapOfAScenarioAndWhatItLoses) {
  temp.write(
      "a.toml",
      "[map]\norigin = [-2, 3]\nrows = [\"..L\", \"...\"]\n[[terrain]]\nname = \"lava\"\nletter = \"L\"\ncost = 7\n"
      "[[terrain]]\nname = \"pit\"\npassable = false\n"
      "[[profile]]\nname = \"p\"\n[[goal]]\nname = \"g\"\ncells = [[-2, 3]]\n"
      "[[one_way]]\nat = [-2, 3]\nforbid = [\"E\", \"S\", \"SE\"]\n"
      "[[edge]]\nat = [-1, 4]\ndirection = \"E\"\nextra = 5\n"
      "[[door]]\nname = \"d\"\ncells = [[0, 4]]\n"
      "[[edit]]\ntick = 0\ncells = [[-1, 3, \"#\"], [-1, 4, \"?\"]]\n[[edit]]\ntick = 1\ncells = [[-2, 4, \"#\"]]\n");
  const std::string door = "doors: 1; no format of maps holds them";
  const Outcome text = convert("a.toml", "b.txt");
  EXPECT_EQ(text.status, 0);
  EXPECT_EQ(temp.read("b.txt"), ".#L\n.?.\n");
  EXPECT_EQ(lost(text), (std::vector<std::string>{
                            door, "b.txt: origin -2,3; .txt begins at 0,0", "b.txt: one-way steps: 3; .txt holds none",
                            "b.txt: dearer steps: 1; .txt holds none", "b.txt: goals: 1; .txt holds none",
                            "b.txt: kinds of ground that letters do not tell: 1; --legend \"L=lava:7\" reads them"}));
  const Outcome picture = convert("a.toml", "b.png", {"--json", temp / "j"});
  EXPECT_EQ(lost(picture),
            (std::vector<std::string>{door, "b.png: one-way steps: 3; .png holds none",
                                      "b.png: dearer steps: 1; .png holds none", "b.png: goals: 1; .png holds none"}));
  EXPECT_NE(temp.read("j").find("\"lost\":[\"doors: 1; no format of maps holds them\","), std::string::npos);
  // The picture holds the origin and lava; the scenario's own ground comes back from it.
  const Outcome back = convert("b.png", "c.txt", {"--json", temp / "j"});
  EXPECT_EQ(json_value(temp.read("j"), "origin"), "[-2");
  EXPECT_EQ(temp.read("c.txt"), temp.read("b.txt"));
  const std::string digest = json_value(temp.read("j"), "map_digest");
  expect_accepted(convert("b.png", "d.png", {"--json", temp / "j"}));
  EXPECT_EQ(json_value(temp.read("j"), "map_digest"), digest);
  EXPECT_EQ(temp.read("d.png"), temp.read("b.png"));
}

TEST_F(Convert, GroundWithoutALetterGetsOneThatTheWarningReadsBack) {
  temp.write("a.toml",
             "[map]\nrows = [\"S.\"]\n[[terrain]]\nname = \"tar\"\nletter = \"S\"\ncost = 3\n"
             "[[edit]]\ntick = 0\ncells = [[1, 0, \"S\"]]\n[[profile]]\nname = \"p\"\n");
  temp.write("s.toml",
             "[map]\nrows = [\"tm\"]\nlegend = {t = \"tar\", m = \"swamp\"}\n[[terrain]]\nname = \"tar\"\n"
             "letter = \"S\"\ncost = 3\n[[profile]]\nname = \"p\"\n");
  const Outcome outcome = convert("s.toml", "b.txt");
  EXPECT_EQ(temp.read("b.txt"), "Sa\n");
  const std::string legend = "a=swamp:1,S=tar:3";
  EXPECT_EQ(lost(outcome), (std::vector<std::string>{"b.txt: kinds of ground that letters do not tell: 2; --legend \"" +
                                                     legend + "\" reads them"}));
  expect_accepted(convert("b.txt", "c.png", {"--legend", legend}));
  expect_accepted(convert("s.toml", "d.png"));
  EXPECT_EQ(convert("c.png", "e.txt").status, 0);
  EXPECT_EQ(temp.read("e.txt"), "Sa\n");
}

TEST_F(Convert, WhatIsTransparentLeavesTheColoursAsTheyAre) {
  temp.write("a.txt", ".#S?\n");
  expect_accepted(convert("a.txt", "a.png"));
  expect_accepted(convert("a.png", "b.txt", {"--legend", "transparent=swamp"}));
  EXPECT_EQ(temp.read("b.txt"), ".#S?\n");
}

TEST_F(Convert, OneKindOfGroundHasOneCost) {
  temp.write("a.txt", "xy\n");
  expect_refused(convert("a.txt", "b.txt", {"--legend", "x=lava:3,y=lava:4"}), 2, "E_USAGE", "lava:4 beside lava:3");
  EXPECT_EQ(convert("a.txt", "b.txt", {"--legend", "x=lava:3,y=lava:3"}).status, 0);
}

TEST_F(Convert, LegendsOfText) {
  temp.write("a.txt", ".x.,\n");
  const Outcome outcome = convert("a.txt", "b.txt", {"--legend", "x=swamp,,=wall"});
  EXPECT_EQ(temp.read("b.txt"), ".x.,\n") << "the letters of the legend stay";
  EXPECT_EQ(lost(outcome), (std::vector<std::string>{"b.txt: kinds of ground that letters do not tell: 2; --legend "
                                                     "\",=wall:blocked,x=swamp:1\" reads them"}));
  const Outcome map =
      run_drover(temp, {"field", temp / "a.txt", "--legend", "x=lava:3,,=wall", "--goal", "0,0", "--dump", "-"});
  EXPECT_EQ(map.out.substr(0, 10), "0 10 40 #\n") << map.err;
}

TEST_F(Convert, Misuse) {
  temp.write("a.map", kMap);
  expect_refused(run_drover(temp, {"convert"}), 2, "E_USAGE", "IN OUT");
  expect_refused(run_drover(temp, {"convert", temp / "a.map"}), 2, "E_USAGE", "IN OUT");
  expect_refused(convert("a.map", "b.bmp"), 2, "E_FORMAT", ".png or .tmx or .tmj");
  expect_refused(convert("a.map", "a.map"), 2, "E_SAME_FILE", "the input IN");
  std::filesystem::create_symlink(temp / "a.map", temp / "link.txt");
  expect_refused(convert("a.map", "link.txt"), 2, "E_SAME_FILE", "the input IN");
  temp.write("s.toml", "[map]\nfile = \"a.map\"\n[[profile]]\nname = \"p\"\n");
  expect_refused(convert("s.toml", "a.map"), 2, "E_SAME_FILE", "a.map");
  expect_refused(convert("a.map", "b.txt", {"--json", temp / "b.txt"}), 2, "E_USAGE", "OUT and --json");
  EXPECT_EQ(temp.read("a.map"), kMap);
}

TEST_F(Convert, AFinishedFileIsNeverReplacedByAPartOfANewOne) {
  std::string rows;
  for (int y = 0; y < 300; ++y) rows += std::string(300, y % 3 == 0 ? '#' : '.') + "\n";
  temp.write("a.map", "type octile\nheight 300\nwidth 300\nmap\n" + rows);
  for (const char* ending : {"txt", "map"}) {
    const std::string out = std::string("out.") + ending;
    temp.write(out, "before");
    const std::string command = "cd " + temp.path().string() + "; (ulimit -f 8; exec " + DROVER_PROGRAM +
                                " convert a.map " + out + " --quiet) 2>&1 | cat > err; exit ${PIPESTATUS[0]}";
    const int status = std::system(("bash -c '" + command + "'").c_str());
    EXPECT_EQ(WEXITSTATUS(status), 4);
    EXPECT_EQ(temp.read("err").rfind("drover: error E_WRITE: ", 0), 0u) << temp.read("err");
    EXPECT_EQ(temp.read(out), "before");
  }
  for (const char* out : {"full.txt", "full.png", "full.map"}) {
    std::filesystem::create_symlink("/dev/full", temp / out);
    expect_refused(convert("a.map", out), 4, "E_WRITE", out);
  }
  for (const auto& entry : std::filesystem::directory_iterator(temp.path()))
    EXPECT_EQ(entry.path().string().find(".part"), std::string::npos) << entry.path();
}

TEST_F(Convert, APictureIsAMapOfAScenario) {
  temp.write("a.toml",
             "[map]\norigin = [10, -4]\nrows = [\"...\", \".L.\"]\n[[terrain]]\nname = \"lava\"\nletter = \"L\"\n"
             "cost = 7\n[[profile]]\nname = \"p\"\n");
  expect_accepted(convert("a.toml", "keep.png"));
  const std::string rest =
      "[[profile]]\nname = \"p\"\nterrain = {lava = 2}\n[[goal]]\nname = \"g\"\ncells = [[12, -4]]\n"
      "[[agent]]\nat = [11, -3]\nprofile = \"p\"\ngoal = \"g\"\n";
  temp.write("run.toml", "[map]\nfile = \"keep.png\"\n" + rest);
  expect_accepted(run_drover(temp, {"run", temp / "run.toml", "--out", temp / "out", "--quiet", "--require-arrival"}));
  // An origin of the scenario's own counts instead.
  temp.write("moved.toml", "[map]\nfile = \"keep.png\"\norigin = [0, 0]\n" + rest);
  expect_refused(run_drover(temp, {"run", temp / "moved.toml", "--out", temp / "out2"}), 3, "E_GOAL_OUTSIDE", "12,-4");
}

}  // namespace
}  // namespace drover::test

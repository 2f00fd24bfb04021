// SPDX-License-Identifier: MIT
// Rows of the bad-input list for pictures: the real program, its status, code, chunk and place.
#include "support/png_bytes.hpp"
#include "support/program.hpp"

namespace drover::test {
namespace {

const std::string kBlackWhite("\0\0\0\xff\xff\xff", 6);

class BadPicture : public ::testing::Test {
 protected:
  // By every way in: a map, a scenario's map, a map to be converted.
  void refused(const std::string& bytes, const std::string& code, const std::string& what) {
    const std::string map = temp.write("m.png", bytes);
    const std::string scenario =
        temp.write("s.toml", "[map]\nfile = \"m.png\"\n" + legend + "[[profile]]\nname = \"p\"\n");
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"field", map, "--goal", "0,0", "--quiet"},
          {"run", scenario, "--out", temp / "out"},
          {"convert", map, temp / "out.map"}}) {
      if (!legend.empty() && arguments[0] != "run") continue;
      SCOPED_TRACE(arguments[0]);
      const Outcome outcome = run_drover(temp, arguments);
      expect_refused(outcome, 3, code, "m.png: ");
      EXPECT_NE(outcome.err.find(what), std::string::npos) << outcome.err;
    }
    EXPECT_FALSE(temp.has("out"));
    EXPECT_FALSE(temp.has("out.map"));
  }
  TempFolder temp;
  std::string legend;
};

TEST_F(BadPicture, png_damaged) {
  std::vector<std::uint8_t> samples(40 * 40);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = i * i * i % 251 % 2 == 0 ? 1 : 0;
  const PngDef def{.width = 40, .height = 40, .palette = kBlackWhite};
  const std::string whole = png_file(def, samples);
  ASSERT_GT(whole.size(), 150u);
  refused(whole.substr(0, 100), "E_PNG", "IDAT at byte 51: the file ends at byte 100");
  std::string changed = whole;
  changed[120] = static_cast<char>(changed[120] ^ 4);
  refused(changed, "E_PNG", "IDAT at byte 51: its checksum");
  refused(kPngHead + png_header({.width = 2, .height = 2, .bits = 16, .kind = PngKind::grey}) +
              png_chunk("IDAT", png_deflated(std::string(10, '\0'))) + png_chunk("IEND", ""),
          "E_PNG", "IHDR at byte 8: 16 bits a channel");
  samples[5] = 2;
  refused(png_file(def, samples), "E_PNG", "IDAT at byte 51: 5,0 is colour 2 of the palette, PLTE has 2");
}

TEST_F(BadPicture, png_colour) {
  std::vector<std::uint8_t> samples;
  for (std::uint32_t i = 0; i < 12 * 12; ++i) {
    const bool strange = i == 3 + 7 * 12 || (i >= 100 && i < 140);
    samples.insert(samples.end(), {strange ? std::uint8_t{0x12} : std::uint8_t{0xff}, 0xff, 0xff});
  }
  const std::string bytes = png_file({.width = 12, .height = 12, .kind = PngKind::rgb}, samples);
  const std::string first = "#12ffff at 3,7, #12ffff at 4,8, #12ffff at 5,8, #12ffff at 6,8, #12ffff at 7,8";
  refused(bytes, "E_PNG_COLOR", first + " and more, 41 in all; ");
  legend = "legend = {\"#ffffff\" = \"floor\", \"#000000\" = \"wall\", \".\" = \"floor\"}\n";
  refused(bytes, "E_PNG_COLOR", first + " and more, 41 in all; colours of the legend (#000000 #ffffff) are expected");
}

TEST_F(BadPicture, size_is_said_before_memory_is_taken) {
  const Outcome empty = run_drover(temp, {"--version"});
  const std::string map = temp.write("m.png", kPngHead + png_header({.width = 65536, .height = 65536}) +
                                                  png_chunk("IDAT", "") + png_chunk("IEND", ""));
  const Outcome outcome = run_drover(temp, {"field", map, "--goal", "0,0"});
  expect_refused(outcome, 5, "E_LIMIT_CELLS", "65536x65536");
  EXPECT_LT(outcome.peak_bytes, empty.peak_bytes + (std::uint64_t{8} << 20));
  expect_refused(run_drover(temp, {"field", temp.path().string() + "/none.png", "--goal", "0,0"}), 4, "E_OPEN", "none");
  std::filesystem::create_directories(temp / "folder.png");
  expect_refused(run_drover(temp, {"field", temp / "folder.png", "--goal", "0,0"}), 4, "E_NOT_A_FILE", "folder");
}

TEST_F(BadPicture, legend_option) {
  const std::string map = temp.write("m.txt", "..x\n");
  const auto field = [&](const std::string& legend_text) {
    return run_drover(temp, {"field", map, "--goal", "0,0", "--quiet", "--legend", legend_text});
  };
  expect_accepted(field("x=swamp"));
  expect_accepted(field("x=lava:5,#00ff00=wall,palette 3=unknown,transparent=floor"));
  expect_accepted(field("x=wall:blocked"));
  for (const char* bad : {"x", "xy=swamp", "x=", "x=swmap", "x=lava:", "x=lava:-1", "x=lava:1048577", "x=:5",
                          "x=swamp,x=wall", "#0f=wall", "palette 256=wall", "?=floor", "x=swamp,,"}) {
    SCOPED_TRACE(bad);
    expect_refused(field(bad), 2, "E_USAGE", "--legend");
  }
  const std::string scenario = temp.write("s.toml", "[map]\nrows = [\".\"]\n[[profile]]\nname = \"p\"\n");
  expect_refused(run_drover(temp, {"field", scenario, "--goal", "0,0", "--legend", "x=wall"}), 2, "E_USAGE",
                 "scenario");
  expect_refused(run_drover(temp, {"verify", scenario, "--legend", "x=wall"}), 2, "E_USAGE", "scenario");
  expect_refused(run_drover(temp, {"convert", scenario, temp / "o.txt", "--legend", "x=wall"}), 2, "E_USAGE", "scena");
}

}  // namespace
}  // namespace drover::test

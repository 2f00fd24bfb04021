// SPDX-License-Identifier: MIT
// The page of a run: well formed whatever names say, the figures of the JSON report, a history of bounded size.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <png.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/html.hpp"
#include "io/png_chunks.hpp"
#include "io/report_html.hpp"
#include "io/report_map.hpp"
#include "io/text.hpp"
#include "support/scene.hpp"

namespace drover::io {
namespace {

using test::Scene;

// What is wrong with a page, or "". Every tag is closed, every attribute quoted, no stray < or &.
std::string fault(const std::string& page) {
  std::vector<std::string> open;
  std::size_t at = page.find('>') + 1;  // behind the DOCTYPE
  while (at < page.size()) {
    if (page[at] == '&') {
      const std::size_t end = page.find(';', at);
      if (end == std::string::npos || end > at + 7) return "a bare & near " + page.substr(at, 40);
    }
    if (page[at] != '<') {
      ++at;
      continue;
    }
    const std::string near = page.substr(at, 60);
    const bool closing = page[++at] == '/';
    if (closing) ++at;
    std::string name;
    while (at < page.size() && std::isalnum(static_cast<unsigned char>(page[at])) != 0) name += page[at++];
    if (name.empty()) return "a bare < near " + near;
    bool quoted = false;
    for (; at < page.size() && (quoted || page[at] != '>'); ++at) {
      if (page[at] == '"') quoted = !quoted;
      if (page[at] == '<') return "a < inside a tag near " + near;
      if (!quoted && page[at] == '=' && page[at + 1] != '"') return "an attribute without quotes near " + near;
    }
    const bool alone = page[at - 1] == '/';
    ++at;
    if (closing) {
      if (open.empty() || open.back() != name) return "</" + name + "> closes nothing near " + near;
      open.pop_back();
    } else if (!alone) {
      open.push_back(name);
      if (name == "style") at = page.find("</style>", at);
    }
  }
  return open.empty() ? "" : open.back() + " stays open";
}

bool has(const std::string& page, const std::string& text) { return page.find(text) != std::string::npos; }

// A corridor: 9 has arrived on its cell for good, `queue` others want the same cell.
class Corridor {
 public:
  explicit Corridor(int queue) : scene_({std::string(static_cast<std::size_t>(queue) + 2, '.')}) {
    std::vector<test::Walker> walkers{{9, {queue + 1, 0}, {queue + 1, 0}}};
    for (int i = 1; i <= queue; ++i)
      walkers.push_back({static_cast<std::uint64_t>(100 + i), {queue + 1 - i, 0}, {queue + 1, 0}});
    scene_.open(walkers);
    history.record(scene_.sim(), 0);
  }
  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      scene_.sim().step();
      history.record(scene_.sim(), 1000 + static_cast<std::uint64_t>(i));
    }
    history.close(scene_.sim());
  }
  RunReport report() {
    RunReport r;
    r.drover = "0.1.0";
    r.scenario = "corridor";
    r.seed = 7;
    r.ticks = scene_.sim().tick();
    r.states = scene_.sim().state_counts();
    r.validated = true;
    r.moves = 1234567;
    r.metrics = scene_.sim().metrics();
    r.tick_us = {11, 12, 13, 1414};
    r.agent_step_ns = 15;
    r.digests = scene_.sim().digests();
    return r;
  }
  std::string page(const RunReport& report, const std::string& command = "drover run corridor.toml") {
    const PictureDef picture;
    return to_html({report, history, scene_.sim().map(), picture, command});
  }
  RunHistory history;

 private:
  Scene scene_;
};

TEST(ReportHtml, EveryTagIsClosed) {
  Corridor corridor(3);
  corridor.run(30);
  EXPECT_EQ(fault(corridor.page(corridor.report())), "");
  EXPECT_EQ(fault("<!DOCTYPE html><p><b>x</p></b>"), "</p> closes nothing near </p></b>") << "the check itself";
  EXPECT_NE(fault("<!DOCTYPE html><p>a < b</p>"), "");
}

TEST(ReportHtml, NamesNeverBecomeMarkup) {
  Corridor corridor(1);
  corridor.run(3);
  RunReport report = corridor.report();
  const std::string bad = "\"'><script>alert(1)</script>&\x1b[31m<img src=x>";
  report.scenario = bad;
  report.moved_goals.push_back({bad, {}});
  report.warnings.push_back({"W_" + bad, bad});
  report.unfinished.push_back({5, bad});
  const std::string page = corridor.page(report, "drover run '</pre>" + bad + "'");
  EXPECT_EQ(fault(page), "");
  EXPECT_FALSE(has(page, "<script")) << page;
  EXPECT_FALSE(has(page, "<img src=x"));
  EXPECT_EQ(page.find('\x1b'), std::string::npos);
  EXPECT_TRUE(has(page, "&lt;script&gt;alert(1)&lt;/script&gt;&amp;\\x1b[31m"));
}

TEST(ReportHtml, NeedsNothingElse) {
  Corridor corridor(2);
  corridor.run(5);
  const std::string page = corridor.page(corridor.report());
  for (const char* word : {"<script", "<link", "http:", "https:", "url(", "@import", "<iframe", " on"})
    EXPECT_EQ(page.substr(page.find("<body>")).find(std::string(word) + "="), std::string::npos) << word;
  for (const char* word : {"<script", "<link", "http:", "https:", "url(", "@import", "<iframe"})
    EXPECT_FALSE(has(page, word)) << word;
  EXPECT_TRUE(has(page, "default-src 'none'"));
  EXPECT_TRUE(has(page, "prefers-color-scheme:dark"));
  EXPECT_TRUE(has(page, "width=device-width"));
}

TEST(ReportHtml, FiguresAreThoseOfTheJsonReport) {
  Corridor corridor(4);
  corridor.run(40);
  RunReport report = corridor.report();
  report.makespan_ticks = 4321;
  report.sum_of_arrivals = 98765;
  const std::string page = corridor.page(report);
  const nlohmann::json json = nlohmann::json::parse(to_json(report));
  EXPECT_TRUE(has(page, "<code>" + json["digest"].get<std::string>() + "</code>"));
  for (const auto& [name, digest] : json["digest_by_system"].items())
    EXPECT_TRUE(has(page, digest.get<std::string>())) << name;
  EXPECT_TRUE(has(page, "<dd class=\"\">4,321<small>"));
  EXPECT_TRUE(has(page, "0 violations in 1,234,567 moves"));
  for (const auto& [name, value] : json["metrics"].items()) {
    if (!value.is_number() || name == "refusals") continue;
    EXPECT_TRUE(has(page, fmt::format("<span>{}</span><span>{}</span>", name, grouped(value.get<std::uint64_t>()))))
        << name;
  }
  for (const auto& [name, value] : json["metrics"]["refusals"].items()) {
    const auto count = value.get<std::uint64_t>();
    EXPECT_EQ(has(page, name + "</code></span><b>" + grouped(count) + "</b>"), count > 0) << name;
  }
  for (const char* us : {">11 µs<", ">12 µs<", ">13 µs<", ">1,414 µs<", ">15 ns<"}) EXPECT_TRUE(has(page, us)) << us;
  EXPECT_TRUE(has(page, "1 of 5 agents arrived in 40 ticks"));
}

TEST(ReportHtml, ALargeMapGivesASmallPage) {
  Result<GridMap> map = GridMap::create({1024, 1024});
  ASSERT_TRUE(map.ok());
  const MapView view = map->view();
  std::vector<std::uint32_t> visits(view.shape().padded_cells());
  std::uint32_t noise = 1;
  for (std::uint32_t& v : visits) v = (noise = noise * 1664525 + 1013904223) >> 20;
  PictureDef picture;
  picture.visits = visits;
  Corridor corridor(1);
  corridor.run(3);
  const RunReport report = corridor.report();
  const std::string page = to_html({report, corridor.history, view, picture, ""});
  EXPECT_LT(page.size(), 400000u) << "traffic that cannot be packed";
  EXPECT_EQ(fault(page), "");
}

HistoryPoint at_tick(std::uint64_t tick, std::uint64_t waiting, std::uint64_t arrived, std::uint64_t ns) {
  StateCounts counts{};
  counts[static_cast<std::size_t>(AgentState::waiting)] = waiting;
  counts[static_cast<std::size_t>(AgentState::arrived)] = arrived;
  counts[static_cast<std::size_t>(AgentState::moving)] = 100000 - waiting - arrived;
  return {tick, tick, counts, counts, ns};
}

TEST(Series, PoolingKeepsMaximaAndBothEnds) {
  Series series(100);
  for (std::uint64_t t = 0; t <= 12345; ++t)
    series.add(at_tick(t, t == 7777 ? 90000 : t % 10, t, t == 4321 ? 5000000 : 100 + t % 7));
  const std::vector<HistoryPoint>& points = series.points();
  EXPECT_LE(points.size(), 100u);
  EXPECT_GT(points.size(), 48u) << "never less than half of the room";
  EXPECT_EQ(points.front().last_tick, 0u);
  EXPECT_EQ(points.back().last_tick, 12345u);
  EXPECT_EQ(points.back().last[static_cast<std::size_t>(AgentState::arrived)], 12345u);
  std::uint64_t next = 0, slowest = 0, standing = 0;
  for (const HistoryPoint& p : points) {
    EXPECT_EQ(p.first_tick, next);
    EXPECT_LE(p.last_tick - p.first_tick, series.ticks_a_point() - 1);
    next = p.last_tick + 1;
    slowest = std::max(slowest, p.most_ns);
    standing = std::max(standing, HistoryPoint::standing(p.busiest));
    std::uint64_t sum = 0;
    for (const std::uint64_t n : p.busiest) sum += n;
    EXPECT_EQ(sum, 100000u) << "counts of one tick, not of several";
  }
  EXPECT_EQ(slowest, 5000000u);
  EXPECT_EQ(standing, 90000u);
}

TEST(Series, EveryTickWhileThereIsRoom) {
  Series series(8);
  for (std::uint64_t t = 0; t < 8; ++t) series.add(at_tick(t, 0, t, t));
  ASSERT_EQ(series.points().size(), 8u);
  series.add(at_tick(8, 0, 8, 8));
  ASSERT_EQ(series.points().size(), 5u) << "0, 1-2, 3-4, 5-6, 7-8";
  EXPECT_EQ(series.points()[4].first_tick, 7u);
}

TEST(TimeClasses, EachTimeIsInItsClass) {
  for (const std::uint64_t ns :
       {0ull, 1ull, 3ull, 4ull, 7ull, 8ull, 9ull, 1023ull, 1024ull, 1279ull, 1280ull, 999999999ull, 1ull << 62}) {
    const std::size_t i = TimeClasses::of(ns);
    EXPECT_LE(TimeClasses::begin(i), static_cast<double>(ns));
    EXPECT_GT(TimeClasses::begin(i + 1), static_cast<double>(ns));
  }
  EXPECT_LT(TimeClasses::of(~0ull), TimeClasses::kClasses);
}

TEST(RunHistory, TheLongestWaitSaysWhyAtItsLongest) {
  Corridor corridor(1);
  corridor.run(20);
  const std::vector<LongWait> waits = corridor.history.longest_waits();
  ASSERT_EQ(waits.size(), 1u) << "9 has arrived";
  EXPECT_EQ(waits[0].key, 101u);
  EXPECT_EQ(waits[0].ticks, 20u);
  EXPECT_EQ(waits[0].tick, 20u);
  EXPECT_EQ(waits[0].why_ticks, 20u);
  EXPECT_EQ(waits[0].why, "agent 101 waits 20 ticks: goal cell (2,0) occupied by agent 9");
  EXPECT_EQ(corridor.history.waits_by_reason()[static_cast<std::size_t>(Reason::goal_occupied)], 20u);
}

TEST(RunHistory, TenWaitsAtMostLongChainsInShort) {
  Corridor corridor(14);
  corridor.run(50);
  const std::vector<LongWait> waits = corridor.history.longest_waits();
  ASSERT_EQ(waits.size(), RunHistory::kWaits);
  for (const LongWait& w : waits) {
    EXPECT_EQ(w.ticks, 50u);
    EXPECT_EQ(w.why_ticks, 50u) << "asked once more at the end";
  }
  EXPECT_EQ(waits[0].key, 101u);
  EXPECT_EQ(waits[9].key, 110u) << "of equals those with the least keys";
  EXPECT_EQ(waits[9].why,
            "agent 110 waits 50 ticks: cell (6,0) held by agent 109, which waits: cell (7,0) held by agent 108, which "
            "waits: cell (8,0) held by agent 107, and so on through 6 more, to agent 101 waits 50 ticks: goal cell "
            "(15,0) occupied by agent 9");
}

TEST(PalettePng, ReadsBackAsItWasDrawn) {
  const std::vector<std::uint32_t> colours{0x00000000, 0x102030ff, 0xff800080};
  const std::vector<std::uint8_t> pixels{0, 1, 2, 2, 1, 0};
  const std::string file = indexed_png({3, 2, colours, {}, 9}, pixels.data(), 8);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  ASSERT_NE(png_image_begin_read_from_memory(&image, file.data(), file.size()), 0) << image.message;
  EXPECT_EQ(image.width, 3u);
  EXPECT_EQ(image.height, 2u);
  image.format = PNG_FORMAT_RGBA;
  std::vector<std::uint8_t> rgba(PNG_IMAGE_SIZE(image));
  ASSERT_NE(png_image_finish_read(&image, nullptr, rgba.data(), 0, nullptr), 0) << image.message;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    for (std::size_t channel = 0; channel < 4; ++channel)
      EXPECT_EQ(rgba[4 * i + channel], (colours[pixels[i]] >> (24 - 8 * channel)) & 255) << i;
  }
}

TEST(MapPictures, LayersLieBelowEachOtherAndLargeMapsAreJoined) {
  Result<GridMap> map = GridMap::create({1030, 4, 2});
  ASSERT_TRUE(map.ok());
  const MapPictures pictures = draw_map(map->view(), {});
  EXPECT_EQ(pictures.cells_a_pixel, 3);
  EXPECT_EQ(pictures.width, 344);
  EXPECT_EQ(pictures.height, 2 + 1 + 2);
  EXPECT_EQ(pictures.ground.substr(1, 3), "PNG");
  EXPECT_EQ(pictures.field, "");
  EXPECT_EQ(pictures.traffic, "");
}

TEST(Html, TextAndNumbers) {
  EXPECT_EQ(html("a<b>&\"c'\x01"), "a&lt;b&gt;&amp;&quot;c&#39;\\x01");
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(18414125), "18,414,125");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(shell_word("a/b.toml"), "a/b.toml");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(time_text(41), "41 ns");
  EXPECT_EQ(time_text(8400), "8.4 µs");
  EXPECT_EQ(time_text(50000000), "50 ms");
  EXPECT_EQ(nice_ticks(70), (std::vector<std::uint64_t>{0, 20, 40, 60}));
  EXPECT_EQ(nice_ticks(3), (std::vector<std::uint64_t>{0, 1, 2, 3}));
  EXPECT_EQ(nice_ticks(100000), (std::vector<std::uint64_t>{0, 20000, 40000, 60000, 80000, 100000}));
  EXPECT_EQ(nice_ticks(~std::uint64_t{0}).size(), 4u) << "0, 5, 10, 15 times 10^18";
}

}  // namespace
}  // namespace drover::io

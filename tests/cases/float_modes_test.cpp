// SPDX-License-Identifier: MIT
// A host that flushes denormals to zero, rounds otherwise or writes numbers with commas changes neither what a scenario
// says nor how it ends.
#include "io/report.hpp"
#include "support/threads.hpp"

#include <gtest/gtest.h>
#include <drover/io.hpp>

#include <cfenv>
#include <locale>
#include <string>
#include <vector>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace drover::test {
namespace {

// Decimals typed as strings and as TOML floats, none of them exact in binary.
const char* const kScenario = R"(
[map]
cell_size = 0.3
rows = ["..........", "....##....", "..........", "..M.......", ".........."]
[[terrain]]
name = "mud"
letter = "M"
cost = 7
[[profile]]
name = "thin"
body_radius = "0.1"
costs = "octile"
[[profile]]
name = "wide"
radius = 0.35
[[goal]]
name = "gate"
cells = [[9, 1]]
on_arrival = "vanish"
[[group]]
profile = "thin"
goal = "gate"
count = 8
area = {rect = [0, 0, 4, 3]}
[[group]]
profile = "wide"
goal = "gate"
cells = [[0, 4], [2, 4]]
[[edit]]
tick = 4
cells = [[7, 1, "#"]]
)";

struct Told {
  std::vector<std::int64_t> decimals;
  std::vector<Digests> digests;
  friend bool operator==(const Told&, const Told&) = default;
};

Told told() {
  ThreadTasks threads(2);
  const Result<io::Scenario> scenario = io::parse_scenario(kScenario, "s.toml");
  EXPECT_TRUE(scenario.ok()) << scenario.status().message();
  Told result;
  result.decimals.push_back(scenario->cell_size.raw);
  for (const io::ScenarioProfile& p : scenario->profiles) result.decimals.push_back(p.profile.radius().raw);
  Result<io::Instance> instance = io::instantiate(*scenario, threads.host());
  EXPECT_TRUE(instance.ok()) << instance.status().message();
  Simulation& sim = instance->simulation;
  EXPECT_TRUE(sim.start().ok());
  while (!sim.finished() && sim.tick() < 100) result.digests.push_back(sim.step().digests);
  EXPECT_TRUE(sim.finished());
  return result;
}

class RoundingMode {
 public:
  explicit RoundingMode(int mode) : before_(std::fegetround()) { EXPECT_EQ(std::fesetround(mode), 0); }
  ~RoundingMode() { std::fesetround(before_); }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;

 private:
  int before_;
};

TEST(FloatModes, float_modes_rounding) {
  const Told usual = told();
  EXPECT_EQ(usual.decimals,
            (std::vector<std::int64_t>{Fixed::parse("0.3")->raw, Fixed::parse("0.1")->raw, Fixed::parse("0.35")->raw}));
  EXPECT_FALSE(usual.digests.empty());
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    const RoundingMode other(mode);
    EXPECT_EQ(told(), usual) << "mode " << mode;
    EXPECT_EQ(std::fegetround(), mode) << "left as the host set it";
  }
}

#if defined(__SSE2__)
TEST(FloatModes, float_modes_flush_to_zero) {
  const Told usual = told();
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040);  // flush to zero, denormals are zero
  volatile double least = 4.9406564584124654e-324;
  EXPECT_EQ(least * 1.0, 0.0) << "the mode is on";
  const Told flushed = told();
  _mm_setcsr(before);
  EXPECT_EQ(flushed, usual);
}
#endif

/// 1.234.567,5
class Commas : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

// Needs no locale of the system's.
TEST(HostLocale, locale) {
  io::RunReport report;
  report.makespan_ticks = 1234567;
  report.bound.queue = 1000000;
  const std::string too_many = std::string(kScenario) + "[run]\nticks = -1234567\n";
  const Told usual = told();
  const std::string json = io::to_json(report), refusal = io::parse_scenario(too_many, "s.toml").status().message();
  EXPECT_NE(json.find("0.81"), std::string::npos) << json;
  EXPECT_NE(refusal.find("-1234567"), std::string::npos) << refusal;
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Commas));
  EXPECT_EQ(told(), usual);
  EXPECT_EQ(io::to_json(report), json);
  EXPECT_EQ(io::parse_scenario(too_many, "s.toml").status().message(), refusal);
  std::locale::global(before);
}

}  // namespace
}  // namespace drover::test

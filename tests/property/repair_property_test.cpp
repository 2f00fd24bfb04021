// SPDX-License-Identifier: MIT
// A repaired field has every byte of the one that is built anew, along chains of edits; those before it stay as they
// were.
#include "property/repair_world.hpp"

#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "field/field_bytes.hpp"
#include "field/field_data.hpp"
#include "support/counting_allocator.hpp"
#include "support/data.hpp"

namespace drover::test {
namespace {

std::vector<std::byte> bytes_of(const FlowField& field) {
  base::ByteWriter out;
  field::write_field(out, field);
  return out.take();
}

// Everything that can be asked of a cell, padding too; then everything else.
std::string difference(const FlowField& mine, const FlowField& built) {
  const auto& a = static_cast<const field::FlowFieldData&>(mine);
  const auto& b = static_cast<const field::FlowFieldData&>(built);
  if ((a.hop_pages() == nullptr) != (b.hop_pages() == nullptr)) return "hops kept by one only";
  for (std::uint32_t p = 0; p < mine.shape().padded_cells(); ++p) {
    const CellIndex i{p};
    std::string what;
    if (mine.cost_to_goal(i) != built.cost_to_goal(i))
      what = " cost " + std::to_string(mine.cost_to_goal(i)) + " not " + std::to_string(built.cost_to_goal(i));
    if (mine.code(i) != built.code(i))
      what += " code " + std::to_string(mine.code(i)) + " not " + std::to_string(built.code(i));
    if (mine.optimal_directions(i).bits != built.optimal_directions(i).bits)
      what += " ties " + std::to_string(mine.optimal_directions(i).bits) + " not " +
              std::to_string(built.optimal_directions(i).bits);
    if (mine.steps_to_goal(i) != built.steps_to_goal(i)) what += " steps";
    if (a.hop_pages() != nullptr && a.hop_pages()[p >> 12][p & 4095] != b.hop_pages()[p >> 12][p & 4095])
      what += " hops";
    if (!what.empty()) {
      const Cell c = mine.shape().cell(i);
      return "cell " + std::to_string(c.x) + "," + std::to_string(c.y) + "," + std::to_string(c.layer) + what;
    }
  }
  if (mine.digest() != built.digest()) return "digest";
  if (bytes_of(mine) != bytes_of(built)) return "bytes";
  return mine.goal_indices() == built.goal_indices() ? "" : "goal indices";
}

std::string difference(const BuildReport& a, const BuildReport& b) {
  if (a.reachable != b.reachable) return "reachable";
  if (a.unreachable != b.unreachable || a.unknown != b.unknown) return "unreachable or unknown";
  if (a.max_cost != b.max_cost) return "max_cost " + std::to_string(a.max_cost) + " not " + std::to_string(b.max_cost);
  // 16 bits or 32 is a matter of the engine.
  return (a.cost_bits == 64) == (b.cost_bits == 64) ? "" : "cost_bits";
}

struct Counts {
  int edits = 0, repaired = 0, refused_goals = 0, shared_pages = 0, with_hops = 0, wide = 0, with_steps = 0;
  std::set<std::string> reasons;
};

/// A field, what it was when it was new, and the map it is of.
struct Kept {
  FieldRef field;
  std::uint64_t digest = 0;
};

class Chain {
 public:
  Chain(std::uint64_t seed, std::int32_t most, Counts& counts) : world_(seed, most), counts_(counts) {
    before_ = world_.graph();
    if (Result<FieldRef> built = builder_.build(before_, world_.goal(), world_.options())) field_ = *std::move(built);
  }

  std::string edit() {
    world_.edit();
    ++counts_.edits;
    BuildReport report, expected;
    const Result<FieldRef> mine =
        builder_.repair(field_, before_, world_.graph(), world_.goal(), world_.options(), &report);
    const Result<FieldRef> built = other_.build(world_.graph(), world_.goal(), world_.options(), &expected);
    if (mine.status().code() != built.status().code() || mine.status().message() != built.status().message())
      return "status: " + mine.status().message() + " not " + built.status().message();
    if (!mine) {
      ++counts_.refused_goals;
      return {};
    }
    if (std::string text = difference(**mine, **built); !text.empty()) return text + why(report);
    if (std::string text = difference(report, expected); !text.empty()) return text + why(report);
    count(**mine, report);
    kept_.push_back({*mine, (*mine)->digest()});
    if (kept_.size() > 4) kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(counts_.edits % 4));
    for (const Kept& kept : kept_)
      if (kept.field->digest() != kept.digest) return "an older field changed";
    field_ = *mine;
    before_ = world_.graph();
    return {};
  }

 private:
  static std::string why(const BuildReport& report) {
    return report.repaired ? " (repaired)" : std::string(" (built: ") + report.not_repaired + ")";
  }
  void count(const FlowField& mine, const BuildReport& report) {
    if (!report.repaired) {
      counts_.reasons.insert(report.not_repaired);
      return;
    }
    const auto& data = static_cast<const field::FlowFieldData&>(mine);
    ++counts_.repaired;
    counts_.with_hops += data.hop_pages() != nullptr ? 1 : 0;
    counts_.wide += report.cost_bits == 64 ? 1 : 0;
    counts_.with_steps += mine.has_steps() ? 1 : 0;
    counts_.shared_pages += report.pages_copied < data.page_count() ? 1 : 0;
  }

  RepairWorld world_;
  Counts& counts_;
  FieldBuilder builder_, other_;
  NavGraph before_;
  FieldRef field_;
  std::vector<Kept> kept_;
};

TEST(RepairProperty, ARepairedFieldIsTheOneThatIsBuiltAnew) {
  Counts counts;
  const int edits = long_run() ? 30000 : 4000;
  for (std::uint64_t seed = 0; counts.edits < edits; ++seed) {
    Chain chain(seed, seed % 4 == 0 ? 66 : 16, counts);
    for (int i = 0; i < 12; ++i) {
      const std::string fault = chain.edit();
      ASSERT_EQ(fault, "") << "world " << seed << ", edit " << i;
    }
  }
  // Nothing may drop out of the comparison unnoticed.
  EXPECT_GT(counts.repaired, edits / 3);
  EXPECT_GT(counts.refused_goals, edits / 100);
  EXPECT_GT(counts.shared_pages, edits / 10);
  EXPECT_GT(counts.with_hops, edits / 50);
  EXPECT_GT(counts.wide, edits / 100);
  EXPECT_GT(counts.with_steps, edits / 20);
  RecordProperty("repaired", counts.repaired);
  std::string reasons;
  for (const std::string& reason : counts.reasons) reasons += reason + "; ";
  RecordProperty("built", reasons);
}

// Every request in turn is refused: an error or, where the request could be done without, the right field; the old one
// stays. Pages come back when the last field goes.
TEST(RepairProperty, RunningOutOfMemoryLeavesTheOldFieldAsItWas) {
  int refused = 0;
  for (std::uint64_t seed = 0; seed < (long_run() ? 400u : 60u); ++seed) {
    RepairWorld world(seed * 7 + 5, 40);
    const NavGraph before = world.graph();
    const GoalDef goal = world.goal();
    world.edit();
    CountingAllocator memory;
    {
      FieldBuilder builder(memory.host()), other;
      const Result<FieldRef> old = builder.build(before, goal, world.options());
      const Result<FieldRef> want = other.build(world.graph(), goal, world.options());
      if (!old || !want) continue;
      const std::uint64_t digest = (*old)->digest(), live = builder.live_bytes();
      for (std::uint64_t call = 0;; ++call) {
        const std::uint64_t calls = memory.calls();
        FieldBuilder fresh(memory.host());  // without scratch, so that every request is made
        const Result<FieldRef> mine = fresh.build(before, goal, world.options());
        ASSERT_TRUE(mine.ok());
        const std::uint64_t mine_live = fresh.live_bytes();
        memory.fail_at(call);
        const Result<FieldRef> repaired = fresh.repair(*mine, before, world.graph(), goal, world.options());
        memory.fail_never();
        ASSERT_EQ((*mine)->digest(), digest);
        if (!repaired) {
          ++refused;
          ASSERT_EQ(repaired.status().code(), StatusCode::out_of_memory);
          ASSERT_EQ(fresh.live_bytes(), mine_live);
          ASSERT_GT(memory.calls(), calls);
          continue;
        }
        ASSERT_EQ(difference(**repaired, **want), "") << "world " << seed << ", request " << call;
        if (call > 40) break;
      }
      ASSERT_EQ(builder.live_bytes(), live);
    }
    EXPECT_EQ(memory.bytes_out(), 0u);
  }
  EXPECT_GT(refused, 100);
}

// 2000 columns of one row: a page is about two of them. The second field has a page of its own, the rest is shared.
TEST(RepairMemory, AFieldSharesWhatAnEditLeftAlone) {
  GridMap map = std::move(GridMap::create({.width = 60, .height = 2000})).value();
  const NavGraph before = graph_of(map.view());
  FieldBuilder builder;
  const GoalDef goal{{{{30, 1000, 0}, 0}}, GoalPlacement::exact};
  FieldRef first = *builder.build(before, goal);
  const std::uint64_t one = builder.live_bytes(), digest = first->digest();
  const Result<EditReport> edited = map.apply(set_terrain({3, 3, 0}, kWall));
  const NavGraph after = *before.updated(map.view(), edited->dirty);
  BuildReport report;
  FieldRef second = *builder.repair(first, before, after, goal, {}, &report);
  ASSERT_TRUE(report.repaired);
  EXPECT_LE(report.pages_copied, 2u);
  EXPECT_GE(second->bytes(), one * 9 / 10);
  EXPECT_LT(builder.live_bytes(), one + one / 8);
  EXPECT_EQ(first->digest(), digest);
  EXPECT_NE(second->digest(), digest);
  const std::uint64_t changed = second->digest();
  first.reset();  // pages of its block are still read
  EXPECT_EQ(second->digest(), changed);
  EXPECT_GE(builder.live_bytes(), one);
  second.reset();
  EXPECT_EQ(builder.live_bytes(), 0u);
  EXPECT_GE(builder.pooled_bytes(), one);
}

// Were each ancestor kept alive, a thousand edits would keep a thousand pages.
TEST(RepairMemory, AChainOfRepairsKeepsNoAncestors) {
  GridMap map = std::move(GridMap::create({.width = 60, .height = 500})).value();
  FieldBuilder builder;
  const GoalDef goal{{{{30, 250, 0}, 0}}, GoalPlacement::exact};
  NavGraph graph = graph_of(map.view());
  FieldRef field = *builder.build(graph, goal);
  const std::uint64_t one = field->bytes();
  int repaired = 0;
  for (int i = 0; i < 1000; ++i) {
    const Cell cell{i * 7 % 60, i * 31 % 500, 0};
    if (cell == goal.cells[0].cell) continue;
    const Result<EditReport> edited = map.apply(set_terrain(cell, i % 3 == 0 ? kWall : kFloor));
    const NavGraph after = *graph.updated(map.view(), edited->dirty);
    BuildReport report;
    field = *builder.repair(field, graph, after, goal, {}, &report);
    repaired += report.repaired ? 1 : 0;
    graph = after;
    // The block of the build, and a copy of each page at most.
    ASSERT_LE(builder.live_bytes(), 2 * one + one / 8);
  }
  EXPECT_GT(repaired, 500);
}

}  // namespace
}  // namespace drover::test

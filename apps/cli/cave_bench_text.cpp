// SPDX-License-Identifier: MIT
// Figures of caves for programs and for people.
#include "cave_bench_text.hpp"

#include <fmt/format.h>

namespace drover::cli {

std::string cave_bench_json(const bench::CaveBenchDef& def, const bench::CaveFigures& f) {
  const double cells = static_cast<double>(def.size) * def.size;
  return fmt::format(
      "{{\"name\":\"cave\",\"unit\":\"cell\",\"ns_per_unit\":{:.4f},\"baseline_ns_per_unit\":{:.4f},\"ratio\":{:.3f},"
      "\"equal\":{},\"ms\":{:.4f},\"baseline_ms\":{:.3f},\"fill_ns\":{:.4f},\"baseline_fill_ns\":{:.4f},"
      "\"generation_ns\":{:.4f},\"baseline_generation_ns\":{:.4f},\"rule_ns\":{:.4f},\"classic_ns\":{:.4f},"
      "\"baseline_classic_ns\":{:.4f},\"regions_ns\":{:.4f},\"baseline_regions_ns\":{:.4f},\"size\":{},"
      "\"generations\":{},\"floor\":{},\"regions\":{},\"runs\":{},\"threads\":1}}\n",
      f.ms * 1e6 / cells, f.baseline_ms * 1e6 / cells, f.ms > 0 ? f.baseline_ms / f.ms : 0.0, f.equal, f.ms,
      f.baseline_ms, f.fill_ns, f.baseline_fill_ns, f.generation_ns, f.baseline_generation_ns, f.rule_ns, f.classic_ns,
      f.baseline_classic_ns, f.regions_ns, f.baseline_regions_ns, def.size, def.generations, f.floor, f.regions,
      def.runs);
}

std::string cave_bench_text(const bench::CaveBenchDef& def, const bench::CaveFigures& f) {
  return fmt::format(
      "cave of {0} x {0} cells, {1} generations, {2} regions, the largest kept: {3} floor, 1 thread\n"
      "whole call {4:.3f} ms, a cell at a time {5:.1f} ms: ratio {6:.0f}\n"
      "ns a cell: fill {7:.3f} (plain {8:.2f}), generation {9:.4f} ({10:.2f}), by any rule {11:.4f}, classic pass "
      "{12:.4f} ({13:.2f}), regions {14:.3f} ({15:.2f})\n"
      "answers equal: {16}\n",
      def.size, def.generations, f.regions, f.floor, f.ms, f.baseline_ms, f.ms > 0 ? f.baseline_ms / f.ms : 0.0,
      f.fill_ns, f.baseline_fill_ns, f.generation_ns, f.baseline_generation_ns, f.rule_ns, f.classic_ns,
      f.baseline_classic_ns, f.regions_ns, f.baseline_regions_ns, f.equal);
}

}  // namespace drover::cli

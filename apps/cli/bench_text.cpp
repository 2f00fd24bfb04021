// SPDX-License-Identifier: MIT
// Tables and JSON of gates and views.
#include "bench_text.hpp"

#include <fmt/format.h>

namespace drover::cli {

std::string figures(double mine, double other, bool equal) {
  return fmt::format("\"ns_per_unit\":{:.3f},\"baseline_ns_per_unit\":{:.3f},\"ratio\":{:.3f},\"equal\":{}", mine,
                     other, mine > 0 ? other / mine : 0.0, equal);
}

std::string gates_json(const bench::GateFigures& f) {
  std::string rows;
  for (const bench::GateRow& row : f.rows)
    rows += fmt::format(
        "{}{{\"width\":{},\"caves\":{},\"mean\":{:.2f},\"interval\":{:.2f},\"worst\":{:.2f},\"plain_mean\":{:.2f},"
        "\"plain_worst\":{:.2f},\"slower\":{},\"late\":{}}}",
        rows.empty() ? "" : ",", row.width, row.instances, row.mean, row.interval, row.worst, row.plain_mean,
        row.plain_worst, row.slower, row.late);
  return fmt::format(
      "{{\"name\":\"gates\",\"unit\":\"plan\",{},\"agents\":{},\"first_plan_ms\":{:.3f},\"refresh_ms\":{:.3f},"
      "\"refresh_max_ms\":{:.3f},\"step_ns\":{:.2f},\"per_gate_cell\":{:.4f},\"ticks\":{},\"rows\":[{}]}}\n",
      figures(f.refresh_ms * 1e6, static_cast<double>(f.build_ns), f.equal), f.plan_agents, f.first_plan_ms,
      f.refresh_ms, f.refresh_max_ms, f.step_ns, f.per_gate_cell, f.plan_ticks, rows);
}

std::string gates_text(const bench::GateFigures& f, std::int32_t plan_size) {
  std::string text =
      "gate cells   caves   mean % of the optimum   worst   plain: mean   worst   slower than plain   late\n";
  for (const bench::GateRow& row : f.rows)
    text +=
        fmt::format("{:10} {:7} {:13.1f} +- {:4.2f} {:11.1f} {:13.1f} {:7.1f} {:19} {:6}\n", row.width, row.instances,
                    row.mean, row.interval, row.worst, row.plain_mean, row.plain_worst, row.slower, row.late);
  return text +
         fmt::format(
             "{0} agents on {1} x {1} cells: first plan {2:.2f} ms, refresh median {3:.2f} max {4:.2f} ms ({5}), "
             "field {6:.2f} ms\n{7:.1f} ns an agent step; {8:.3f} agents a tick and gate cell; promises kept: {9}\n",
             f.plan_agents, plan_size, f.first_plan_ms, f.refresh_ms, f.refresh_max_ms, f.refreshes,
             static_cast<double>(f.build_ns) / 1e6, f.step_ns, f.per_gate_cell, f.equal);
}

std::string fov_json(const bench::FovFigures& f, const bench::FovDef& def) {
  return fmt::format(
      "{{\"name\":\"fov\",\"unit\":\"view\",{},\"size\":{},\"radius\":{},\"views\":{},\"seen\":{:.1f},\"p99_ns\":{},"
      "\"asymmetric\":{},\"line_ns\":{:.1f}}}\n",
      figures(f.view_ns, f.baseline_ns, f.equal), def.size, def.radius, f.views, f.seen, f.p99_ns, f.asymmetric,
      f.line_ns);
}

std::string fov_text(const bench::FovFigures& f, const bench::FovDef& def) {
  return fmt::format(
      "{} views of radius {} on a cave of {} x {}: {:.2f} us each (p99 {:.2f}), {:.0f} cells seen\n"
      "line by line {:.1f} us, {:.1f} x; one line {:.0f} ns; {} pairs not symmetric; equal: {}\n",
      f.views, def.radius, def.size, def.size, f.view_ns / 1000, static_cast<double>(f.p99_ns) / 1000, f.seen,
      f.baseline_ns / 1000, f.baseline_ns / f.view_ns, f.line_ns, f.asymmetric, f.equal);
}

}  // namespace drover::cli

// SPDX-License-Identifier: MIT
// Tables and JSON of gates and views.
#include "bench_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <drover/io.hpp>

namespace drover::cli {

std::string figures(double mine, double other, bool equal) {
  return fmt::format("\"ns_per_unit\":{:.3f},\"baseline_ns_per_unit\":{:.3f},\"ratio\":{:.3f},\"equal\":{}", mine,
                     other, mine > 0 ? other / mine : 0.0, equal);
}

std::string map_text(const std::string& name) {
  std::string map;
  for (const char c : io::printable(name)) map += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return map;
}

std::string would_block_json(const std::vector<bench::BlockFigures>& rows, const bench::BlockDef& def, bool equal,
                             std::uint32_t threads) {
  double mine = 0, other = 0, p50 = 0, p99 = 0, max = 0;  // geometric means; the worst row of each percentile
  std::string list;
  for (const bench::BlockFigures& r : rows) {
    mine += std::log(r.mean_us * 1e3) / static_cast<double>(rows.size());
    other += std::log(r.baseline_us * 1e3) / static_cast<double>(rows.size());
    p50 = std::max(p50, r.p50_us), p99 = std::max(p99, r.p99_us), max = std::max(max, r.max_us);
    list += fmt::format(
        "{}{{{},\"map\":\"{}\",\"questions\":{},\"blocking\":{},\"p50_us\":{:.2f},\"p99_us\":{:.2f},\"max_us\":{:.2f}"
        ","
        "\"prepare_us\":{:.1f}}}",
        list.empty() ? "" : ",", figures(r.mean_us * 1e3, r.baseline_us * 1e3, r.equal), map_text(r.map), r.questions,
        r.blocking, r.p50_us, r.p99_us, r.max_us, r.prepare_us);
  }
  return fmt::format(
      "{{\"name\":\"would_block\",\"unit\":\"question\",{},\"p50_us\":{:.2f},\"p99_us\":{:.2f},\"max_us\":{:.2f},"
      "\"agents\":{},\"threads\":{},\"rows\":[{}]}}\n",
      figures(std::exp(mine), std::exp(other), equal), p50, p99, max, def.places, threads, list);
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

std::string paths_json(const std::vector<bench::PathFigures>& rows, bool equal) {
  std::string list;
  double queries = 0, ns = 0, baseline_ns = 0;
  for (const bench::PathFigures& f : rows) {
    const auto count = static_cast<double>(f.queries);
    queries += count;
    ns += f.ns * count;
    baseline_ns += f.baseline_ns * count;
    list += fmt::format(
        "{}{{\"map\":\"{}\",{},\"algorithm\":\"{}\",\"queries\":{},\"found\":{},\"queries_per_second\":{:.0f},"
        "\"expanded\":{:.1f},"
        "\"baseline_expanded\":{:.1f},\"unreachable_ns\":{:.1f},\"edit_ns\":{:.1f}}}",
        list.empty() ? "" : ",", map_text(f.map), figures(f.ns, f.baseline_ns, f.equal), f.algorithm, f.queries,
        f.found, f.ns > 0 ? 1e9 / f.ns : 0.0, f.expanded, f.baseline_expanded, f.unreachable_ns, f.edit_ns);
  }
  if (queries > 0) {
    ns /= queries;
    baseline_ns /= queries;
  }
  return fmt::format("{{\"name\":\"path\",\"unit\":\"query\",{},\"rows\":[{}]}}\n", figures(ns, baseline_ns, equal),
                     list);
}

std::string paths_text(const bench::PathFigures& f) {
  return fmt::format(
      "{:<14} {:>6} {:>9} {:>9.2f} us {:>10.0f} /s {:>11.2f} us {:>7.1f} x {:>9.0f} ns {:>7.0f} ns  {}\n", f.map,
      f.algorithm, f.queries, f.ns / 1000, f.ns > 0 ? 1e9 / f.ns : 0.0, f.baseline_ns / 1000,
      f.ns > 0 ? f.baseline_ns / f.ns : 0.0, f.unreachable_ns, f.edit_ns, f.equal ? "equal" : "DIFFERENT");
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

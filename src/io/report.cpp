// SPDX-License-Identifier: MIT
// RunReport to JSON, in the documented order.
#include "io/report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "io/text.hpp"

namespace drover::io {

namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json cell_of(Cell c) { return c.layer == 0 ? Json::array({c.x, c.y}) : Json::array({c.x, c.y, c.layer}); }

Json metrics_of(const Metrics& m) {
  Json refusals;
  for (int i = 0; i < kConflicts; ++i)
    refusals[to_string(static_cast<Conflict>(i))] = m.refusals[static_cast<std::size_t>(i)];
  return {{"field_builds", m.field_builds},
          {"field_repairs", m.field_repairs},
          {"field_bytes", m.field_bytes},
          {"retired_bytes", m.retired_bytes},
          {"direction_lookups", m.direction_lookups},
          {"sweep_refusals", m.sweep_refusals},
          {"refusals", refusals},
          {"waits", m.waits},
          {"fallbacks", m.fallbacks},
          {"replans", m.replans},
          {"deadlocks", m.deadlocks},
          {"joint_plans", m.joint_plans},
          {"queue_wait_ticks", m.queue_wait_ticks},
          {"tick_overruns", m.tick_overruns},
          {"stale_stops", m.stale_stops},
          {"kept_old_direction", m.kept_old_direction},
          {"steps_aside", m.steps_aside},
          {"pushes", m.pushes},
          {"rotations", m.rotations},
          {"coalesced_goal_changes", m.coalesced_goal_changes},
          {"map_versions", m.map_versions},
          {"adoptions", m.adoptions},
          {"agent_steps", m.agent_steps},
          {"adoption_ticks", m.adoption_ticks},
          {"coalesced_requests", m.coalesced_requests},
          {"kept_fields", m.kept_fields},
          {"cache_hits", m.cache_hits},
          {"cache_misses", m.cache_misses},
          {"cache_bytes", m.cache_bytes},
          {"live_bundles", m.live_bundles},
          {"oldest_reader_ticks", m.oldest_reader_ticks},
          {"withheld_bundles", m.withheld_bundles},
          {"plans", m.plans},
          {"plan_adoptions", m.plan_adoptions},
          {"planned_ticks", m.planned_ticks},
          {"planned_finish", m.planned_finish}};
}

Json bound_of(const RunBounds& b) {
  Json out{{"queue", or_null(b.queue)}, {"ring", or_null(b.ring)}, {"exact", nullptr}};
  if (b.exact) out["exact"] = b.exact->makespan();
  out["exact_sum_of_arrivals"] = b.exact ? Json(b.exact->sum_of_arrivals()) : Json(nullptr);
  out["max_evacuated_by_tick"] = b.exact ? Json(b.exact->evacuated_by_tick) : Json(nullptr);
  out["exact_note"] = b.exact_note.empty() ? Json(nullptr) : Json(b.exact_note);
  return out;
}

Json violations_of(const std::vector<Violation>& violations) {
  Json out = Json::array();
  for (const Violation& v : violations) {
    out.push_back({{"tick", v.tick},
                   {"kind", to_string(v.kind)},
                   {"agent", v.agent},
                   {"other", v.other},
                   {"cell", cell_of(v.cell)}});
  }
  return out;
}

}  // namespace

std::uint64_t RunReport::agents() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t n : states) sum += n;
  return sum;
}

std::optional<double> RunReport::throughput_vs_optimum() const {
  const std::optional<std::uint64_t> best = bound.best();
  if (!makespan_ticks || !best) return std::nullopt;
  if (*makespan_ticks == 0) return 1.0;
  return std::round(static_cast<double>(*best) / static_cast<double>(*makespan_ticks) * 1000) / 1000;
}

std::string hex16(std::uint64_t digest) { return fmt::format("{:016x}", digest); }

std::string to_json(const RunReport& r) {
  Json out;
  out["drover"] = r.drover;
  out["scenario"] = printable(r.scenario);
  out["seed"] = r.seed;
  out["threads"] = r.threads;
  out["ticks"] = r.ticks;
  out["agents"] = r.agents();
  for (const AgentState state :
       {AgentState::arrived, AgentState::moving, AgentState::waiting, AgentState::unreachable, AgentState::no_space,
        AgentState::stopped, AgentState::enclosed, AgentState::not_started}) {
    out[to_string(state)] = r.count(state);
  }
  out["makespan_ticks"] = or_null(r.makespan_ticks);
  out["sum_of_arrivals"] = r.sum_of_arrivals;
  out["bound"] = bound_of(r.bound);
  out["throughput_vs_optimum"] = or_null(r.throughput_vs_optimum());
  out["validator"] = r.validated ? Json{{"moves", r.moves}, {"violations", r.violations}} : Json(nullptr);
  out["metrics"] = metrics_of(r.metrics);
  out["tick_us"] = {{"p50", r.tick_us.p50}, {"p95", r.tick_us.p95}, {"p99", r.tick_us.p99}, {"max", r.tick_us.max}};
  out["agent_step_ns"] = r.agent_step_ns;
  out["digest"] = hex16(r.digests.all);
  out["digest_by_system"] = {{"agents", hex16(r.digests.agents)},
                             {"reservations", hex16(r.digests.reservations)},
                             {"world", hex16(r.digests.world)},
                             {"fields", hex16(r.digests.fields)}};
  out["guidance"] = to_string(r.guidance);
  out["interrupted"] = r.interrupted;
  out["first_violations"] = violations_of(r.first_violations);
  out["moved_goals"] = Json::array();
  for (const auto& [name, goal] : r.moved_goals) {
    out["moved_goals"].push_back(
        {{"goal", printable(name)}, {"asked", cell_of(goal.asked)}, {"placed", cell_of(goal.placed)}});
  }
  out["unfinished"] = Json::array();
  for (const UnfinishedAgent& agent : r.unfinished)
    out["unfinished"].push_back({{"agent", agent.key}, {"why", agent.why}});
  out["warnings"] = Json::array();
  for (const Warning& w : r.warnings) out["warnings"].push_back({{"name", w.name}, {"message", printable(w.message)}});
  out["picture"] = printable(r.picture);
  out["paranoid"] = r.paranoid;
  out["recording"] = printable(r.recording);
  return out.dump(2, ' ', true) + "\n";
}

}  // namespace drover::io

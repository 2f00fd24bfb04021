// SPDX-License-Identifier: MIT
// Plans as bytes: a forest by its steps; schedules and plans on their way by what they are made from.
#include "crowd/forest_bytes.hpp"
#include "sim/gate_crowd.hpp"

#include <algorithm>
#include <utility>

namespace drover::sim {
namespace {

void write_cells(base::ByteWriter& out, const std::vector<std::uint32_t>& cells) {
  out.number(cells.size());
  std::uint32_t before = 0;
  for (const std::uint32_t cell : cells) {
    out.number(cell - before);
    before = cell;
  }
}

// Ascending, all different, inside the planes.
std::vector<std::uint32_t> read_cells(base::ByteReader& in, std::uint32_t end) {
  std::vector<std::uint32_t> cells(in.count(1));
  std::uint64_t cell = 0;
  for (std::size_t i = 0; i < cells.size() && in.ok(); ++i) {
    const std::uint64_t step = in.number(end);
    cell += step;
    in.expect(cell < end && (i == 0 || step > 0));
    cells[i] = static_cast<std::uint32_t>(cell);
  }
  return in.ok() ? cells : std::vector<std::uint32_t>{};
}

}  // namespace

void GateCrowd::write(base::ByteWriter& out) const {
  for (const std::uint64_t n : {state_.plans, state_.adopted, state_.led_ticks}) out.number(n);
  out.u8(state_.last_request ? 1 : 0);
  if (state_.last_request) out.number(*state_.last_request);
  out.u8(state_.pair != crowd::kNobody ? 1 : 0);
  if (state_.pair == crowd::kNobody) return;
  out.number(state_.pair);
  out.number(state_.goal_version);
  out.u8(state_.plain_leads ? 1 : 0);
  out.u8(state_.forest != nullptr ? 1 : 0);
  if (state_.forest != nullptr) {
    crowd::write_forest(out, *state_.forest);
    for (const std::uint64_t finish : state_.finish) out.number(finish);
    out.number(state_.promised_finish);
    out.number(state_.promised_sum);
    out.u8(state_.schedule != nullptr ? 1 : 0);
    if (state_.schedule != nullptr) {
      out.number(state_.schedule->from_tick);
      write_cells(out, state_.schedule->cells);
    }
  }
  out.u8(state_.pending ? 1 : 0);
  if (!state_.pending) return;
  out.number(state_.pending->requested);
  out.number(state_.pending->due);
  write_cells(out, state_.pending->plan->cells);
}

bool GateCrowd::read(base::ByteReader& in, Guidance& guidance, OwnSearch& search, crowd::PairTable& table,
                     Following following, std::uint64_t tick) {
  for (std::uint64_t* n : {&state_.plans, &state_.adopted, &state_.led_ticks}) *n = in.number();
  if (in.flag()) state_.last_request = in.number(tick);
  if (!in.flag() || !in.ok()) return in.ok();
  state_.pair = in.number32();
  state_.goal_version = in.number();
  state_.plain_leads = in.flag();
  in.expect(state_.pair < guidance.pairs().size());
  if (!in.ok()) return false;
  const Pair& pair = guidance.pairs()[state_.pair];
  const std::uint32_t cells = guidance.shape().padded_cells();
  const PlanRef plan = make(guidance, search, table, following, state_.pair);
  in.expect(plan != nullptr && guidance.profiles()[pair.profile].def.footprint == 1 && fits(guidance));
  if (!in.ok()) return false;
  if (in.flag()) {
    const auto held = std::make_shared<const NavGraph>(plan->graph);
    state_.forest =
        crowd::read_forest(in, crowd::ForestGround({held, &held->compiled()}, plan->gates, plan->queue_rules));
    if (state_.forest == nullptr) return false;
    state_.finish.resize(plan->gates.size());
    for (std::uint64_t& finish : state_.finish) finish = in.number();
    state_.promised_finish = in.number();
    state_.promised_sum = in.number();
    if (in.flag()) {
      Schedule schedule;
      schedule.from_tick = in.number(tick);
      schedule.cells = read_cells(in, cells);
      in.expect(is_exact_ground(*plan));
      if (!in.ok()) return false;
      schedule.plan = exact_plan(*plan, schedule.cells);
      in.expect(schedule.plan != nullptr);
      state_.schedule = std::make_shared<const Schedule>(std::move(schedule));
    }
    show(guidance, tick);
  }
  if (!in.flag()) return in.ok();
  PendingPlan pending;
  pending.requested = in.number(tick);
  pending.due = in.number();
  plan->cells = read_cells(in, cells);
  plan->kept = state_.forest;
  plan->exact = state_.forest == nullptr;
  in.expect(pending.due >= pending.requested && !plan->cells.empty());
  pending.plan = plan;
  state_.pending = std::move(pending);
  if (in.ok()) queue_.launch(state_.pending->plan);
  return in.ok();
}

}  // namespace drover::sim

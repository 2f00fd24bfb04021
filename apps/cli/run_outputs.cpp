// SPDX-License-Identifier: MIT
// CSV and JSON lines; formats in docs/formats/report.md.
#include "run_outputs.hpp"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "map_options.hpp"

namespace drover::cli {

namespace {

io::OutputFile open(const std::string& path) {
  return path.empty() ? io::OutputFile() : must(io::OutputFile::create(path));
}

// A JSON string; names come from outside.
std::string quoted(const std::string& name) {
  return nlohmann::json(io::printable(name)).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

}  // namespace

RunOutputs::RunOutputs(const OutputPaths& paths, const io::Scenario& scenario)
    : scenario_(scenario),
      layers_(scenario.map.layers),
      trace_(open(paths.trace)),
      events_(open(paths.events)),
      moves_(open(paths.moves)) {
  trace_.write("tick,agent,x,y,layer,state\n");
  moves_.write("agent,from,to,start_tick,ticks\n");
}

void RunOutputs::tick(const io::Instance& instance) {
  if (trace_.open()) trace(instance);
  if (events_.open()) events(instance.simulation);
  if (moves_.open()) moves(instance.simulation);
  for (const io::OutputFile* file : {&trace_, &events_, &moves_}) must(file->status());
}

void RunOutputs::trace(const io::Instance& instance) {
  const std::uint64_t tick = instance.simulation.tick();
  instance.simulation.agents(views_);
  fmt::memory_buffer rows;
  for (const AgentView& v : views_) {
    if (v.state == AgentState::not_started) continue;
    const bool vanishes = scenario_.goals[v.goal.index].goal.on_arrival == OnArrival::vanish;
    if (vanishes && v.state == AgentState::arrived && v.arrival_tick != tick) continue;
    fmt::format_to(std::back_inserter(rows), "{},{},{},{},{},{}\n", tick, v.key, v.cell.x, v.cell.y, v.cell.layer,
                   to_string(v.state));
  }
  trace_.write({rows.data(), rows.size()});
}

void RunOutputs::edits(std::uint64_t tick) {
  const std::vector<io::ScenarioEdit>& edits = scenario_.edits;
  for (; next_edit_ < edits.size() && edits[next_edit_].tick <= tick; ++next_edit_) {
    const MapEdit& edit = edits[next_edit_].edit;
    std::string doors;
    for (const DoorEdit& door : edit.doors) {
      doors +=
          fmt::format("{}{{\"door\":{},\"state\":\"{}\"", doors.empty() ? "" : ",",
                      quoted(scenario_.doors[door.door].door.name), door.state == DoorState::open ? "open" : "closed");
      doors += door.cost == 0 ? "}" : fmt::format(",\"cost\":{}}}", door.cost);
    }
    std::string obstacles;
    for (const ObstacleEdit& e : edit.obstacles)
      obstacles += fmt::format("{}{{\"obstacle\":{},\"at\":[{},{}]}}", obstacles.empty() ? "" : ",", e.obstacle,
                               io::decimal_text(e.centre.x), io::decimal_text(e.centre.y));
    if (!obstacles.empty()) obstacles = ",\"obstacles\":[" + obstacles + "]";
    events_.write(fmt::format("{{\"tick\":{},\"event\":\"edit\",\"cells\":{},\"doors\":[{}]{}}}\n", tick,
                              edit.cells.size(), doors, obstacles));
  }
}

void RunOutputs::events(const Simulation& simulation) {
  const std::uint64_t tick = simulation.tick();
  edits(tick);
  for (const Adoption& a : simulation.adoptions()) {
    events_.write(fmt::format(
        "{{\"tick\":{},\"event\":\"adopted\",\"profile\":{},\"goal\":{},\"requested_tick\":{},\"field_version\":{}}}\n",
        a.tick, quoted(scenario_.profiles[a.profile.index].profile.name), quoted(scenario_.goals[a.goal.index].name),
        a.requested_tick, a.field_version));
  }
  for (const AgentEvent& e : simulation.events()) {
    events_.write(fmt::format(
        "{{\"tick\":{},\"agent\":{},\"event\":\"{}\",\"state\":\"{}\",\"reason\":\"{}\",\"by\":{},\"cell\":{}}}\n",
        e.tick, e.key, to_string(e.kind), to_string(e.state), to_string(e.reason),
        e.by == 0 ? "null" : std::to_string(e.by), cell_json(e.cell, layers_)));
  }
  events_.write(fmt::format("{{\"tick\":{},\"digest\":\"{:016x}\"}}\n", tick, simulation.digests().all));
}

void RunOutputs::moves(const Simulation& simulation) {
  for (const MoveRecord& m : simulation.moves()) {
    moves_.write(
        fmt::format("{},\"{}\",\"{}\",{},{}\n", m.agent, cell_text(m.from), cell_text(m.to), m.start_tick, m.ticks));
  }
}

void RunOutputs::drop() noexcept {
  for (io::OutputFile* file : {&trace_, &events_, &moves_}) *file = io::OutputFile();
}

void RunOutputs::commit() {
  for (io::OutputFile* file : {&trace_, &events_, &moves_}) {
    if (file->open()) must(file->commit());
  }
}

}  // namespace drover::cli

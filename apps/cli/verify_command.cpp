// SPDX-License-Identifier: MIT
// drover verify: every field of a map or scenario, judged cell by cell by an oracle that shares no code with it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "files.hpp"
#include "io/field_claims.hpp"
#include "io/output.hpp"
#include "progress.hpp"
#include "signals.hpp"
#include "stopwatch.hpp"
#include "tasks.hpp"
#include "verify_subject.hpp"

namespace drover::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string grouped(std::uint64_t n) {
  std::string text = std::to_string(n);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string counted(std::uint64_t n, const char* one, const char* many) {
  return fmt::format("{} {}", grouped(n), n == 1 ? one : many);
}

std::string way_text(std::uint32_t way) {
  if (way == CellClaim::kNoStep) return "none";
  if (way >= CellClaim::kPortalStep) return fmt::format("portal {}", way - CellClaim::kPortalStep);
  return to_string(static_cast<Direction>(way));
}

// Every optimal step, in tie order.
std::vector<std::string> ways_of(const CellClaim& claim) {
  std::vector<std::string> ways;
  for (std::uint32_t k = 0; k < kDirections; ++k) {
    if (claim.ties.has(static_cast<Direction>(k))) ways.push_back(way_text(k));
  }
  for (const PortalClaim& portal : claim.portals) ways.push_back(way_text(CellClaim::kPortalStep + portal.portal));
  return ways;
}

std::string text_of(const CellClaim& claim) {
  std::string text = to_string(claim.state);
  if (claim.cost != kInfiniteCost) text += fmt::format(" at cost {}", claim.cost);
  if (claim.step != CellClaim::kNoStep) text += fmt::format(", first step {}", way_text(claim.step));
  std::string all;
  for (const std::string& way : ways_of(claim)) all += (all.empty() ? "" : " ") + way;
  if (!all.empty()) text += fmt::format(", optimal {}", all);
  return text;
}

Json json_of(const CellClaim& claim) {
  Json json{{"state", to_string(claim.state)}};
  json["cost"] = claim.cost == kInfiniteCost ? Json() : Json(claim.cost);
  json["step"] = claim.step == CellClaim::kNoStep ? Json() : Json(way_text(claim.step));
  json["ties"] = ways_of(claim);
  return json;
}

/// The first wrong cell, and of which field.
struct Finding {
  WrongCell wrong;
  std::string profile, goal;
  std::uint64_t tick = 0;
};

struct Tally {
  std::uint64_t fields = 0, compared = 0, wrong = 0, starts = 0, sampled_fields = 0;
  std::uint64_t unplaced = 0;  // fields of goals where the body cannot stand
  std::string first_unplaced;  // which
  std::vector<std::uint64_t> ticks;
  std::optional<Finding> first;
  bool stopped = false;
};

class VerifyCommand final : public Command {
 public:
  explicit VerifyCommand(CLI::App& app) {
    add_map_options(app, map_options_);
    add_goal_option(app, map_options_);
    app.add_flag("--nearest", nearest_, "Move goals that cannot be stood on to the nearest cell that can");
    app.add_option("--seed", seed_text_, "Draws goals where there are none, and starts on large maps [1]")
        ->type_name("S");
    app.add_option("--samples", samples_text_, "On large maps: cells with a Dijkstra of their own [by size]")
        ->type_name("N");
    app.add_option("--states", states_text_, "Of a scenario whose map changes: at most N states of it [32]")
        ->type_name("N");
    app.add_option("--against", against_, "Judge the costs of FILE, as drover field --dump writes them, instead")
        ->type_name("FILE");
    add_common(app, common_);
  }

  int run() override {
    check_options();
    if (nearest_) map_options_.goals = GoalPlacement::nearest;
    VerifySubject subject = load_subject(map_options_, oracle_.seed);
    check_files(with_named({{"MAP", map_options_.map}, {"--weights", map_options_.weights}, {"--against", against_}},
                           subject.inputs),
                {{"--json", common_.json}});
    load_against(subject);
    for (NamedGoal& goal : subject.goals) {
      if (nearest_) goal.goal.placement = GoalPlacement::nearest;
    }
    layers_ = subject.map.shape().layers();
    cells_ = subject.map.shape().cell_count();
    watch_signals();
    const auto start = std::chrono::steady_clock::now();
    try {
      judge_states(subject);
    } catch (const std::bad_alloc&) {
      refuse(io::no_memory(io::map_need(subject.map.shape().width(), subject.map.shape().height(), layers_)));
    }
    const std::uint64_t us = time_since<std::chrono::microseconds>(start);
    if (tally_.fields == 0 && !tally_.stopped) refuse(refusal_);
    return report(subject, us);
  }

 private:
  void check_options() {
    threads_ = common_.thread_count();
    if (!seed_text_.empty()) {
      const std::optional<std::uint64_t> seed = io::parse_seed(seed_text_);
      if (!seed)
        wrong_value(StatusCode::seed, fmt::format("--seed {}; 0 .. 18446744073709551615 is expected", seed_text_));
      oracle_.seed = *seed;
    }
    if (!samples_text_.empty())
      oracle_.samples = static_cast<std::uint64_t>(whole_number("--samples", samples_text_, 1, INT32_MAX));
    if (!states_text_.empty())
      states_ = static_cast<std::uint64_t>(whole_number("--states", states_text_, 1, INT32_MAX));
  }

  void load_against(const VerifySubject& subject) {
    if (against_.empty()) return;
    if (subject.profiles.size() != 1 || subject.goals.size() != 1 || !subject.drawn.empty())
      usage("--against is one field; one --goal, and in a scenario one --profile, are expected");
    const std::string text = must(io::read_text_file(against_, io::kWeightsFile));
    costs_ = must(io::parse_costs(text, against_, subject.map.shape()));
    states_ = 1;
  }

  // Graphs follow the changes as they do in a run.
  void judge_states(VerifySubject& subject) {
    const ThreadTasks tasks(threads_);
    std::vector<NavGraph> graphs;
    for (const MovementProfile& profile : subject.profiles)
      graphs.push_back(checked(NavGraph::compile(subject.map.view(), profile, tasks.host())));
    const std::size_t changes = std::min<std::size_t>(subject.changes.size(), states_ - 1);
    total_ = (changes + 1) * subject.profiles.size() * subject.goals.size();
    Progress progress(common_.quiet ? Progress::Show::never : Progress::Show::on_terminal, "verifying", kPercent);
    FieldBuilder builder(tasks.host());
    for (std::size_t state = 0; state <= changes && !tally_.stopped; ++state) {
      if (state > 0) {
        const EditReport change = must(subject.map.apply(subject.changes[state - 1].second));
        for (NavGraph& graph : graphs) graph = checked(graph.updated(subject.map.view(), change.dirty));
      }
      tick_ = state == 0 ? 0 : subject.changes[state - 1].first;
      tally_.ticks.push_back(tick_);
      for (std::size_t i = 0; i < graphs.size(); ++i) {
        for (const NamedGoal& goal : subject.goals) {
          if (!tally_.stopped) judge(builder, graphs[i], {subject.map.view(), subject.profiles[i], goal}, progress);
        }
      }
    }
  }

  struct Field {
    MapView map;
    const MovementProfile& profile;
    const NamedGoal& goal;
  };

  NavGraph checked(Result<NavGraph> graph) const {
    if (!graph) refuse(io::error_at(graph.status().code(), {map_options_.map, 0, 0}, graph.status().message()));
    return *std::move(graph);
  }

  void judge(FieldBuilder& builder, const NavGraph& graph, const Field& field, Progress& progress) {
    const std::uint64_t begun = done_++;
    const std::vector<Cell> asked = asked_of(field);
    const bool nearest = field.goal.goal.placement == GoalPlacement::nearest;
    const std::vector<std::optional<Cell>> places =
        place_targets(field.map, field.profile, asked, nearest ? TargetPlacement::nearest : TargetPlacement::exact);
    const Result<FieldRef> built = builder.build(graph, field.goal.goal);
    if (!built) return refused(field, places, built.status());
    const std::span<const PlacedGoal> goals = (*built)->goals();
    std::vector<FieldTarget> targets;
    for (std::size_t i = 0; i < std::max(places.size(), goals.size()); ++i) {
      const std::optional<Cell> placed = i < goals.size() ? std::optional(goals[i].placed) : std::nullopt;
      const std::optional<Cell> place = i < places.size() ? places[i] : std::nullopt;
      if (place != placed) return misplaced(field, i < asked.size() ? asked[i] : *placed, place, placed);
      targets.push_back({*placed, field.goal.goal.area ? 0 : field.goal.goal.cells[i].offset});
    }
    oracle_.progress = [&](std::uint64_t done, std::uint64_t total) {
      progress.update((begun * kPercent + done * kPercent / total) / total_,
                      fmt::format("%, field {} of {}", begun + 1, total_));
      return caught_signal() == 0;
    };
    const Result<FieldVerdict> judged = verify_field(field.map, field.profile, targets, claims_of(**built), oracle_);
    if (!judged && judged.status().code() == StatusCode::out_of_memory) throw std::bad_alloc();
    const FieldVerdict verdict = must(judged);
    tally_.stopped = verdict.stopped;
    if (verdict.stopped) return;
    ++tally_.fields;
    tally_.compared += verdict.cells;
    tally_.starts += verdict.starts;
    tally_.wrong += verdict.wrong;
    tally_.sampled_fields += verdict.sampled ? 1 : 0;
    if (verdict.first) note({*verdict.first, field.profile.name, field.goal.name, tick_});
  }

  // The cells of the list, or of the area; its centre where it has none.
  static std::vector<Cell> asked_of(const Field& field) {
    std::vector<Cell> asked;
    for (const GoalCell& cell : field.goal.goal.cells) asked.push_back(cell.cell);
    if (!field.goal.goal.area) return asked;
    const GoalArea& area = *field.goal.goal.area;
    const AreaRule rule = area.rule == GoalArea::Rule::within ? AreaRule::within : AreaRule::in_sight;
    asked = area_targets(field.map, field.profile, area.of, area.radius, rule);
    if (asked.empty()) asked.push_back(area.of);
    return asked;
  }

  FieldClaims claims_of(const FlowField& field) const {
    return against_.empty() ? io::claims_of(field) : io::claims_of(field, costs_);
  }

  // Right where the body really cannot stand on some goal.
  void refused(const Field& field, const std::vector<std::optional<Cell>>& places, const Status& status) {
    const bool goal_fault = status.code() == StatusCode::goal_blocked || status.code() == StatusCode::goal_unknown ||
                            status.code() == StatusCode::goal_outside;
    const bool placeable = std::all_of(places.begin(), places.end(), [](const auto& p) { return p.has_value(); });
    if (!goal_fault) refuse(io::error_at(status.code(), {map_options_.map, 0, 0}, status.message()));
    if (placeable) return misplaced(field, *places.front(), places.front(), std::nullopt);
    refusal_ = io::error_at(status.code(), {map_options_.map, 0, 0},
                            status.message() + "; a goal where the body can stand is expected (--nearest moves goals)");
    if (tally_.unplaced++ == 0)
      tally_.first_unplaced =
          fmt::format("profile {}, goal {}, tick {}: {}", field.profile.name, field.goal.name, tick_, status.message());
  }

  void misplaced(const Field& field, Cell asked, std::optional<Cell> expected, std::optional<Cell> found) {
    const auto claim = [](const std::optional<Cell>& place) {
      CellClaim c;
      c.state = place ? ClaimedState::goal : ClaimedState::blocked;
      return c;
    };
    WrongCell wrong{expected.value_or(asked), ClaimFault::cell, claim(std::nullopt), claim(expected), 0, 0};
    if (!expected && found) wrong = {*found, ClaimFault::cell, claim(found), claim(std::nullopt), 0, 0};
    ++tally_.fields;
    ++tally_.wrong;
    note({wrong, field.profile.name, field.goal.name, tick_});
  }

  void note(Finding finding) {
    if (!tally_.first) tally_.first = std::move(finding);
  }

  int report(const VerifySubject& subject, std::uint64_t us) const {
    if (!common_.json.empty()) {
      must(io::write_file(common_.json, json(subject, us).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"));
    }
    if (common_.talks()) print(summary(subject));
    if (tally_.first) print_error("E_WRONG_FIELD", sentence(*tally_.first));
    const int signal = caught_signal();
    return signal != 0 ? 128 + signal : tally_.wrong > 0 ? 1 : 0;
  }

  Json json(const VerifySubject& subject, std::uint64_t us) const {
    Json out{{"cells", cells_},
             {"fields", tally_.fields},
             {"wrong", tally_.wrong},
             {"first", nullptr},
             {"sampled", tally_.sampled_fields > 0},
             {"us", us},
             {"compared", tally_.compared},
             {"starts", tally_.starts},
             {"unplaced", tally_.unplaced},
             {"profiles", subject.profiles.size()},
             {"goals", subject.goals.size()},
             {"ticks", tally_.ticks},
             {"states", subject.changes.size() + 1},
             {"seed", oracle_.seed},
             {"interrupted", tally_.stopped}};
    if (!subject.drawn.empty()) {
      for (const GoalCell& goal : subject.drawn)
        out["drawn_goals"].push_back(Json::parse(cell_json(goal.cell, layers_)));
    }
    if (!tally_.first) return out;
    const Finding& f = *tally_.first;
    out["first"] = {{"cell", Json::parse(cell_json(f.wrong.cell, layers_))},
                    {"profile", f.profile},
                    {"goal", f.goal},
                    {"tick", f.tick},
                    {"fault", fault_word(f.wrong.fault)},
                    {"found", json_of(f.wrong.found)},
                    {"expected", json_of(f.wrong.expected)}};
    if (f.wrong.fault == ClaimFault::goal) {
      out["first"]["found"]["goal"] = f.wrong.found_goal;
      out["first"]["expected"]["goal"] = f.wrong.expected_goal;
    }
    return out;
  }

  static const char* fault_word(ClaimFault fault) {
    return fault == ClaimFault::cell ? "cell" : fault == ClaimFault::walk ? "walk" : "goal";
  }

  std::string sentence(const Finding& f) const {
    const WrongCell& w = f.wrong;
    std::string found = text_of(w.found), expected = text_of(w.expected);
    if (w.fault == ClaimFault::walk)
      found = "optimal steps from here never come to a goal", expected = "a way that ends";
    if (w.fault == ClaimFault::goal)
      found = fmt::format("leads to goal cell {}", w.found_goal),
      expected = fmt::format("goal cell {}", w.expected_goal);
    return fmt::format("{}: tick {}, profile {}, goal {}: cell {}: {}; {} is expected; {} of {} cells wrong",
                       map_options_.map, f.tick, f.profile, f.goal, io::cell_text(w.cell, layers_), found, expected,
                       tally_.wrong, tally_.compared);
  }

  std::string summary(const VerifySubject& subject) const {
    const std::string fields = counted(tally_.fields, "field", "fields");
    std::string text;
    if (tally_.stopped)
      text = fmt::format("interrupted: {} looked at, {} wrong\n", fields, counted(tally_.wrong, "cell", "cells"));
    else if (tally_.wrong > 0)
      text = fmt::format("WRONG: {} in {}\n", counted(tally_.wrong, "cell", "cells"), fields);
    else
      text = fmt::format("every one of {} right in {}\n", counted(cells_, "cell", "cells"), fields);
    if (!subject.drawn.empty()) {
      std::string goals;
      for (const GoalCell& g : subject.drawn) goals += " " + io::cell_text(g.cell, layers_);
      text += fmt::format("no goal was named; drawn by seed {}:{}\n", oracle_.seed, goals);
    }
    if (tally_.ticks.size() > 1 || !subject.changes.empty()) {
      text += fmt::format("{} of {}: tick", grouped(tally_.ticks.size()),
                          counted(subject.changes.size() + 1, "state of the map", "states of the map"));
      for (const std::uint64_t tick : tally_.ticks) text += fmt::format(" {}", tick);
      text += "\n";
    }
    if (tally_.unplaced > 0) {
      const std::string more = tally_.unplaced > 1 ? fmt::format(" (and {} more)", grouped(tally_.unplaced - 1)) : "";
      text += fmt::format("no field, as the body cannot stand on the goal: {}{}\n",
                          io::printable(tally_.first_unplaced), more);
    }
    if (tally_.sampled_fields > 0)
      text += fmt::format("large map: one Dijkstra against the steps a field; {} drawn by seed {} had their own\n",
                          counted(tally_.starts, "cell", "cells"), oracle_.seed);
    else
      text += fmt::format("each place to stand had a Dijkstra of its own ({} in all)\n", grouped(tally_.starts));
    return text;
  }

  static constexpr std::uint64_t kPercent = 100;
  MapOptions map_options_;
  Common common_;
  std::string seed_text_, samples_text_, states_text_, against_;
  std::vector<io::DumpedCost> costs_;
  bool nearest_ = false;
  OracleOptions oracle_;
  std::uint64_t states_ = 32;
  std::uint32_t threads_ = 1;
  std::int32_t layers_ = 1;
  std::uint64_t cells_ = 0, total_ = 0, done_ = 0, tick_ = 0;
  Tally tally_;
  Status refusal_;
};

}  // namespace

std::unique_ptr<Command> add_verify(CLI::App& program, CLI::App*& app) {
  app = program.add_subcommand("verify", "Prove every cell of the fields of a map or scenario");
  return std::make_unique<VerifyCommand>(*app);
}

}  // namespace drover::cli

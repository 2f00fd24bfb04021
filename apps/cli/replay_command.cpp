// SPDX-License-Identifier: MIT
// drover replay: run a recording again and compare. drover diff: find where two recordings part.
#include <drover/recording.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app.hpp"
#include "files.hpp"
#include "io/output.hpp"
#include "io/report.hpp"
#include "progress.hpp"
#include "signals.hpp"
#include "tasks.hpp"

namespace drover::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kInputsShown = 20;

// What is wrong with the file, also with --quiet.
void warn_of_damage(const std::string& file, const io::Recovered& recovered) {
  if (!recovered.damaged_at) return;
  const std::string what = recovered.cut ? fmt::format("ends without an end record at byte {}", *recovered.damaged_at)
                                         : fmt::format("byte {} is not what was written", *recovered.damaged_at);
  print_warnings({{recovered.cut ? "W_REPLAY_TRUNCATED" : "W_REPLAY_DAMAGED",
                   fmt::format("{}: {}; the recording is whole up to tick {}", file, what, recovered.ticks)}});
}

Json damage_json(const io::Recovered& recovered) {
  return recovered.damaged_at ? Json(*recovered.damaged_at) : Json(nullptr);
}

void write_json(const std::string& path, const Json& json) { must(io::write_file(path, json.dump() + "\n")); }

int after_signal(int status) {
  const int signal = caught_signal();
  return signal != 0 ? 128 + signal : status;
}

class ReplayCommand final : public Command {
 public:
  explicit ReplayCommand(CLI::App& app) {
    app.add_option("FILE", file_, "A recording (.drv)");
    app.add_flag("--verify", verify_, "Compare steps, adoptions and whole states too, not only digests");
    app.add_option("--from", from_, "Begin with the last keyframe at or before tick T [0]")->type_name("T");
    app.add_flag("--recorded-inputs", recorded_inputs_, "Do not look at the scenario file that the recording names");
    add_common(app, common_);
  }

  int run() override {
    if (file_.empty()) usage("no FILE; drover replay FILE.drv is expected");
    io::ReplayOptions options;
    if (!from_.empty()) options.from_tick = static_cast<std::uint64_t>(whole_number("--from", from_, 0, INT64_MAX));
    options.compare = verify_ ? io::ReplayOptions::Compare::everything : io::ReplayOptions::Compare::digests;
    options.check_scenario_file = !recorded_inputs_;
    const std::uint32_t threads = common_.thread_count();
    check_files({{"FILE", file_}}, {{"--json", common_.json}});
    watch_signals();
    const ThreadTasks tasks(threads);
    std::optional<Progress> bar;
    options.progress = [&](std::uint64_t tick, std::uint64_t ticks) {
      if (!bar) bar.emplace(common_.quiet ? Progress::Show::never : Progress::Show::on_terminal, "replaying", ticks);
      bar->update(tick, "ticks");
      return caught_signal() == 0;
    };
    const io::ReplayResult result = must(io::replay(file_, options, tasks.host()));
    bar.reset();
    warn_of_damage(file_, result.recovered);
    check_files(with_named({{"FILE", file_}}, result.inputs), {{"--json", common_.json}});
    if (!common_.json.empty()) write_json(common_.json, json(result));
    if (common_.talks()) print(summary(result));
    if (!result.difference) return after_signal(0);
    print_error("E_DESYNC",
                fmt::format("{}: {}; equal ticks are expected", file_, io::to_text(*result.difference, "run again")));
    return after_signal(1);
  }

 private:
  static Json json(const io::ReplayResult& r) {
    Json out;
    out["scenario"] = r.info.scenario;
    out["ticks"] = r.last_tick;
    out["first_tick"] = r.first_tick;
    out["equal"] = !r.difference;
    out["first_difference"] = r.difference ? Json::parse(io::to_json(*r.difference)) : Json(nullptr);
    out["recovered_ticks"] = r.recovered.ticks;
    out["damaged_at"] = damage_json(r.recovered);
    out["complete"] = !r.recovered.damaged_at;
    out["cut"] = r.recovered.cut;
    out["interrupted"] = r.stopped;
    Json states;
    for (std::size_t i = 0; i < r.states.size(); ++i) states[to_string(static_cast<AgentState>(i))] = r.states[i];
    out["states"] = states;
    out["digest"] = io::hex16(r.digests.all);
    return out;
  }

  std::string summary(const io::ReplayResult& r) const {
    std::uint64_t agents = 0;
    for (const std::uint64_t n : r.states) agents += n;
    if (agents == 0 && r.recovered.damaged_at && r.recovered.ticks == 0)
      return fmt::format("{}: nothing was run again: not even the first state is whole\n", io::printable(file_));
    return fmt::format("{}: ticks {} to {} run again, {}{}\n{} of {} agents arrived, digest {}\n",
                       io::printable(r.info.scenario.empty() ? file_ : r.info.scenario), r.first_tick, r.last_tick,
                       r.difference ? "not equal"
                       : verify_    ? "every digest, step and state equal"
                                    : "every digest equal",
                       r.stopped ? fmt::format(" (interrupted; {} were recorded)", r.recovered.ticks) : "",
                       r.states[static_cast<std::size_t>(AgentState::arrived)], agents, io::hex16(r.digests.all));
  }

  std::string file_, from_;
  bool verify_ = false, recorded_inputs_ = false;
  Common common_;
};

class DiffCommand final : public Command {
 public:
  explicit DiffCommand(CLI::App& app) {
    app.add_option("A", a_, "A recording (.drv)");
    app.add_option("B", b_, "Another");
    add_common(app, common_);
  }

  int run() override {
    if (a_.empty() || b_.empty()) usage("two recordings are needed; drover diff A.drv B.drv is expected");
    const std::uint32_t threads = common_.thread_count();
    check_files({{"A", a_}, {"B", b_}}, {{"--json", common_.json}});
    const ThreadTasks tasks(threads);
    const io::DiffResult result = must(io::diff(a_, b_, tasks.host()));
    warn_of_damage(a_, result.a);
    warn_of_damage(b_, result.b);
    if (!common_.json.empty()) write_json(common_.json, json(result));
    if (common_.talks()) print(summary(result));
    return result.difference ? 1 : 0;
  }

 private:
  static Json json(const io::DiffResult& r) {
    Json out;
    out["equal"] = !r.difference;
    if (r.difference) {
      const Json difference = Json::parse(io::to_json(*r.difference));
      for (const auto& [key, value] : difference.items()) out[key] = value;
      out["again"] = r.again;
      out["seen_tick"] = r.seen_tick ? Json(*r.seen_tick) : Json(nullptr);
      out["inputs"] = {{"a", r.inputs_a}, {"b", r.inputs_b}};
    }
    out["other"] = r.other;
    out["first_a"] = r.first_a;
    out["first_b"] = r.first_b;
    out["ticks_a"] = r.a.ticks;
    out["ticks_b"] = r.b.ticks;
    return out;
  }

  static std::string summary(const io::DiffResult& r) {
    std::string text;
    for (const std::string& what : r.other)
      text += fmt::format("A and B differ in what they are recordings of: {}\n", what);
    if (!r.difference)
      return text + fmt::format("equal: every digest of ticks {} to {}\n", std::max(r.first_a, r.first_b), r.a.ticks);
    if (r.difference->subsystem == "ticks") {
      const bool apart = std::max(r.first_a, r.first_b) > std::min(r.a.ticks, r.b.ticks);
      return text + fmt::format("A has ticks {} to {}, B {} to {}; {}\n", r.first_a, r.a.ticks, r.first_b, r.b.ticks,
                                apart ? "they share none" : "all they share is equal");
    }
    text += fmt::format("the recordings part: {}\n", io::to_text(*r.difference, "in B"));
    if (r.seen_tick)
      text += fmt::format("no step of that tick differs: these values are from the states of tick {}\n", *r.seen_tick);
    if (!r.again)
      text += "running both again does not show it: this is what was written down when they were recorded\n";
    for (const auto& [which, inputs] : {std::pair{"A", &r.inputs_a}, std::pair{"B", &r.inputs_b}}) {
      text += fmt::format("inputs of {} alone in that tick:{}\n", which, inputs->empty() ? " none" : "");
      for (std::size_t i = 0; i < inputs->size() && i < kInputsShown; ++i) text += "  " + (*inputs)[i] + "\n";
      if (inputs->size() > kInputsShown) text += fmt::format("  and {} more\n", inputs->size() - kInputsShown);
    }
    return text;
  }

  std::string a_, b_;
  Common common_;
};

}  // namespace

std::unique_ptr<Command> add_replay(CLI::App& program, CLI::App*& app) {
  app = program.add_subcommand("replay", "Run a recording again and compare every tick");
  return std::make_unique<ReplayCommand>(*app);
}

std::unique_ptr<Command> add_diff(CLI::App& program, CLI::App*& app) {
  app = program.add_subcommand("diff", "Find the first tick where two recordings part, and what differs");
  return std::make_unique<DiffCommand>(*app);
}

}  // namespace drover::cli

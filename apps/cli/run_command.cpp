// SPDX-License-Identifier: MIT
// drover run: simulate a scenario, check every move, write reports and picture.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "files.hpp"
#include "io/html.hpp"
#include "io/output.hpp"
#include "io/report_html.hpp"
#include "run_session.hpp"
#include "signals.hpp"

namespace drover::cli {

namespace {

class RunCommand final : public Command {
 public:
  explicit RunCommand(CLI::App& app) {
    app.add_option("SCENARIO", scenario_, "A scenario (.toml) or a gate instance (.gate)");
    app.add_option("--out", out_, "Folder for report.json, report.html, picture.png and replay.drv [out/<scenario>]")
        ->type_name("DIR");
    app.add_option("--ticks", ticks_, "Stop after N ticks [the scenario's]")->type_name("N");
    app.add_option("--seed", seed_, "Instead of the scenario's seed")->type_name("S");
    app.add_option("--guidance", guidance_, "How crowds share gates [scenario's; .gate: forest]")
        ->type_name("plain|forest");
    app.add_option("--trace", outputs_.trace, "CSV tick,agent,x,y,layer,state")->type_name("FILE");
    app.add_option("--events", outputs_.events, "JSON lines: events, adoptions, edits, a digest a tick")
        ->type_name("FILE");
    app.add_option("--moves", outputs_.moves, "CSV agent,from,to,start_tick,ticks")->type_name("FILE");
    app.add_flag("--validate,!--no-validate", validate_, "Check every move with the independent validator [on]");
    app.add_flag("--paranoid", paranoid_, "Every tick twice, the second time on other threads; both must be equal");
    app.add_flag("--exact-bound", exact_bound_, "Compute the optimal makespan too, where it is affordable");
    app.add_flag("--require-arrival", require_arrival_, "Exit status 1 unless all agents arrived");
    app.add_flag("--allow-outside", allow_outside_, "Let the scenario name files outside its folder");
    app.add_option("--engine-threads", engine_threads_, "The same as --threads")->type_name("N");
    add_common(app, common_);
  }

  int run() override {
    const io::ScenarioOptions options = check_options();
    io::Scenario scenario = must(io::load_scenario(scenario_, options));
    if (!guidance_.empty())
      scenario.policy.guidance = guidance_ == "forest" ? GuidancePolicy::forest : GuidancePolicy::plain;
    print_warnings(scenario.warnings);
    const std::string folder = out_.empty() ? "out/" + scenario.name : out_;
    check_files(with_named({{"SCENARIO", scenario_}}, scenario.inputs), output_files(folder));
    must(io::make_folder(folder));
    watch_signals();
    RunSettings settings;
    settings.ticks =
        ticks_.empty() ? scenario.ticks : static_cast<std::uint64_t>(whole_number("--ticks", ticks_, 0, INT64_MAX));
    settings.validate = validate_;
    settings.exact_bound = exact_bound_ ? io::ExactBound::compute : io::ExactBound::skip;
    settings.paranoid = paranoid_;
    settings.command = command(scenario.policy.seed);
    settings.outputs = outputs_;
    settings.recording = (std::filesystem::path(folder) / "replay.drv").string();
    settings.progress = common_.quiet ? Progress::Show::never : Progress::Show::on_terminal;
    try {
      const ThreadTasks tasks(threads_);
      const auto start = std::chrono::steady_clock::now();
      RunSession session(scenario, tasks, settings);
      session.run();
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      return finish(session, folder, seconds);
    } catch (const std::bad_alloc&) {
      refuse(io::no_memory(io::map_need(scenario.map.width, scenario.map.height, scenario.map.layers)));
    }
  }

 private:
  io::ScenarioOptions check_options() {
    if (scenario_.empty()) usage("no SCENARIO; drover run FILE.toml or FILE.gate is expected");
    if (!guidance_.empty()) choice("--guidance", guidance_, {"plain", "forest"}, {"priced", "congestion"});
    if (!ticks_.empty()) whole_number("--ticks", ticks_, 0, INT64_MAX);
    if (!engine_threads_.empty()) {
      if (!common_.threads.empty() && common_.threads != engine_threads_)
        usage("--threads and --engine-threads differ; one of them is expected");
      common_.threads = engine_threads_;
    }
    threads_ = common_.thread_count();
    io::ScenarioOptions options;
    if (!seed_.empty()) {
      options.seed = io::parse_seed(seed_);
      if (!options.seed)
        wrong_value(StatusCode::seed, fmt::format("--seed {}; 0 .. 18446744073709551615 is expected", seed_));
    }
    options.paths = allow_outside_ ? io::PathRule::anywhere : io::PathRule::below_scenario;
    return options;
  }

  std::vector<NamedFile> output_files(const std::string& folder) const {
    std::vector<NamedFile> files{{"--trace", outputs_.trace},
                                 {"--events", outputs_.events},
                                 {"--moves", outputs_.moves},
                                 {"--json", common_.json}};
    for (const char* name : {"report.json", "report.html", "picture.png", "replay.drv"})
      files.push_back({"--out", (std::filesystem::path(folder) / name).string()});
    return files;
  }

  int finish(const RunSession& session, const std::string& folder, double seconds) const {
    io::RunReport report = session.report();
    report.picture = (std::filesystem::path(folder) / "picture.png").string();
    report.recording = (std::filesystem::path(folder) / "replay.drv").string();
    const RunDrawing drawing = session.drawing();
    must(io::write_picture(report.picture, session.map(), drawing.def));
    const std::string path = (std::filesystem::path(folder) / "report.json").string();
    const std::string json = io::to_json(report);
    must(io::write_file(path, json));
    if (!common_.json.empty()) must(io::write_file(common_.json, json));
    const std::string page = (std::filesystem::path(folder) / "report.html").string();
    must(io::write_file(page, io::to_html({report, session.history(), session.map(), drawing.def, command(report)})));
    if (common_.talks()) {
      summary(report, path, seconds);
      print(fmt::format("report: {}\n", io::printable(page)));
      if (paranoid_ && !session.desync()) print("every tick was made twice, with equal results\n");
    }
    return judge(report, session);
  }

  // What this run was asked for, with what the scenario may leave open.
  std::string command(const io::RunReport& report) const {
    std::string text = command(report.seed);
    if (!ticks_.empty()) text += " --ticks " + io::shell_word(ticks_);
    if (!guidance_.empty()) text += " --guidance " + io::shell_word(guidance_);
    if (exact_bound_) text += " --exact-bound";
    return text;
  }
  std::string command(std::uint64_t seed) const {
    const char* const outside = allow_outside_ ? " --allow-outside" : "";
    return fmt::format("drover run {} --seed {}{}", io::shell_word(scenario_), seed, outside);
  }

  static void summary(const io::RunReport& r, const std::string& path, double seconds) {
    const bool none = r.count(AgentState::arrived) == 0 && r.agents() > 0;
    std::string text = fmt::format("{}: {} of {} agents arrived in {} ticks", io::printable(r.scenario),
                                   none ? "NONE" : std::to_string(r.count(AgentState::arrived)), r.agents(), r.ticks);
    if (none) {
      const auto most = std::max_element(r.unfinished_by_reason.begin(), r.unfinished_by_reason.end());
      const auto reason = static_cast<Reason>(most - r.unfinished_by_reason.begin());
      text += fmt::format("; most frequent: {} ({})", reason == Reason::none ? "moving" : to_string(reason), *most);
    }
    if (r.makespan_ticks) text += fmt::format(" (last at tick {}", *r.makespan_ticks);
    const std::optional<std::uint64_t> bound = r.bound.best();
    if (r.makespan_ticks && bound) text += fmt::format(", no plan can be below {}", *bound);
    if (r.makespan_ticks) text += ")";
    text += "\n";
    for (const AgentState s : {AgentState::moving, AgentState::waiting, AgentState::unreachable, AgentState::no_space,
                               AgentState::stopped, AgentState::enclosed, AgentState::not_started}) {
      if (r.count(s) > 0) text += fmt::format("  {} {}\n", r.count(s), to_string(s));
    }
    for (const auto& [name, goal] : r.moved_goals) {
      text += fmt::format("goal {}: {} was moved to {}\n", io::printable(name), io::cell_text(goal.asked),
                          io::cell_text(goal.placed));
    }
    if (r.validated) text += fmt::format("{} moves checked, {} violations\n", r.moves, r.violations);
    text += fmt::format("digest {}, {:.0f} ticks a second, p99 tick {} us, {} threads\n", io::hex16(r.digests.all),
                        seconds > 0 ? static_cast<double>(r.ticks) / seconds : 0.0, r.tick_us.p99, r.threads);
    text += fmt::format("recording: {}\npicture: {}\nreport: {}\n", io::printable(r.recording),
                        io::printable(r.picture), io::printable(path));
    print(text);
  }

  int judge(const io::RunReport& r, const RunSession& session) const {
    int status = 0;
    if (const std::optional<io::Difference>& d = session.desync()) {
      print_error("E_DESYNC", fmt::format("{}; equal ticks are expected; reproduce: {} --threads {}", io::to_text(*d),
                                          session.reproduce(d->tick), r.threads));
      status = 1;
    }
    if (r.violations > 0) {
      const Violation& v = r.first_violations.front();
      print_error("E_VIOLATION",
                  fmt::format("tick {}: {} of agent {}{} at {}; {} violations, none is expected", v.tick,
                              to_string(v.kind), v.agent, v.other == 0 ? "" : fmt::format(" and agent {}", v.other),
                              io::cell_text(v.cell), r.violations));
      status = 1;
    }
    if (require_arrival_ && r.count(AgentState::arrived) != r.agents()) {
      const std::string why = r.unfinished.empty() ? "" : "; " + r.unfinished.front().why;
      print_error("E_NOT_ARRIVED", fmt::format("{} of {} agents arrived; all are expected{}",
                                               r.count(AgentState::arrived), r.agents(), why));
      status = 1;
    }
    const int signal = caught_signal();
    return signal != 0 ? 128 + signal : status;
  }

  std::string scenario_, out_, ticks_, seed_, guidance_, engine_threads_;
  OutputPaths outputs_;
  bool validate_ = true, paranoid_ = false, exact_bound_ = false, require_arrival_ = false, allow_outside_ = false;
  Common common_;
  std::uint32_t threads_ = 1;
};

}  // namespace

std::unique_ptr<Command> add_run(CLI::App& program, CLI::App*& app) {
  app = program.add_subcommand("run", "Simulate a scenario, check every move, report");
  return std::make_unique<RunCommand>(*app);
}

}  // namespace drover::cli

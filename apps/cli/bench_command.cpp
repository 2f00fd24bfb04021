// SPDX-License-Identifier: MIT
// drover bench: the product beside a plain baseline, answers compared.
#include <drover/cave.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app.hpp"
#include "bench/bake_bench.hpp"
#include "bench/block_bench.hpp"
#include "bench/cave_bench.hpp"
#include "bench/crowd_bench.hpp"
#include "bench/field_bench.hpp"
#include "bench/fov_bench.hpp"
#include "bench/gate_bench.hpp"
#include "bench/publish_bench.hpp"
#include "bench/repair_bench.hpp"
#include "bench/rollback_bench.hpp"
#include "bench/rts_bench.hpp"
#include "bench_text.hpp"
#include "cave_bench_text.hpp"
#include "files.hpp"
#include "io/output.hpp"
#include "progress.hpp"
#include "tasks.hpp"

namespace drover::cli {

namespace {

constexpr std::int64_t kMostSize = 16384;
constexpr std::int32_t kCallSize = 64;

class BenchCommand final : public Command {
 public:
  explicit BenchCommand(CLI::App& app) {
    app.add_option("NAME", name_,
                   "field, repair, crowd, gates, rollback, publish, rts, would_block, bake, cave, fov or path");
    app.add_option("--size", size_,
                   "Cells a side [1024; rollback: 512; would_block: 256; bake, cave, fov: 1000; gates: 64; path: 512]")
        ->type_name("N");
    app.add_option("--map", map_, "field, repair, would_block: one map instead of a table")
        ->type_name("open|cave|maze|noise|terrain|cavew|FILE");
    app.add_option("--moves", moves_, "field, repair: 4 or 8 moves instead of both")->type_name("4|8");
    app.add_option("--edit", edit_, "repair: what changes [cell]")->type_name("cell|door|blob");
    app.add_option("--count", count_,
                   "repair: how many edits [1000]; publish: how many publications [2000]; gates: caves a width [20]; "
                   "path: queries a map [500]")
        ->type_name("N");
    app.add_option("--check-every", check_every_, "repair: edits between two that are built anew and compared [1]")
        ->type_name("N");
    app.add_option("--runs", runs_,
                   "field, rollback, bake, cave: what the median is of [5; rollback: 30; bake, cave: 15]; would_block: "
                   "questions of each "
                   "shape [500]")
        ->type_name("N");
    app.add_option("--agents", agents_, "How many [100000; rollback, rts: 10000; gates: 1000; would_block: 100]")
        ->type_name("N");
    app.add_option("--shapes", shapes_, "bake: how many [1000]")->type_name("N");
    app.add_option("--goals", goals_, "crowd: goal cells, where agents vanish [1]")->type_name("N");
    app.add_option("--ticks", ticks_, "crowd: how long [200]; rts [1200]")->type_name("N");
    app.add_option("--readers", readers_, "publish: threads that read [2]")->type_name("N");
    app.add_option("--fields", fields_, "rts: goals, each with one profile [200]")->type_name("N");
    app.add_option("--latency", latency_, "rts: adopt_latency_ticks [1]")->type_name("N");
    app.add_option("--refresh", refresh_, "rts: refresh_latency_ticks [16]")->type_name("N");
    app.add_option("--scen", scen_, "path: the queries of a MovingAI scenario of --map")->type_name("FILE");
    app.add_option("--radius", radius_, "fov: how far a view goes [10]")->type_name("R");
    app.add_option("--generations", generations_, "cave: how many [5]")->type_name("N");
    app.add_option("--seed", seed_, "Of map and crowd [1]")->type_name("S");
    add_common(app, common_);
  }

  int run() override {
    if (name_.empty())
      usage(
          "no NAME; drover bench field, repair, crowd, gates, rollback, publish, rts, would_block, bake, cave, fov or "
          "path "
          "is "
          "expected");
    const std::size_t which = choice("bench", name_,
                                     {"field", "crowd", "rollback", "would_block", "bake", "repair", "publish", "rts",
                                      "gates", "cave", "fov", "path"},
                                     {"turn"});
    if (!seed_.empty()) {
      const auto seed = io::parse_seed(seed_);
      if (!seed) wrong_value(StatusCode::seed, fmt::format("--seed {}; 0 .. 18446744073709551615 is expected", seed_));
      random_ = *seed;
    }
    constexpr std::int64_t kUsualSize[] = {1024, 1024, 512, 256, 1000, 1024, 256, 512, 64, 1000, 1000, 512};
    cells_a_side_ = static_cast<std::int32_t>(number("--size", size_, kUsualSize[which], 3, kMostSize));
    // One thread unless asked: figures are for one core.
    threads_ = common_.threads.empty() ? 1 : common_.thread_count();
    switch (which) {
      case 0:
        return field();
      case 1:
        return crowd();
      case 2:
        return rollback();
      case 3:
        return would_block();
      case 4:
        return bake();
      case 5:
        return repair();
      case 6:
        return publish();
      case 7:
        return rts();
      case 8:
        return gates();
      case 9:
        return cave();
      case 10:
        return fov();
      default:
        return paths();
    }
  }

 private:
  static std::int64_t number(std::string_view option, const std::string& value, std::int64_t otherwise,
                             std::int64_t least, std::int64_t most) {
    return value.empty() ? otherwise : whole_number(option, value, least, most);
  }

  Progress::Show show() const { return common_.quiet ? Progress::Show::never : Progress::Show::on_terminal; }

  int field() {
    std::vector<int> moves{4, 8};
    if (!moves_.empty()) moves = {choice("--moves", moves_, {"4", "8"}) == 0 ? 4 : 8};
    const auto runs = static_cast<int>(number("--runs", runs_, 5, 5, 1000));
    std::vector<std::string> maps{"open", "cave", "maze", "noise", "terrain"};
    if (!map_.empty()) maps = {map_};
    if (!map_.empty() && !bench::map_kind(map_)) check_files({{"--map", map_}}, {{"--json", common_.json}});
    const ThreadTasks tasks(threads_);
    std::vector<bench::FieldFigures> rows;
    if (common_.talks()) {
      if (map_.empty() || bench::map_kind(map_)) print(memory_text(cells_a_side_));
      print(table_head());
    }
    Progress progress(show(), "measuring", maps.size() * moves.size());
    for (const std::string& name : maps) {
      const bench::BenchMap map = load(name);
      for (const int m : moves) {
        progress.update(rows.size(), fmt::format("{} with {} moves", name, m));
        rows.push_back(must(bench::measure_field(map, name, m, runs, tasks.host(), [&] { return tasks.busy_ns(); })));
        if (common_.talks()) print(table_row(rows.back()));
      }
    }
    bool equal = true;
    for (const bench::FieldFigures& row : rows) equal = equal && row.equal;
    const double call_us =
        must(bench::measure_call_us(bench::make_bench_map(bench::MapKind::cave, kCallSize, random_), tasks.host()));
    if (common_.talks())
      print(fmt::format("cave of {0} x {0}, 8 moves, from goal to published bundle: {1:.1f} us\n", kCallSize, call_us));
    if (!common_.json.empty()) must(io::write_file(common_.json, field_json(rows, equal, call_us)));
    return equal ? 0 : differ();
  }

  // Of a map from a file it is known only when that is read.
  static std::string memory_text(std::int64_t side) {
    const auto mib = static_cast<double>(side * side) * bench::kFieldBenchBytes / (1 << 20);
    return fmt::format("{0} x {0} cells, about {1:.0f} MiB of memory\n", side, std::ceil(mib));
  }

  static int differ() {
    print_error("E_DIFFERENT", "the answers of product and baseline differ; equal answers are expected");
    return 1;
  }

  bench::BenchMap load(const std::string& name) const {
    if (const auto kind = bench::map_kind(name)) return bench::make_bench_map(*kind, cells_a_side_, random_);
    const GridMap map = must(io::make_map(must(io::load_map_file(name))));
    bench::BenchMap made = bench::bench_map_of(map.view());
    if (made.free_cells == 0)
      refuse(Status(StatusCode::goal_blocked,
                    fmt::format("{}: no free cell; at least one is expected", io::printable(name))));
    return made;
  }

  static std::string table_head() {
    return fmt::format("{:<10} {:>5} {:>10} {:>9} {:>8} {:>10} {:>8} {:>7} {:>8} {:>7} {:>6}  {}\n", "map", "moves",
                       "reachable", "ms", "ns/cell", "directions", "heap", "ratio", "Dial", "ratio", "equal", "engine");
  }
  static std::string table_row(const bench::FieldFigures& r) {
    return fmt::format(
        "{:<10} {:>5} {:>10} {:>9.3f} {:>8.2f} {:>10.2f} {:>8.1f} {:>7.1f} {:>8.1f} {:>7.1f} {:>6}  {}\n",
        io::printable(r.map), r.moves, r.reachable, r.ms(), r.ns_per_unit, r.directions_ns, r.baseline_ns_per_unit,
        r.ratio(), r.dial_ns_per_unit, r.dial_ratio(), r.equal ? "true" : "false", r.engine);
  }
  static std::string row_json(const bench::FieldFigures& r) {
    return fmt::format(
        "\"map\":\"{}\",\"moves\":{},\"reachable\":{},\"ms\":{:.4f},\"integrate_ns\":{:.3f},\"directions_ns\":{:.3f},"
        "\"dial_ns_per_unit\":{:.3f},\"dial_ratio\":{:.3f},\"engine\":\"{}\",\"activations\":{}",
        map_text(r.map), r.moves, r.reachable, r.ms(), r.integrate_ns, r.directions_ns, r.dial_ns_per_unit,
        r.dial_ratio(), r.engine, r.activations);
  }

  std::string field_json(const std::vector<bench::FieldFigures>& rows, bool equal, double call_us) const {
    double mine = 0, other = 0;  // geometric means
    std::string list;
    for (const bench::FieldFigures& r : rows) {
      mine += std::log(r.ns_per_unit) / static_cast<double>(rows.size());
      other += std::log(r.baseline_ns_per_unit) / static_cast<double>(rows.size());
      list += fmt::format("{}{{{},{}}}", list.empty() ? "" : ",",
                          figures(r.ns_per_unit, r.baseline_ns_per_unit, r.equal), row_json(r));
    }
    const std::string head = fmt::format(
        "\"name\":\"field\",\"unit\":\"reachable cell\",\"threads\":{},\"call_us\":{:.2f}", threads_, call_us);
    if (rows.size() == 1)
      return fmt::format("{{{},{},{}}}\n", head, figures(rows[0].ns_per_unit, rows[0].baseline_ns_per_unit, equal),
                         row_json(rows[0]));
    return fmt::format("{{{},{},\"rows\":[{}]}}\n", head, figures(std::exp(mine), std::exp(other), equal), list);
  }

  int repair() {
    bench::RepairDef def;
    if (!edit_.empty()) def.edit = static_cast<bench::RepairEdit>(choice("--edit", edit_, {"cell", "door", "blob"}));
    def.count = static_cast<std::uint32_t>(number("--count", count_, 1000, 1, 10000000));
    def.check_every = static_cast<std::uint32_t>(number("--check-every", check_every_, 1, 1, def.count));
    def.seed = random_;
    std::vector<int> moves{4, 8};
    if (!moves_.empty()) moves = {choice("--moves", moves_, {"4", "8"}) == 0 ? 4 : 8};
    std::vector<std::string> maps{"open", "cave", "maze", "noise", "terrain"};
    if (!map_.empty()) maps = {map_};
    if (!map_.empty() && !bench::map_kind(map_)) check_files({{"--map", map_}}, {{"--json", common_.json}});
    const ThreadTasks tasks(threads_);
    if (common_.talks())
      print(fmt::format("{:<10} {:>5} {:>9} {:>9} {:>9} {:>10} {:>7} {:>9} {:>9} {:>7} {:>6} {:>8} {:>6}\n", "map",
                        "moves", "median us", "p99", "max", "rebuild us", "worst", "fallbacks", "touched", "pages",
                        "graph us", "map us", "equal"));
    Progress progress(show(), "measuring", maps.size() * moves.size() * def.count);
    std::vector<RepairRow> rows;
    for (const std::string& name : maps) {
      const bench::BenchMap map = load(name);
      for (const int m : moves) {
        def.moves = m;
        const std::uint64_t before = rows.size() * def.count;
        const auto told = [&](std::uint64_t done) { progress.update(before + done, io::printable(name)); };
        rows.push_back({name, m, must(bench::measure_repair(map, def, tasks.host(), told))});
        const bench::RepairFigures& f = rows.back().figures;
        if (!common_.talks()) continue;
        print(
            fmt::format("{:<10} {:>5} {:>9.2f} {:>9.1f} {:>9.1f} {:>10.1f} {:>7.2f} {:>9} {:>9.1f} {:>7.1f} {:>6.1f} "
                        "{:>8.1f} {:>6}\n",
                        io::printable(name), m, f.median_us, f.p99_us, f.max_us, f.rebuild_us, f.worst_over_rebuild,
                        f.fallbacks, f.touched, f.pages, f.graph_us, f.map_us, f.equal));
      }
    }
    bool equal = true;
    for (const RepairRow& row : rows) equal = equal && row.figures.equal;
    if (!common_.json.empty()) must(io::write_file(common_.json, repair_json(rows, def, equal)));
    return equal ? 0 : differ();
  }

  struct RepairRow {
    std::string map;
    int moves;
    bench::RepairFigures figures;
  };
  static std::string row_json(const RepairRow& r) {
    const bench::RepairFigures& f = r.figures;
    return fmt::format(
        "\"map\":\"{}\",\"moves\":{},\"median_us\":{:.3f},\"p99_us\":{:.2f},\"max_us\":{:.2f},\"rebuild_us\":{:.2f},"
        "\"fallbacks\":{},\"worst_over_rebuild\":{:.3f},\"graph_us\":{:.2f},\"map_us\":{:.2f},\"touched\":{:.1f},"
        "\"pages_copied\":{:.2f},\"edits\":{},\"edits_checked\":{}",
        map_text(r.map), r.moves, f.median_us, f.p99_us, f.max_us, f.rebuild_us, f.fallbacks, f.worst_over_rebuild,
        f.graph_us, f.map_us, f.touched, f.pages, f.edits, f.checked);
  }
  std::string repair_json(const std::vector<RepairRow>& rows, const bench::RepairDef& def, bool equal) const {
    double mine = 0, other = 0;  // geometric means
    std::string list;
    for (const RepairRow& r : rows) {
      mine += std::log(r.figures.median_us * 1e3) / static_cast<double>(rows.size());
      other += std::log(std::max(r.figures.rebuild_us, 1e-3) * 1e3) / static_cast<double>(rows.size());
      list += fmt::format("{}{{{},{}}}", list.empty() ? "" : ",",
                          figures(r.figures.median_us * 1e3, r.figures.rebuild_us * 1e3, r.figures.equal), row_json(r));
    }
    const std::string head = fmt::format("\"name\":\"repair\",\"unit\":\"edit\",\"check_every\":{},\"threads\":{}",
                                         def.check_every, threads_);
    if (rows.size() == 1)
      return fmt::format("{{{},{},{}}}\n", head,
                         figures(rows[0].figures.median_us * 1e3, rows[0].figures.rebuild_us * 1e3, equal),
                         row_json(rows[0]));
    return fmt::format("{{{},{},\"rows\":[{}]}}\n", head, figures(std::exp(mine), std::exp(other), equal), list);
  }

  int crowd() {
    bench::CrowdDef def;
    def.size = cells_a_side_;
    def.agents = static_cast<std::uint32_t>(number("--agents", agents_, 100000, 1, 100000000));
    def.goals = static_cast<std::uint32_t>(number("--goals", goals_, 1, 1, 10000));
    def.ticks = static_cast<std::uint64_t>(number("--ticks", ticks_, 200, 1, 10000000));
    def.seed = random_;
    const ThreadTasks tasks(threads_);
    Progress progress(show(), "measuring", 2 * def.ticks);
    const bench::CrowdFigures f = must(bench::measure_crowd(
        def, tasks.host(), [&](std::uint64_t done, std::uint64_t) { progress.update(done, "ticks"); }));
    const auto us = [](std::uint64_t ns) { return ns / 1000; };
    if (!common_.json.empty()) {
      must(io::write_file(
          common_.json,
          fmt::format("{{\"name\":\"crowd\",\"unit\":\"agent "
                      "step\",{},\"ns_per_move\":{:.3f},\"size\":{},\"agents\":{},\"goals\":{},\"ticks\":{},"
                      "\"threads\":{},\"agent_steps\":{},\"moves\":{},\"arrived\":{},\"violations\":{},"
                      "\"tick_us\":{{\"p50\":{},\"p95\":{},\"p99\":{},\"max\":{}}},"
                      "\"record_us\":{:.1f},\"record_bytes\":{:.0f},\"record_over_tick\":{:.4f}}}\n",
                      figures(f.ns_per_unit, f.baseline_ns_per_unit, f.equal), f.ns_per_move, def.size, def.agents,
                      def.goals, f.ticks, threads_, f.decisions, f.moves, f.arrived, f.violations, us(f.tick_ns.p50()),
                      us(f.tick_ns.p95()), us(f.tick_ns.p99()), us(f.tick_ns.max()), f.record_ns_per_tick / 1000,
                      f.record_bytes_per_tick, f.record_over_tick)));
    }
    if (common_.talks()) {
      print(fmt::format(
          "{} agents on {} x {} cells, {} goal cells, {} ticks, {} threads\n"
          "{:.1f} ns an agent step ({:.1f} a move), greedy std::map {:.1f}: ratio {:.1f}\n"
          "tick p50 {} us, p95 {} us, p99 {} us, max {} us\n"
          "recording a tick: {:.0f} us ({:.1f} % of the tick), {:.0f} bytes\n"
          "{} arrived, {} moves, {} violations, two runs equal: {}\n",
          def.agents, def.size, def.size, def.goals, f.ticks, threads_, f.ns_per_unit, f.ns_per_move,
          f.baseline_ns_per_unit, f.ns_per_unit > 0 ? f.baseline_ns_per_unit / f.ns_per_unit : 0.0, us(f.tick_ns.p50()),
          us(f.tick_ns.p95()), us(f.tick_ns.p99()), us(f.tick_ns.max()), f.record_ns_per_tick / 1000,
          100 * f.record_over_tick, f.record_bytes_per_tick, f.arrived, f.moves, f.violations, f.equal));
    }
    if (f.violations > 0) print_error("E_VIOLATION", fmt::format("{} violations; none is expected", f.violations));
    if (!f.equal) return differ();
    return f.violations > 0 ? 1 : 0;
  }

  int rollback() {
    bench::RollbackDef def;
    def.size = cells_a_side_;
    def.agents = static_cast<std::uint32_t>(number("--agents", agents_, 10000, 1, 100000000));
    def.rounds = static_cast<std::uint32_t>(number("--runs", runs_, 30, 5, 1000));
    def.seed = random_;
    const ThreadTasks tasks(threads_);
    Progress progress(show(), "measuring", def.rounds);
    const bench::RollbackFigures f = must(bench::measure_rollback(
        def, tasks.host(), [&](std::uint64_t done, std::uint64_t) { progress.update(done, "rounds"); }));
    const double mine = f.ns_per_unit(def.agents), other = f.baseline_ms * 1e6 / def.agents;
    if (!common_.json.empty()) {
      must(io::write_file(
          common_.json,
          fmt::format("{{\"name\":\"rollback\",\"unit\":\"agent rolled back 8 ticks\",{},\"snapshot_us\":{:.1f},"
                      "\"restore_us\":{:.1f},\"resim8_ms\":{:.2f},\"bytes_per_agent\":{:.1f},\"baseline_ms\":{:.2f},"
                      "\"agents\":{},\"on_map\":{},\"size\":{},\"tick\":{},\"runs\":{},\"threads\":{}}}\n",
                      figures(mine, other, f.equal), f.snapshot_us, f.restore_us, f.resim8_ms, f.bytes_per_agent,
                      f.baseline_ms, def.agents, f.placed, def.size, f.ticks, def.rounds, threads_)));
    }
    if (common_.talks()) {
      print(
          fmt::format("{} agents on {} x {} cells at tick {}, {} rounds, {} threads\n"
                      "snapshot {:.1f} us, restore {:.1f} us, {:.1f} bytes an agent\n"
                      "8 ticks again {:.2f} ms, with a door that closes and the field that follows\n"
                      "from tick 0 again {:.1f} ms: ratio {:.1f}; digests equal in every round: {}\n",
                      def.agents, def.size, def.size, f.ticks, def.rounds, threads_, f.snapshot_us, f.restore_us,
                      f.bytes_per_agent, f.resim8_ms, f.baseline_ms, mine > 0 ? other / mine : 0.0, f.equal));
    }
    return f.equal ? 0 : differ();
  }

  int publish() {
    bench::PublishDef def;
    def.size = cells_a_side_;
    def.readers = static_cast<std::uint32_t>(number("--readers", readers_, 2, 1, 64));
    def.publications = static_cast<std::uint32_t>(number("--count", count_, 2000, 10, 10000000));
    def.seed = random_;
    const ThreadTasks tasks(threads_);
    const bench::PublishFigures f = must(bench::measure_publish(def, tasks.host()));
    if (!common_.json.empty()) {
      must(io::write_file(
          common_.json,
          fmt::format(
              "{{\"name\":\"publish\",\"unit\":\"look-up\",{},\"snapshot_ns\":{:.1f},\"publish_ns\":{{\"p50\":{},"
              "\"p99\":{},\"max\":{}}},\"stalled_p50_ns\":{},\"stalled_p99_ns\":{},\"stalled_max_ns\":{},"
              "\"live_bundles\":{},\"mixed\":{},\"lookups\":{},\"readers\":{},\"publications\":{},\"size\":{}}}\n",
              figures(f.lookup_ns, f.baseline_lookup_ns, f.equal), f.snapshot_ns, f.publish_ns.p50(),
              f.publish_ns.p99(), f.publish_ns.max(), f.stalled_ns.p50(), f.stalled_ns.p99(), f.stalled_ns.max(),
              f.most_live, f.mixed, f.lookups, def.readers, def.publications, def.size)));
    }
    if (common_.talks()) {
      print(fmt::format(
          "{} x {} cells, {} readers, {} publications\n"
          "snapshot {:.1f} ns; a look-up beside the writer {:.1f} ns, under a shared lock {:.1f} ns: ratio {:.1f}\n"
          "publication p50 {} p99 {} ns; beside a stalled reader p50 {} p99 {} ns, at most {} bundles alive\n"
          "{} look-ups, {} mixed; answers equal: {}\n",
          def.size, def.size, def.readers, def.publications, f.snapshot_ns, f.lookup_ns, f.baseline_lookup_ns,
          f.lookup_ns > 0 ? f.baseline_lookup_ns / f.lookup_ns : 0.0, f.publish_ns.p50(), f.publish_ns.p99(),
          f.stalled_ns.p50(), f.stalled_ns.p99(), f.most_live, f.lookups, f.mixed, f.equal));
    }
    return f.equal ? 0 : differ();
  }

  int rts() {
    bench::RtsDef def;
    def.size = cells_a_side_;
    def.agents = static_cast<std::uint32_t>(number("--agents", agents_, 10000, 1, 1000000));
    def.fields = static_cast<std::uint32_t>(number("--fields", fields_, 200, 1, 10000));
    def.ticks = static_cast<std::uint64_t>(number("--ticks", ticks_, 1200, 20, 1000000));
    def.latency_ticks = static_cast<std::uint32_t>(number("--latency", latency_, 1, 0, 1000));
    def.refresh_ticks = static_cast<std::uint32_t>(number("--refresh", refresh_, 16, 0, 1000));
    def.seed = random_;
    const ThreadTasks tasks(threads_);
    Progress progress(show(), "measuring", def.ticks);
    const bench::RtsFigures f = must(bench::measure_rts(
        def, tasks.host(), [&](std::uint64_t done, std::uint64_t) { progress.update(done, "ticks"); }));
    const auto us = [](std::uint64_t ns) { return static_cast<double>(ns) / 1000; };
    if (!common_.json.empty()) {
      must(io::write_file(
          common_.json,
          fmt::format(
              "{{\"name\":\"rts\",\"unit\":\"tick\",{},\"tick_us\":{{\"p50\":{:.1f},\"p95\":{:.1f},\"p99\":{:.1f},"
              "\"max\":{:.1f}}},\"cpu_p50_us\":{:.1f},\"cpu_p99_us\":{:.1f},\"memory_bytes\":{},\"fields\":{},"
              "\"agents\":{},\"edits\":{},\"orders\":{},"
              "\"first_step_ticks\":{},\"builds\":{},\"repairs\":{},\"ticks\":{},\"threads\":{}}}\n",
              figures(f.mean_tick_ns, f.baseline_tick_ns, f.equal), us(f.tick_ns.p50()), us(f.tick_ns.p95()),
              us(f.tick_ns.p99()), us(f.tick_ns.max()), us(f.cpu_ns.p50()), us(f.cpu_ns.p99()), f.memory_bytes,
              f.fields, f.agents, f.edits, f.orders, f.most_first_step, f.builds, f.repairs, def.ticks, threads_)));
    }
    if (common_.talks()) {
      print(fmt::format(
          "{} agents of 3 sizes, {} fields, {} x {} cells, {} ticks, {} edits, {} orders, {} threads\n"
          "tick p50 {:.0f} p95 {:.0f} p99 {:.0f} max {:.0f} us, of this thread p50 {:.0f} p99 {:.0f}; first step at "
          "most {} ticks after the order\n"
          "{} builds, {} of them repairs; memory {:.1f} MiB\n"
          "mean tick {:.0f} us; building every field anew after every edit alone {:.0f} us a tick; equal: {}\n",
          f.agents, f.fields, def.size, def.size, def.ticks, f.edits, f.orders, threads_, us(f.tick_ns.p50()),
          us(f.tick_ns.p95()), us(f.tick_ns.p99()), us(f.tick_ns.max()), us(f.cpu_ns.p50()), us(f.cpu_ns.p99()),
          f.most_first_step, f.builds, f.repairs, static_cast<double>(f.memory_bytes) / (1 << 20),
          f.mean_tick_ns / 1000, f.baseline_tick_ns / 1000, f.equal));
    }
    return f.equal ? 0 : differ();
  }

  int gates() {
    bench::GateBenchDef def;
    def.instances = static_cast<std::uint32_t>(number("--count", count_, 20, 2, 100000));
    def.plan_size = cells_a_side_;
    def.plan_agents = static_cast<std::uint32_t>(number("--agents", agents_, 1000, 4, 1000000));
    def.seed = random_;
    const ThreadTasks tasks(threads_);
    Progress progress(show(), "measuring", std::uint64_t{bench::kGateWidths} * def.instances);
    const bench::GateFigures f = must(bench::measure_gates(
        def, tasks.host(), [&](std::uint64_t done, std::uint64_t) { progress.update(done, "caves"); }));
    if (!common_.json.empty()) must(io::write_file(common_.json, gates_json(f)));
    if (common_.talks()) print(gates_text(f, def.plan_size));
    return f.equal ? 0 : differ();
  }

  int fov() {
    bench::FovDef def;
    def.size = cells_a_side_;
    def.radius = static_cast<std::uint32_t>(number("--radius", radius_, 10, 0, kMaxGoalRadius));
    def.seed = random_;
    const bench::FovFigures f = must(bench::measure_fov(def));
    if (!common_.json.empty()) must(io::write_file(common_.json, fov_json(f, def)));
    if (common_.talks()) print(fov_text(f, def));
    return f.equal ? 0 : differ();
  }

  int paths() {
    if (scen_.empty() != map_.empty() && !scen_.empty())
      usage("--scen without --map; the map of its queries is expected");
    const auto count = static_cast<std::uint64_t>(number("--count", count_, 500, 2, 100000));
    std::vector<std::string> maps{"open", "cave", "maze", "noise"};
    if (!map_.empty()) maps = {map_};
    const ThreadTasks tasks(threads_);
    Progress progress(show(), "measuring", maps.size());
    std::vector<bench::PathFigures> rows;
    bool equal = true;
    for (const std::string& name : maps) {
      progress.update(rows.size(), name);
      const bench::BenchMap map = load(name);
      rows.push_back(must(bench::measure_paths(map, name, queries_of(map, count), tasks.host())));
      equal = equal && rows.back().equal;
    }
    if (!common_.json.empty()) must(io::write_file(common_.json, paths_json(rows, equal)));
    if (common_.talks())
      print("map              how   queries      a query   queries a second        A*   ratio   refused    edit\n");
    for (std::size_t i = 0; common_.talks() && i < rows.size(); ++i) print(paths_text(rows[i]));
    return equal ? 0 : differ();
  }
  std::vector<bench::PathQuery> queries_of(const bench::BenchMap& map, std::uint64_t count) const {
    if (scen_.empty()) return bench::draw_queries(map, count, random_);
    const GridShape shape = must(GridShape::create(map.width, map.height));
    std::vector<bench::PathQuery> out;
    for (const io::ScenQuery& q : must(io::parse_scen(must(io::read_text_file(scen_, io::kScenFile)), scen_, shape)))
      out.emplace_back(q.from, q.to);
    return out;
  }

  int would_block() {
    bench::BlockDef def;
    def.places = static_cast<std::uint32_t>(number("--agents", agents_, 100, 1, 1000000));
    def.questions = static_cast<std::uint32_t>(number("--runs", runs_, 500, 5, 1000000));
    def.seed = random_;
    std::vector<std::string> maps{"open", "cave", "maze", "noise"};
    if (!map_.empty()) maps = {map_};
    if (!map_.empty() && !bench::map_kind(map_)) check_files({{"--map", map_}}, {{"--json", common_.json}});
    const ThreadTasks tasks(threads_);
    if (common_.talks())
      print(fmt::format("{:<10} {:>9} {:>9} {:>8} {:>8} {:>8} {:>8} {:>10} {:>11} {:>7} {:>6}\n", "map", "questions",
                        "blocking", "mean us", "p50", "p99", "max", "prepare us", "baseline us", "ratio", "equal"));
    Progress progress(show(), "measuring", maps.size() * 3 * def.questions);
    std::vector<bench::BlockFigures> rows;
    bool equal = true;
    for (const std::string& name : maps) {
      const std::uint64_t before = rows.size() * 3 * def.questions;
      const auto told = [&](std::uint64_t done) { progress.update(before + done, io::printable(name)); };
      rows.push_back(must(bench::measure_would_block(load(name), name, def, tasks.host(), told)));
      const bench::BlockFigures& r = rows.back();
      equal = equal && r.equal;
      if (!common_.talks()) continue;
      print(fmt::format("{:<10} {:>9} {:>9} {:>8.2f} {:>8.2f} {:>8.2f} {:>8.2f} {:>10.0f} {:>11.0f} {:>7.0f} {:>6}\n",
                        io::printable(r.map), r.questions, r.blocking, r.mean_us, r.p50_us, r.p99_us, r.max_us,
                        r.prepare_us, r.baseline_us, r.baseline_us / r.mean_us, r.equal));
    }
    if (!common_.json.empty()) must(io::write_file(common_.json, would_block_json(rows, def, equal, threads_)));
    return equal ? 0 : differ();
  }

  int bake() {
    bench::BakeDef def;
    def.size = cells_a_side_;
    def.shapes = static_cast<std::uint32_t>(number("--shapes", shapes_, 1000, 1, kMaxObstacles - 1));
    def.runs = static_cast<std::uint32_t>(number("--runs", runs_, 15, 5, 1000));
    def.seed = random_;
    const ThreadTasks tasks(threads_);
    Progress progress(show(), "measuring", def.runs);
    const bench::BakeFigures f = must(bench::measure_bake(
        def, tasks.host(), [&](std::uint64_t done, std::uint64_t) { progress.update(done, "runs"); }));
    const double mine = f.bake_ms * 1e6 / def.shapes, other = f.baseline_ms * 1e6 / def.shapes;
    if (!common_.json.empty()) {
      must(io::write_file(
          common_.json,
          fmt::format("{{\"name\":\"bake\",\"unit\":\"shape\",{},\"bake_ms\":{:.3f},\"baseline_ms\":{:.3f},"
                      "\"move_median_us\":{:.3f},\"move_p99_us\":{:.3f},\"move_max_us\":{:.3f},"
                      "\"move_baseline_us\":{:.3f},\"size\":{},\"shapes\":{},\"blocked\":{},\"cells_asked\":{},"
                      "\"moves\":{},\"runs\":{},\"threads\":1}}\n",
                      figures(mine, other, f.equal), f.bake_ms, f.baseline_ms, f.move_median_us, f.move_p99_us,
                      f.move_max_us, f.move_baseline_us, def.size, def.shapes, f.blocked, f.cells_asked, def.moves,
                      def.runs)));
    }
    if (common_.talks()) {
      print(fmt::format(
          "{} shapes on {} x {} cells, {} blocked, 1 thread\n"
          "bake {:.2f} ms, every cell of each box asked {:.2f} ms ({} cells): ratio {:.1f}\n"
          "a circle of radius 3 moves: median {:.2f} us, p99 {:.2f} us, max {:.1f} us; asked {:.2f} us\n"
          "answers equal: {}\n",
          def.shapes, def.size, def.size, f.blocked, f.bake_ms, f.baseline_ms, f.cells_asked,
          mine > 0 ? other / mine : 0.0, f.move_median_us, f.move_p99_us, f.move_max_us, f.move_baseline_us, f.equal));
    }
    return f.equal ? 0 : differ();
  }

  int cave() {
    bench::CaveBenchDef def;
    def.size = cells_a_side_;
    def.generations = static_cast<std::int32_t>(number("--generations", generations_, 5, 0, kMaxCaveGenerations));
    def.runs = static_cast<std::uint32_t>(number("--runs", runs_, 15, 5, 1000));
    def.seed = random_;
    Progress progress(show(), "measuring", def.runs);
    const bench::CaveFigures f =
        must(bench::measure_cave(def, [&](std::uint64_t done, std::uint64_t) { progress.update(done, "runs"); }));
    if (!common_.json.empty()) must(io::write_file(common_.json, cave_bench_json(def, f)));
    if (common_.talks()) print(cave_bench_text(def, f));
    return f.equal ? 0 : differ();
  }

  std::string name_, size_, map_, moves_, runs_, agents_, shapes_, goals_, ticks_, seed_, edit_, count_, check_every_,
      readers_, fields_, latency_, refresh_, radius_, generations_, scen_;
  Common common_;
  std::uint64_t random_ = 1;
  std::int32_t cells_a_side_ = 1024;
  std::uint32_t threads_ = 1;
};

}  // namespace

std::unique_ptr<Command> add_bench(CLI::App& program, CLI::App*& app) {
  app = program.add_subcommand("bench", "Measure the product beside a plain baseline");
  return std::make_unique<BenchCommand>(*app);
}

}  // namespace drover::cli

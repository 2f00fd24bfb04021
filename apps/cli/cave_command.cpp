// SPDX-License-Identifier: MIT
// drover cave: a cave from its seed, with places to start in it.
#include <drover/cave.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <future>

#include "app.hpp"
#include "base/digest.hpp"
#include "cave_options.hpp"
#include "files.hpp"
#include "io/cave_map.hpp"
#include "io/map_text.hpp"
#include "io/output.hpp"
#include "io/picture.hpp"
#include "progress.hpp"
#include "stopwatch.hpp"

namespace drover::cli {

namespace {

// Tries to put all squares into one region, where the first may have come into one that is too small.
constexpr std::uint64_t kSpawnAttempts = 16;

class CaveCommand final : public Command {
 public:
  explicit CaveCommand(CLI::App& app) {
    add_cave_options(app, options_);
    app.add_option("-o,--out", out_,
                   "The map: .map .txt .png .tmx .tmj; - for rows on standard output, which is also what is done "
                   "without any FILE. Origin and spawns are kept in .tmx and .tmj")
        ->type_name("FILE");
    app.add_option("--png", png_, "A picture: regions in colours, spawns as circles, the first one white")
        ->type_name("FILE");
    app.add_option("--marks", marks_, "Rows of digits: 0 floor, 1 wall, 4 stairs, 5 player (spawns of these names)")
        ->type_name("FILE");
    add_common(app, common_);
  }

  int run() override {
    def_ = parse_cave(options_);
    common_.thread_count();  // refuses nonsense; one thread makes a cave
    spawn_defs_ = parse_spawns(options_.spawn);
    if (!out_.empty() && out_ != "-") check_map_ending(out_);
    check_files({{"--start", options_.start}},
                {{"--out", out_}, {"--png", png_}, {"--marks", marks_}, {"--json", common_.json}});
    std::optional<GridMap> start;
    if (!options_.start.empty()) def_.start = start.emplace(read_start()).view();
    try {
      write(make());
    } catch (const std::bad_alloc&) {
      refuse(io::no_memory(need()));
    }
    return 0;
  }

 private:
  std::string need() const {
    return def_.start ? io::map_need(def_.start->shape().width(), def_.start->shape().height(), 1)
                      : io::map_need(def_.width, def_.height, 1);
  }

  /// With its spawns. The bar is gone by the time that anything is printed.
  Cave make() {
    Progress progress(common_.quiet ? Progress::Show::never : Progress::Show::on_terminal, "cave", 2);
    const auto began = std::chrono::steady_clock::now();
    Result<Cave> cave = grow(progress);
    if (!cave) refuse(in_start(io::named_memory(cave.status(), need())));
    progress.update(1, "placing");
    if (!spawn_defs_.empty()) place(*cave);
    us_ = time_since<std::chrono::microseconds>(began);
    return *std::move(cave);
  }

  /// On a terminal the bar tells how long it has been growing.
  Result<Cave> grow(Progress& progress) const {
    if (!progress.shown()) return generate_cave(def_);
    const auto began = std::chrono::steady_clock::now();
    std::future<Result<Cave>> cave = std::async(std::launch::async, [this] { return generate_cave(def_); });
    while (cave.wait_for(std::chrono::milliseconds(100)) != std::future_status::ready)
      progress.update(0, fmt::format("growing, {} s", time_since<std::chrono::seconds>(began)));
    return cave.get();
  }

  GridMap read_start() {
    const io::MapFile map = must(io::load_map_file(options_.start));
    print_warnings(map.warnings);
    return must(io::make_map(map));
  }

  /// What does not fit the start map is not wrong by itself.
  Status in_start(Status status) const {
    if (options_.start.empty() || status.code() == StatusCode::out_of_memory) return status;
    return {status.code(), fmt::format("{}: {}", io::printable(options_.start), status.message())};
  }

  void place(const Cave& cave) {
    const GridMap map = must(cave.to_map());
    Status first;
    for (std::uint64_t attempt = 0; attempt < kSpawnAttempts; ++attempt) {
      const std::uint64_t seed = attempt == 0 ? def_.seed : base::Digest().add(def_.seed).add(attempt).value();
      Result<std::vector<Spawn>> spawns = place_spawns(map.view(), {}, spawn_defs_, seed);
      if (spawns.ok()) {
        spawns_ = *std::move(spawns);
        return;
      }
      if (spawns.status().code() != StatusCode::spawn_none) refuse(io::named_memory(spawns.status(), need()));
      if (attempt == 0) first = spawns.status();
      if (cave.regions() <= 1) break;
    }
    refuse({first.code(), first.message() + "; a larger cave, more floor or smaller squares are expected"});
  }

  bool bare() const { return out_.empty() && png_.empty() && marks_.empty() && common_.json.empty(); }

  void write(const Cave& cave) const {
    if (!out_.empty() || (bare() && common_.talks())) save(cave);
    if (!png_.empty()) draw(cave);
    if (!marks_.empty()) must(io::write_file(marks_, marks(cave)));
    if (!common_.json.empty()) must(io::write_file(common_.json, json(cave)));
    if (common_.talks() && out_ != "-" && marks_ != "-") print(summary(cave));
  }

  void save(const Cave& cave) const {
    io::MapFile map;
    map.file = out_;
    map.cells = io::cave_cells(cave);
    if (out_ == "-" || out_.empty()) {
      std::vector<io::Warning> lost;
      return print(io::map_text(map, io::TextForm::plain, {}, lost));
    }
    if (out_.ends_with(".tmx") || out_.ends_with(".tmj")) {
      map.origin = cave.origin();
      map.spawns = places();
    }
    print_warnings(must(io::save_map_file(out_, map)).warnings);
  }

  /// The cells of all squares of each name.
  std::vector<io::MapSpawn> places() const {
    std::vector<io::MapSpawn> out(spawn_defs_.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i].name = spawn_defs_[i].name;
    for (const Spawn& s : spawns_) {
      const std::int32_t side = spawn_defs_[s.def].size;
      for (std::int32_t i = 0; i < side * side; ++i)
        out[s.def].cells.push_back({s.cell.x + i % side, s.cell.y + i / side, 0});
    }
    return out;
  }

  void draw(const Cave& cave) const {
    const GridMap map = must(cave.to_map());
    const std::vector<std::uint32_t> regions = io::cave_regions(cave, map.shape());
    std::vector<io::PictureAgent> agents;
    for (const Spawn& s : spawns_) agents.push_back({s.cell, s.cell, spawn_defs_[s.def].size, true, s.def == 0});
    io::PictureDef picture;
    picture.regions = regions;
    picture.agents = agents;
    must(io::write_picture(png_, map.view(), picture));
  }

  std::string marks(const Cave& cave) const {
    const auto width = static_cast<std::size_t>(cave.width()), height = static_cast<std::size_t>(cave.height());
    const io::MapCells cells = io::cave_cells(cave);
    std::string text((width + 1) * height, '\n');
    for (std::size_t i = 0; i < cells.cells.size(); ++i) text[i + i / width] = cells.cells[i] == kWall ? '1' : '0';
    for (const Spawn& s : spawns_) {
      const std::string& name = spawn_defs_[s.def].name;
      const auto x = static_cast<std::size_t>(s.cell.x - cave.origin().x),
                 y = static_cast<std::size_t>(s.cell.y - cave.origin().y);
      if (name == "stairs" || name == "player") text[y * (width + 1) + x] = name == "stairs" ? '4' : '5';
    }
    return text;
  }

  static std::uint64_t walls(const Cave& cave) {
    return static_cast<std::uint64_t>(cave.width()) * static_cast<std::uint64_t>(cave.height()) - cave.floor_cells();
  }

  std::string json(const Cave& cave) const {
    nlohmann::ordered_json json{{"hash", fmt::format("{:016x}", cave.content_hash())},
                                {"floor", cave.floor_cells()},
                                {"walls", walls(cave)},
                                {"regions", cave.regions()},
                                {"attempts", cave.attempts()},
                                {"spawns", nlohmann::ordered_json::array()},
                                {"us", us_},
                                {"width", cave.width()},
                                {"height", cave.height()},
                                {"origin", {cave.origin().x, cave.origin().y}},
                                {"seed", def_.seed}};
    for (const Spawn& s : spawns_)
      json["spawns"].push_back(
          {{"name", spawn_defs_[s.def].name}, {"x", s.cell.x}, {"y", s.cell.y}, {"size", spawn_defs_[s.def].size}});
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }

  std::string summary(const Cave& cave) const {
    std::string text;
    if (!bare()) {
      text = fmt::format(
          "cave of {} x {} cells, seed {}: {} floor, {} walls, {} region{}, {} start{}, {} us, hash {:016x}\n",
          cave.width(), cave.height(), def_.seed, cave.floor_cells(), walls(cave), cave.regions(),
          cave.regions() == 1 ? "" : "s", cave.attempts(), cave.attempts() == 1 ? "" : "s", us_, cave.content_hash());
    } else if (!spawns_.empty()) {
      text = "\n";
    }
    for (const Spawn& s : spawns_) {
      const SpawnDef& def = spawn_defs_[s.def];
      text += fmt::format("{} of {} x {} at {},{}\n", io::printable(def.name), def.size, def.size, s.cell.x, s.cell.y);
    }
    return text;
  }

  CaveOptions options_;
  std::string out_, png_, marks_;
  Common common_;
  CaveDef def_;
  std::vector<SpawnDef> spawn_defs_;
  std::vector<Spawn> spawns_;
  std::uint64_t us_ = 0;
};

}  // namespace

std::unique_ptr<Command> add_cave(CLI::App& program, CLI::App*& app) {
  app = program.add_subcommand("cave", "Generate a cave, and places to start in it");
  return std::make_unique<CaveCommand>(*app);
}

}  // namespace drover::cli

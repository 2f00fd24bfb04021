// SPDX-License-Identifier: MIT
// Writes small inputs, a folder for each target: make_seeds FOLDER EXAMPLES, where EXAMPLES holds scenarios.
#include <drover/recording.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "io/map_formats.hpp"
#include "property/crowd_world.hpp"
#include "support/png_bytes.hpp"
#include "support/record_bytes.hpp"
#include "support/recordings.hpp"

namespace {

using drover::Simulation;
using drover::test::World;

constexpr std::size_t kMostBytes = 1200;

void write(const std::filesystem::path& file, std::string_view bytes) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << bytes;
}

// What a host gives between two ticks.
void meddle(Simulation& sim, const World& w, drover::test::Draw& draw) {
  const drover::Cell cell{static_cast<std::int32_t>(draw.below(static_cast<std::uint32_t>(w.rows[0].size()))),
                          static_cast<std::int32_t>(draw.below(static_cast<std::uint32_t>(w.rows.size())))};
  std::vector<drover::AgentView> agents;
  sim.agents(agents);
  const drover::GoalId goal{draw.below(3), 1};
  const auto someone = [&] {
    return *sim.find_agent(agents[draw.below(static_cast<std::uint32_t>(agents.size()))].key);
  };
  drover::MapEdit edit;
  edit.cells = {{cell, drover::CellChange::terrain, draw.chance(50) ? drover::kWall : drover::kFloor}};
  switch (draw.below(7)) {
    case 0:
      return static_cast<void>(sim.submit({sim.tick() + draw.below(4), 0, drover::EditMap{edit}}).ok());
    case 1:
      return static_cast<void>(sim.set_goal(goal, w.goals[draw.below(3)].where).ok());
    case 2:
      return agents.empty() ? void() : static_cast<void>(sim.retarget(someone(), goal).ok());
    case 3:
      return agents.empty() ? void() : static_cast<void>(sim.remove_agent(someone()).ok());
    case 4:
      return static_cast<void>(sim.add_agent({20000 + sim.tick(), cell, {0, 1}, goal, {}, sim.tick() + 2, 0}).ok());
    case 5:
      return static_cast<void>(sim.add_goal(w.goals[0]).ok());
    default:
      return static_cast<void>(sim.add_profile(w.profiles[0]).ok());
  }
}

// The same recording with nothing compressed.
std::string unpacked(const std::string& path) {
  drover::Result<drover::io::RecordReader> reader = drover::io::RecordReader::open(path);
  const drover::io::RecordingHeader header = reader->header();
  std::string out =
      drover::test::header_bytes(header.version, header.map_digest, header.scenario_digest, header.rules_digest);
  for (const drover::test::TextRecord& r : drover::test::read_back(*reader).records)
    drover::test::add_plain(out, static_cast<int>(r.type), r.tick, r.head, r.body);
  return out;
}

// The recordings of some worlds and the states that they end in.
int write_runs(const std::filesystem::path& folder) {
  const std::string scratch = (folder / "scratch.drv").string();
  int written = 0;
  for (std::uint64_t seed = 1; written < 40 && seed < 2000; ++seed) {
    const World w = drover::test::random_world(seed);
    Simulation sim = drover::test::make_simulation(w);
    drover::test::Draw draw(seed);
    std::vector<std::byte> state;
    if (!sim.start().ok() || !sim.save(state).ok() || state.size() > kMostBytes) continue;
    const std::uint64_t ticks = written % 8 == 0 ? 67 : 4 + draw.below(12);
    drover::Result<drover::io::RecordingWriter> writer = drover::io::RecordingWriter::create(scratch, {}, sim);
    for (bool good = writer.ok(); good && sim.tick() < ticks;) {
      if (draw.chance(40)) meddle(sim, w, draw);
      sim.step();
      good = writer->record(sim).ok();
    }
    state.clear();
    if (!writer || !writer->close(sim, drover::io::RunEnd::finished).ok() || !sim.save(state).ok()) return 1;
    if (!Simulation::load(state).ok()) return 1;
    const std::string name = std::to_string(written++);
    write(folder / "state_fuzz" / name, drover::test::text_of(state));
    write(folder / "recording_fuzz" / name, static_cast<char>(written) + unpacked(scratch));
  }
  std::filesystem::remove(scratch);
  return written == 40 ? 0 : 1;
}

// Every kind of PNG, and one that carries its own legend.
void write_pictures(const std::filesystem::path& folder) {
  using drover::test::PngDef;
  using drover::test::PngKind;
  const std::string palette("\0\0\0\xff\xff\xff\x80\x80\0\x80\0\x80", 12);
  const PngDef defs[] = {{5, 3, 1, PngKind::palette, false, palette.substr(0, 6)},
                         {5, 3, 2, PngKind::palette, true, palette, std::string("\0", 1)},
                         {5, 3, 8, PngKind::palette, false, palette},
                         {9, 4, 1, PngKind::grey, true},
                         {5, 3, 4, PngKind::grey, false, {}, std::string("\0\0", 2)},
                         {5, 3, 8, PngKind::grey_alpha, true},
                         {5, 3, 8, PngKind::rgb, false},
                         {5, 3, 8, PngKind::rgba, true}};
  int written = 0;
  for (const PngDef& def : defs) {
    const std::uint8_t most = def.kind == PngKind::palette || def.bits == 1 ? 1 : def.bits == 4 ? 15 : 255;
    std::vector<std::uint8_t> samples(std::size_t{def.width} * def.height * def.channels());
    for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = i / def.channels() % 3 == 0 ? std::uint8_t{0} : most;
    ++written;
    write(folder / std::to_string(written), static_cast<char>(written % 2 * 2) + drover::test::png_file(def, samples));
  }
  drover::io::MapFile map;
  map.origin = {-3, 5, 0};
  map.terrain.push_back({"lava", 'L', 7, true});
  map.cells = {5, 2, 1, {0, 1, 2, 3, 4, 5, 6, 7, 8, drover::io::MapCells::kUnknown}};
  std::vector<drover::io::Warning> lost;
  write(folder / std::to_string(written + 1), '\0' + *drover::io::png_map_bytes(map, lost));
}

void write_examples(const std::filesystem::path& examples, const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(examples)) {
    if (entry.path().extension() != ".toml") continue;
    const drover::Result<std::string> text =
        drover::io::read_text_file(entry.path().string(), drover::io::kScenarioFile);
    if (text && text->size() < 16384) write(folder / entry.path().filename(), "0" + *text);
  }
}

// Worlds for field_fuzz: a head and edits of any bytes, then ground that is open, walls or mixed.
void write_fields(const std::filesystem::path& folder) {
  constexpr std::uint32_t kGround[][4] = {{0, 0, 0, 0}, {0, 0, 0, 3}, {0, 3, 0, 4}, {0, 5, 6, 3}, {0, 5, 7, 3}};
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    drover::test::Draw draw(seed);
    std::string bytes;
    for (std::uint32_t i = 30 + draw.below(60); i > 0; --i) bytes += static_cast<char>(draw.below(256));
    const std::uint32_t kind = draw.below(5);
    for (std::uint32_t i = draw.below(1500); i > 0; --i) bytes += static_cast<char>(kGround[kind][draw.below(4)]);
    write(folder / std::to_string(seed), bytes);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fputs("make_seeds FOLDER EXAMPLES is expected\n", stderr), 2;
  const std::filesystem::path folder(argv[1]);
  std::filesystem::create_directories(folder);
  write_pictures(folder / "png_fuzz");
  write_fields(folder / "field_fuzz");
  write_examples(argv[2], folder / "scenario_fuzz");
  return write_runs(folder);
}

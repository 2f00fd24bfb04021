// SPDX-License-Identifier: MIT
// .gate instances: a map, gate cells where agents vanish, start cells, and what is known of the optimum.
#include <fmt/format.h>

#include <filesystem>

#include "io/map_text.hpp"
#include "io/scenario_reader.hpp"

namespace drover::io {

namespace {

class GateParser {
 public:
  GateParser(std::string_view text, const std::string& file) : lines_(text, file) {}

  void parse(Scenario& out) {
    head();
    out.map.width = number("width");
    check_map_size(out.map.width, out.map.height = height_, 1, lines_.place());
    if (trimmed(line()) != "map") malformed("a line 'map'");
    read_rows(out.map, lines_, out.alphabet);
    ScenarioGoal goal;
    goal.name = "gate";
    goal.goal.on_arrival = OnArrival::vanish;
    words("gate");
    goal.spot = {lines_.number(), 1};
    for (const auto& [cell, spot] : cells(out.map, StatusCode::goal_outside)) {
      goal.goal.where.cells.push_back({cell, 0});
      goal.spots.push_back(spot);
    }
    if (goal.spots.empty()) refuse(StatusCode::goal_none, lines_.place(1), "no gate cells; at least one is expected");
    out.goals.push_back(std::move(goal));
    words("agents");
    ScenarioGroup group;
    group.name = "agents";
    group.first_key = 1;
    group.spot = group.count_spot = {lines_.number(), 1};
    for (const auto& [cell, spot] : cells(out.map, StatusCode::start_outside)) {
      group.cells.push_back(cell);
      group.spots.push_back(spot);
    }
    group.count = group.cells.size();
    out.groups.push_back(std::move(group));
    ScenarioProfile profile;
    profile.profile.name = "agent";
    profile.profile.moves = connectivity_ == 4 ? Moves::four : Moves::eight;
    profile.profile.costs = CostBase::uniform;
    out.profiles.push_back(std::move(profile));
    out.gate = facts();
  }

 private:
  [[noreturn]] void malformed(std::string_view expected) {
    refuse(StatusCode::gate, lines_.place(1),
           fmt::format("'{}'; {} is expected", printable(lines_text_.substr(0, 40)), expected));
  }
  std::string_view line() {
    if (lines_.done())
      refuse(StatusCode::gate, lines_.place(), "the file ends too early; map, gate and agents are expected");
    return lines_text_ = lines_.next();
  }
  /// The words of the next line, which must begin with `key`.
  const std::vector<Word>& words(std::string_view key) {
    words_ = split_words(line());
    if (words_.empty() || words_[0].text != key) malformed(fmt::format("a line '{} ...'", key));
    return words_;
  }
  std::int64_t number(std::string_view key) { return header_number(words(key), lines_); }

  void head() {
    const std::vector<Word>& type = words("type");
    if (type.size() != 2 || type[1].text != "gate-evac-v1") {
      refuse(StatusCode::version_unsupported, lines_.place(6),
             fmt::format("gate type {}; only gate-evac-v1 is supported",
                         type.size() < 2 ? "nothing" : printable(type[1].text)));
    }
    connectivity_ = number("connectivity");
    if (connectivity_ != 4 && connectivity_ != 8) malformed("connectivity 4 or 8");
    height_ = number("height");
  }

  // "<key> N x,y x,y ..." of the line that words() read last.
  std::vector<std::pair<Cell, Spot>> cells(const MapCells& map, StatusCode outside) {
    const ParsedInteger count = words_.size() > 1 ? parse_integer(words_[1].text) : ParsedInteger{};
    if (count.kind != NumberKind::number || count.value < 0)
      malformed(fmt::format("a line '{} N x,y x,y ...'", words_[0].text));
    if (static_cast<std::uint64_t>(count.value) != words_.size() - 2) {
      refuse(StatusCode::gate, lines_.place(words_[1].column),
             fmt::format("{} {} but {} cells; as many as counted are expected", words_[0].text, count.value,
                         words_.size() - 2));
    }
    std::vector<std::pair<Cell, Spot>> out;
    out.reserve(words_.size() - 2);
    for (std::size_t i = 2; i < words_.size(); ++i) {
      const Word& word = words_[i];
      const std::size_t comma = word.text.find(',');
      const ParsedInteger x = parse_integer(word.text.substr(0, comma));
      const ParsedInteger y =
          parse_integer(comma == std::string_view::npos ? std::string_view{} : word.text.substr(comma + 1));
      if (x.kind != NumberKind::number || y.kind != NumberKind::number) {
        refuse(StatusCode::gate, lines_.place(word.column),
               fmt::format("'{}'; a cell x,y is expected", printable(word.text.substr(0, 40))));
      }
      if (x.value < 0 || y.value < 0 || x.value >= map.width || y.value >= map.height) {
        refuse(outside, lines_.place(word.column),
               fmt::format("cell {} is outside; the map is {}x{}", word.text, map.width, map.height));
      }
      out.push_back({{static_cast<std::int32_t>(x.value), static_cast<std::int32_t>(y.value), 0},
                     {lines_.number(), static_cast<std::uint32_t>(word.column)}});
    }
    return out;
  }

  // Optional lines after the agents; keys of later versions are skipped.
  GateFacts facts() {
    GateFacts facts;
    while (!lines_.done() && !lines_.only_blank_left()) {
      words_ = split_words(line());
      if (words_.size() != 2) continue;
      const ParsedInteger value = parse_integer(words_[1].text);
      if (value.kind != NumberKind::number || value.value < 0) continue;
      const auto n = static_cast<std::uint64_t>(value.value);
      if (words_[0].text == "bound_queue") facts.bound_queue = n;
      if (words_[0].text == "bound_ring") facts.bound_ring = n;
      if (words_[0].text == "optimal_makespan") facts.optimal_makespan = n;
      if (words_[0].text == "optimal_sum_of_arrivals") facts.optimal_sum_of_arrivals = n;
    }
    return facts;
  }

  LineCursor lines_;
  std::string_view lines_text_;
  std::vector<Word> words_;
  std::int64_t connectivity_ = 8, height_ = 0;
};

}  // namespace

Result<Scenario> parse_gate(std::string_view text, const std::string& file, const ScenarioOptions& options) {
  return guarded(fmt::format("the instance {} has {} bytes as text", printable(file), text.size()), [&] {
    Scenario scenario;
    scenario.name = std::filesystem::path(file).stem().string();
    scenario.file = file;
    scenario.terrain = standard_terrain();
    scenario.alphabet = Alphabet::of(scenario.terrain);
    scenario.policy.bodies = BodyRule::cells;
    scenario.policy.guidance = GuidancePolicy::forest;
    if (options.seed) scenario.policy.seed = *options.seed;
    GateParser(text, file).parse(scenario);
    place_agents(scenario);
    return scenario;
  });
}

}  // namespace drover::io

// SPDX-License-Identifier: MIT
// drover fov: what somebody sees from one or more cells of a map.
#include <drover/search.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "files.hpp"
#include "io/output.hpp"
#include "io/picture.hpp"
#include "map_options.hpp"
#include "stopwatch.hpp"

namespace drover::cli {

namespace {

class FovCommand final : public Command {
 public:
  explicit FovCommand(CLI::App& app) {
    add_map_options(app, map_options_);
    app.add_option("--at", at_, "Where the eyes are, several separated by ;")->type_name("x,y[,layer]");
    app.add_option("--radius", radius_, "How far they see, 0 .. 512 [8]")->type_name("R");
    app.add_option("--cone", cone_, "Only from the first direction clockwise to the second")->type_name("dx,dy;dx,dy");
    app.add_option("--opaque", opaque_, "Letters of the terrain that nobody sees through [all that is not passable]")
        ->type_name("LETTERS");
    app.add_option("--png", png_, "A picture: seen floor bright, eyes as circles")->type_name("FILE");
    add_common(app, common_);
  }

  int run() override {
    read_options();
    const LoadedMap loaded = load_map(map_options_, GoalRule::optional);
    check_files(with_named({{"MAP", map_options_.map}, {"--weights", map_options_.weights}}, loaded.inputs),
                {{"--png", png_}, {"--json", common_.json}});
    const MapView map = loaded.map.view();
    for (const Viewer& v : viewers_) must_be_on(map.shape(), v.at);
    const std::vector<std::uint8_t> opaque = opaque_classes(map);
    FieldOfView view;
    const auto start = std::chrono::steady_clock::now();
    must(view.look(map, viewers_, opaque));
    const auto us = time_since<std::chrono::microseconds>(start);
    std::vector<Cell> cells;
    view.cells(cells);
    if (!png_.empty()) draw(map, cells);
    if (!common_.json.empty()) must(io::write_file(common_.json, json(map.shape(), cells, us)));
    if (common_.talks()) print(text(map, view, us));
    return 0;
  }

 private:
  void read_options() {
    if (at_.empty()) usage("no --at; --at x,y is expected");
    const auto radius =
        static_cast<std::uint32_t>(radius_.empty() ? 8 : whole_number("--radius", radius_, 0, kMaxGoalRadius));
    std::optional<SightCone> cone;
    if (!cone_.empty()) {
      const std::vector<std::string_view> ends = parts(cone_);
      const auto from = ends.size() == 2 ? parse_cell(ends[0]) : std::nullopt;
      const auto to = ends.size() == 2 ? parse_cell(ends[1]) : std::nullopt;
      const auto is_direction = [](const std::optional<Cell>& c) {
        return c && c->layer == 0 && (c->x != 0 || c->y != 0) && std::abs(std::int64_t{c->x}) <= kMostCone &&
               std::abs(std::int64_t{c->y}) <= kMostCone;
      };
      if (!is_direction(from) || !is_direction(to))
        usage(fmt::format("--cone {}; two directions dx,dy;dx,dy other than 0,0 within +-{} are expected", cone_,
                          kMostCone));
      cone = SightCone{from->x, from->y, to->x, to->y};
    }
    for (const std::string_view part : parts(at_)) {
      const auto cell = parse_cell(part);
      if (!cell) usage(fmt::format("--at {}; cells x,y or x,y,layer separated by ; are expected", at_));
      viewers_.push_back({*cell, radius, cone});
    }
  }

  static std::vector<std::string_view> parts(std::string_view text) {
    std::vector<std::string_view> out;
    for (std::size_t from = 0; from <= text.size();) {
      const std::size_t end = std::min(text.find(';', from), text.size());
      out.push_back(text.substr(from, end - from));
      from = end + 1;
    }
    return out;
  }

  static void must_be_on(const GridShape& shape, Cell cell) {
    if (shape.contains(cell)) return;
    const Cell first = shape.origin();
    const Cell last{first.x + shape.width() - 1, first.y + shape.height() - 1, shape.layers() - 1};
    refuse(Status(StatusCode::position,
                  fmt::format("--at {} is not on the map; {} .. {} is expected", io::cell_text(cell, shape.layers()),
                              io::cell_text(first, shape.layers()), io::cell_text(last, shape.layers()))));
  }

  std::vector<std::uint8_t> opaque_classes(const MapView& map) const {
    std::vector<std::uint8_t> out;
    if (opaque_.empty()) return out;
    out.resize(map.terrain_classes().size());
    for (const char letter : opaque_) {
      bool known = false;
      for (std::size_t i = 0; i < out.size(); ++i) {
        if (map.terrain_classes()[i].letter != letter) continue;
        out[i] = 1;
        known = true;
      }
      if (!known)
        wrong_value(
            StatusCode::value,
            fmt::format("--opaque {}: no terrain of the map has the letter {}; letters of its terrain are expected",
                        io::printable(opaque_), io::printable(std::string(1, letter))));
    }
    return out;
  }

  void draw(const MapView& map, const std::vector<Cell>& cells) const {
    std::vector<std::uint32_t> shades(map.shape().padded_cells(), kHidden);
    for (const Cell c : cells) shades[map.shape().index(c).value] = kSeen;
    std::vector<io::PictureAgent> eyes;
    for (const Viewer& v : viewers_) eyes.push_back({v.at, v.at});
    io::PictureDef picture;
    picture.regions = shades;
    picture.agents = eyes;
    must(io::write_picture(png_, map, picture));
  }

  static std::string json(const GridShape& shape, const std::vector<Cell>& cells, std::uint64_t us) {
    std::string list;
    for (const Cell c : cells) list += (list.empty() ? "" : ",") + cell_json(c, shape.layers());
    return fmt::format("{{\"count\":{},\"visible\":[{}],\"us\":{}}}\n", cells.size(), list, us);
  }

  // A drawing where the eyes are one and the map around fits a terminal.
  std::string text(const MapView& map, const FieldOfView& view, std::uint64_t us) const {
    std::string out = fmt::format("{} cells seen, {} us\n", view.count(), us);
    const Viewer& v = viewers_.front();
    const auto r = static_cast<std::int32_t>(v.radius);
    if (viewers_.size() != 1 || r > kMostDrawn) return out;
    const GridShape& shape = map.shape();
    const std::int32_t left = std::max(v.at.x - r, shape.origin().x),
                       right = std::min(v.at.x + r, shape.origin().x + shape.width() - 1);
    const std::int32_t top = std::max(v.at.y - r, shape.origin().y),
                       bottom = std::min(v.at.y + r, shape.origin().y + shape.height() - 1);
    const std::size_t head = out.size();
    std::size_t filled = head;  // rows without anything at the end are left out, at the beginning too
    for (std::int32_t y = top; y <= bottom; ++y) {
      std::string row;
      for (std::int32_t x = left; x <= right; ++x) {
        const Cell c{x, y, v.at.layer};
        row += c == v.at ? '@' : view.sees(c) ? map.terrain_classes()[map.terrain(shape.index(c))].letter : ' ';
      }
      row.erase(row.find_last_not_of(' ') + 1);
      if (row.empty() && filled == head) continue;
      out += row + '\n';
      if (!row.empty()) filled = out.size();
    }
    out.resize(filled);
    return out;
  }

  static constexpr std::int64_t kMostCone = 32767;
  static constexpr std::int32_t kMostDrawn = 39;
  static constexpr std::uint32_t kHidden = 1, kSeen = 2;  // colours of a picture's regions
  MapOptions map_options_;
  std::string at_, radius_, cone_, opaque_, png_;
  Common common_;
  std::vector<Viewer> viewers_;
};

}  // namespace

std::unique_ptr<Command> add_fov(CLI::App& program, CLI::App*& app) {
  app = program.add_subcommand("fov", "What is seen from a cell of a map");
  return std::make_unique<FovCommand>(*app);
}

}  // namespace drover::cli

// SPDX-License-Identifier: MIT
// drover bake: the shapes of a scene become the cells that they take from a body.
#include <drover/obstacle.hpp>
#include <drover/profile.hpp>

#include <fmt/format.h>

#include <chrono>

#include "app.hpp"
#include "files.hpp"
#include "io/map_text.hpp"
#include "io/output.hpp"
#include "io/shapes_json.hpp"
#include "stopwatch.hpp"

namespace drover::cli {

namespace {

class BakeCommand final : public Command {
 public:
  explicit BakeCommand(CLI::App& app) {
    app.add_option("SHAPES", shapes_, "A scene: {\"shapes\": [...]} (docs/formats/shapes.md)");
    app.add_option("--size", size_, "Of the map, in cells; its corner is at 0,0")->type_name("WxH");
    app.add_option("--radius", typed_radius_,
                   "Of the body, in world units, at most half its footprint [footprint/2 - 0.15 cells]")
        ->type_name("R");
    app.add_option("--cell-size", cell_size_, "World units a cell [1]")->type_name("S");
    app.add_option("--footprint", footprint_, "Cells a side; the body is tested at their middle [1]")->type_name("K");
    app.add_option("-o,--out", out_,
                   "Map of the anchors, floor or wall: .map .txt .png .tmx .tmj; - for text on standard output")
        ->type_name("MAP");
    add_common(app, common_);
  }

  int run() override {
    check_options();
    check_files({{"SHAPES", shapes_}}, {{"--out", out_}, {"--json", common_.json}});
    const std::string need = io::map_need(shape_.width(), shape_.height(), 1);
    const std::string text = must(io::read_text_file(shapes_, io::kShapesFile));
    const std::vector<io::NamedObstacle> shapes = must(io::parse_shapes(text, shapes_));
    const auto start = std::chrono::steady_clock::now();
    Result<ObstacleBake> bake = ObstacleBake::create(shape_, frame(), radius_, body_);
    if (!bake) refuse(io::named_memory(bake.status(), need));
    std::vector<CellIndex> changed;
    for (const io::NamedObstacle& shape : shapes) {
      changed.clear();
      if (Status status = bake->add(shape.shape, changed); !status.ok()) refuse(io::named_memory(status, need));
    }
    const auto us = time_since<std::chrono::microseconds>(start);
    try {
      write(*bake, shapes.size(), us);
    } catch (const std::bad_alloc&) {
      refuse(io::no_memory(need));
    }
    return 0;
  }

 private:
  void check_options() {
    if (shapes_.empty()) usage("no SHAPES; a scene in JSON is expected");
    if (size_.empty()) usage("no --size; WxH in cells is expected");
    shape_ = parse_size();
    if (!out_.empty() && out_ != "-") check_map_ending(out_);
    if (!cell_size_.empty()) cell_ = decimal("--cell-size", cell_size_);
    if (!footprint_.empty()) body_ = static_cast<int>(whole_number("--footprint", footprint_, 1, kMaxFootprint));
    if (body_ > shape_.width() || body_ > shape_.height()) {
      refuse({StatusCode::footprint, fmt::format("--footprint {} on a map of {}x{}; at most its width and height is "
                                                 "expected",
                                                 body_, shape_.width(), shape_.height())});
    }
    radius_ = frame().length(default_radius(body_));
    if (!typed_radius_.empty()) radius_ = decimal("--radius", typed_radius_);
    const Fixed most{std::min(frame().length(Fixed::ratio(body_, 2)).raw, Fixed::from_int(kMaxObstacleExtent).raw)};
    if (radius_.raw > 0 && radius_ <= most) return;
    usage(fmt::format("--radius {}; above 0 and at most {}/2 cells of {} is expected", typed_radius_, body_,
                      cell_size_.empty() ? "1" : cell_size_));
  }
  GridShape parse_size() const {
    const std::vector<io::Word> sides = io::split_at(size_, 'x');
    std::vector<std::int64_t> numbers;
    for (const io::Word& side : sides) {
      const io::ParsedInteger number = io::parse_integer(side.text);
      if (number.kind == io::NumberKind::malformed || number.negative) break;
      numbers.push_back(number.kind == io::NumberKind::overflow ? INT64_MAX : number.value);
    }
    if (sides.size() != 2 || numbers.size() != 2)
      usage(fmt::format("--size {}; WxH in cells, such as 60x40, is expected", size_));
    return must(GridShape::create(numbers[0], numbers[1]));
  }
  static Fixed decimal(std::string_view option, const std::string& value) {
    const Result<Fixed> number = Fixed::parse(value);
    if (!number || number->raw <= 0) usage(fmt::format("{} {}; a decimal above 0 is expected", option, value));
    return *number;
  }
  WorldFrame frame() const { return must(WorldFrame::create(shape_, {}, cell_)); }

  void write(const ObstacleBake& bake, std::size_t shapes, std::uint64_t us) const {
    io::MapCells map;
    map.width = shape_.width();
    map.height = shape_.height();
    map.cells.reserve(shape_.cell_count());
    for (std::int32_t y = 0; y < shape_.height(); ++y) {
      for (std::int32_t x = 0; x < shape_.width(); ++x) {
        map.cells.push_back(bake.blocked(CellIndex{shape_.at(x, y, 0)}) ? kWall : kFloor);
      }
    }
    const std::uint64_t digest = must(io::make_map(map)).view().content_digest();
    if (!out_.empty()) save(std::move(map));
    if (!common_.json.empty()) {
      must(io::write_file(common_.json,
                          fmt::format("{{\"blocked\":{},\"digest\":\"{:016x}\",\"us\":{},\"width\":{},\"height\":{},"
                                      "\"shapes\":{}}}\n",
                                      bake.blocked_cells(), digest, us, shape_.width(), shape_.height(), shapes)));
    }
    if (common_.talks() && out_ != "-") {
      print(fmt::format("{} shapes on {} x {} cells: {} blocked in {} us, digest {:016x}\n", shapes, shape_.width(),
                        shape_.height(), bake.blocked_cells(), us, digest));
    }
  }

  void save(io::MapCells cells) const {
    io::MapFile map;
    map.file = shapes_;
    map.cells = std::move(cells);
    if (out_ != "-") return print_warnings(must(io::save_map_file(out_, map)).warnings);
    std::vector<io::Warning> lost;
    print(io::map_text(map, io::TextForm::plain, {}, lost));
  }

  std::string shapes_, size_, typed_radius_, cell_size_, footprint_, out_;
  Common common_;
  GridShape shape_;
  Fixed cell_ = Fixed::from_int(1), radius_;
  int body_ = 1;
};

}  // namespace

std::unique_ptr<Command> add_bake(CLI::App& program, CLI::App*& app) {
  app = program.add_subcommand("bake", "Obstacles of a scene to blocked cells");
  return std::make_unique<BakeCommand>(*app);
}

}  // namespace drover::cli

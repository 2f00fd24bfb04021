// SPDX-License-Identifier: MIT
// Any bytes as map, weights, heights, edits, queries or legend: refused, or as many values as the map has cells.
#include <string>

#include "check.hpp"
#include "io/legend.hpp"
#include "io/map_text.hpp"

namespace {

using drover::fuzz::expect_known;
using drover::fuzz::must;

void expect_map(std::string_view text, const std::string& file) {
  const drover::Result<drover::io::MapCells> cells = drover::io::parse_map(text, file);
  if (!cells) return expect_known(cells.status());
  must(cells->cells.size() == static_cast<std::size_t>(cells->width * cells->height * cells->layers));
  drover::io::MapFile map;
  map.cells = *cells;
  for (const auto form : {drover::io::TextForm::plain, drover::io::TextForm::moving_ai}) {
    if (form == drover::io::TextForm::moving_ai && cells->layers > 1) continue;
    std::vector<drover::io::Warning> lost;
    const std::string written = drover::io::map_text(map, form, {}, lost);
    const drover::Result<drover::io::MapCells> again = drover::io::parse_map(written, "g.txt");
    must(lost.empty() && again.ok() && again->cells == cells->cells && again->layers == cells->layers);
  }
}

template <class T>
void expect_values(const drover::Result<std::vector<T>>& values, std::size_t count) {
  if (!values) return expect_known(values.status());
  must(values->size() == count);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = drover::fuzz::text_of(data + 1, size - 1);
  const drover::GridShape shape = *drover::GridShape::create(3, 2, 1 + (data[0] >> 6), {-1, 5, 0});
  switch (data[0] % 8) {
    case 0:
      return expect_map(text, "f.map"), 0;
    case 1:
      return expect_map(text, "f.txt"), 0;
    case 2:
      return expect_values(drover::io::parse_weights(text, "f", shape), shape.cell_count()), 0;
    case 3:
      return expect_values(drover::io::parse_heights(text, "f", shape), shape.cell_count()), 0;
    case 4: {
      const drover::Result<std::vector<drover::CellEdit>> edits = drover::io::parse_edits(text, "f", shape);
      if (!edits) return expect_known(edits.status()), 0;
      for (const drover::CellEdit& edit : *edits) must(shape.contains(edit.cell));
      return 0;
    }
    case 5: {
      const drover::Result<std::vector<drover::io::ScenQuery>> queries = drover::io::parse_scen(text, "f", shape);
      if (!queries) return expect_known(queries.status()), 0;
      for (const drover::io::ScenQuery& q : *queries) must(shape.contains(q.from) && shape.contains(q.to));
      return 0;
    }
    default: {
      drover::io::MapFileOptions options;
      const drover::Status status = drover::io::add_legend(text, options);
      if (!status.ok()) expect_known(status);
      must(options.terrain.size() <= 255);
      return 0;
    }
  }
}

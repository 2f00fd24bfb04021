// SPDX-License-Identifier: MIT
// Steps alone are written down: trees and depths follow from them.
#include "crowd/forest_bytes.hpp"

#include <algorithm>

namespace drover::crowd {
namespace {

constexpr std::uint8_t kOffPlan = 9;

// Depths from the gate cells outwards; false where a step is no good or somebody's steps do not end at a gate cell.
bool fill_in(const ForestGround& ground, std::vector<ForestCell>& cells) {
  std::vector<std::uint32_t> queue(ground.gates);
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const std::uint32_t cell = queue[i];
    for (unsigned in = ground.in(cell); in != 0; in &= in - 1) {
      const auto from = static_cast<Direction>(std::countr_zero(in));
      const std::uint32_t child = cell + ground.steps[static_cast<std::size_t>(from)];
      const auto step = static_cast<std::uint8_t>(opposite(from));
      if (cells[child].step != step || cells[child].tree != kNoTree) continue;
      if (!ground.may_follow(step, cells[cell].step) || ground.crosses(cells.data(), child, step)) return false;
      cells[child].tree = cells[cell].tree;
      cells[child].depth = cells[cell].depth + 1;
      queue.push_back(child);
    }
  }
  return std::all_of(cells.begin(), cells.end(),
                     [](const ForestCell& c) { return c.step == kStay || c.tree != kNoTree; });
}

}  // namespace

void write_forest(base::ByteWriter& out, const Forest& forest) {
  for (std::uint32_t cell = 0; cell < forest.cells_.size(); ++cell)
    out.u8(forest.cells_[cell].tree == kNoTree ? kOffPlan : forest.cells_[cell].step);
  for (const std::uint64_t finish : forest.finish_) out.number(finish);
  for (const std::uint64_t n : {forest.forecast_.finish, forest.forecast_.sum, forest.left_out_,
                                std::uint64_t{forest.round_}, std::uint64_t{forest.next_try_}})
    out.number(n);
}

std::shared_ptr<const Forest> read_forest(base::ByteReader& in, const ForestGround& ground) {
  auto forest = std::make_shared<Forest>();
  if (in.left() < ground.cells()) {
    in.fail();
    return nullptr;
  }
  ForestDraft draft;
  draft.clear(ground);
  for (std::uint32_t cell = 0; cell < ground.cells(); ++cell) {
    const std::uint8_t step = in.u8(kOffPlan);
    const bool gate = draft.cells[cell].tree != kNoTree;
    in.expect(gate ? step == kStay : step != kStay);
    if (step < kStay) draft.cells[cell].step = step;
  }
  in.expect(in.ok() && fill_in(ground, draft.cells));
  forest->cells_ = std::move(draft.cells);
  forest->gates_ = ground.gates;
  forest->finish_.resize(ground.gates.size());
  for (std::uint64_t& finish : forest->finish_) finish = in.number();
  forest->forecast_ = {in.number(), in.number()};
  forest->left_out_ = in.number();
  forest->round_ = in.number32();
  forest->next_try_ = in.number32();
  forest->steps_hash_ = ground.graph->steps_hash();
  forest->rules_ = ground.rules;
  forest->graph_ = ground.graph;
  return in.ok() ? forest : nullptr;
}

}  // namespace drover::crowd

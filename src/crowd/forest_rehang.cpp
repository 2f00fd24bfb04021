// SPDX-License-Identifier: MIT
// Weights of branches, bridges through cells nobody passes, and hanging a branch over.
#include "crowd/forest_rehang.hpp"

#include <algorithm>
#include <bit>

namespace drover::crowd {

bool better(const Forecast& a, const Forecast& b, std::uint64_t agents) noexcept {
  return a.finish <= b.finish && a.finish * agents + a.sum < b.finish * agents + b.sum;
}

ForestRehang::ForestRehang(const ForestGround& ground) : ground_(ground), queues_(ground), places_(ground.cells()) {}

// Load and depth of every cell that agents will pass, from the deepest to the gates.
void ForestRehang::weigh(std::span<const std::uint32_t> agents) {
  const ForestCell* cells = draft_->cells.data();
  for (const std::uint32_t cell : loaded_) places_[cell] = Place{};
  for (const std::uint32_t gate : ground_.gates) places_[gate] = Place{};
  std::uint32_t depth = 0;
  for (const std::uint32_t a : agents) depth = std::max(depth, cells[a].depth);
  counts_.assign(std::size_t{depth} + 2, 0);
  for (const std::uint32_t a : agents) ++counts_[cells[a].depth];
  for (std::size_t d = depth; d-- > 0;) counts_[d] += counts_[d + 1];
  by_depth_.resize(agents.size());
  for (const std::uint32_t a : agents) by_depth_[counts_[cells[a].depth + 1]++] = a;
  loaded_.clear();
  std::size_t agent = 0, level = 0;
  for (; depth > 0; --depth) {
    for (; agent < by_depth_.size() && cells[by_depth_[agent]].depth == depth; ++agent)
      loaded_.push_back(by_depth_[agent]);
    const std::size_t all = loaded_.size();
    for (; level < all; ++level) {
      const std::uint32_t cell = loaded_[level];
      Place& place = places_[cell];
      if (occupied_[cell] != 0) {
        ++place.load;
        place.deepest = std::max(place.deepest, depth);
      }
      const std::uint32_t up = parent(cell);
      Place& above = places_[up];
      if (above.load == 0 && occupied_[up] == 0 && depth > 1) loaded_.push_back(up);
      above.load += place.load;
      above.deepest = std::max(above.deepest, place.deepest);
    }
  }
  visits_ += loaded_.size() + agents.size();
}

bool ForestRehang::is_free(std::uint32_t cell, std::uint16_t tree) const noexcept {
  const std::uint16_t own = draft_->cells[cell].tree;
  return places_[cell].load == 0 && occupied_[cell] == 0 && (own == kNoTree || own == tree);
}

bool ForestRehang::may_hang(std::uint32_t cell, std::uint8_t step) const noexcept {
  const ForestCell* cells = draft_->cells.data();
  if (ground_.crosses(cells, cell, step)) return false;
  if (!ground_.may_follow(step, cells[cell + ground_.steps[step]].step)) return false;
  if (cells[cell].tree == kNoTree) return true;
  for (std::uint8_t in = ground_.in(cell); in != 0; in &= static_cast<std::uint8_t>(in - 1)) {
    const auto d = static_cast<Direction>(std::countr_zero(in));
    const auto down = static_cast<std::uint8_t>(opposite(d));
    if (cells[cell + ground_.steps[static_cast<std::size_t>(d)]].step == down && !ground_.may_follow(down, step))
      return false;
  }
  return true;
}

bool ForestRehang::is_refused(std::uint32_t cell, std::uint8_t step) const noexcept {
  return std::any_of(refused_.begin(), refused_.end(), [&](const Move& m) { return m.cell == cell && m.step == step; });
}

// How much the squares of both queues shrink.
void ForestRehang::consider(std::uint32_t cell, std::uint8_t step, std::uint16_t to, std::uint32_t depth, Move& best) {
  const Place& place = places_[cell];
  const ForestCell& own = draft_->cells[cell];
  const std::uint64_t slow = draft_->finish[own.tree], fast = draft_->finish[to], spacing = ground_.rules.spacing;
  if (fast + spacing >= slow) return;
  const std::uint64_t taken = std::min(slow, spacing * place.load);
  const std::uint64_t after =
      std::max<std::uint64_t>(fast + spacing * place.load, std::uint64_t{depth} + place.deepest - own.depth);
  const std::uint64_t before_squares = slow * slow + fast * fast;
  const std::uint64_t after_squares = (slow - taken) * (slow - taken) + after * after;
  if (after_squares >= before_squares || before_squares - after_squares <= best.gain) return;
  if (is_refused(cell, step) || !may_hang(cell, step)) return;
  best = {cell, step, before_squares - after_squares};
}

std::optional<ForestRehang::Move> ForestRehang::best_of(std::uint16_t tree, bool bridged) {
  Move best;
  const ForestCell* cells = draft_->cells.data();
  for (const std::uint32_t cell : loaded_) {
    if (cells[cell].tree != tree || places_[cell].load == 0) continue;
    for (std::uint8_t out = ground_.out(cell); out != 0; out &= static_cast<std::uint8_t>(out - 1)) {
      ++visits_;
      const auto step = static_cast<std::uint8_t>(std::countr_zero(out));
      const std::uint32_t next = cell + ground_.steps[step];
      const ForestCell& there = cells[next];
      if (there.tree != tree && there.tree != kNoTree)
        consider(cell, step, there.tree, there.depth + 1, best);
      else if (bridged && places_[next].bridge != kStay)
        consider(cell, step, places_[next].bridge_tree, places_[next].bridge_depth + 1, best);
    }
  }
  visits_ += loaded_.size();
  if (best.gain == 0) return std::nullopt;
  return best;
}

void ForestRehang::clear_bridges() {
  for (const std::uint32_t cell : region_) {
    places_[cell].bridge = kStay;
    places_[cell].bridge_tree = kNoTree;
    places_[cell].seen = 0;
  }
  region_.clear();
}

// From each free cell beside the tree a way through free cells to the nearest faster tree.
void ForestRehang::lay_bridges(std::uint16_t tree) {
  const ForestCell* cells = draft_->cells.data();
  const auto look = [&](std::uint32_t cell) {
    for (std::uint8_t out = ground_.out(cell); out != 0; out &= static_cast<std::uint8_t>(out - 1)) {
      const std::uint32_t next = cell + ground_.steps[static_cast<std::size_t>(std::countr_zero(out))];
      if (places_[next].seen != 0 || !is_free(next, tree)) continue;
      places_[next].seen = 1;
      region_.push_back(next);
    }
  };
  for (const std::uint32_t cell : loaded_)
    if (cells[cell].tree == tree && places_[cell].load != 0) look(cell);
  bridged_.clear();
  for (std::size_t i = 0; i < region_.size(); ++i) {
    const std::uint32_t cell = region_[i];
    look(cell);
    Place& place = places_[cell];
    for (std::uint8_t out = ground_.out(cell); out != 0; out &= static_cast<std::uint8_t>(out - 1)) {
      const auto step = static_cast<std::uint8_t>(std::countr_zero(out));
      const ForestCell& there = cells[cell + ground_.steps[step]];
      if (there.tree == kNoTree || there.tree == tree) continue;
      if (draft_->finish[there.tree] + ground_.rules.spacing >= draft_->finish[tree]) continue;
      if (place.bridge != kStay && draft_->finish[there.tree] >= draft_->finish[place.bridge_tree]) continue;
      if (!may_hang(cell, step)) continue;
      if (place.bridge == kStay) bridged_.push_back(cell);
      place.bridge = step;
      place.bridge_tree = there.tree;
      place.bridge_depth = there.depth + 1;
    }
  }
  for (std::size_t i = 0; i < bridged_.size(); ++i) {
    const std::uint32_t cell = bridged_[i];
    const Place place = places_[cell];
    for (std::uint8_t in = ground_.in(cell); in != 0; in &= static_cast<std::uint8_t>(in - 1)) {
      const auto d = static_cast<std::uint8_t>(std::countr_zero(in));
      const std::uint32_t next = cell + ground_.steps[d];
      Place& other = places_[next];
      const auto step = static_cast<std::uint8_t>(opposite(static_cast<Direction>(d)));
      if (other.seen == 0 || other.bridge != kStay || !ground_.may_follow(step, place.bridge)) continue;
      if (ground_.crosses(cells, next, step)) continue;
      other.bridge = step;
      other.bridge_tree = place.bridge_tree;
      other.bridge_depth = place.bridge_depth + 1;
      bridged_.push_back(next);
    }
  }
  visits_ += 8 * region_.size();
}

// The free cells between a branch and the faster tree, the farthest from the branch first.
bool ForestRehang::build_bridge(const Move& move) {
  const std::uint32_t first = move.cell + ground_.steps[move.step];
  const std::uint16_t tree = draft_->cells[move.cell].tree;
  if (draft_->cells[first].tree != tree && draft_->cells[first].tree != kNoTree) return true;
  const std::uint16_t to = places_[first].bridge_tree;
  chain_.clear();
  for (std::uint32_t z = first; draft_->cells[z].tree != to; z += ground_.steps[places_[z].bridge]) chain_.push_back(z);
  while (!chain_.empty()) {
    const std::uint32_t z = chain_.back();
    chain_.pop_back();
    if (draft_->cells[z].tree == to) continue;
    if (!may_hang(z, places_[z].bridge)) return false;
    hang(z, places_[z].bridge);
  }
  return draft_->cells[first].tree == to && may_hang(move.cell, move.step);
}

// Cells of the branch, those with nobody behind them left out unless they are asked for.
void ForestRehang::list_branch(std::uint32_t cell, Branch which) {
  const ForestCell* cells = draft_->cells.data();
  branch_.assign(1, cell);
  for (std::size_t i = 0; i < branch_.size() && cells[cell].tree != kNoTree; ++i)
    for (std::uint8_t in = ground_.in(branch_[i]); in != 0; in &= static_cast<std::uint8_t>(in - 1)) {
      const auto d = static_cast<Direction>(std::countr_zero(in));
      const std::uint32_t child = branch_[i] + ground_.steps[static_cast<std::size_t>(d)];
      if (cells[child].step != static_cast<std::uint8_t>(opposite(d))) continue;
      if (which == Branch::all || places_[child].load != 0) branch_.push_back(child);
    }
  visits_ += 4 * branch_.size();
}

// Free cells that changed the tree on the way stay there: nobody passes them.
bool ForestRehang::apply(const Move& move) {
  if (!build_bridge(move)) return false;
  const ForestCell* cells = draft_->cells.data();
  const ForestCell &own = cells[move.cell], &up = cells[move.cell + ground_.steps[move.step]];
  const std::uint16_t from = own.tree, to = up.tree;
  const std::uint32_t shift = up.depth + 1 - own.depth;  // modulo 2^32
  const Forecast before = draft_->forecast;
  list_branch(move.cell, Branch::loaded);
  for (const std::uint32_t b : branch_)
    if (occupied_[b] != 0) queues_.move(from, cells[b].depth, to, cells[b].depth + shift);
  queues_.retell(*draft_, from, to);
  if (better(draft_->forecast, before, by_depth_.size())) {
    hang(move.cell, move.step);
    return true;
  }
  for (const std::uint32_t b : branch_)
    if (occupied_[b] != 0) queues_.move(to, cells[b].depth + shift, from, cells[b].depth);
  queues_.retell(*draft_, from, to);
  return false;
}

// Agents are counted before.
void ForestRehang::hang(std::uint32_t cell, std::uint8_t step) {
  ForestCell* cells = draft_->cells.data();
  const std::uint32_t up = cell + ground_.steps[step];
  const std::uint16_t to = cells[up].tree;
  const std::uint32_t load = places_[cell].load, old_up = parent(cell);
  const std::uint32_t shift = cells[up].depth + 1 - cells[cell].depth;  // modulo 2^32
  list_branch(cell, Branch::all);
  cells[cell].step = step;
  for (const std::uint32_t b : branch_) {
    cells[b].tree = to;
    cells[b].depth += shift;
    if (places_[b].load != 0) places_[b].deepest += shift;
  }
  if (load == 0) return;
  lighten(old_up, load);
  burden(up, load, places_[cell].deepest);
}

void ForestRehang::lighten(std::uint32_t from, std::uint32_t load) {
  const ForestCell* cells = draft_->cells.data();
  for (std::uint32_t u = from;; u = parent(u)) {
    Place& place = places_[u];
    place.load -= load;
    place.deepest = occupied_[u] != 0 ? cells[u].depth : 0;
    for (std::uint8_t in = ground_.in(u); in != 0; in &= static_cast<std::uint8_t>(in - 1)) {
      const auto d = static_cast<Direction>(std::countr_zero(in));
      const std::uint32_t child = u + ground_.steps[static_cast<std::size_t>(d)];
      if (cells[child].step == static_cast<std::uint8_t>(opposite(d)) && places_[child].load != 0)
        place.deepest = std::max(place.deepest, places_[child].deepest);
    }
    visits_ += 8;
    if (cells[u].step == kStay) return;
  }
}

void ForestRehang::burden(std::uint32_t from, std::uint32_t load, std::uint32_t deepest) {
  for (std::uint32_t u = from;; u = parent(u)) {
    Place& place = places_[u];
    if (place.load == 0 && draft_->cells[u].depth != 0) loaded_.push_back(u);
    place.load += load;
    place.deepest = std::max(place.deepest, deepest);
    ++visits_;
    if (draft_->cells[u].step == kStay) return;
  }
}

void ForestRehang::improve(ForestDraft& draft, std::span<const std::uint32_t> agents, const std::uint8_t* occupied,
                           int rounds, ForestBudget& budget) {
  draft_ = &draft;
  occupied_ = occupied;
  queues_.tally(draft, agents);
  if (draft.finish.size() < 2 || draft.left_out != 0 || rounds == 0) return;
  weigh(agents);
  refused_.clear();
  slowest_.resize(draft.finish.size());
  while (rounds > 0 && visits_ < budget.left()) {
    for (std::size_t g = 0; g < slowest_.size(); ++g) slowest_[g] = static_cast<std::uint16_t>(g);
    std::sort(slowest_.begin(), slowest_.end(), [&](std::uint16_t a, std::uint16_t b) {
      return draft.finish[a] != draft.finish[b] ? draft.finish[a] > draft.finish[b] : a < b;
    });
    std::optional<Move> move;
    for (std::size_t i = 0; i < slowest_.size() && !move && visits_ < budget.left(); ++i) {
      move = best_of(slowest_[i], false);
      if (move) break;
      lay_bridges(slowest_[i]);
      move = best_of(slowest_[i], true);
      if (!move) clear_bridges();
    }
    if (!move) break;
    --rounds;
    if (apply(*move))
      refused_.clear();
    else
      refused_.push_back(*move);
    clear_bridges();
  }
  budget.spend(visits_);
  visits_ = 0;
}

}  // namespace drover::crowd

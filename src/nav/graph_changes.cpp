// SPDX-License-Identifier: MIT
// Comparing planes word by word, then cell by cell.
#include "nav/graph_changes.hpp"

#include <bit>
#include <cstring>

namespace drover::nav {
namespace {

class Comparison {
 public:
  Comparison(const CompiledGraph& before, const CompiledGraph& after, GraphChanges& out) noexcept
      : before_(before),
        after_(after),
        out_(out),
        compare_factors_(before.factors() != after.factors() ||
                         (before.factors() == nullptr && before.uniform_factor() != after.uniform_factor())),
        compare_prices_(!before.edges().same_as(after.edges())) {}

  bool anything() const noexcept {
    return compare_factors_ || compare_prices_ || before_.moves() != after_.moves() ||
           before_.footings() != after_.footings();
  }

  void look(std::uint32_t word) {
    const std::uint32_t first = word * kWordCells;
    const bool same = std::memcmp(before_.moves() + first, after_.moves() + first, kWordCells) == 0 &&
                      std::memcmp(before_.footings() + first, after_.footings() + first, kWordCells) == 0;
    if (same && !compare_factors_ && !compare_prices_) return;
    for (std::uint32_t p = first; p < first + kWordCells; ++p) {
      if (before_.moves()[p] != after_.moves()[p] || before_.footings()[p] != after_.footings()[p] ||
          (compare_prices_ && other_prices(p)))
        out_.cells.push_back(p);
      if (compare_factors_ && is_open(before_, p) && is_open(after_, p) && before_.factor(p) != after_.factor(p))
        out_.entered.push_back(p);
    }
  }

 private:
  static bool is_open(const CompiledGraph& graph, std::uint32_t p) noexcept {
    return graph.footing({p}) == Footing::open;
  }
  bool other_prices(std::uint32_t p) const noexcept {
    for (unsigned left = before_.moves()[p] & after_.moves()[p]; left != 0; left &= left - 1) {
      const int k = std::countr_zero(left);
      if (before_.surcharge(p, k) != after_.surcharge(p, k)) return true;
    }
    return false;
  }

  const CompiledGraph& before_;
  const CompiledGraph& after_;
  GraphChanges& out_;
  bool compare_factors_, compare_prices_;
};

void compare_portals(const CompiledGraph& before, const CompiledGraph& after, GraphChanges& out) {
  if (&before.portals() == &after.portals()) return;
  const auto note = [&](std::uint32_t from) {
    if (out.portals.empty() || out.portals.back() != from) out.portals.push_back(from);
  };
  const auto key = [](const Portal& p) { return std::uint64_t{p.from} << 32 | p.number; };
  auto a = before.portals().all().begin(), b = after.portals().all().begin();
  const auto a_end = before.portals().all().end(), b_end = after.portals().all().end();
  while (a != a_end || b != b_end) {
    if (b == b_end || (a != a_end && key(*a) < key(*b))) {
      note((a++)->from);
    } else if (a == a_end || key(*b) < key(*a)) {
      note((b++)->from);
    } else {
      if (a->to != b->to || a->cost != b->cost) note(a->from);
      ++a, ++b;
    }
  }
}

}  // namespace

void find_changes(const CompiledGraph& before, const CompiledGraph& after, GraphChanges& out) {
  out.clear();
  compare_portals(before, after, out);
  Comparison comparison(before, after, out);
  if (!comparison.anything()) return;
  if (const std::vector<std::uint32_t>* words = after.words_changed_since(before.content_hash())) {
    for (const std::uint32_t word : *words) comparison.look(word);
    return;
  }
  const WordLayout layout(after.shape());
  for (std::uint64_t row = 0; row < layout.rows(); ++row) {
    const WordLayout::Row words = layout.row(row);
    for (std::uint32_t i = 0; i < words.count; ++i) comparison.look(words.first + i);
  }
}

}  // namespace drover::nav

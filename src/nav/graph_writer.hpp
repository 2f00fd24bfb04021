// SPDX-License-Identifier: MIT
// Writes the planes of a compiled graph word by word, from nothing or over those of an older graph.
#pragma once
#include "nav/compiled_graph.hpp"
#include "nav/word_masks.hpp"

#include <span>

namespace drover::nav {

/// Passes in this order, each over all words it is asked for: load, fit, finish. Within a pass words do not depend on
/// each other, so that a graph written from nothing may be written by several threads.
class GraphWriter {
 public:
  using Graph = std::shared_ptr<const CompiledGraph>;
  static Result<Graph> compile(const MapView& map, const MovementProfile& profile, const Host& host);
  static Result<Graph> update(const CompiledGraph& old, const MapView& map, std::span<const CellIndex> dirty);

 private:
  using FactorRange = CompiledGraph::FactorRange;

  /// Sums over words; differences in an update.
  struct Tally {
    std::uint64_t open = 0, unknown = 0, hash = 0, steps_hash = 0;
    void add(const Tally& other) noexcept {
      open += other.open;
      unknown += other.unknown;
      hash += other.hash;
      steps_hash += other.steps_hash;
    }
  };

  /// From nothing.
  GraphWriter(const MapView& map, const MovementProfile& profile, CellRules rules, SharedBake bake, const Host& host);
  /// Over the planes of `old`, which has the same shape, rules and heights, and a bake if there is one.
  GraphWriter(const MapView& map, const CompiledGraph& old, SharedBake bake);
  static Result<Graph> compile(const MapView& map, const MovementProfile& profile, SharedBake bake, const Host& host);

  /// A body of one cell fits wherever the ground is passable, if there are no obstacles.
  bool has_fits() const noexcept { return profile_.footprint > 1 || bake_ != nullptr; }
  const Word* fits() const noexcept { return has_fits() ? fits_.data() : passable_.data(); }
  void load(std::uint32_t w, Word inside, bool layer_allowed);
  void fit(std::uint32_t w);
  Tally finish(std::uint32_t w);
  StepWords legal(std::uint32_t w, const Word* fits, const EdgeTable* rules) const noexcept;
  StepWords entering(std::uint32_t w) const noexcept;
  FactorRange factors_of(std::uint32_t w, Word open, std::uint32_t* factors) const noexcept;
  Tally old_tally(std::uint32_t w, const CompiledGraph& old) const noexcept;

  void write_all();
  /// `anchors`: words of placements that obstacles took or gave up.
  void write_around(std::span<const std::uint32_t> dirty_words, std::vector<std::uint32_t> anchors,
                    const CompiledGraph& old);
  std::uint64_t missing_bytes() const noexcept;
  /// `old`: where parts that nothing changed are taken from; may be null.
  Result<Graph> result(const CompiledGraph* old) const;

  const MapView& map_;
  const MovementProfile& profile_;
  const Host& host_;
  CellRules rules_;
  EdgeCosts edges_;
  SharedBake bake_;
  WordLayout layout_;
  CowPlane<Word> passable_, unknown_, fits_;           // fits_ is not used unless has_fits()
  CowPlane<std::uint8_t> moves_, reverse_, footings_;  // reverse_ is not used without forbidden steps
  CowPlane<std::uint32_t> factors_;
  CowPlane<FactorRange> ranges_;
  std::vector<std::uint32_t> changed_fits_, written_;  // words, ascending; in an update
  Tally tally_;
};

}  // namespace drover::nav

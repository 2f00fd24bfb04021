// SPDX-License-Identifier: MIT
// The three passes over words, and which words an edit reaches.
#include "nav/graph_writer.hpp"

#include "base/digest.hpp"
#include "base/no_throw.hpp"
#include "base/tasks.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace drover::nav {

namespace {

constexpr std::size_t kEight = 8;
constexpr auto kBlocked = static_cast<std::uint8_t>(Footing::blocked);

std::uint64_t eight_bytes(const std::uint8_t* bytes) noexcept {
  std::uint64_t value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

void sort_unique(std::vector<std::uint32_t>& words) {
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
}

Status check(const MapView& map, const MovementProfile& profile) {
  if (Status status = profile.validate(map.terrain_classes().size(), map.factions().size()); !status.ok())
    return status;
  const GridShape& shape = map.shape();
  const int k = profile.footprint;
  if (k <= shape.width() && k <= shape.height()) return {};
  return {StatusCode::footprint,
          base::concat("profile \"", profile.name, "\": footprint ", k, " on a map of ", shape.width(), "x",
                       shape.height(), "; expected at most its width and height")};
}

std::uint64_t head_hash(const GridShape& shape, StepCosts base) {
  base::Digest digest;
  digest.add(static_cast<std::uint32_t>(shape.width())).add(static_cast<std::uint32_t>(shape.height()));
  digest.add(static_cast<std::uint32_t>(shape.layers()));
  digest.add(static_cast<std::uint32_t>(shape.origin().x)).add(static_cast<std::uint32_t>(shape.origin().y));
  return digest.add(base.straight).add(base.diagonal).value();
}

// Lists are never changed in place while a view holds them.
bool same_rules(const MapView& a, const MapView& b) noexcept {
  return a.step_rules().data() == b.step_rules().data() && a.step_rules().size() == b.step_rules().size();
}
bool same_portals(const MapView& a, const MapView& b) noexcept {
  return a.portals().data() == b.portals().data() && a.portals().size() == b.portals().size();
}

// Under `strict` and `one_free` a diagonal step always has a way round over one orthogonal placement.
Adjacency adjacency(const MovementProfile& profile) noexcept {
  const bool corners = profile.moves == Moves::eight && profile.corner == CornerRule::none;
  return corners ? Adjacency::eight : Adjacency::four;
}

// Signed, because SSE2 compares no other way; costs are far below 2^31.
using Factor = std::int32_t;

// Cells of `count` columns from `first` on, each the dearest of itself and the k - 1 below.
template <class CostOf>
void dearest_below(std::uint32_t first, std::uint32_t stride, int k, Factor* columns, int count,
                   CostOf&& cost_of) noexcept {
  for (int i = 0; i < count; ++i) columns[i] = cost_of(first + static_cast<std::uint32_t>(i));
  for (int row = 1; row < k; ++row) {
    first += stride;
    for (int i = 0; i < count; ++i) {
      const Factor cost = cost_of(first + static_cast<std::uint32_t>(i));
      columns[i] = cost > columns[i] ? cost : columns[i];
    }
  }
}

// Each column becomes the dearest of itself and the k - 1 to the east, by doubling. Reads kMaxFootprint columns past
// the last.
void dearest_east(int k, Factor* columns) noexcept {
  for (int done = 1; done < k;) {
    const int shift = std::min(done, k - done);
    // The last columns are short of neighbours, but no later shift reaches them.
    for (int i = 0; i < kWordCells + kMaxFootprint - shift; ++i) {
      const Factor east = columns[i + shift];
      columns[i] = east > columns[i] ? east : columns[i];
    }
    done += shift;
  }
}

}  // namespace

GraphWriter::GraphWriter(const MapView& map, const MovementProfile& profile, CellRules rules, SharedBake bake,
                         const Host& host)
    : map_(map),
      profile_(profile),
      host_(host),
      rules_(std::move(rules)),
      edges_(EdgeCosts::of(map, profile.footprint, host.allocator)),
      bake_(std::move(bake)),
      layout_(map.shape()),
      passable_(host.allocator, layout_.words(), 0),
      unknown_(host.allocator, layout_.words(), 0),
      fits_(nullptr, host.allocator),
      moves_(host.allocator, map.shape().padded_cells(), 0),
      reverse_(nullptr, host.allocator),
      footings_(host.allocator, map.shape().padded_cells(), kBlocked),
      factors_(nullptr, host.allocator),
      ranges_(nullptr, host.allocator) {
  if (has_fits()) fits_ = {host.allocator, layout_.words(), 0};
  if (edges_.any_forbidden()) reverse_ = {host.allocator, map.shape().padded_cells(), 0};
  if (rules_.one_cost) return;
  factors_ = {host.allocator, map.shape().padded_cells(), 0};
  ranges_ = {host.allocator, layout_.words(), FactorRange{}};
}

GraphWriter::GraphWriter(const MapView& map, const CompiledGraph& old, SharedBake bake)
    : map_(map),
      profile_(old.profile_),
      host_(old.host_),
      rules_(old.rules_),
      edges_(same_rules(map, old.map_) ? old.edges_ : old.edges_.with_rules_of(map, old.profile_.footprint)),
      bake_(std::move(bake)),
      layout_(old.shape_),
      passable_(old.passable_, host_.allocator),
      unknown_(old.unknown_, host_.allocator),
      fits_(old.fits_, host_.allocator),
      moves_(old.moves_, host_.allocator),
      // Where nothing was forbidden yet, steps lead both ways.
      reverse_(old.reverse_ ? old.reverse_ : old.moves_, host_.allocator),
      footings_(old.footings_, host_.allocator),
      factors_(old.factors_, host_.allocator),
      ranges_(old.ranges_, host_.allocator) {
  tally_ = {old.open_cells_, old.unknown_cells_, old.content_hash_ - old.portals_->hash(),
            old.steps_hash_ - old.portals_->steps_hash()};
}

void GraphWriter::load(std::uint32_t w, Word inside, bool layer_allowed) {
  Word passable = 0, unknown = 0;
  if (layer_allowed) {
    const std::uint8_t* terrain = map_.terrain_plane() + std::size_t{w} * kWordCells;
    const std::uint8_t* flags = map_.flag_plane() + std::size_t{w} * kWordCells;
    const bool fogged = rules_.faction != kEveryone && map_.fog_plane() != nullptr;
    const std::uint8_t* fog = fogged ? map_.fog_plane() + std::size_t{w} * kWordCells : nullptr;
    // Neighbours are mostly alike: eight equal classes in a row are looked up once.
    std::uint64_t last_classes = eight_bytes(terrain) + 1;
    Word last = 0;
    for (std::size_t i = 0; i < kWordCells; i += kEight) {
      if (const std::uint64_t classes = eight_bytes(terrain + i); classes != last_classes) {
        last = 0;
        for (std::size_t j = 0; j < kEight; ++j) last |= Word{rules_.passable[terrain[i + j]]} << j;
        last_classes = classes;
      }
      passable |= last << i;
      if (eight_bytes(flags + i) == 0 && (!fogged || eight_bytes(fog + i) == 0)) continue;
      for (std::size_t j = i; j < i + kEight; ++j) {
        const bool hidden = fogged && (fog[j] >> rules_.faction & 1) != 0;
        unknown |= Word{hidden || (flags[j] & MapView::kUnknownFlag) != 0} << j;
        passable &= ~(Word{hidden || flags[j] != 0} << j);
      }
    }
  }
  passable_.store(w, passable & inside);
  unknown_.store(w, unknown & inside);
}

// Obstacles take whole placements, after the erosion: a k x k body is tested at the middle of its cells.
void GraphWriter::fit(std::uint32_t w) {
  if (!has_fits()) return;
  const Word ground = fitting(passable_.data(), w, layout_.row_words(), profile_.footprint);
  fits_.store(w, bake_ == nullptr ? ground : ground & ~bake_->words()[w]);
}

CompiledGraph::FactorRange GraphWriter::factors_of(std::uint32_t w, Word open, std::uint32_t* factors) const noexcept {
  FactorRange range;
  if (open == 0) {
    std::fill_n(factors, kWordCells, 0u);
    return range;
  }
  const std::uint32_t first = w * kWordCells, stride = map_.shape().stride();
  const int k = profile_.footprint, count = k == 1 ? kWordCells : kWordCells + kMaxFootprint;
  Factor columns[kWordCells + kMaxFootprint];
  if (rules_.weights) {
    const std::uint32_t* weights = map_.weight_plane();
    dearest_below(first, stride, k, columns, count, [&](std::uint32_t i) { return static_cast<Factor>(weights[i]); });
  } else {
    const TerrainId* terrain = map_.terrain_plane();
    dearest_below(first, stride, k, columns, count,
                  [&](std::uint32_t i) { return static_cast<Factor>(rules_.cost[terrain[i]]); });
  }
  dearest_east(k, columns);
  std::uint8_t is_open[kWordCells];
  expand_bits(open, is_open);
  constexpr Factor kNone = std::numeric_limits<Factor>::max();
  Factor most = 0, least = kNone;
  for (int i = 0; i < kWordCells; ++i) {
    const Factor keep = -static_cast<Factor>(is_open[i]), factor = columns[i] & keep,
                 or_none = factor | (~keep & kNone);
    most = factor > most ? factor : most;
    least = or_none < least ? or_none : least;
    factors[i] = static_cast<std::uint32_t>(factor);
  }
  return {static_cast<std::uint32_t>(least), static_cast<std::uint32_t>(most)};
}

StepWords GraphWriter::legal(std::uint32_t w, const Word* fits, const EdgeTable* rules) const noexcept {
  StepWords steps = legal_steps(fits, w, layout_.row_words(), profile_.moves, profile_.corner);
  if (rules == nullptr) return steps;
  const StepWords& forbidden = rules->forbidden(w);
  for (std::size_t k = 0; k < steps.size(); ++k) steps[k] &= ~forbidden[k];
  return steps;
}

// Bit k: the step from the neighbour in direction k to here. Without rules a step is legal both ways.
StepWords GraphWriter::entering(std::uint32_t w) const noexcept {
  StepWords steps = legal_steps(fits(), w, layout_.row_words(), profile_.moves, profile_.corner);
  for (int k = 0; k < kDirections; ++k) {
    const auto back = static_cast<std::size_t>(opposite(static_cast<Direction>(k)));
    const std::uint32_t row = w + static_cast<std::uint32_t>(kDy[k]) * layout_.row_words();
    const auto forbidden = [&](std::uint32_t word) { return edges_.rules()->forbidden(word)[back]; };
    Word there = forbidden(row);
    if (kDx[k] > 0) there = there >> 1 | forbidden(row + 1) << 63;
    if (kDx[k] < 0) there = there << 1 | forbidden(row - 1) >> 63;
    steps[static_cast<std::size_t>(k)] &= ~there;
  }
  return steps;
}

GraphWriter::Tally GraphWriter::finish(std::uint32_t w) {
  const Word passable = passable_.data()[w], open = fits()[w], unknown = unknown_.data()[w];
  const StepWords steps = legal(w, fits(), edges_.rules());
  const std::size_t first = std::size_t{w} * kWordCells;
  std::uint8_t bytes[kWordCells];
  expand(steps, bytes);
  moves_.store(first, bytes, kWordCells);
  if (edges_.any_forbidden()) {
    expand(entering(w), bytes);
    reverse_.store(first, bytes, kWordCells);
  }
  expand_footings(passable, open, unknown, bytes);
  footings_.store(first, bytes, kWordCells);

  std::uint32_t factors[kWordCells];
  FactorRange range{rules_.common_cost, rules_.common_cost};
  if (!rules_.one_cost) {
    range = factors_of(w, open, factors);
    ranges_.store(w, range);
    factors_.store(first, factors, kWordCells);
  }
  const auto count = [](Word word) { return static_cast<std::uint64_t>(std::popcount(word)); };
  const WordHash hash =
      word_hash(w, passable, open, unknown, steps, range.least < range.most ? factors : nullptr, range.most);
  return {count(open), count(unknown), hash.content + edges_.hash(w, steps), hash.steps};
}

GraphWriter::Tally GraphWriter::old_tally(std::uint32_t w, const CompiledGraph& old) const noexcept {
  const Word* old_fits = old.fits_->data();
  const Word passable = (*old.passable_)[w], open = old_fits[w], unknown = (*old.unknown_)[w];
  const StepWords steps = legal(w, old_fits, old.edges_.rules());
  FactorRange range{old.uniform_factor_, old.uniform_factor_};
  if (old.factors_) range = (*old.ranges_)[w];
  const std::uint32_t* factors = nullptr;
  if (range.least < range.most) factors = old.factors_->data() + std::size_t{w} * kWordCells;
  const auto count = [](Word word) { return static_cast<std::uint64_t>(std::popcount(word)); };
  const WordHash hash = word_hash(w, passable, open, unknown, steps, factors, range.most);
  return {count(open), count(unknown), hash.content + old.edges_.hash(w, steps), hash.steps};
}

void GraphWriter::write_all() {
  constexpr std::uint64_t kPieceCells = std::uint64_t{1} << 16;
  const std::uint64_t rows = layout_.rows();
  const std::uint64_t grain = std::max<std::uint64_t>(1, kPieceCells / map_.shape().stride());
  const auto each_row = [&](auto&& body) {
    base::parallel_for(host_.tasks, rows, grain, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t r = begin; r < end; ++r) body(layout_.row(r), begin / grain);
    });
  };
  each_row([&](const WordLayout::Row& row, std::uint64_t) {
    const bool allowed = rules_.allows_layer(row.layer);
    for (std::uint32_t i = 0; i < row.count; ++i) load(row.first + i, layout_.inside(i), allowed);
  });
  if (has_fits()) {
    each_row([&](const WordLayout::Row& row, std::uint64_t) {
      for (std::uint32_t i = 0; i < row.count; ++i) fit(row.first + i);
    });
  }
  std::vector<Tally> tallies((rows + grain - 1) / grain);
  each_row([&](const WordLayout::Row& row, std::uint64_t piece) {
    for (std::uint32_t i = 0; i < row.count; ++i) tallies[piece].add(finish(row.first + i));
  });
  const std::uint64_t head = head_hash(map_.shape(), step_costs(profile_.costs));
  tally_ = {0, 0, head, head};
  for (const Tally& t : tallies) tally_.add(t);
}

void GraphWriter::write_around(std::span<const std::uint32_t> dirty_words, std::vector<std::uint32_t> anchors,
                               const CompiledGraph& old) {
  const std::uint32_t up = layout_.row_words();
  // A body covers a cell from anchors up to k - 1 rows above and columns to the left; its steps look one placement
  // further.
  std::vector<std::uint32_t> reached;
  for (const std::uint32_t w : dirty_words) {
    const WordLayout::Place place = layout_.place(w);
    if (place.inside == 0) continue;
    load(w, place.inside, rules_.allows_layer(place.layer));
    for (std::uint32_t row = 0; row < static_cast<std::uint32_t>(profile_.footprint) && w > row * up; ++row) {
      anchors.push_back(w - row * up);
      if (profile_.footprint > 1) anchors.push_back(w - row * up - 1);
    }
  }
  sort_unique(anchors);
  std::erase_if(anchors, [&](std::uint32_t w) { return layout_.place(w).inside == 0; });
  for (const std::uint32_t w : anchors) {
    fit(w);
    if (fits()[w] != (*old.fits_)[w]) changed_fits_.push_back(w);
    for (const std::uint32_t row : {w - up, w, w + up}) {
      for (std::uint32_t column = row - 1; column <= row + 1; ++column) reached.push_back(column);
    }
  }
  sort_unique(reached);
  std::erase_if(reached, [&](std::uint32_t w) { return layout_.place(w).inside == 0; });
  written_ = std::move(reached);
  for (const std::uint32_t w : written_) {
    const Tally before = old_tally(w, old), after = finish(w);
    tally_.open += after.open - before.open;
    tally_.unknown += after.unknown - before.unknown;
    tally_.hash += after.hash - before.hash;
    tally_.steps_hash += after.steps_hash - before.steps_hash;
  }
}

std::uint64_t GraphWriter::missing_bytes() const noexcept {
  return passable_.missing_bytes() + unknown_.missing_bytes() + fits_.missing_bytes() + moves_.missing_bytes() +
         reverse_.missing_bytes() + footings_.missing_bytes() + factors_.missing_bytes() + ranges_.missing_bytes();
}

Result<GraphWriter::Graph> GraphWriter::result(const CompiledGraph* old) const {
  std::shared_ptr<CompiledGraph> g(new CompiledGraph);
  g->shape_ = map_.shape();
  g->map_ = map_;
  g->profile_ = profile_;
  g->base_ = step_costs(profile_.costs);
  g->host_ = host_;
  g->rules_ = rules_;
  g->passable_ = passable_.plane();
  g->unknown_ = unknown_.plane();
  g->fits_ = has_fits() ? fits_.plane() : passable_.plane();
  g->bake_ = bake_;
  g->moves_ = moves_.plane();
  if (edges_.any_forbidden()) g->reverse_ = reverse_.plane();
  g->edges_ = edges_;
  g->footings_ = footings_.plane();
  g->ranges_ = ranges_.plane();
  g->open_cells_ = tally_.open;
  g->unknown_cells_ = tally_.unknown;
  g->content_hash_ = tally_.hash;
  g->steps_hash_ = tally_.steps_hash;
  if (tally_.open > 0) {
    FactorRange all{rules_.common_cost, rules_.common_cost};
    if (!rules_.one_cost) all = {};
    for (const FactorRange& range : ranges_) {
      all.least = std::min(all.least, range.least);
      all.most = std::max(all.most, range.most);
    }
    g->min_factor_ = g->uniform_factor_ = all.least;
    g->max_factor_ = all.most;
    if (all.least != all.most) g->factors_ = factors_.plane();
  }
  const bool same_places = old != nullptr && g->fits_ == old->fits_ && same_portals(map_, old->map_);
  g->portals_ =
      same_places ? old->portals_ : std::make_shared<const PortalLists>(PortalLists::of(map_, g->fits_->data()));
  g->content_hash_ += g->portals_->hash();
  g->steps_hash_ += g->portals_->steps_hash();
  if (old != nullptr) {
    g->changed_words_ = written_;
    g->updated_from_ = old->content_hash_;
    g->updated_ = true;
  }
  if (same_places) {
    g->components_ = old->components_;
  } else {
    ComponentGround ground{g->fits_, layout_, adjacency(profile_), g->portals_};
    g->components_ = old != nullptr ? LiveComponents::after(*old->components_, std::move(ground), changed_fits_)
                                    : LiveComponents::of(std::move(ground));
  }
  return Graph(std::move(g));
}

Result<GraphWriter::Graph> GraphWriter::compile(const MapView& map, const MovementProfile& profile, const Host& host) {
  if (Status status = check(map, profile); !status.ok()) return status;
  Result<SharedBake> obstacles = bake(map, profile, host);
  if (!obstacles.ok()) return obstacles.status();
  return compile(map, profile, *std::move(obstacles), host);
}

Result<GraphWriter::Graph> GraphWriter::compile(const MapView& map, const MovementProfile& profile, SharedBake bake,
                                                const Host& host) {
  GraphWriter writer(map, profile, CellRules::of(map, profile), std::move(bake), host);
  if (const std::uint64_t bytes = writer.missing_bytes(); bytes != 0) return base::out_of_memory(bytes);
  if (!writer.edges_.valid()) return base::out_of_memory(map.shape().padded_cells() * sizeof(std::int32_t));
  writer.write_all();
  return writer.result(nullptr);
}

Result<GraphWriter::Graph> GraphWriter::update(const CompiledGraph& old, const MapView& map,
                                               std::span<const CellIndex> dirty) {
  const bool other_obstacles = map.obstacles().data() != old.map_.obstacles().data();
  if (map.shape() != old.shape_ || map.frame() != old.map_.frame() || (other_obstacles && old.bake_ == nullptr))
    return compile(map, old.profile_, old.host_);
  Rebake obstacles{old.bake_, {}};
  if (other_obstacles) {
    Result<Rebake> moved = rebake(*old.bake_, old.map_, map);
    if (!moved.ok()) return moved.status();
    obstacles = *std::move(moved);
  }
  const auto anew = [&] { return compile(map, old.profile_, obstacles.bake, old.host_); };
  if (old.open_cells_ == 0 || CellRules::of(map, old.profile_) != old.rules_ ||
      map.height_plane() != old.map_.height_plane())
    return anew();

  GraphWriter writer(map, old, obstacles.bake);
  const auto words_of = [&](std::span<const CellIndex> cells) {
    std::vector<std::uint32_t> words;
    words.reserve(cells.size());
    for (const CellIndex i : cells) {
      if (i.value < map.shape().padded_cells()) words.push_back(i.value / kWordCells);
    }
    sort_unique(words);
    return words;
  };
  const std::vector<std::uint32_t> words = words_of(dirty);
  std::vector<std::uint32_t> anchors = words_of(obstacles.changed);
  // Past this the words around them cost more one by one than all do in order.
  const std::uint64_t around =
      words.size() * 3 * static_cast<std::uint64_t>(old.profile_.footprint + 2) + anchors.size() * 9;
  if (around > writer.layout_.words() / 2) return anew();

  writer.write_around(words, std::move(anchors), old);
  if (const std::uint64_t bytes = writer.missing_bytes(); bytes != 0) return base::out_of_memory(bytes);
  auto graph = writer.result(&old);
  // There was one factor and so no plane to write the second one to.
  if ((*graph)->min_factor_ != (*graph)->max_factor_ && (*graph)->factors_ == nullptr) return anew();
  return graph;
}

}  // namespace drover::nav

// SPDX-License-Identifier: MIT
// The phases of a repair, over pages that are copied when first written.
#include "field/repair.hpp"

#include "nav/compiled_graph.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>

namespace drover::field {
namespace {

constexpr std::uint8_t kLost = 1, kTouched = 2, kPatched = 4, kTurned = 8, kAsked = 16;
// Copying a page costs about as much as this many visits.
constexpr std::uint64_t kVisitsAPage = 16;

template <class T>
T& slot(const T* const* pages, std::uint32_t cell) noexcept {
  return const_cast<T*>(pages[cell >> FlowField::kPageBits])[cell & FlowField::kPageMask];
}

/// The edges of the new graph, prices in units.
class NewEdges {
 public:
  NewEdges(const nav::CompiledGraph& graph, const Units& units) noexcept
      : graph_(graph),
        directed_(graph.directed()),
        has_portals_(!graph.portals().empty()),
        straight_(units.straight),
        diagonal_(units.diagonal),
        divisor_(units.factor_divisor),
        factors_(units.uniform ? nullptr : graph.factors()) {
    for (int k = 0; k < kDirections; ++k) offsets_[k] = graph.shape().step(static_cast<Direction>(k));
  }

  std::uint64_t price(std::uint32_t from, int k, std::uint32_t to) const noexcept {
    std::uint64_t price = k < 4 ? straight_ : diagonal_;
    if (factors_ != nullptr) price *= divisor_ == 1 ? factors_[to] : factors_[to] / divisor_;
    return directed_ ? price + graph_.surcharge(from, k) : price;
  }
  /// visit(k, q, price) for every step p -> q.
  template <class Visit>
  void steps(std::uint32_t p, Visit&& visit) const {
    for (unsigned left = graph_.moves()[p]; left != 0; left &= left - 1) {
      const int k = std::countr_zero(left);
      const std::uint32_t q = p + offsets_[k];
      visit(k, q, price(p, k, q));
    }
  }
  /// visit(portal) for every portal that leaves p, by number.
  template <class Visit>
  void portals(std::uint32_t p, Visit&& visit) const {
    if (!has_portals_) return;
    for (const nav::Portal& portal : graph_.portals().leaving(p)) visit(portal);
  }
  /// visit(u, price) for every edge u -> v.
  template <class Visit>
  void entering(std::uint32_t v, Visit&& visit) const {
    for (unsigned left = graph_.reverse_moves()[v]; left != 0; left &= left - 1) {
      const int k = std::countr_zero(left);
      const std::uint32_t u = v + offsets_[k];
      visit(u, price(u, static_cast<int>(opposite(static_cast<Direction>(k))), v));
    }
    if (!has_portals_) return;
    for (const nav::Portal& portal : graph_.portals().entering(v)) visit(portal.from, std::uint64_t{portal.cost});
  }
  bool open(std::uint32_t p) const noexcept { return graph_.footing({p}) == Footing::open; }

 private:
  const nav::CompiledGraph& graph_;
  bool directed_, has_portals_;
  std::uint64_t straight_, diagonal_;
  std::uint32_t divisor_;
  const std::uint32_t* factors_;
  std::uint32_t offsets_[kDirections];
};

/// (cost, hops) of a cell; hops stay 0 where steps cannot be free.
struct Label {
  std::uint64_t cost = kNoLabel;
  std::uint32_t hops = 0;
  static constexpr std::uint64_t kNoLabel = ~std::uint64_t{0};
  bool none() const noexcept { return cost == kNoLabel; }
  friend bool operator<(const Label& a, const Label& b) noexcept {
    return a.cost < b.cost || (a.cost == b.cost && a.hops < b.hops);
  }
  friend bool operator==(const Label&, const Label&) noexcept = default;
};

template <class T, bool Hops>
class RepairRun {
 public:
  RepairRun(const RepairJob& job, RepairScratch& scratch, FlowFieldData& field) noexcept
      : job_(job), scratch_(scratch), field_(field), edges_(job.after, job.units), heap_(heap_of(scratch)) {}
  // Marks are cleared by what the lists hold, so that this costs nothing by the size of the map.
  ~RepairRun() {
    for (const auto* list :
         {&scratch_.suspects, &scratch_.asked, &scratch_.touched, &scratch_.patched, &scratch_.turned})
      for (const std::uint32_t cell : *list) scratch_.marks[cell] = 0;
  }
  RepairRun(const RepairRun&) = delete;
  RepairRun& operator=(const RepairRun&) = delete;

  bool run(Repair& out) {
    const bool done = collect_suspects() && lose() && settle() && patch() && count_steps();
    out.touched = scratch_.touched.size();
    out.pages = pages_;
    out.out_of_memory = out_of_memory_;
    out.refused = refused_;
    if (!done) return false;
    for (const auto* list : {&scratch_.suspects, &scratch_.touched, &scratch_.patched})
      for (const std::uint32_t cell : *list) field_.forget_digest(cell);
    out.sums.reached = job_.old.sums().reached;
    const std::uint64_t last = job_.old.sums().last_cost;
    std::uint64_t most = 0;
    bool last_lost = false;
    for (const std::uint32_t cell : scratch_.touched) {
      const Label now = label(cell), was = old_label(cell);
      out.sums.reached += now.none() ? 0u : 1u;
      out.sums.reached -= was.none() ? 0u : 1u;
      if (!now.none()) most = std::max(most, now.cost);
      last_lost = last_lost || was.cost == last;
    }
    const bool known = last != FlowFieldData::Sums::kUnknown && (most >= last || !last_lost);
    out.sums.last_cost = known ? std::max(most, last) : FlowFieldData::Sums::kUnknown;
    return true;
  }

 private:
  static constexpr bool kBased = std::is_same_v<T, std::uint16_t>;
  static constexpr T kNone = FlowFieldData::kNone<T>;
  using Event = std::conditional_t<sizeof(T) <= sizeof(std::uint32_t) && !Hops, NarrowEvent, HeapEvent>;
  using Heap = base::QuadHeap<Event>;

  static Heap& heap_of(RepairScratch& scratch) noexcept {
    if constexpr (std::is_same_v<Event, NarrowEvent>)
      return scratch.narrow;
    else
      return scratch.wide;
  }

  static Label label_in(const FlowFieldData& field, std::uint32_t cell) noexcept {
    std::uint64_t cost = slot(field.cost_pages<T>(), cell);
    if (cost >= kNone) return {};
    if constexpr (kBased) cost += base_of(field, cell);
    return {cost, Hops ? slot(field.hop_pages(), cell) : 0};
  }
  Label label(std::uint32_t cell) const noexcept { return label_in(field_, cell); }
  Label old_label(std::uint32_t cell) const noexcept { return label_in(job_.old, cell); }
  Label through(Label next, std::uint64_t price) const noexcept {
    return {next.cost + price, Hops ? next.hops + 1 : 0};
  }

  bool fail(const char* why) noexcept {
    refused_ = why;
    return false;
  }
  bool no_memory() noexcept {
    out_of_memory_ = true;
    return false;
  }
  bool spend(std::uint64_t visits) noexcept {
    spent_ += visits;
    return spent_ <= job_.budget || fail("the edit reaches too many cells");
  }

  bool own_page(std::uint32_t cell) noexcept {
    const std::uint32_t page = cell >> FlowField::kPageBits;
    if (field_.page(page) != job_.old.page(page)) return true;
    if (!field_.own(page)) return no_memory();
    ++pages_;
    return spend(kVisitsAPage);
  }
  static std::uint32_t& base_of(const FlowFieldData& field, std::uint32_t cell) noexcept {
    constexpr std::uint32_t kLine = FlowFieldData::kLineCells;
    const std::uint32_t in_page = (cell & FlowField::kPageMask) / kLine;
    return const_cast<std::uint32_t*>(field.base_pages()[cell >> FlowField::kPageBits])[in_page];
  }
  bool set_label(std::uint32_t cell, Label to) noexcept {
    if (!own_page(cell)) return false;
    if (to.none()) {
      slot(field_.cost_pages<T>(), cell) = kNone;
    } else if constexpr (kBased) {
      if (to.cost - base_of(field_, cell) >= kNone && !rebase(cell, to.cost)) return false;
      slot(field_.cost_pages<T>(), cell) = static_cast<T>(to.cost - base_of(field_, cell));
    } else {
      if (to.cost >= kNone) return fail("a cost outgrew its width");
      slot(field_.cost_pages<T>(), cell) = static_cast<T>(to.cost);
    }
    if constexpr (Hops) slot(field_.hop_pages(), cell) = to.none() ? ~std::uint32_t{0} : to.hops;
    return true;
  }
  // Another base for the cell's tile, so that this cost fits.
  bool rebase(std::uint32_t cell, std::uint64_t cost) noexcept {
    constexpr std::uint32_t kLine = FlowFieldData::kLineCells;
    const GridShape& shape = job_.after.shape();
    const Cell c = shape.cell({cell});
    const std::int32_t y = c.y - shape.origin().y;
    const auto first_row = static_cast<std::int32_t>(static_cast<std::uint32_t>(y) / kLine * kLine);
    const std::int32_t rows = std::min(static_cast<std::int32_t>(kLine), shape.height() - first_row);
    const std::uint32_t corner = cell / kLine * kLine - static_cast<std::uint32_t>(y - first_row) * shape.stride();
    std::uint64_t least = cost, most = cost;
    const auto each_line = [&](auto&& visit) {
      for (std::int32_t i = 0; i < rows; ++i) {
        if (!visit(corner + static_cast<std::uint32_t>(i) * shape.stride())) return false;
      }
      return true;
    };
    each_line([&](std::uint32_t line) {
      for (std::uint32_t p = line; p < line + kLine; ++p) {
        if (const Label at = label(p); !at.none()) {
          least = std::min(least, at.cost);
          most = std::max(most, at.cost);
        }
      }
      return true;
    });
    // Room below for what comes next, if there is any.
    const std::uint64_t spare = (kNone - 1 - std::min<std::uint64_t>(most - least, kNone - 1)) / 2;
    const std::uint64_t base =
        (least - std::min(least, spare)) / FlowFieldData::kBaseStep * FlowFieldData::kBaseStep;
    if (most - base >= kNone || base > ~std::uint32_t{0}) return fail("costs within one tile exceed 16 bits");
    return each_line([&](std::uint32_t line) {
      if (!own_page(line)) return false;
      const std::uint64_t old = base_of(field_, line);
      for (std::uint32_t p = line; p < line + kLine; ++p) {
        T& at = slot(field_.cost_pages<T>(), p);
        if (at < kNone) at = static_cast<T>(old + at - base);
      }
      base_of(field_, line) = static_cast<std::uint32_t>(base);
      return true;
    });
  }
  void touch(std::uint32_t cell) {
    if ((scratch_.marks[cell] & kTouched) != 0) return;
    scratch_.touched.push_back(cell);
    scratch_.marks[cell] |= kTouched;
  }
  bool push(std::uint32_t cell, Label at) noexcept {
    if (!heap_.make_room(job_.allocator, 1)) return no_memory();
    heap_.push({at.cost, at.hops, false, cell});
    return true;
  }

  void suspect(std::uint32_t cell) {
    if ((scratch_.marks[cell] & kPatched) != 0) return;
    scratch_.suspects.push_back(cell);
    scratch_.marks[cell] |= kPatched;
  }
  // Where a goal came, went or has another offset.
  void suspect_goals() {
    const auto was = job_.old.goal_cells();
    const auto& offsets = job_.old.sums().offsets;
    const auto& now = job_.goals.cells;
    std::size_t i = 0, j = 0;
    while (i < was.size() || j < now.size()) {
      if (j == now.size() || (i < was.size() && was[i] < now[j])) {
        suspect(was[i++]);
      } else if (i == was.size() || now[j] < was[i]) {
        suspect(now[j++]);
      } else {
        if (offsets[i] != job_.goals.offsets[j]) suspect(now[j]);
        ++i, ++j;
      }
    }
  }
  bool collect_suspects() {
    scratch_.suspects.clear();
    scratch_.asked.clear();
    scratch_.touched.clear();
    scratch_.patched.clear();
    scratch_.turned.clear();
    heap_.clear();
    const nav::GraphChanges& changes = scratch_.changes;
    if (!spend(changes.cells.size() + changes.entered.size() + changes.portals.size())) return false;
    for (const std::uint32_t cell : changes.cells) suspect(cell);
    for (const std::uint32_t cell : changes.portals) suspect(cell);
    for (const std::uint32_t cell : changes.entered)
      edges_.entering(cell, [&](std::uint32_t u, std::uint64_t) { suspect(u); });
    suspect_goals();
    return spend(scratch_.suspects.size());
  }

  Label source_label(std::uint32_t cell) const noexcept {
    const auto& cells = job_.goals.cells;
    const auto found = std::lower_bound(cells.begin(), cells.end(), cell);
    if (found == cells.end() || *found != cell) return {};
    return {job_.goals.offsets[static_cast<std::size_t>(found - cells.begin())] / job_.units.scale, 0};
  }
  bool is_goal(std::uint32_t cell) const noexcept {
    return std::binary_search(job_.goals.cells.begin(), job_.goals.cells.end(), cell);
  }
  // Of the goal that stands there and of neighbours that kept their labels.
  Label best_offer(std::uint32_t cell) const noexcept {
    Label best = source_label(cell);
    const auto offer = [&](std::uint32_t to, std::uint64_t price) {
      if (const Label next = label(to); !next.none() && (scratch_.marks[to] & kLost) == 0)
        best = std::min(best, through(next, price));
    };
    edges_.steps(cell, [&](int, std::uint32_t to, std::uint64_t price) { offer(to, price); });
    edges_.portals(cell, [&](const nav::Portal& portal) { offer(portal.to, portal.cost); });
    return best;
  }
  // What is lost has no label, so that nothing is explained by it.
  bool is_explained(std::uint32_t cell, Label was) const noexcept {
    if (!(was < source_label(cell))) return true;
    bool explained = false;
    const auto ask = [&](std::uint32_t to, std::uint64_t price) {
      if (const Label next = label(to); !next.none() && !(was < through(next, price))) explained = true;
    };
    edges_.steps(cell, [&](int, std::uint32_t to, std::uint64_t price) { ask(to, price); });
    if (!explained) edges_.portals(cell, [&](const nav::Portal& portal) { ask(portal.to, portal.cost); });
    return explained;
  }
  // Everything that could take a cell's support has a smaller label: once is enough.
  bool ask(std::uint32_t cell, Label was) {
    if ((scratch_.marks[cell] & kAsked) != 0) return true;
    scratch_.marks[cell] |= kAsked;
    scratch_.asked.push_back(cell);
    return push(cell, was);
  }

  // Ascending by old label. What explains a cell has a smaller label, so it was decided before.
  bool lose() {
    for (const std::uint32_t cell : scratch_.suspects) {
      const Label was = label(cell);
      if (was.none()) continue;
      if (edges_.open(cell)) {
        if (!ask(cell, was)) return false;
        continue;
      }
      touch(cell);
      if (!set_label(cell, {})) return false;
    }
    while (!heap_.empty()) {
      const Event event = heap_.top();
      heap_.pop();
      if (!spend(1)) return false;
      const std::uint32_t cell = event.cell();
      const Label was{event.cost(), event.hops()};
      if (is_explained(cell, was)) continue;
      touch(cell);
      scratch_.marks[cell] |= kLost;
      if (!set_label(cell, {})) return false;
      bool pushed = true;
      edges_.entering(cell, [&](std::uint32_t u, std::uint64_t price) {
        if (pushed && label(u) == through(was, price)) pushed = ask(u, label(u));
      });
      if (!pushed) return false;
    }
    return true;
  }

  bool lower(std::uint32_t cell, Label to) {
    if (!(to < label(cell))) return true;
    touch(cell);
    return set_label(cell, to) && push(cell, to);
  }
  bool settle() {
    const std::size_t lost = scratch_.touched.size();
    for (std::size_t i = 0; i < lost; ++i) {
      const std::uint32_t cell = scratch_.touched[i];
      if (edges_.open(cell) && !lower(cell, best_offer(cell))) return false;
    }
    for (const std::uint32_t cell : scratch_.suspects)
      if (edges_.open(cell) && !lower(cell, best_offer(cell))) return false;
    if (!spend(lost)) return false;
    while (!heap_.empty()) {
      const Event event = heap_.top();
      heap_.pop();
      if (!spend(1)) return false;
      const Label at{event.cost(), event.hops()};
      if (!(label(event.cell()) == at)) continue;  // lowered since
      bool fine = true;
      edges_.entering(event.cell(),
                      [&](std::uint32_t u, std::uint64_t price) { fine = fine && lower(u, through(at, price)); });
      if (!fine) return false;
    }
    return true;
  }

  // Of free steps those with fewer hops ahead.
  bool is_tie(Label here, std::uint32_t to, std::uint64_t price) const noexcept {
    const Label next = label(to);
    return !next.none() && next.cost + price == here.cost && (price != 0 || next.hops < here.hops);
  }
  bool patch() {
    for (const std::uint32_t cell : scratch_.suspects)
      if (!patch_cell(cell)) return false;
    bool fine = true;
    const auto once = [&](std::uint32_t cell) {
      if (!fine || (scratch_.marks[cell] & kPatched) != 0) return;
      scratch_.patched.push_back(cell);
      scratch_.marks[cell] |= kPatched;
      fine = patch_cell(cell);
    };
    for (const std::uint32_t cell : scratch_.touched) {
      if (label(cell) == old_label(cell)) continue;
      once(cell);
      edges_.entering(cell, [&](std::uint32_t u, std::uint64_t) { once(u); });
      if (!fine || !spend(1)) return false;
    }
    patch_portals();
    return true;
  }
  bool patch_cell(std::uint32_t cell) {
    const Label here = label(cell);
    const T state = FlowFieldData::state_cost<T>(static_cast<std::uint8_t>(job_.after.footing({cell})));
    unsigned ties = 0;
    auto code = FlowField::kGoalCode;
    if (here.none()) {
      code = static_cast<std::uint8_t>(FlowField::kUnreachableCode + static_cast<int>(job_.after.footing({cell})));
    } else if (!is_goal(cell)) {
      edges_.steps(cell, [&](int k, std::uint32_t to, std::uint64_t price) {
        if (is_tie(here, to, price)) ties |= 1u << k;
      });
      if (ties != 0) {
        code = static_cast<std::uint8_t>(std::countr_zero(ties));
      } else {
        edges_.portals(cell, [&](const nav::Portal& portal) {
          if (is_tie(here, portal.to, portal.cost)) code = FlowField::kPortalCode;
        });
      }
    }
    if (job_.old.code({cell}) != code || code == FlowField::kPortalCode) turn(cell);
    const bool stated = !here.none() || slot(field_.cost_pages<T>(), cell) == state;
    if (stated && slot(field_.tie_pages(), cell) == ties) return true;
    if (!own_page(cell)) return false;
    if (here.none()) slot(field_.cost_pages<T>(), cell) = state;
    slot(field_.tie_pages(), cell) = static_cast<std::uint8_t>(ties);
    return true;
  }
  void patch_portals() {
    std::vector<std::uint32_t> cells;
    std::vector<PortalStep> steps;
    for (const nav::Portal& portal : job_.after.portals().all()) {
      const Label here = label(portal.from);
      if (here.none() || is_goal(portal.from) || !is_tie(here, portal.to, portal.cost)) continue;
      cells.push_back(portal.from);
      steps.push_back({portal.number, {portal.to}});
    }
    field_.set_portal_steps(std::move(cells), std::move(steps));
  }

  void turn(std::uint32_t cell) {
    if (field_.step_pages() == nullptr || (scratch_.marks[cell] & kTurned) != 0) return;
    scratch_.turned.push_back(cell);
    scratch_.marks[cell] |= kTurned;
  }
  // Ascending by label: the next cell of each has its steps already.
  bool count_steps() {
    if (field_.step_pages() == nullptr) return true;
    constexpr WaySteps kUncounted{~std::uint32_t{0}, ~std::uint32_t{0}, ~std::uint32_t{0}};
    for (std::size_t i = 0; i < scratch_.turned.size(); ++i) {
      const std::uint32_t cell = scratch_.turned[i];
      if (const Label here = label(cell); !here.none()) {
        if (!push(cell, here)) return false;
      } else if (!(slot(field_.step_pages(), cell) == kUncounted)) {
        if (!own_page(cell)) return false;
        slot(field_.step_pages(), cell) = kUncounted;
      }
    }
    while (!heap_.empty()) {
      const std::uint32_t cell = heap_.top().cell();
      heap_.pop();
      const WaySteps steps = steps_from(cell);
      if (!spend(1)) return false;
      if (steps == slot(field_.step_pages(), cell)) continue;
      if (!own_page(cell)) return false;
      slot(field_.step_pages(), cell) = steps;
      bool fine = true;
      edges_.entering(cell, [&](std::uint32_t u, std::uint64_t) {
        if (fine && field_.code({u}) <= FlowField::kPortalCode && next_of(u) == cell &&
            (scratch_.marks[u] & kTurned) == 0) {
          turn(u);
          fine = push(u, label(u));
        }
      });
      if (!fine) return false;
    }
    return true;
  }
  std::uint32_t next_of(std::uint32_t cell) const noexcept {
    const std::uint8_t code = field_.code({cell});
    if (code == FlowField::kPortalCode) return field_.optimal_portals({cell}).front().to.value;
    return cell + job_.after.shape().step(static_cast<Direction>(code));
  }
  WaySteps steps_from(std::uint32_t cell) const noexcept {
    const std::uint8_t code = field_.code({cell});
    if (code == FlowField::kGoalCode) return {};
    WaySteps steps = slot(field_.step_pages(), next_of(cell));
    ++(code < 4 ? steps.straight : code < kDirections ? steps.diagonal : steps.portals);
    return steps;
  }

  const RepairJob& job_;
  RepairScratch& scratch_;
  FlowFieldData& field_;
  const NewEdges edges_;
  Heap& heap_;
  std::uint64_t spent_ = 0, pages_ = 0;
  const char* refused_ = "";
  bool out_of_memory_ = false;
};

template <class T, bool Hops>
bool run(const RepairJob& job, RepairScratch& scratch, Repair& out) {
  return RepairRun<T, Hops>(job, scratch, *out.field).run(out);
}

}  // namespace

Repair repair_field(const RepairJob& job, RepairScratch& scratch) {
  Repair out;
  const std::size_t cells = job.after.shape().padded_cells();
  if (scratch.marks.size() != cells) {
    scratch.marks = {};
    scratch.marks = base::Plane<std::uint8_t>::filled(job.allocator, cells, 0);
  }
  nav::find_changes(job.before, job.after, scratch.changes);
  out.out_of_memory = true;
  if (!scratch.marks.valid()) return out;
  out.field = FlowFieldData::share(job.old);
  if (out.field == nullptr) return out;
  const bool wide = job.units.bits64, hops = job.units.free_steps;
  const bool narrow = job.old.width() == FlowFieldData::Width::bits16;
  const bool done =
      narrow ? run<std::uint16_t, false>(job, scratch, out)
      : wide ? hops ? run<std::uint64_t, true>(job, scratch, out) : run<std::uint64_t, false>(job, scratch, out)
      : hops ? run<std::uint32_t, true>(job, scratch, out)
             : run<std::uint32_t, false>(job, scratch, out);
  if (!done) out.field.reset();
  return out;
}

bool was_repaired(const FlowField& field) noexcept { return static_cast<const FlowFieldData&>(field).repaired(); }

// A visit takes 0.15 - 0.25 us, so that this is about a fifth of a build: what a repair that is given up adds to it.
std::uint64_t repair_budget(FieldEngine engine, std::uint64_t reached) noexcept {
  const auto share = [&]() -> std::uint64_t {
    switch (engine) {
      case FieldEngine::two_cursor:
        return 200;
      case FieldEngine::buckets:
        return 64;
      case FieldEngine::heap:
        return 16;
      case FieldEngine::directed:
        return 32;
      default:
        return 256;
    }
  };
  return 32 + reached / share();
}

}  // namespace drover::field

// SPDX-License-Identifier: MIT
// Judges a field cell by cell, then walks over it.
#include <algorithm>
#include <utility>

#include "base/counter_rng.hpp"
#include "base/int128.hpp"
#include "base/no_throw.hpp"
#include "verify/steps.hpp"
#include "verify/ways.hpp"

namespace drover {

using verify::Steps;
using verify::WayLabel;
using verify::Ways;

const char* to_string(ClaimedState s) noexcept {
  switch (s) {
    case ClaimedState::goal:
      return "goal";
    case ClaimedState::reachable:
      return "reachable";
    case ClaimedState::unreachable:
      return "unreachable";
    case ClaimedState::blocked:
      return "blocked";
    case ClaimedState::no_room:
      return "no_room";
    case ClaimedState::unknown:
      return "unknown";
    case ClaimedState::none:
      break;
  }
  return "none";
}

namespace {

constexpr std::uint32_t kDrawStarts = 0x0c1e;  // domain
constexpr std::uint32_t kNobody = ~std::uint32_t{0};

class Oracle {
 public:
  Oracle(const MapView& map, const MovementProfile& profile, std::span<const FieldTarget> targets,
         const OracleOptions& options)
      : options_(options), targets_(targets), steps_(map, profile), ways_(steps_, targets) {
    const GridShape& shape = steps_.shape();
    for (std::int32_t layer = 0; layer < shape.layers(); ++layer) {
      for (std::int32_t row = 0; row < shape.height(); ++row) {
        for (std::int32_t x = 0; x < shape.width(); ++x) cells_.push_back(shape.at(x, row, layer));
      }
    }
    for (const std::uint32_t cell : cells_) {
      if (steps_.stands(cell)) places_.push_back(cell);
    }
  }

  FieldVerdict judge(const FieldClaims& claims) {
    search();
    if (!verdict_.stopped) compare(claims);
    if (verdict_.stopped || verdict_.wrong > 0) return verdict_;
    if (const auto lost = verify::lost_walk(steps_.shape(), claims.at))
      fail({steps_.shape().cell(*lost), ClaimFault::walk, claims.at(*lost), expected(lost->value), 0, 0});
    if (verdict_.wrong == 0 && claims.goal_of) compare_goals(claims);
    return verdict_;
  }

 private:
  bool more(std::uint64_t done, std::uint64_t total) {
    if (options_.progress && !options_.progress(done, total)) verdict_.stopped = true;
    return !verdict_.stopped;
  }

  // A start's own answer replaces the one found against the steps, so that a contradiction shows as a wrong cell.
  void search() {
    verdict_.sampled = places_.size() > options_.all_starts;
    std::vector<std::uint32_t> starts = places_;
    if (verdict_.sampled) {
      labels_ = ways_.all();
      draw(starts);
    } else {
      labels_.assign(steps_.shape().padded_cells(), {});
    }
    for (std::size_t i = 0; i < starts.size() && more(i, starts.size()); ++i) {
      labels_[starts[i]] = ways_.from(starts[i]);
      ++verdict_.starts;
    }
  }

  // The first of a random order of all places.
  void draw(std::vector<std::uint32_t>& starts) const {
    constexpr std::uint64_t kWork = std::uint64_t{1} << 23;  // cells that all starts together look at
    const std::uint64_t wanted =
        options_.samples > 0 ? options_.samples : std::clamp<std::uint64_t>(kWork / starts.size(), 4, 512);
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(wanted, starts.size()));
    const base::CounterRng rng(options_.seed, kDrawStarts);
    for (std::size_t i = 0; i < count; ++i)
      std::swap(starts[i], starts[i + rng.uniform(i, static_cast<std::uint32_t>(starts.size() - i))]);
    starts.resize(count);
  }

  CellClaim expected(std::uint32_t at) const {
    CellClaim claim;
    claim.state = steps_.without_goal(at);
    if (claim.state != ClaimedState::unreachable) return claim;
    const WayLabel& here = labels_[at];
    claim.cost = here.cost;
    steps_.leaving(at, [&](std::uint32_t way, std::uint32_t to, Cost cost) {
      const WayLabel& there = labels_[to];
      if (there.cost == kInfiniteCost) return;
      claim.cost = std::min(claim.cost, there.cost + cost);
      if (there.cost + cost != here.cost || !(there < here) || ways_.target(at)) return;
      if (claim.step == CellClaim::kNoStep) claim.step = way;
      if (way < CellClaim::kPortalStep)
        claim.ties.bits = static_cast<std::uint8_t>(claim.ties.bits | 1u << way);
      else
        claim.portals.push_back({way - CellClaim::kPortalStep, {to}});
    });
    if (claim.cost != kInfiniteCost) claim.state = ClaimedState::reachable;
    if (ways_.target(at)) claim.state = ClaimedState::goal;
    return claim;
  }

  void compare(const FieldClaims& claims) {
    next_.assign(steps_.shape().padded_cells(), kNobody);
    for (const std::uint32_t cell : cells_) {
      const CellClaim want = expected(cell), found = claims.at({cell});
      ++verdict_.cells;
      if (want.step < CellClaim::kPortalStep)
        next_[cell] = cell + steps_.shape().step(static_cast<Direction>(want.step));
      else if (want.step != CellClaim::kNoStep)
        next_[cell] = want.portals.front().to.value;
      if (found != want) fail({steps_.shape().cell({cell}), ClaimFault::cell, found, want, 0, 0});
    }
  }

  // Every cell is right by now, so the first steps are those of the field and end at targets.
  void compare_goals(const FieldClaims& claims) {
    const std::vector<std::uint32_t> found = claims.goal_of();
    std::vector<std::uint32_t> want(steps_.shape().padded_cells(), kNobody);
    for (std::uint32_t i = 0; i < targets_.size(); ++i) {
      std::uint32_t& owner = want[steps_.shape().index(targets_[i].cell).value];
      if (owner == kNobody || targets_[i].offset < targets_[owner].offset) owner = i;
    }
    for (const std::uint32_t cell : cells_) {
      std::uint32_t end = cell;
      while (want[end] == kNobody && next_[end] != kNobody) end = next_[end];
      for (std::uint32_t at = cell; want[at] == kNobody && next_[at] != kNobody; at = next_[at]) want[at] = want[end];
      if (found[cell] == want[cell]) continue;
      fail({steps_.shape().cell({cell}), ClaimFault::goal, claims.at({cell}), expected(cell), found[cell], want[cell]});
    }
  }

  void fail(WrongCell wrong) {
    if (verdict_.wrong++ == 0) verdict_.first = std::move(wrong);
  }

  const OracleOptions& options_;
  std::span<const FieldTarget> targets_;
  Steps steps_;
  Ways ways_;
  std::vector<std::uint32_t> cells_, places_;  // of the map; where the body can stand
  std::vector<WayLabel> labels_;
  std::vector<std::uint32_t> next_;  // where the first optimal step leads
  FieldVerdict verdict_;
};

Status check(const MapView& map, const MovementProfile& profile, std::span<const FieldTarget> targets) {
  if (Status status = profile.validate(map.terrain_classes().size(), map.factions().size()); !status.ok())
    return status;
  if (targets.empty()) return {StatusCode::argument, "no targets; at least one is expected"};
  const verify::Ground ground(map);
  const verify::Body body(profile, ground);
  for (const FieldTarget& target : targets) {
    if (!body.fits(ground, ground.placement(target.cell)))
      return {StatusCode::argument, "a target where the body cannot stand"};
  }
  return {};
}

}  // namespace

Result<FieldVerdict> verify_field(const MapView& map, const MovementProfile& profile,
                                  std::span<const FieldTarget> targets, const FieldClaims& claims,
                                  const OracleOptions& options) {
  return base::no_throw([&]() -> Result<FieldVerdict> {
    if (Status status = check(map, profile, targets); !status.ok()) return status;
    return Oracle(map, profile, targets, options).judge(claims);
  });
}

std::vector<std::optional<Cell>> place_targets(const MapView& map, const MovementProfile& profile,
                                               std::span<const Cell> asked, TargetPlacement placement) {
  const verify::Ground ground(map);
  const verify::Body body(profile, ground);
  const GridShape& shape = map.shape();
  std::vector<std::optional<Cell>> placed;
  for (const Cell& cell : asked) {
    std::optional<Cell>& place = placed.emplace_back();
    if (body.fits(ground, ground.placement(cell))) place = cell;
    if (place || placement == TargetPlacement::exact) continue;
    base::Int128 least = 0;
    for (std::int32_t row = 0; row < shape.height(); ++row) {
      for (std::int32_t x = 0; x < shape.width(); ++x) {
        const Cell here{shape.origin().x + x, shape.origin().y + row, cell.layer};
        if (!body.fits(ground, ground.placement(here))) continue;
        const base::Int128 dx = std::int64_t{here.x} - cell.x, dy = std::int64_t{here.y} - cell.y;
        const base::Int128 distance = dx * dx + dy * dy;
        if (place && distance >= least) continue;
        place = here;
        least = distance;
      }
    }
  }
  return placed;
}

}  // namespace drover

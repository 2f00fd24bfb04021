// SPDX-License-Identifier: MIT
// Keeping ways, and ranking the steps beside one.
#include "crowd/own_ways.hpp"

#include "base/digest.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace drover::crowd {
namespace {

// Odd, so that a step can be taken off the front again: hash = (step + 1) + kBase x (hash of the rest).
constexpr std::uint64_t kBase = 0x9e3779b97f4a7c15;

constexpr std::uint64_t inverse(std::uint64_t odd) {
  std::uint64_t x = odd;  // right in 3 bits; each round doubles them
  for (int i = 0; i < 5; ++i) x *= 2 - odd * x;
  return x;
}
static_assert(inverse(kBase) * kBase == 1);

// 1 .. 8 a direction, from 9 on a portal.
std::uint64_t value_of(std::uint8_t step, const PortalStep* portal) noexcept {
  return step + std::uint64_t{1} + (step == OwnWay::kPortalStep ? std::uint64_t{portal->portal} : 0);
}

}  // namespace

void OwnWay::hash_rest() noexcept {
  rest_hash = 0;
  const PortalStep* portal = portals.data() + portals.size();
  for (std::size_t i = steps.size(); i > next; --i) {
    if (steps[i - 1] == kPortalStep) --portal;
    rest_hash = rest_hash * kBase + value_of(steps[i - 1], portal);
  }
}

void OwnWay::advance(std::uint32_t cell) noexcept {
  rest_hash = (rest_hash - value_of(steps[next], portals.data() + next_portal)) * inverse(kBase);
  if (steps[next] == kPortalStep) ++next_portal;
  ++next;
  at = cell;
}

std::uint64_t OwnWay::digest() const noexcept {
  base::Digest digest;
  digest.add(static_cast<std::uint64_t>(kind)).add(at).add(goal_version).add(searched_hash).add(legal_hash);
  return digest.add(rest_hash).value();
}

OwnWay& OwnWays::take(std::uint32_t agent) {
  if (OwnWay* way = find(agent)) return *way;
  if (agent >= places_.size()) places_.resize(std::size_t{agent} + 1, kNobody);
  if (vacant_.empty()) {
    vacant_.reserve(ways_.size() + 1);  // drop() takes no memory
    vacant_.push_back(static_cast<std::uint32_t>(ways_.size()));
    ways_.emplace_back();
  }
  places_[agent] = vacant_.back();
  vacant_.pop_back();
  OwnWay& way = ways_[places_[agent]];
  way.agent = agent;
  way.clear();
  return way;
}

void OwnWays::drop(std::uint32_t agent) noexcept {
  OwnWay* way = find(agent);
  if (way == nullptr) return;
  way->agent = kNobody;
  vacant_.push_back(places_[agent]);
  places_[agent] = kNobody;
}

void OwnWays::save(SavedWays& to) const {
  to.heads.clear();
  to.counts.clear();
  to.portal_counts.clear();
  to.steps.clear();
  to.portals.clear();
  for (const OwnWay& way : ways_) {
    if (way.agent == kNobody) continue;
    to.heads.push_back(way);
    to.counts.push_back(static_cast<std::uint32_t>(way.steps.size()) - way.next);
    to.portal_counts.push_back(static_cast<std::uint32_t>(way.portals.size()) - way.next_portal);
    to.steps.insert(to.steps.end(), way.steps.begin() + static_cast<std::ptrdiff_t>(way.next), way.steps.end());
    to.portals.insert(to.portals.end(), way.portals.begin() + static_cast<std::ptrdiff_t>(way.next_portal),
                      way.portals.end());
  }
}

void OwnWays::load(const SavedWays& from) {
  for (const OwnWay& way : ways_)
    if (way.agent != kNobody) drop(way.agent);
  auto step = from.steps.begin();
  auto portal = from.portals.begin();
  for (std::size_t i = 0; i < from.heads.size(); ++i) {
    OwnWay& way = take(from.heads[i].agent);
    static_cast<OwnWayHead&>(way) = from.heads[i];
    way.clear();
    way.steps.assign(step, step + from.counts[i]);
    way.portals.assign(portal, portal + from.portal_counts[i]);
    step += from.counts[i];
    portal += from.portal_counts[i];
  }
}

// Nearest to the end of the way first, as the crow flies. To who has no way yet one step is as good as another.
CandidateList GuidedSource::rank(std::uint32_t agent, std::uint8_t directions) const noexcept {
  CandidateList list;
  if (agents_.reason[agent] == Reason::search_budget) {
    for (unsigned rest = directions; rest; rest &= rest - 1)
      list.items[static_cast<std::size_t>(list.count++)] = {static_cast<std::uint8_t>(std::countr_zero(rest)), false,
                                                            true};
    return list;
  }
  const OwnWay* way = ways_.find(agent);
  if (way == nullptr) return field_.rank(agent, directions);
  const StepCosts base = pairs_[agents_.pair[agent]].graph->base();
  const Cell end = shape_.cell(CellIndex{way->end}), at = agents_.at[agent];
  std::array<Cost, kDirections> costs;
  for (unsigned rest = directions; rest; rest &= rest - 1) {
    const auto d = static_cast<std::uint8_t>(std::countr_zero(rest));
    const auto dx = static_cast<std::uint64_t>(std::abs(std::int64_t{end.x} - at.x - kDx[d])),
               dy = static_cast<std::uint64_t>(std::abs(std::int64_t{end.y} - at.y - kDy[d]));
    const std::uint64_t both = std::min(dx, dy);
    const Cost through = base.straight * (dx + dy - 2 * both) + base.diagonal * both;
    auto i = static_cast<std::size_t>(list.count++);
    for (; i > 0 && costs[i - 1] > through; --i) {
      list.items[i] = list.items[i - 1];
      costs[i] = costs[i - 1];
    }
    list.items[i] = {d, true, false};
    costs[i] = through;
  }
  return list;
}

std::optional<PortalStep> GuidedSource::portal(std::uint32_t agent, std::uint32_t& next) const noexcept {
  if (agents_.reason[agent] == Reason::search_budget) return {};
  const OwnWay* way = ways_.find(agent);
  if (way == nullptr) return field_.portal(agent, next);
  const PortalStep* step = next++ == 0 ? way->portal() : nullptr;
  return step != nullptr ? std::optional(*step) : std::nullopt;
}

}  // namespace drover::crowd

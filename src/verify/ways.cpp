// SPDX-License-Identifier: MIT
// Label setting with a binary heap, and a depth-first walk over all optimal steps.
#include "verify/ways.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace drover::verify {

Ways::Ways(const Steps& steps, std::span<const FieldTarget> targets)
    : steps_(steps), offsets_(steps.shape().padded_cells(), kInfiniteCost), labels_(steps.shape().padded_cells()) {
  for (const FieldTarget& target : targets) {
    Cost& offset = offsets_[steps.shape().index(target.cell).value];
    offset = std::min(offset, target.offset);
  }
}

WayLabel Ways::from(std::uint32_t start) {
  for (const std::uint32_t index : touched_) labels_[index] = {};
  touched_.assign(1, start);
  Queue queue;
  labels_[start] = {0, 0};
  queue.push({labels_[start], start});
  WayLabel best;
  for (; !queue.empty() && queue.top().label < best; queue.pop()) {
    const Entry here = queue.top();
    if (labels_[here.at] < here.label) continue;
    if (target(here.at)) best = std::min(best, {here.label.cost + offsets_[here.at], here.label.hops});
    steps_.leaving(here.at, [&](std::uint32_t, std::uint32_t to, Cost cost) {
      const WayLabel label{here.label.cost + cost, here.label.hops + 1};
      if (!(label < labels_[to])) return;
      if (labels_[to].cost == kInfiniteCost) touched_.push_back(to);
      labels_[to] = label;
      queue.push({label, to});
    });
  }
  return best;
}

std::vector<WayLabel> Ways::all() const {
  std::vector<WayLabel> labels(offsets_.size());
  Queue queue;
  for (std::uint32_t index = 0; index < offsets_.size(); ++index) {
    if (!target(index)) continue;
    labels[index] = {offsets_[index], 0};
    queue.push({labels[index], index});
  }
  while (!queue.empty()) {
    const Entry here = queue.top();
    queue.pop();
    if (labels[here.at] < here.label) continue;
    steps_.entering(here.at, [&](std::uint32_t from, Cost cost) {
      const WayLabel label{here.label.cost + cost, here.label.hops + 1};
      if (!(label < labels[from])) return;
      labels[from] = label;
      queue.push({label, from});
    });
  }
  return labels;
}

namespace {

enum class Walked : std::uint8_t { not_yet, now, well };

struct Frame {
  std::uint32_t at = 0;
  std::vector<std::uint32_t> next;  // still to be followed
};

Frame frame_of(const GridShape& shape, std::uint32_t at, const CellClaim& claim) {
  Frame frame{at, {}};
  for (int k = 0; k < kDirections; ++k) {
    const auto d = static_cast<Direction>(k);
    if (claim.ties.has(d)) frame.next.push_back(at + shape.step(d));
  }
  for (const PortalClaim& portal : claim.portals) frame.next.push_back(portal.to.value);
  return frame;
}

}  // namespace

// Depth first: a step to a place that is still on the way there closes a circle.
std::optional<CellIndex> lost_walk(const GridShape& shape, const std::function<CellClaim(CellIndex)>& claim_at) {
  std::vector<Walked> walked(shape.padded_cells(), Walked::not_yet);
  std::vector<Frame> way;
  const auto begin = [&](std::uint32_t at) {
    const CellClaim claim = claim_at({at});
    walked[at] = Walked::well;
    if (claim.state == ClaimedState::goal) return true;
    Frame frame = frame_of(shape, at, claim);
    if (claim.state != ClaimedState::reachable || frame.next.empty()) return false;
    walked[at] = Walked::now;
    way.push_back(std::move(frame));
    return true;
  };
  for (std::int32_t n = 0; n < shape.layers() * shape.height(); ++n) {
    for (std::int32_t x = 0; x < shape.width(); ++x) {
      const std::uint32_t start = shape.at(x, n % shape.height(), n / shape.height());
      if (walked[start] != Walked::not_yet || claim_at({start}).state != ClaimedState::reachable) continue;
      if (!begin(start)) return CellIndex{start};
      while (!way.empty()) {
        Frame& last = way.back();
        if (last.next.empty()) {
          walked[last.at] = Walked::well;
          way.pop_back();
          continue;
        }
        const std::uint32_t from = last.at, to = last.next.back();
        last.next.pop_back();
        if (walked[to] == Walked::well) continue;
        if (walked[to] == Walked::now || !begin(to)) return CellIndex{from};
      }
    }
  }
  return std::nullopt;
}

}  // namespace drover::verify

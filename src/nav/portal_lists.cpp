// SPDX-License-Identifier: MIT
// Choosing and sorting portals.
#include "nav/portal_lists.hpp"

#include "base/digest.hpp"

#include <tuple>

namespace drover::nav {

PortalLists PortalLists::of(const MapView& map, const Word* fits) {
  PortalLists lists;
  const auto room = [&](std::uint32_t cell) { return (fits[cell / 64] >> cell % 64 & 1) != 0; };
  const auto portals = map.portals();
  for (std::uint32_t i = 0; i < portals.size(); ++i) {
    const Portal portal{map.shape().index(portals[i].from).value, map.shape().index(portals[i].to).value, i,
                        portals[i].cost};
    if (!portals[i].open || !room(portal.from) || !room(portal.to)) continue;
    lists.leaving_.push_back(portal);
    lists.min_cost_ = std::min(lists.min_cost_, portal.cost);
    lists.max_cost_ = std::max(lists.max_cost_, portal.cost);
    const std::uint64_t ends = std::uint64_t{portal.from} << 32 | portal.to;
    lists.hash_ += base::mix(ends, std::uint64_t{i} << 32 | portal.cost);
    lists.steps_hash_ += base::mix(ends, i);
  }
  lists.entering_ = lists.leaving_;
  std::sort(lists.leaving_.begin(), lists.leaving_.end(),
            [](const Portal& a, const Portal& b) { return std::tie(a.from, a.number) < std::tie(b.from, b.number); });
  std::sort(lists.entering_.begin(), lists.entering_.end(),
            [](const Portal& a, const Portal& b) { return std::tie(a.to, a.number) < std::tie(b.to, b.number); });
  return lists;
}

}  // namespace drover::nav

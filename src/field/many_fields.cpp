// SPDX-License-Identifier: MIT
// One task a field; the largest maps first, so that none of them is left for the end.
#include "field/many_fields.hpp"

#include "base/no_throw.hpp"
#include "base/tasks.hpp"

#include <algorithm>
#include <numeric>

namespace drover::field {
namespace {

void build_one(const std::shared_ptr<Workshop>& shop, const FieldRequest& request, BuiltField& out) {
  Result<FieldRef> built = base::no_throw([&]() -> Result<FieldRef> {
    if (request.graph.null()) return Status(StatusCode::argument, "a null graph; expected one that was compiled");
    return build_whole(shop, request.graph, place_goals(request.graph, request.goal), request.options, &out.report,
                       Tasks{});
  });
  if (built.ok())
    out.field = std::move(*built);
  else
    out.status = built.status();
}

}  // namespace

std::vector<BuiltField> build_all(const std::shared_ptr<Workshop>& shop, std::span<const FieldRequest> requests) {
  std::vector<BuiltField> fields(requests.size());
  std::vector<std::size_t> order(requests.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto cells = [&](std::size_t i) {
    return requests[i].graph.null() ? 0u : requests[i].graph.shape().padded_cells();
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return cells(a) > cells(b); });
  base::parallel_for(shop->host().tasks, order.size(), 1, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) build_one(shop, requests[order[i]], fields[order[i]]);
  });
  return fields;
}

}  // namespace drover::field

// SPDX-License-Identifier: MIT
// Obstacles of a map: a list that states share but for the shapes that an edit touches.
#include "world/map_obstacles.hpp"

#include "base/int128.hpp"
#include "base/no_throw.hpp"
#include "base/text.hpp"
#include "world/map_state.hpp"
#include "world/map_terms.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace drover {

namespace world {

namespace {

using base::Int128;

Status at_obstacle(std::size_t index, const Status& status) {
  return {status.code(), base::concat("obstacle ", index, ": ", status.message())};
}

bool equal(const std::shared_ptr<const Obstacle>& a, const std::shared_ptr<const Obstacle>& b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

// A shape that is valid is valid everywhere.
void apply(ObstacleList& list, const ObstacleEdit& edit) {
  std::shared_ptr<const Obstacle>& held = list[edit.obstacle];
  if (edit.change != ObstacleChange::move) {
    held = edit.change == ObstacleChange::shape ? edit.shape : nullptr;
  } else if (held != nullptr && held->centre != edit.centre) {
    auto moved = std::make_shared<Obstacle>(*held);
    moved->centre = edit.centre;
    held = std::move(moved);
  }
}

}  // namespace

Result<WorldFrame> frame_of(const GridShape& shape, const GridMapDef& def) {
  if (def.cell_size == Fixed::from_int(1) && !def.corner) return WorldFrame(shape);
  const auto corner = [&](std::int32_t origin, Fixed Position::*axis) -> Int128 {
    return def.corner ? Int128{((*def.corner).*axis).raw} : Int128{origin} * def.cell_size.raw;
  };
  const Int128 x = corner(shape.origin().x, &Position::x), y = corner(shape.origin().y, &Position::y);
  const auto leaves = [&](Int128 first, std::int32_t cells) {
    return first < std::numeric_limits<std::int64_t>::min() ||
           first + Int128{cells} * def.cell_size.raw > std::numeric_limits<std::int64_t>::max();
  };
  if (leaves(x, shape.width()) || leaves(y, shape.height())) {
    return Status(StatusCode::value, base::concat("a map of ", to_text(shape),
                                                  " with cells of this size leaves the range of positions; "
                                                  "-2147483648 .. 2147483647 is expected"));
  }
  return WorldFrame::create(shape, {{static_cast<std::int64_t>(x)}, {static_cast<std::int64_t>(y)}}, def.cell_size);
}

Status check_obstacles(std::size_t obstacles, std::span<const ObstacleEdit> edits) {
  for (const ObstacleEdit& edit : edits) {
    if (edit.obstacle >= obstacles)
      return {StatusCode::handle, base::concat("obstacle ", edit.obstacle, "; the map has ", obstacles)};
    if (edit.change > ObstacleChange::remove || (edit.change == ObstacleChange::shape && edit.shape == nullptr))
      return {StatusCode::edit, base::concat("obstacle ", edit.obstacle, ": an edit without a shape")};
    if (edit.change != ObstacleChange::shape) continue;
    if (Status status = edit.shape->validate(); !status.ok()) return at_obstacle(edit.obstacle, status);
  }
  return {};
}

Result<EditedObstacles> edited_obstacles(const ObstacleList* before, std::span<const ObstacleEdit> edits) {
  EditedObstacles result;
  if (edits.empty()) return result;
  if (Status status = check_obstacles(before != nullptr ? before->size() : 0, edits); !status.ok()) return status;
  auto list = std::make_shared<ObstacleList>(*before);
  std::vector<std::uint32_t> touched;
  for (const ObstacleEdit& edit : edits) {
    apply(*list, edit);
    touched.push_back(edit.obstacle);
  }
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  bool changed = false;
  for (const std::uint32_t i : touched) {
    if (equal((*before)[i], (*list)[i])) {
      (*list)[i] = (*before)[i];
      continue;
    }
    changed = true;
    result.term += obstacle_term(i, (*list)[i].get()) - obstacle_term(i, (*before)[i].get());
  }
  if (changed) result.list = std::move(list);
  return result;
}

}  // namespace world

std::span<const std::shared_ptr<const Obstacle>> MapView::obstacles() const noexcept {
  if (state_ == nullptr || state_->obstacles == nullptr) return {};
  return *state_->obstacles;
}

Result<std::uint32_t> GridMap::add_obstacle(const Obstacle& obstacle) {
  return base::no_throw([&]() -> Result<std::uint32_t> {
    if (!state_) return Status(StatusCode::argument, "a map that was moved from");
    const std::size_t index = state_->obstacles != nullptr ? state_->obstacles->size() : 0;
    if (index == kMaxObstacles)
      return Status(StatusCode::limit_obstacles,
                    base::concat("an obstacle beside ", index, " others; the limit is ", kMaxObstacles));
    if (Status status = obstacle.validate(); !status.ok()) return status;
    auto shape = std::make_shared<const Obstacle>(obstacle);
    // A list that no view holds grows in place, so that many are added in time linear in their number.
    const bool own = base::sole_owner(state_) && base::sole_owner(state_->obstacles);
    auto list = own ? std::const_pointer_cast<world::ObstacleList>(state_->obstacles)
                    : std::make_shared<world::ObstacleList>(state_->obstacles != nullptr ? *state_->obstacles
                                                                                         : world::ObstacleList());
    const std::uint64_t term = world::obstacle_term(index, shape.get());
    auto target = Writable::take(*this, 0);
    if (!target.ok()) return target.status();
    list->push_back(std::move(shape));
    MapView::State& state = *target->state;
    state.content += term;
    state.obstacles = std::move(list);
    ++state.overlay_version;
    state_ = target->state;
    return static_cast<std::uint32_t>(index);
  });
}

}  // namespace drover

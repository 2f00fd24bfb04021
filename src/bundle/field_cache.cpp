// SPDX-License-Identifier: MIT
// Fields that may be wanted again.
#include <drover/bundle.hpp>

#include "base/digest.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace drover {
namespace {

std::uint64_t bits(Cell c) noexcept {
  return base::mix(std::uint64_t{static_cast<std::uint32_t>(c.x)} << 32 | static_cast<std::uint32_t>(c.y),
                   static_cast<std::uint64_t>(static_cast<std::uint32_t>(c.layer)));
}

std::uint64_t digest_of(const GoalDef& goal) noexcept {
  base::Digest digest;
  digest.add(static_cast<std::uint64_t>(goal.placement)).add(goal.cells.size());
  for (const GoalCell& g : goal.cells) digest.add(bits(g.cell)).add(g.offset);
  if (goal.area)
    digest.add(static_cast<std::uint64_t>(goal.area->rule)).add(bits(goal.area->of)).add(goal.area->radius);
  if (goal.nearest_from) digest.add(bits(*goal.nearest_from));
  return digest.value();
}

bool before(const FieldCache::Entry& e, std::uint64_t graph_hash, std::uint64_t goal_digest) noexcept {
  return std::tie(e.graph_hash, e.goal_digest) < std::tie(graph_hash, goal_digest);
}

constexpr std::size_t kNowhere = ~std::size_t{0};

}  // namespace

FieldCache::FieldCache(std::uint64_t max_bytes)
    : entries_(std::make_shared<std::vector<Entry>>()), max_bytes_(max_bytes) {}

std::vector<FieldCache::Entry>& FieldCache::own() {
  if (entries_.use_count() > 1) entries_ = std::make_shared<std::vector<Entry>>(*entries_);
  return *entries_;
}

std::size_t FieldCache::place_of(std::uint64_t graph_hash, std::uint64_t goal_digest,
                                 const GoalDef& goal) const noexcept {
  const auto at = std::partition_point(entries_->begin(), entries_->end(),
                                       [&](const Entry& e) { return before(e, graph_hash, goal_digest); });
  const bool found = at != entries_->end() && at->graph_hash == graph_hash && *at->goal == goal;
  return found ? static_cast<std::size_t>(at - entries_->begin()) : kNowhere;
}

const FieldCache::Entry* FieldCache::peek(std::uint64_t graph_hash, const GoalDef& goal) const noexcept {
  const std::size_t place = place_of(graph_hash, digest_of(goal), goal);
  return place == kNowhere ? nullptr : entries_->data() + place;
}

const FieldCache::Entry* FieldCache::ask(std::uint64_t graph_hash, const GoalDef& goal, std::uint64_t tick) {
  const std::size_t place = place_of(graph_hash, digest_of(goal), goal);
  ++(place == kNowhere ? misses_ : hits_);
  if (place == kNowhere) return nullptr;
  Entry& entry = own()[place];
  entry.used_tick = tick;
  return &entry;
}

void FieldCache::put(std::uint64_t graph_hash, const GoalDef& goal, FieldRef field, std::uint64_t bytes,
                     std::uint64_t tick) {
  const std::uint64_t digest = digest_of(goal);
  if (const std::size_t place = place_of(graph_hash, digest, goal); place != kNowhere) {
    Entry& entry = own()[place];
    entry.used_tick = tick;
    if (entry.field == nullptr) entry.field = std::move(field);
    return;
  }
  if (bytes > max_bytes_) return;
  auto shared = std::make_shared<const GoalDef>(goal);
  make_room(bytes);
  std::vector<Entry>& entries = own();
  const auto at = std::partition_point(entries.begin(), entries.end(),
                                       [&](const Entry& e) { return before(e, graph_hash, digest); });
  // Two goals of one digest: the first one stays.
  if (at != entries.end() && at->graph_hash == graph_hash && at->goal_digest == digest) return;
  entries.insert(at, {graph_hash, digest, std::move(shared), tick, bytes, std::move(field)});
  bytes_ += bytes;
}

void FieldCache::make_room(std::uint64_t bytes) {
  while (!entries_->empty() && (bytes_ + bytes > max_bytes_ || entries_->size() >= kMaxEntries)) {
    std::vector<Entry>& entries = own();
    const auto oldest = std::min_element(entries.begin(), entries.end(),
                                         [](const Entry& a, const Entry& b) { return a.used_tick < b.used_tick; });
    bytes_ -= oldest->bytes;
    entries.erase(oldest);
    ++evictions_;
  }
}

void FieldCache::count_from(std::uint64_t hits, std::uint64_t misses, std::uint64_t evictions) noexcept {
  hits_ = hits;
  misses_ = misses;
  evictions_ = evictions;
}

}  // namespace drover

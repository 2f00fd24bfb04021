// SPDX-License-Identifier: MIT
// Union where placements open, the ring test where they close.
#include "nav/live_components.hpp"

#include "base/no_throw.hpp"
#include "nav/ring.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

namespace drover::nav {

namespace {

template <class Pairs>
auto place_of(Pairs& pairs, std::uint32_t key) noexcept {
  return std::lower_bound(pairs.begin(), pairs.end(), key,
                          [](const auto& pair, std::uint32_t k) { return pair.first < k; });
}

bool has(const Word* plane, std::uint32_t cell) noexcept { return (plane[cell / 64] >> cell % 64 & 1) != 0; }

std::shared_ptr<const Components> labelled(const ComponentGround& ground) {
  std::vector<Components::Join> joins;
  for (const Portal& portal : ground.portals->all()) joins.emplace_back(portal.from, portal.to);
  return std::make_shared<const Components>(
      Components::of(ground.fits->data(), ground.layout, ground.adjacency, joins));
}

}  // namespace

LiveComponents::Label LiveComponents::Notes::root(Label label) const noexcept {
  const auto at = place_of(joined, label);
  return at != joined.end() && at->first == label ? at->second : label;
}

LiveComponents::Label LiveComponents::Notes::label(std::uint32_t cell) const noexcept {
  const auto at = place_of(opened, cell);
  return root(at != opened.end() && at->first == cell ? at->second : base->label(base_fits->data(), cell));
}

void LiveComponents::Notes::join(Label a, Label b) {
  a = root(a), b = root(b);
  if (a == b) return;
  if (b < a) std::swap(a, b);
  for (Pair& pair : joined) {
    if (pair.second == b) pair.second = a;
  }
  joined.insert(place_of(joined, b), {b, a});
}

template <class IsOpen>
void LiveComponents::Notes::open(std::uint32_t cell, unsigned touching, std::uint32_t stride, IsOpen&& is_open) {
  const Label fresh = next++;
  opened.insert(place_of(opened, cell), {cell, fresh});
  const unsigned ring = touching & ring_around(cell, stride, is_open);
  for (unsigned left = ring; left != 0; left &= left - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(left));
    join(fresh, label(cell + static_cast<std::uint32_t>(kRingY[i]) * stride + static_cast<std::uint32_t>(kRingX[i])));
  }
}

void LiveComponents::Notes::close(std::uint32_t cell) noexcept {
  const auto at = place_of(opened, cell);
  if (at != opened.end() && at->first == cell) opened.erase(at);
}

// A portal that is gone may have been the only way.
bool LiveComponents::follow_portals(Notes& notes, const LiveComponents& old) const {
  if (ground_.portals == old.ground_.portals) return true;
  const auto before = old.ground_.portals->all(), now = ground_.portals->all();
  auto was = before.begin();
  for (const Portal& portal : now) {
    const auto key = std::tie(portal.from, portal.number);
    if (was != before.end() && std::tie(was->from, was->number) < key) return false;
    if (was != before.end() && std::tie(was->from, was->number) == key) {
      ++was;
      continue;
    }
    notes.join(notes.label(portal.from), notes.label(portal.to));
    if (notes.count() > kMostNotes) return false;
  }
  return was == before.end();
}

// One placement after the other: those that open, then those that close, each in ascending order.
bool LiveComponents::follow(Notes& notes, const LiveComponents& old, std::span<const std::uint32_t> changed) const {
  const Word *before = old.ground_.fits->data(), *now = ground_.fits->data();
  const std::uint32_t stride = ground_.layout.row_words() * 64;
  std::uint64_t toggles = 0;
  for (const std::uint32_t w : changed) toggles += static_cast<std::uint64_t>(std::popcount(before[w] ^ now[w]));
  if (toggles > kMostNotes) return false;
  for (const std::uint32_t w : changed) {
    for (Word left = now[w] & ~before[w]; left != 0; left &= left - 1) {
      const std::uint32_t cell = w * 64 + static_cast<std::uint32_t>(std::countr_zero(left));
      notes.open(cell, touching(ground_.adjacency), stride,
                 [&](std::uint32_t there) { return has(before, there) || (there < cell && has(now, there)); });
      if (notes.count() > kMostNotes) return false;
    }
  }
  for (const std::uint32_t w : changed) {
    for (Word left = before[w] & ~now[w]; left != 0; left &= left - 1) {
      const std::uint32_t cell = w * 64 + static_cast<std::uint32_t>(std::countr_zero(left));
      const unsigned ring = ring_around(
          cell, stride, [&](std::uint32_t there) { return has(now, there) || (there > cell && has(before, there)); });
      if (!holds_together(ring, ground_.adjacency)) return false;
      notes.close(cell);
    }
  }
  return follow_portals(notes, old);
}

std::shared_ptr<const LiveComponents> LiveComponents::of(ComponentGround ground) {
  auto made = std::make_shared<LiveComponents>(std::move(ground));
  made->labels_ = labelled(made->ground_);
  made->ready_.store(made->labels_.get(), std::memory_order_release);
  return made;
}

std::shared_ptr<const LiveComponents> LiveComponents::after(const LiveComponents& old, ComponentGround ground,
                                                            std::span<const std::uint32_t> changed) {
  auto made = std::make_shared<LiveComponents>(std::move(ground));
  Notes notes;
  if (old.ready_.load(std::memory_order_acquire) != nullptr) {
    notes.base = old.labels_;
    notes.base_fits = old.ground_.fits;
    notes.next = static_cast<Label>(old.labels_->sizes().size());
  } else {
    notes = old.notes_;
  }
  if (notes.base != nullptr && made->follow(notes, old, changed)) made->notes_ = std::move(notes);
  return made;
}

bool LiveComponents::connected(std::uint32_t a, std::uint32_t b) const noexcept {
  if (notes_.base != nullptr) return notes_.label(a) == notes_.label(b);
  const Components* labels = numbered();
  return labels == nullptr || labels->label(ground_.fits->data(), a) == labels->label(ground_.fits->data(), b);
}

const Components* LiveComponents::numbered() const noexcept {
  if (const Components* made = ready_.load(std::memory_order_acquire)) return made;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (const Components* made = ready_.load(std::memory_order_relaxed)) return made;
  DROVER_TRY {
    labels_ = labelled(ground_);
    ready_.store(labels_.get(), std::memory_order_release);
  }
  DROVER_CATCH_BAD_ALLOC { return nullptr; }
  return labels_.get();
}

}  // namespace drover::nav

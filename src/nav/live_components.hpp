// SPDX-License-Identifier: MIT
// Components under edits: labels carried from graph to graph while edits leave them right, made anew when asked for.
#pragma once
#include "nav/components.hpp"
#include "nav/cow_plane.hpp"
#include "nav/portal_lists.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace drover::nav {

/// Where a body fits, and what joins these placements.
struct ComponentGround {
  SharedPlane<Word> fits;
  WordLayout layout;
  Adjacency adjacency = Adjacency::four;
  std::shared_ptr<const PortalLists> portals;  // taken as ways in both directions
};

/// Immutable to its users, who may be several threads.
///
/// An edit that opens placements joins labels; one that closes placements leaves them as they are if the ring of each
/// holds together. Either is noted beside the older labels, up to kMostNotes. Whatever else happens, nothing is known
/// until the first question labels from nothing; others wait for that, and the labels stay.
class LiveComponents {
 public:
  static constexpr std::size_t kMostNotes = 256;

  /// Labelled at once.
  static std::shared_ptr<const LiveComponents> of(ComponentGround ground);
  /// `changed`: the words, ascending, in which the placements differ from those of `old`. Costs nothing by the size of
  /// the map.
  static std::shared_ptr<const LiveComponents> after(const LiveComponents& old, ComponentGround ground,
                                                     std::span<const std::uint32_t> changed);

  explicit LiveComponents(ComponentGround ground) noexcept : ground_(std::move(ground)) {}

  /// Of two open placements. Without memory for labels: true, for a way may exist.
  bool connected(std::uint32_t a, std::uint32_t b) const noexcept;
  /// Labels in the order of first cells; null without memory.
  const Components* numbered() const noexcept;
  Adjacency adjacency() const noexcept { return ground_.adjacency; }
  /// False while the next question has to label from nothing.
  bool known() const noexcept { return notes_.base != nullptr || ready_.load(std::memory_order_acquire) != nullptr; }

 private:
  using Label = std::uint32_t;
  using Pair = std::pair<std::uint32_t, Label>;

  /// Labels of an older state and what happened since. Both lists ascending.
  struct Notes {
    std::shared_ptr<const Components> base;
    SharedPlane<Word> base_fits;
    std::vector<Pair> opened;  // placements that are open but were closed at some time since then
    std::vector<Pair> joined;  // labels that became part of another one, which is not in the list
    Label next = 0;

    std::size_t count() const noexcept { return opened.size() + joined.size(); }
    /// Of a placement that is open now.
    Label label(std::uint32_t cell) const noexcept;
    Label root(Label label) const noexcept;
    void join(Label a, Label b);
    /// `is_open(cell)`: before any of this edit's placements opened.
    template <class IsOpen>
    void open(std::uint32_t cell, unsigned touching, std::uint32_t stride, IsOpen&& is_open);
    void close(std::uint32_t cell) noexcept;
  };
  bool follow(Notes& notes, const LiveComponents& old, std::span<const std::uint32_t> changed) const;
  bool follow_portals(Notes& notes, const LiveComponents& old) const;

  ComponentGround ground_;
  Notes notes_;  // base is null: none
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Components> labels_;  // written once, before ready_
  mutable std::atomic<const Components*> ready_{nullptr};
};

}  // namespace drover::nav

// SPDX-License-Identifier: MIT
// Ordering commands by (tick, key, sequence).
#include "sim/command_queue.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace drover::sim {

void CommandQueue::push(Command command) {
  entries_.push_back({std::move(command), sequence_++});
  sorted_ = false;
}

const Command* CommandQueue::pop(std::uint64_t tick) {
  if (!sorted_) {
    entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(next_));
    next_ = 0;
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return std::tuple(a.command.tick, a.command.key, a.sequence) <
             std::tuple(b.command.tick, b.command.key, b.sequence);
    });
    sorted_ = true;
  }
  if (next_ == entries_.size() || entries_[next_].command.tick > tick) return nullptr;
  return &entries_[next_++].command;
}

}  // namespace drover::sim

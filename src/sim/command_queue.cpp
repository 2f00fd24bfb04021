// SPDX-License-Identifier: MIT
// Ordering commands by (tick, key, sequence).
#include "sim/command_queue.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace drover::sim {

void CommandQueue::push(Command command) {
  const std::uint64_t tick = command.tick, key = command.key;
  entries_.push_back({tick, key, sequence_++, std::make_shared<const Command>(std::move(command))});
  sorted_ = false;
}

const Command* CommandQueue::pop(std::uint64_t tick) {
  if (!sorted_) {
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return std::tuple(a.tick, a.key, a.sequence) > std::tuple(b.tick, b.key, b.sequence);
    });
    sorted_ = true;
  }
  if (entries_.empty() || entries_.back().tick > tick) return nullptr;
  current_ = std::move(entries_.back().command);
  entries_.pop_back();
  return current_.get();
}

}  // namespace drover::sim

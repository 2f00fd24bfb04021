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

bool CommandQueue::waits(std::uint64_t tick) const noexcept {
  if (sorted_) return !entries_.empty() && entries_.back().tick <= tick;
  return std::any_of(entries_.begin(), entries_.end(), [tick](const Entry& e) { return e.tick <= tick; });
}

std::vector<const Command*> CommandQueue::by_sequence() const {
  std::vector<const Entry*> order;
  order.reserve(entries_.size());
  for (const Entry& entry : entries_) order.push_back(&entry);
  std::sort(order.begin(), order.end(), [](const Entry* a, const Entry* b) { return a->sequence < b->sequence; });
  std::vector<const Command*> result;
  result.reserve(order.size());
  for (const Entry* entry : order) result.push_back(entry->command.get());
  return result;
}

}  // namespace drover::sim

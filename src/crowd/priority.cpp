// SPDX-License-Identifier: MIT
// Stable counting sort by age, then by class.
#include "crowd/priority.hpp"

#include <algorithm>

namespace drover::crowd {
namespace {

constexpr int kDigitBits = 11;
constexpr std::uint32_t kDigits = 1u << kDigitBits;

}  // namespace

// One stable pass over a digit of the age, larger ages first.
void PriorityOrder::pass(const Agents& agents, const std::vector<std::uint32_t>& from, std::vector<std::uint32_t>& to,
                         int shift) {
  counts_.assign(kDigits + 1, 0);
  const auto bucket = [&](std::uint32_t agent) { return kDigits - 1 - ((agents.age[agent] >> shift) & (kDigits - 1)); };
  for (const std::uint32_t agent : from) ++counts_[bucket(agent) + 1];
  for (std::uint32_t i = 1; i <= kDigits; ++i) counts_[i] += counts_[i - 1];
  to.resize(from.size());
  for (const std::uint32_t agent : from) to[counts_[bucket(agent)]++] = agent;
}

const std::vector<std::uint32_t>& PriorityOrder::sort(const Agents& agents, const std::vector<std::uint32_t>& active) {
  std::uint32_t oldest = 0;
  bool classes = false;
  for (const std::uint32_t agent : active) {
    oldest = std::max(oldest, agents.age[agent]);
    classes = classes || agents.priority_class[agent] != agents.priority_class[active.front()];
  }
  pass(agents, active, first_, 0);
  for (int shift = kDigitBits; shift < 32 && (oldest >> shift) != 0; shift += kDigitBits) {
    pass(agents, first_, second_, shift);
    first_.swap(second_);
  }
  if (classes)
    std::stable_sort(first_.begin(), first_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return agents.priority_class[a] > agents.priority_class[b];
    });
  return first_;
}

}  // namespace drover::crowd

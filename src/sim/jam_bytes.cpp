// SPDX-License-Identifier: MIT
// Jams out and in: slots, and the moves that are left.
#include "sim/impl.hpp"

#include <algorithm>

namespace drover {

void Simulation::Impl::write_jams(base::ByteWriter& out) const {
  out.number(deadlocks.groups.size());
  for (const sim::JamGroup& group : deadlocks.groups) {
    out.u8(group.no_space ? 1 : 0);
    out.number(group.agents.size());
    for (const std::uint32_t agent : group.agents) out.number(agent);
    out.number(group.moves.size() / group.agents.size());
    for (const std::uint8_t move : group.moves) out.u8(move);
    out.u64(group.proof);
  }
}

// Only of agents that are there, nobody twice. Whether a step is legal is asked when it is taken.
void Simulation::Impl::read_jams(base::ByteReader& in) {
  std::size_t jams = in.count(12);
  for (; jams > 0 && in.ok(); --jams) {
    sim::JamGroup group;
    group.no_space = in.u8(1) == 1;
    const std::uint64_t count = in.number(crowd::JointProblem::kMostAgents);
    in.expect(count > 0);
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
      const std::uint32_t agent = in.number32(records.empty() ? 0 : records.size() - 1);
      in.expect(agent < records.size() && records[agent].used && !deadlocks.holds(agent) &&
                std::find(group.agents.begin(), group.agents.end(), agent) == group.agents.end());
      group.agents.push_back(agent);
    }
    const std::uint64_t ticks = in.number(std::uint64_t{1} << 10);
    in.expect(!group.no_space || ticks == 0);
    for (std::uint64_t i = 0; i < ticks * count && in.ok(); ++i) group.moves.push_back(in.u8(crowd::kStay));
    group.proof = in.u64();
    if (in.ok()) deadlocks.groups.push_back(std::move(group));
  }
}

}  // namespace drover

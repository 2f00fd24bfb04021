// SPDX-License-Identifier: MIT
// What a run writes tick by tick: trace, events, moves.
#pragma once
#include "app.hpp"
#include "io/output.hpp"

namespace drover::cli {

struct OutputPaths {
  std::string trace, events, moves;
};

/// Opens every file before the first tick; rows are written in tick order, within a tick by key.
class RunOutputs {
 public:
  RunOutputs(const OutputPaths& paths, const io::Scenario& scenario);

  /// After start() and after every step().
  void tick(const io::Instance& instance);
  void commit();
  /// Leaves no trace.
  void drop() noexcept;

 private:
  void trace(const io::Instance& instance);
  void events(const Simulation& simulation);
  void edits(std::uint64_t tick);
  void moves(const Simulation& simulation);
  std::string cell_text(Cell cell) const { return io::cell_text(cell, layers_); }

  const io::Scenario& scenario_;
  std::int64_t layers_;
  io::OutputFile trace_, events_, moves_;
  std::vector<AgentView> views_;
  std::size_t next_edit_ = 0;
};

}  // namespace drover::cli

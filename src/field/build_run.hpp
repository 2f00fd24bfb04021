// SPDX-License-Identifier: MIT
// One build from goals that are placed to a field, in one piece or in several.
#pragma once
#include <drover/field.hpp>

#include "field/choice.hpp"
#include "field/cold_field.hpp"
#include "field/engines.hpp"
#include "field/field_data.hpp"
#include "field/goals.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace drover::field {

/// What one build at a time works in.
struct Workspace {
  Scratch scratch;
  base::Plane<std::uint32_t> factors;  // in units
};

/// What the builds of one builder share, from any thread.
class Workshop {
 public:
  explicit Workshop(const Host& host);

  const Host& host() const noexcept { return host_; }
  const std::shared_ptr<FieldPool>& pool() const noexcept { return pool_; }
  /// One that an earlier build gave back, or a new one.
  std::unique_ptr<Workspace> take();
  /// Keeps as many as the host has workers, and one at least.
  void give_back(std::unique_ptr<Workspace> workspace) noexcept;

 private:
  const Host host_;
  const std::shared_ptr<FieldPool> pool_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> waiting_;  // its memory is there from the start
};

struct Job {
  const nav::CompiledGraph& graph;
  PlacedGoals& goals;
  const Units& units;
  const Choice& choice;
};
/// Identity, goals and sums of a field whose planes are done, and the report if one is asked for. Takes the goals.
void finish_field(const Job& job, const Outcome& outcome, FlowFieldData& data, BuildReport* report);

class BuildRun {
 public:
  /// `tasks` in the place of the host's. Precondition: goals.status is ok.
  BuildRun(std::shared_ptr<Workshop> shop, const NavGraph& graph, PlacedGoals goals, const FieldOptions& options,
           const Tasks& tasks);
  ~BuildRun() { shop_->give_back(std::move(workspace_)); }
  BuildRun(const BuildRun&) = delete;
  BuildRun& operator=(const BuildRun&) = delete;

  /// Goes on for about so many events. False without memory: the build is over then.
  bool advance(std::uint64_t events);
  bool done() const noexcept { return complete_; }
  bool failed() const noexcept { return failed_; }

  const nav::CompiledGraph& graph() const noexcept { return graph_.compiled(); }
  bool settled(std::uint32_t cell) const noexcept;
  /// Goes on until each of these is settled, and whatever costs at most `margin` more than the dearest of them. False
  /// without memory.
  bool settle(std::span<const CellIndex> cells, Cost margin);
  /// Null without memory; the build goes on all the same.
  std::shared_ptr<FlowFieldData> part();
  /// The whole field from the costs of one that was put away, in the place of a build. Null without memory.
  std::shared_ptr<FlowFieldData> warm(const ColdFieldData& cold);
  /// The whole field of a build that is done, once. Null without memory.
  std::shared_ptr<FlowFieldData> finish(BuildReport* report);

 private:
  template <class T>
  Plan<T>& plan() noexcept;
  template <class T>
  bool set_plan();
  bool begin();
  void go_on();
  void sweep();
  void give_up(const char* reason);
  template <class T>
  void integrate();
  template <class T>
  void run_engine();
  template <class T>
  void copy_textbook();
  template <class T>
  void write_planes();
  DirectionPlanes direction_planes() noexcept;
  void note_asked(std::span<const CellIndex> cells);
  std::uint64_t cost_so_far(std::uint32_t cell) const noexcept;
  template <class S>
  std::vector<std::uint32_t> pages_with_settled();
  template <class S>
  void write_page(FlowFieldData& out, std::uint32_t page) noexcept;
  template <class S>
  std::shared_ptr<FlowFieldData> part_of();
  template <class S>
  bool finish_ties(FlowFieldData& out);
  template <class T>
  bool find_ties_by_hops(FlowFieldData& out, Plan<T>& settled_plan) noexcept;

  const std::shared_ptr<Workshop> shop_;
  Host host_;
  std::unique_ptr<Workspace> workspace_;
  const NavGraph graph_;
  PlacedGoals goals_;
  const Units units_;
  const FieldOptions options_;
  Choice choice_;
  std::vector<Source> sources_;  // in units
  Plan<std::uint32_t> plan32_;
  Plan<std::uint64_t> plan64_;
  std::shared_ptr<FlowFieldData> data_;
  Progress progress_;
  std::uint64_t ties_below_ = 0;      // cells of lower cost had their ties written for a part
  std::vector<std::uint32_t> asked_;  // without a way; ascending
  bool complete_ = false, failed_ = false;
};

/// A field in one piece; the report, if one is asked for, also names goals that are bad.
Result<FieldRef> build_whole(std::shared_ptr<Workshop> shop, const NavGraph& graph, PlacedGoals goals,
                             const FieldOptions& options, BuildReport* report, const Tasks& tasks);

}  // namespace drover::field

// SPDX-License-Identifier: MIT
// The agents of a simulation as bytes.
#pragma once
#include "base/bytes.hpp"
#include "sim/impl.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace drover {

/// Cells as numbers without padding, and back.
class CellNumbers {
 public:
  explicit CellNumbers(const GridShape& shape) noexcept : shape_(shape) {}
  std::uint64_t of(std::uint32_t cell) const noexcept { return of(shape_.cell(CellIndex{cell})); }
  std::uint64_t of(Cell c) const noexcept {
    return (static_cast<std::uint64_t>(c.layer) * static_cast<std::uint64_t>(shape_.height()) +
            static_cast<std::uint64_t>(c.y - shape_.origin().y)) *
               static_cast<std::uint64_t>(shape_.width()) +
           static_cast<std::uint64_t>(c.x - shape_.origin().x);
  }
  std::uint32_t cell(std::uint64_t number) const noexcept {
    const auto width = static_cast<std::uint64_t>(shape_.width()), rows = static_cast<std::uint64_t>(shape_.height());
    return shape_.at(static_cast<std::int32_t>(number % width), static_cast<std::int32_t>(number / width % rows),
                     static_cast<std::int32_t>(number / width / rows));
  }
  /// Fails the reader where there is no such cell.
  std::uint32_t read(base::ByteReader& in) const noexcept { return cell(in.number(shape_.cell_count() - 1)); }

 private:
  GridShape shape_;
};

/// The agents of a state, one column after the other: equal neighbours pack well. Slots in order, free ones left out.
class Simulation::Impl::AgentColumns {
 public:
  explicit AgentColumns(Impl& s) : s_(s), numbers_(s.guidance.shape()) { list_used(); }

  void write(base::ByteWriter& out) const;
  /// Into a simulation without agents whose guidance is there. False where the bytes are not what write() wrote, or
  /// would not be a crowd on the map.
  bool read(base::ByteReader& in);
  /// How many came and vanished.
  std::uint64_t gone() const noexcept;
  /// As at the end of a tick: those whose command waits count nowhere.
  StateCounts count_states() const;
  /// True once for an agent whose command waits.
  bool take_queued(std::uint32_t slot) noexcept { return std::exchange(phase_[slot], Phase::gone) == Phase::queued; }

 private:
  /// Where an agent is in its life. Order on the map and at the door follow from it.
  enum class Phase : std::uint8_t { queued, starting, on_map, gone };

  template <class Visit>
  void each_used(Visit&& visit) const {
    for (const std::uint32_t i : used_) visit(i);
  }
  void list_used();
  std::vector<Phase> phases() const;
  void write_roster(base::ByteWriter& out) const;
  bool read_roster(base::ByteReader& in);
  bool place_all(base::ByteReader& in);
  void write_strides(base::ByteWriter& out) const;
  bool read_strides(base::ByteReader& in);
  void read_step(base::ByteReader& in, std::uint32_t i);
  bool leaders_first(base::ByteReader& in);
  void write_wanted(base::ByteWriter& out, std::uint32_t i) const;
  void read_wanted(base::ByteReader& in, std::uint32_t i);
  std::uint32_t holder_of_wanted(std::uint32_t i) const noexcept {
    return s_.agents.wanted[i] == crowd::kNobody ? crowd::kNobody : s_.reservations.holder(s_.agents.wanted[i]);
  }

  void write_by(base::ByteWriter& out, std::uint32_t i) const;
  void read_by(base::ByteReader& in, std::uint32_t i);
  void write_yield(base::ByteWriter& out, std::uint32_t i) const;
  void read_yield(base::ByteReader& in, std::uint32_t i);
  bool find_pairs();
  void write_own_ways(base::ByteWriter& out) const;
  bool read_own_ways(base::ByteReader& in);
  void read_steps(base::ByteReader& in, crowd::OwnWay& way);

  Impl& s_;
  CellNumbers numbers_;
  std::vector<std::uint32_t> used_;  // slots
  std::vector<Phase> phase_;
};

}  // namespace drover

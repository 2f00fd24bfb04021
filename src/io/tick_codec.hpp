// SPDX-License-Identifier: MIT
// One tick as bytes: what was given, what was adopted, who stepped where, who came and went.
#pragma once
#include <drover/simulation.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.hpp"

namespace drover::io {

/// Everything that a tick record says beside its digests.
struct TickRecord {
  std::vector<Input> inputs;
  std::vector<Adoption> adoptions;
  std::vector<MoveRecord> moves;  // ascending by key
  std::vector<Simulation::Entry> entered;
  std::vector<std::uint64_t> left;  // keys
};

/// The agents on the map by ascending key, as both sides know them.
struct MapRoster {
  GridShape shape;
  std::vector<std::uint64_t> keys;
  std::vector<Cell> cells;
  std::vector<std::uint8_t> last;  // code of the last step: 0 stayed, 1 .. 8 a direction

  /// Everybody who is on the map now; nobody has stepped.
  void reset(const Simulation& simulation);
  /// Both ascending by key.
  void enter(std::span<const Simulation::Entry> entries);
  void leave(std::span<const std::uint64_t> keys);
};

/// Encodes tick after tick. A step takes four bits an agent: 0 as in the tick before, 1 stayed, 2 .. 9 a direction, 15
/// a step that is written out. Both sides begin anew at every keyframe.
class TickEncoder {
 public:
  void reset(const Simulation& simulation) { roster_.reset(simulation); }
  void encode(const Simulation& simulation, base::ByteWriter& out);

 private:
  void encode_steps(const Simulation& simulation, base::ByteWriter& out);
  MapRoster roster_;
  std::vector<std::uint8_t> now_;
  std::vector<const MoveRecord*> written_out_;
};

class TickDecoder {
 public:
  void reset(const Simulation& simulation) { roster_.reset(simulation); }
  /// False: not what an encoder wrote. `tick` is the one that the record is of.
  bool decode(std::span<const std::byte> body, std::uint64_t tick, TickRecord& out);
  const MapRoster& roster() const noexcept { return roster_; }

 private:
  bool decode_steps(base::ByteReader& in, std::uint64_t tick, TickRecord& out);
  MapRoster roster_;
};

}  // namespace drover::io

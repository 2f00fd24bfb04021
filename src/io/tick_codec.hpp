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
  std::vector<MoveRecord> moves;                 // ascending by key, jumps before steps
  std::vector<Simulation::Entry> entered, left;  // ascending by key
};

/// The agents on the map by ascending key, as both sides know them.
struct MapRoster {
  std::vector<std::uint64_t> keys;
  std::vector<std::uint8_t> last;  // the last step, as Simulation::steps() tells it

  /// Nobody has stepped.
  void reset(std::span<const Simulation::Entry> all);
  /// Both ascending by key. The places where they stand: of enter() in the list before, of leave() those taken out.
  std::vector<std::size_t> enter(std::span<const Simulation::Entry> entries);
  std::vector<std::size_t> leave(std::span<const Simulation::Entry> entries);
};

/// Encodes tick after tick: a bit for every agent, whether its step is another than in the tick before, and four bits
/// for each that is. Both sides begin anew at every keyframe.
class TickEncoder {
 public:
  void reset(const Simulation& simulation);
  /// False: not the simulation of the ticks before.
  bool encode(const Simulation& simulation, base::ByteWriter& out);
  /// What was encoded last is dense: no compression makes it much smaller.
  bool dense() const noexcept { return dense_; }

 private:
  bool encode_steps(const Simulation& simulation, base::ByteWriter& out);
  bool encode_begun(const Simulation& simulation, base::ByteWriter& out);
  MapRoster roster_;
  std::vector<std::uint8_t> now_, changed_;
  std::size_t in_state_ = 0;  // inputs of the next tick that the keyframe holds already
  bool dense_ = false;
};

class TickDecoder {
 public:
  void reset(const Simulation& simulation);
  /// False: not what an encoder wrote. `tick` is the one that the record is of.
  bool decode(std::span<const std::byte> body, std::uint64_t tick, TickRecord& out);

 private:
  /// A step through a portal: who, and its number.
  struct Passage {
    std::uint64_t agent;
    std::uint32_t portal;
  };

  struct Jump {
    std::uint64_t agent;
    Cell to;
  };

  /// Where an agent stands, and where it will once its step is over.
  struct Place {
    Cell at, to;
    std::uint64_t end = 0;  // 0: it is in no step
  };

  void end_steps(std::uint64_t tick);
  bool decode_begun(base::ByteReader& in, std::uint64_t tick, TickRecord& out);
  bool read_jumps(base::ByteReader& in);
  bool apply_jumps(std::uint64_t tick, TickRecord& out);
  bool read_passages(base::ByteReader& in);
  /// The step of that agent through a portal, if it has one that begins there.
  std::optional<MoveRecord> passage(std::uint64_t agent, Cell from, std::uint64_t tick) const;
  bool decode_left(std::uint64_t tick, TickRecord& out);
  bool decode_steps(base::ByteReader& in, std::uint64_t tick, TickRecord& out);
  MapRoster roster_;
  std::vector<Place> places_;
  bool timed_ = false;
  std::vector<Jump> jumps_;  // of the tick that is decoded
  std::vector<PortalDef> portals_;
  std::vector<Passage> passages_;  // of the tick that is read, ascending by key
  GridShape shape_;
};

}  // namespace drover::io

// SPDX-License-Identifier: MIT
// Scanning heads, loading keyframes, decoding ticks.
#include "io/recorded_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/record_payload.hpp"
#include "io/text.hpp"

namespace drover::io {

namespace {

std::optional<KeyframeHead> keyframe_head(const Record& record) {
  base::ByteReader in(record.head);
  const KeyframeHead head = read_keyframe_head(in);
  return in.ok() && in.left() == 0 ? std::optional(head) : std::nullopt;
}

/// Follows the parts of a keyframe until the last one is there.
class Parts {
 public:
  /// True with the part that completes a state.
  bool take(const KeyframeHead& head, std::uint64_t bytes) noexcept {
    if (head.offset == 0) got_ = 0;
    if (head.offset != got_) return false;
    got_ += bytes;
    return got_ == head.state_bytes;
  }

 private:
  std::uint64_t got_ = 0;
};

}  // namespace

Status other_inputs(const std::string& path, std::string_view what, std::uint64_t recorded, std::uint64_t here,
                    std::string_view hint) {
  return error_at(StatusCode::replay_mismatch, {path, 0, 0},
                  fmt::format("recorded with {} of digest {:016x}, here it is {:016x}; equal ones are expected{}", what,
                              recorded, here, hint));
}

Status RecordedRun::broken(std::uint64_t tick) const {
  return error_at(StatusCode::snapshot, {path_, 0, 0},
                  fmt::format("the record of tick {} is whole but not of the form that is written; a recording of "
                              "this version is expected",
                              tick));
}

Result<RecordedRun> RecordedRun::open(const std::string& path, std::uint64_t from_tick) {
  return guarded(fmt::format("the recording {}", printable(path)), [&] {
    Result<RecordReader> reader = RecordReader::open(path);
    if (!reader) throw Refusal{reader.status()};
    RecordedRun run(path, *std::move(reader));
    if (Status status = run.scan(from_tick); !status.ok()) throw Refusal{status};
    return run;
  });
}

Status RecordedRun::scan(std::uint64_t from_tick) {
  Parts parts;
  std::uint64_t begin = 0, size = 0;
  for (;;) {
    const std::uint64_t offset = reader_.offset();
    const Result<bool> more = reader_.next(record_, RecordReader::Parts::head);
    if (!more) return more.status();
    if (!*more) break;
    if (record_.type == RecordType::hello) {
      reader_.seek(offset);
      if (const Result<bool> again = reader_.next(record_); !again) return again.status();
      info_ = parse_info({reinterpret_cast<const char*>(record_.body.data()), record_.body.size()});
      const std::uint64_t jump = from_tick > 0 ? reader_.keyframe_before(from_tick) : 0;
      if (jump > reader_.offset()) reader_.seek(jump);
    } else if (record_.type == RecordType::keyframe) {
      const std::optional<KeyframeHead> head = keyframe_head(record_);
      if (!head) return broken(record_.tick);
      if (head->offset == 0) begin = offset;
      size = std::min<std::uint64_t>(kMaxRecordBody, head->state_bytes - std::min(head->offset, head->state_bytes));
      if (!parts.take(*head, size)) continue;
      if (digests_.empty()) {
        first_tick_ = record_.tick;
        digests_.push_back(head->digests);
      }
      if (record_.tick == last_tick()) keyframes_.push_back({record_.tick, begin});
    } else if (record_.type == RecordType::tick && !digests_.empty()) {
      base::ByteReader in(record_.head);
      digests_.push_back(read_digests(in));
      if (!in.ok() || record_.tick != last_tick()) return broken(record_.tick);
    }
  }
  scanned_bytes_ = reader_.end_offset();
  recovered_.ticks = empty() ? 0 : last_tick();
  recovered_.cut = reader_.end() == RecordEnd::truncated;
  if (reader_.end() != RecordEnd::complete) recovered_.damaged_at = reader_.end_offset();
  return {};
}

std::optional<std::uint64_t> RecordedRun::common_keyframe(const RecordedRun& other, std::uint64_t tick) const {
  // Both ascend.
  for (std::size_t i = 0, k = 0; i < keyframes_.size() && k < other.keyframes_.size();) {
    const std::uint64_t mine = keyframes_[i].tick, theirs = other.keyframes_[k].tick;
    if (mine == theirs && mine >= tick) return mine;
    i += mine <= theirs ? 1 : 0;
    k += theirs <= mine ? 1 : 0;
  }
  return std::nullopt;
}

// False behind what the scan found good. A body that it did not unpack may still be none.
bool RecordedRun::read_next() {
  const Result<bool> more = reader_.next(record_);
  if (!more) throw Refusal{more.status()};
  if (!*more && reader_.end_offset() < scanned_bytes_)
    throw Refusal{error_at(StatusCode::snapshot, {path_, 0, 0},
                           fmt::format("the record at byte {} does not unpack to what it says; a recording of this "
                                       "version is expected",
                                       reader_.end_offset()))};
  return *more;
}

// `first` is the part at offset 0, just read; reads the others behind it.
Status RecordedRun::read_state(const Record& first, std::vector<std::byte>& out) {
  const std::uint64_t tick = first.tick;
  out.clear();
  for (const Record* part = &first;; part = &record_) {
    const std::optional<KeyframeHead> head = keyframe_head(*part);
    if (!head || part->type != RecordType::keyframe || part->tick != tick || head->offset != out.size())
      return broken(tick);
    if (head->state_bytes > kMaxStateBytes)
      return error_at(
          StatusCode::limit_replay, {path_, 0, 0},
          fmt::format("the state of tick {} has {} bytes; the limit is {}", tick, head->state_bytes, kMaxStateBytes));
    out.insert(out.end(), part->body.begin(), part->body.end());
    if (out.size() >= head->state_bytes) return out.size() == head->state_bytes ? Status{} : broken(tick);
    if (!read_next()) return broken(tick);
  }
}

Result<Simulation> RecordedRun::load(std::uint64_t tick, const Host& host) {
  return guarded(fmt::format("the recording {}", printable(path_)), [&]() -> Simulation {
    const auto after = std::upper_bound(keyframes_.begin(), keyframes_.end(), tick,
                                        [](std::uint64_t t, const Keyframe& k) { return t < k.tick; });
    reader_.seek(std::prev(after)->offset);
    read_next();
    std::vector<std::byte> state;
    if (Status status = read_state(record_, state); !status.ok()) throw Refusal{status};
    Result<Simulation> simulation = Simulation::load(state, host);
    if (!simulation) throw Refusal{error_at(simulation.status().code(), {path_, 0, 0}, simulation.status().message())};
    if (simulation->tick() != std::prev(after)->tick) throw Refusal{broken(std::prev(after)->tick)};
    decoder_.reset(*simulation);
    return *std::move(simulation);
  });
}

Result<bool> RecordedRun::next(RecordedEvent& out) {
  return guarded(fmt::format("the recording {}", printable(path_)), [&] {
    for (;;) {
      if (!read_next() || record_.tick > last_tick() || record_.type == RecordType::end) return false;
      out.tick = record_.tick;
      base::ByteReader head(record_.head);
      if (record_.type == RecordType::keyframe) {
        // One that was cut is not there.
        if (!std::any_of(keyframes_.begin(), keyframes_.end(),
                         [this](const Keyframe& k) { return k.tick == record_.tick; }))
          return false;
        out.kind = RecordedEvent::Kind::keyframe;
        out.digests = read_keyframe_head(head).digests;
        if (Status status = read_state(Record(record_), out.state); !status.ok()) throw Refusal{status};
        return true;
      }
      if (record_.type != RecordType::tick) continue;
      out.kind = RecordedEvent::Kind::tick;
      out.digests = read_digests(head);
      if (!decoder_.decode(record_.body, record_.tick, out.record)) throw Refusal{broken(record_.tick)};
      return true;
    }
  });
}

void RecordedRun::check_rules(const Simulation& simulation) const {
  const std::uint64_t here = rules_digest(simulation.def()), recorded = header().rules_digest;
  if (here != recorded)
    throw Refusal{other_inputs(path_, "rules", recorded, here, "; another version of drover records and replays them")};
}

void RecordedRun::give(const RecordedEvent& event, Simulation& simulation) const {
  for (const Input& input : event.record.inputs) {
    const Status status = simulation.give(input);
    if (!status.ok())
      refuse(StatusCode::snapshot, {path_, 0, 0},
             fmt::format("an input of tick {} cannot be given again: {}; what was recorded is expected to fit",
                         event.tick, status.message()));
  }
}

}  // namespace drover::io

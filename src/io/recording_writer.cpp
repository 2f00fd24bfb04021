// SPDX-License-Identifier: MIT
// From a running simulation to records.
#include <drover/recording.hpp>

#include <fmt/format.h>

#include "io/record_file.hpp"
#include "io/record_payload.hpp"
#include "io/text.hpp"
#include "io/tick_codec.hpp"
#include "sim/digest_chain.hpp"

namespace drover::io {

struct RecordingWriter::Impl {
  RecordWriter file;
  TickEncoder encoder;
  base::ByteWriter head, body;
  std::vector<std::byte> state;
  std::uint64_t tick_recorded = 0;
  Digests recorded;

  explicit Impl(RecordWriter writer) : file(std::move(writer)) {}

  // Steps, comings and goings are written as differences to the tick before, so it must be this very one.
  Status tick(const Simulation& simulation) {
    if (simulation.tick() != tick_recorded + 1 ||
        sim::chained(recorded.all, simulation.tick(), simulation.digests()) != simulation.digests().all)
      return {StatusCode::argument,
              fmt::format("tick {} does not follow tick {} as it was recorded; every step of one run, each once and "
                          "never taken back, is expected",
                          simulation.tick(), tick_recorded)};
    head.clear();
    body.clear();
    write_digests(head, simulation.digests());
    if (!encoder.encode(simulation, body))
      return {StatusCode::argument,
              fmt::format("tick {}: another simulation than was recorded before", simulation.tick())};
    Status status = append_tick(simulation);
    if (status.ok()) remember(simulation);
    return status;
  }

  void remember(const Simulation& simulation) noexcept {
    tick_recorded = simulation.tick();
    recorded = simulation.digests();
  }

  Status append_tick(const Simulation& simulation) {
    return file.append(RecordType::tick, simulation.tick(), head.bytes(), body.bytes(),
                       encoder.dense() ? RecordWriter::Packing::as_it_is : RecordWriter::Packing::compress);
  }

  // In parts where one record would be too large.
  Status keyframe(const Simulation& simulation) {
    state.clear();
    if (Status status = simulation.save(state); !status.ok()) return status;
    const std::span<const std::byte> all(state);
    for (std::size_t offset = 0; offset < all.size(); offset += kMaxRecordBody) {
      head.clear();
      write_keyframe_head(head, {simulation.digests(), all.size(), offset});
      Status status = file.append(RecordType::keyframe, simulation.tick(), head.bytes(),
                                  all.subspan(offset, std::min(kMaxRecordBody, all.size() - offset)));
      if (!status.ok()) return status;
    }
    encoder.reset(simulation);
    return {};
  }

  Status end(const Simulation& simulation, RunEnd how) {
    if (simulation.tick() != tick_recorded || simulation.digests() != recorded)
      return {StatusCode::argument,
              fmt::format("the end at tick {}, but tick {} was recorded last; the same is expected", simulation.tick(),
                          tick_recorded)};
    head.clear();
    body.clear();
    write_digests(head, simulation.digests());
    body.u8(static_cast<std::uint8_t>(how));
    for (const std::uint64_t n : simulation.state_counts()) body.number(n);
    if (Status status = file.append(RecordType::end, simulation.tick(), head.bytes(), body.bytes()); !status.ok())
      return status;
    return file.close();
  }
};

RecordingWriter::RecordingWriter(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
RecordingWriter::RecordingWriter(RecordingWriter&&) noexcept = default;
RecordingWriter& RecordingWriter::operator=(RecordingWriter&&) noexcept = default;
RecordingWriter::~RecordingWriter() = default;

Result<RecordingWriter> RecordingWriter::create(const std::string& path, const RecordingInfo& info,
                                                const Simulation& simulation) {
  return guarded("a recording", [&] {
    RecordingHeader header;
    header.map_digest = simulation.map().content_digest();
    header.scenario_digest = info.scenario_digest;
    header.rules_digest = rules_digest(simulation.def());
    Result<RecordWriter> file = RecordWriter::create(path, header);
    if (!file) throw Refusal{file.status()};
    auto impl = std::make_unique<Impl>(*std::move(file));
    const std::string hello = to_json(info);
    Status status = impl->file.append(RecordType::hello, simulation.tick(), {}, std::as_bytes(std::span(hello)));
    if (status.ok()) status = impl->keyframe(simulation);
    if (!status.ok()) throw Refusal{status};
    impl->remember(simulation);
    return RecordingWriter(std::move(impl));
  });
}

Status RecordingWriter::record(const Simulation& simulation) {
  const Result<bool> done = guarded("a tick of a recording", [&] {
    Status status = impl_->tick(simulation);
    if (status.ok() && simulation.tick() % kKeyframeTicks == 0) status = impl_->keyframe(simulation);
    if (!status.ok()) throw Refusal{status};
    return true;
  });
  return done.status();
}

Status RecordingWriter::close(const Simulation& simulation, RunEnd end) {
  return guarded("the end of a recording",
                 [&] {
                   if (Status status = impl_->end(simulation, end); !status.ok()) throw Refusal{status};
                   return true;
                 })
      .status();
}

Status RecordingWriter::sync() const { return impl_->file.sync(); }
std::uint64_t RecordingWriter::bytes() const noexcept { return impl_->file.bytes(); }

}  // namespace drover::io

// SPDX-License-Identifier: MIT
// Recordings put together byte by byte from docs/formats/recording.md, without the code that writes them.
#pragma once
#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace drover::test {

inline std::string little(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> 8 * i);
  return out;
}
inline std::string crc_of(std::string_view bytes) {
  const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
  return little(::crc32(::crc32(0, nullptr, 0), data, static_cast<uInt>(bytes.size())), 4);
}

inline std::string header_bytes(std::uint32_t version, std::uint64_t map, std::uint64_t scenario, std::uint64_t rules) {
  std::string out =
      "\x89"
      "DRV\r\n\x1A\n";
  out += little(version, 4) + little(0, 4) + little(map, 8) + little(scenario, 8) + little(rules, 8);
  out += std::string(20, '\0');
  return out + crc_of(out);
}

struct FrameBytes {
  int type = 3, flags = 0;
  std::uint64_t tick = 0;
  std::string head, stored;
  std::uint64_t body_bytes = 0;
};
/// Appends a frame whose checksums fit behind what is there.
inline void add_frame(std::string& file, const FrameBytes& frame) {
  const std::string link = file.substr(file.size() - 4);
  const std::string fields = little(static_cast<std::uint64_t>(frame.type), 1) +
                             little(static_cast<std::uint64_t>(frame.flags), 1) + little(frame.head.size(), 2) +
                             little(frame.stored.size(), 4) + little(frame.body_bytes, 4) + little(frame.tick, 8);
  file +=
      fields + crc_of(link + fields) + frame.head + frame.stored + crc_of(link + fields + frame.head + frame.stored);
}
inline void add_plain(std::string& file, int type, std::uint64_t tick, const std::string& head,
                      const std::string& body) {
  add_frame(file, {type, 0, tick, head, body, body.size()});
}
inline void add_trailer(std::string& file, std::uint64_t index_offset) {
  file += little(index_offset, 8) +
          "\x8A"
          "DRVEND\n";
}

}  // namespace drover::test

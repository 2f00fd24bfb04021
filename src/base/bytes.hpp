// SPDX-License-Identifier: MIT
// Values as bytes, little endian whatever the machine: a writer that grows, a reader that never leaves its bytes.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace drover::base {

/// Appends to a buffer of its own. Throws std::bad_alloc.
class ByteWriter {
 public:
  ByteWriter() = default;
  /// Goes on behind what is in `bytes`, in its memory.
  explicit ByteWriter(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {
    const std::size_t used = bytes_.size();
    bytes_.resize(bytes_.capacity());
    next_ = bytes_.data() + used;
    end_ = bytes_.data() + bytes_.size();
  }
  /// The buffer without what is behind the last byte; the writer is empty.
  std::vector<std::byte> take() {
    bytes_.resize(size());
    next_ = end_ = nullptr;
    return std::exchange(bytes_, {});
  }
  ByteWriter(const ByteWriter&) = delete;
  ByteWriter& operator=(const ByteWriter&) = delete;

  void u8(std::uint8_t value) {
    room(1);
    *next_++ = static_cast<std::byte>(value);
  }
  void u64(std::uint64_t value) {
    room(8);
    for (int i = 0; i < 8; ++i) *next_++ = static_cast<std::byte>(value >> 8 * i);
  }
  /// Seven bits a byte, lowest first: small numbers are short.
  void number(std::uint64_t value) {
    room(kMaxNumber);
    for (; value >= 0x80; value >>= 7) *next_++ = static_cast<std::byte>(value | 0x80);
    *next_++ = static_cast<std::byte>(value);
  }
  void signed_number(std::int64_t value) {
    number(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
  }
  void text(std::string_view value) {
    number(value.size());
    raw({reinterpret_cast<const std::byte*>(value.data()), value.size()});
  }
  void raw(std::span<const std::byte> bytes) {
    if (bytes.empty()) return;
    std::memcpy(extend(bytes.size()), bytes.data(), bytes.size());
  }
  /// `size` bytes for the caller to fill before the next call.
  std::byte* extend(std::size_t size) {
    room(size);
    return std::exchange(next_, next_ + size);
  }
  std::span<const std::byte> bytes() const noexcept { return {bytes_.data(), size()}; }
  std::size_t size() const noexcept { return static_cast<std::size_t>(next_ - bytes_.data()); }
  void clear() noexcept { next_ = bytes_.data(); }

 private:
  static constexpr std::size_t kMaxNumber = 10;
  void room(std::size_t more) {
    if (static_cast<std::size_t>(end_ - next_) < more) grow(more);
  }
  void grow(std::size_t more) {
    const std::size_t used = size();
    bytes_.resize(std::max(bytes_.size() * 2, used + more + 256));
    next_ = bytes_.data() + used;
    end_ = bytes_.data() + bytes_.size();
  }
  std::vector<std::byte> bytes_;
  std::byte* next_ = nullptr;
  std::byte* end_ = nullptr;
};

/// Reads what a ByteWriter wrote. The first value that is not there, or beyond the bound asked for, makes it fail for
/// good: every value after it is 0 and ok() is false. Takes no memory but for texts, whose bytes are there.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

  bool ok() const noexcept { return ok_; }
  void fail() noexcept {
    ok_ = false;
    bytes_ = {};
  }
  /// Fails unless `holds`.
  void expect(bool holds) noexcept {
    if (!holds) fail();
  }
  std::size_t left() const noexcept { return bytes_.size(); }

  std::uint8_t u8(std::uint8_t most = 255) noexcept {
    const std::span<const std::byte> one = raw(1);
    const std::uint8_t value = one.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(one[0]);
    return value <= most ? value : (fail(), std::uint8_t{0});
  }
  bool flag() noexcept { return u8(1) != 0; }
  std::uint64_t u64() noexcept {
    std::uint64_t value = 0;
    const std::span<const std::byte> eight = raw(8);
    for (std::size_t i = 0; i < eight.size(); ++i) value |= static_cast<std::uint64_t>(eight[i]) << 8 * i;
    return value;
  }
  std::uint64_t number(std::uint64_t most = ~std::uint64_t{0}) noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      if (bytes_.empty() || shift > 63) return fail(), 0;
      const auto byte = static_cast<std::uint64_t>(bytes_.front());
      bytes_ = bytes_.subspan(1);
      if (shift == 63 && byte > 1) return fail(), 0;
      value |= (byte & 0x7F) << shift;
      if (byte < 0x80) break;
    }
    return value <= most ? value : (fail(), 0);
  }
  std::uint32_t number32(std::uint64_t most = ~std::uint32_t{0}) noexcept {
    return static_cast<std::uint32_t>(number(std::min<std::uint64_t>(most, ~std::uint32_t{0})));
  }
  std::int64_t signed_number() noexcept {
    const std::uint64_t folded = number();
    return static_cast<std::int64_t>(folded >> 1 ^ (~(folded & 1) + 1));
  }
  std::int32_t signed32() noexcept {
    const std::int64_t value = signed_number();
    expect(value >= INT32_MIN && value <= INT32_MAX);
    return ok_ ? static_cast<std::int32_t>(value) : 0;
  }
  /// How many elements follow, each of at least `least_bytes`: never more than there are bytes for.
  std::size_t count(std::size_t least_bytes = 1) noexcept {
    return static_cast<std::size_t>(number(bytes_.size() / least_bytes));
  }
  std::string text() {
    const std::span<const std::byte> bytes = raw(count());
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  std::span<const std::byte> raw(std::size_t size) noexcept {
    if (size > bytes_.size()) return fail(), std::span<const std::byte>();
    const std::span<const std::byte> result = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return result;
  }

 private:
  std::span<const std::byte> bytes_;
  bool ok_ = true;
};

}  // namespace drover::base

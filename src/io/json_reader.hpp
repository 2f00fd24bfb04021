// SPDX-License-Identifier: MIT
// JSON from outside: bounded in depth, its numbers as they are written, every value with its place.
#pragma once
#include "io/text.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drover::io {

inline constexpr std::size_t kMaxJsonDepth = 64;

enum class JsonKind : std::uint8_t { null, boolean, number, string, array, object };

class JsonText;

/// A value of a JsonText, which must outlive it. Items and members are walked in file order.
class JsonValue {
 public:
  JsonKind kind() const noexcept;
  bool is(JsonKind k) const noexcept { return kind() == k; }
  /// Of a string: decoded; of a number or boolean: as written.
  std::string_view text() const noexcept;
  Place place() const;
  /// Byte of the text.
  std::size_t at() const noexcept;

  class Items;
  /// Of an array or object; nothing else has any.
  Items items() const noexcept;
  /// Of the member that this value is.
  std::string_view key() const noexcept;
  Place key_place() const;
  /// A member of an object.
  std::optional<JsonValue> find(std::string_view key) const;

 private:
  friend class JsonText;
  friend class Items;
  JsonValue(const JsonText& text, std::uint32_t node) noexcept : text_(&text), node_(node) {}
  const JsonText* text_;
  std::uint32_t node_;
};

class JsonValue::Items {
 public:
  class Iterator {
   public:
    Iterator(const JsonText& text, std::uint32_t node) noexcept : text_(&text), node_(node) {}
    JsonValue operator*() const noexcept { return {*text_, node_}; }
    Iterator& operator++() noexcept;
    friend bool operator==(const Iterator& a, const Iterator& b) noexcept { return a.node_ == b.node_; }

   private:
    const JsonText* text_;
    std::uint32_t node_;
  };
  Items(const JsonText& text, std::uint32_t begin, std::uint32_t end) noexcept
      : text_(&text), begin_(begin), end_(end) {}
  Iterator begin() const noexcept { return {*text_, begin_}; }
  Iterator end() const noexcept { return {*text_, end_}; }

 private:
  const JsonText* text_;
  std::uint32_t begin_, end_;
};

/// A whole text, read once: 32 bytes a value and 4 a line beside the text, which must outlive it.
class JsonText {
 public:
  /// Throws Refusal: json, json_depth, key_twice, limit_file (2^31 bytes).
  JsonText(std::string_view text, std::string file);
  JsonText(const JsonText&) = delete;
  JsonText& operator=(const JsonText&) = delete;

  JsonValue root() const noexcept { return {*this, 0}; }
  const std::string& file() const noexcept { return file_; }

 private:
  friend class JsonValue;
  friend class JsonValue::Items::Iterator;
  struct Piece {
    std::uint32_t begin = 0, size = 0;
  };
  struct Node {
    JsonKind kind = JsonKind::null;
    std::uint32_t at = 0, end = 0;  // byte of the text; node after its last descendant
    Piece text, key;                // of strings_; numbers too
    std::uint32_t key_at = 0;
  };
  class Builder;

  std::string_view piece(Piece p) const noexcept { return std::string_view(strings_).substr(p.begin, p.size); }
  Place place(std::uint32_t at) const;
  void check_keys(std::uint32_t object) const;

  std::string_view source_;
  std::string file_, strings_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> lines_;  // where each begins
};

}  // namespace drover::io

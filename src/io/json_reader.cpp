// SPDX-License-Identifier: MIT
// Events of the JSON library become an array of nodes in file order.
#include "io/json_reader.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace drover::io {

namespace {

// Tells how far the library has read: its events carry no places.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, const char** seen) noexcept : at_(at), seen_(seen) {}
  reference operator*() const noexcept { return *at_; }
  CountingIterator& operator++() noexcept {
    *seen_ = ++at_;
    return *this;
  }
  CountingIterator operator++(int) noexcept {
    CountingIterator old = *this;
    ++*this;
    return old;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) noexcept { return a.at_ == b.at_; }

 private:
  const char* at_;
  const char** seen_;
};

constexpr std::string_view kBetween = " \t\r\n,:";

}  // namespace

class JsonText::Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(JsonText& text) : text_(text), seen_(text.source_.data()) {}

  CountingIterator begin() { return {text_.source_.data(), &seen_}; }
  CountingIterator end() { return {text_.source_.data() + text_.source_.size(), &seen_}; }

  bool null() override { return leaf(JsonKind::null, "null"); }
  bool boolean(bool value) override { return leaf(JsonKind::boolean, value ? "true" : "false"); }
  bool number_integer(number_integer_t) override { return number(); }
  bool number_unsigned(number_unsigned_t) override { return number(); }
  bool number_float(number_float_t, const string_t&) override { return number(); }
  bool string(string_t& value) override { return leaf(JsonKind::string, value); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(JsonKind::object); }
  bool start_array(std::size_t) override { return open(JsonKind::array); }
  bool end_object() override {
    text_.check_keys(open_.back());
    return close();
  }
  bool end_array() override { return close(); }
  bool key(string_t& value) override {
    key_at_ = token();
    key_ = keep(value);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) override {
    std::string_view what = error.what();  // "[json.exception...] parse error at line 1, column 2: ..."
    what.remove_prefix(std::min(what.find("] "), what.size() - 2) + 2);
    if (const std::size_t head = what.find(": "); what.starts_with("parse error") && head != std::string_view::npos)
      what.remove_prefix(head + 2);
    const std::size_t at = std::min(position == 0 ? 0 : position - 1, text_.source_.size());
    const bool expects = what.find("; ") != std::string_view::npos;
    refuse(StatusCode::json, text_.place(static_cast<std::uint32_t>(at)),
           printable(what) + (expects ? "" : "; JSON is expected"));
  }

 private:
  // Where the token of this event begins: after what lies between the last one and it.
  std::uint32_t token() {
    const std::size_t at = std::min(text_.source_.find_first_not_of(kBetween, next_), text_.source_.size());
    next_ = std::max(at, static_cast<std::size_t>(seen_ - text_.source_.data()));
    return static_cast<std::uint32_t>(at);
  }
  Piece keep(std::string_view value) {
    const Piece piece{static_cast<std::uint32_t>(text_.strings_.size()), static_cast<std::uint32_t>(value.size())};
    text_.strings_ += value;
    return piece;
  }
  Node& add(JsonKind kind, std::uint32_t at) {
    const auto next = static_cast<std::uint32_t>(text_.nodes_.size() + 1);
    text_.nodes_.push_back({kind, at, next, {}, std::exchange(key_, {}), key_at_});
    return text_.nodes_.back();
  }
  bool leaf(JsonKind kind, std::string_view value) {
    const std::uint32_t at = token();
    add(kind, at).text = keep(value);
    return true;
  }
  // As written; the library has read one character more, unless the text ends there.
  bool number() {
    const std::uint32_t at = token();
    const std::string_view rest = text_.source_.substr(at);
    const std::string_view written = rest.substr(0, rest.find_first_not_of("+-.0123456789eE"));
    next_ = at + written.size();
    add(JsonKind::number, at).text = keep(written);
    return true;
  }
  bool open(JsonKind kind) {
    const std::uint32_t at = token();
    if (open_.size() == kMaxJsonDepth) {
      refuse(StatusCode::json_depth, text_.place(at),
             base::concat("nested deeper than ", kMaxJsonDepth, " levels; no more are expected"));
    }
    add(kind, at);
    open_.push_back(static_cast<std::uint32_t>(text_.nodes_.size() - 1));
    return true;
  }
  bool close() {
    token();
    text_.nodes_[open_.back()].end = static_cast<std::uint32_t>(text_.nodes_.size());
    open_.pop_back();
    return true;
  }

  JsonText& text_;
  const char* seen_;
  std::size_t next_ = 0;
  std::vector<std::uint32_t> open_;
  Piece key_;
  std::uint32_t key_at_ = 0;
};

JsonText::JsonText(std::string_view text, std::string file) : source_(text), file_(std::move(file)) {
  constexpr std::size_t kMost = std::size_t{1} << 31;
  if (text.size() > kMost) {
    refuse(StatusCode::limit_file, {file_, 0, 0}, base::concat(text.size(), " bytes of JSON; at most ", kMost));
  }
  lines_.push_back(0);
  for (std::size_t i = 0; (i = source_.find('\n', i)) != std::string_view::npos;) {
    lines_.push_back(static_cast<std::uint32_t>(++i));
  }
  Builder builder(*this);
  nlohmann::json::sax_parse(builder.begin(), builder.end(), &builder);
}

Place JsonText::place(std::uint32_t at) const {
  const auto line = std::upper_bound(lines_.begin(), lines_.end(), at);  // the first begins at 0
  return {file_, static_cast<std::uint32_t>(line - lines_.begin()), at - *(line - 1) + 1};
}

void JsonText::check_keys(std::uint32_t object) const {
  std::vector<std::pair<std::string_view, std::uint32_t>> keys;
  for (std::uint32_t i = object + 1; i < nodes_.size(); i = nodes_[i].end) {
    keys.emplace_back(piece(nodes_[i].key), nodes_[i].key_at);
  }
  std::sort(keys.begin(), keys.end());
  for (std::size_t i = 1; i < keys.size(); ++i) {
    if (keys[i].first != keys[i - 1].first) continue;
    refuse(StatusCode::key_twice, place(keys[i].second),
           base::concat("\"", printable(keys[i].first), "\" is given twice; once is expected"));
  }
}

JsonKind JsonValue::kind() const noexcept { return text_->nodes_[node_].kind; }
std::string_view JsonValue::text() const noexcept { return text_->piece(text_->nodes_[node_].text); }
std::size_t JsonValue::at() const noexcept { return text_->nodes_[node_].at; }
Place JsonValue::place() const { return text_->place(text_->nodes_[node_].at); }
std::string_view JsonValue::key() const noexcept { return text_->piece(text_->nodes_[node_].key); }
Place JsonValue::key_place() const { return text_->place(text_->nodes_[node_].key_at); }

JsonValue::Items JsonValue::items() const noexcept {
  const std::uint32_t end = text_->nodes_[node_].end;
  return {*text_, std::min(node_ + 1, end), end};
}

std::optional<JsonValue> JsonValue::find(std::string_view key) const {
  if (!is(JsonKind::object)) return std::nullopt;
  for (const JsonValue member : items()) {
    if (member.key() == key) return member;
  }
  return std::nullopt;
}

JsonValue::Items::Iterator& JsonValue::Items::Iterator::operator++() noexcept {
  node_ = text_->nodes_[node_].end;
  return *this;
}

}  // namespace drover::io

// SPDX-License-Identifier: MIT
// Lines are drawn in a square of 1000 x 1000 that the page stretches; texts are placed in per cent.
#include "io/html.hpp"

#include <fmt/format.h>
#include <drover/io.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace drover::io {

namespace {

constexpr double kSide = 1000;

}  // namespace

std::string html(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string html_name(std::string_view name) { return "<bdi>" + html(name) + "</bdi>"; }

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  return digits;
}

std::string time_text(double ns) {
  constexpr const char* kUnits[] = {"ns", "µs", "ms", "s"};
  std::size_t unit = 0;
  for (; ns >= 999.5 && unit < 3; ++unit) ns /= 1000;
  return fmt::format("{:.{}f} {}", ns, ns < 10 && unit > 0 && std::round(ns * 10) != std::round(ns) * 10 ? 1 : 0,
                     kUnits[unit]);
}

std::string base64(std::string_view bytes) {
  constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += i + k > bytes.size() ? '=' : kLetters[(group >> (18 - 6 * k)) & 63];
  }
  return out;
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=./:,@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::vector<std::uint64_t> nice_ticks(std::uint64_t most) {
  std::uint64_t step = 1;
  for (std::uint64_t ten = 1; most / step > 5; ten *= 10) {
    for (const std::uint64_t factor : {1u, 2u, 5u}) {
      step = ten * factor;
      if (most / step <= 5) break;
    }
    if (ten > most / 10) break;
  }
  std::vector<std::uint64_t> out;
  for (std::uint64_t i = 0; i <= most / step; ++i) out.push_back(i * step);
  return out;
}

Plot::Plot(std::string about, double x_most, double y_most)
    : about_(std::move(about)), x_most_(std::max(x_most, 1e-9)), y_most_(std::max(y_most, 1e-9)) {}

int Plot::px(double x) const { return static_cast<int>(std::lround(std::clamp(x / x_most_, 0.0, 1.0) * kSide)); }
int Plot::py(double y) const { return static_cast<int>(std::lround((1 - std::clamp(y / y_most_, 0.0, 1.0)) * kSide)); }

void Plot::steps(const std::vector<Point>& points, std::string_view css_class) {
  if (points.empty()) return;
  std::string path = fmt::format("M{} {}", px(points[0].x), py(points[0].y));
  int x = px(points[0].x), y = py(points[0].y);
  for (std::size_t i = 1; i < points.size(); ++i) {
    const int next_x = px(points[i].x), next_y = py(points[i].y);
    const bool last = i + 1 == points.size();
    // Of points in one column only the last is seen.
    if (!last && px(points[i + 1].x) == next_x) continue;
    if (next_x != x && (next_y != y || last)) path += fmt::format("H{}", x = next_x);
    if (next_y != y) path += fmt::format("V{}", y = next_y);
  }
  shapes_ += fmt::format("<path class=\"{}\" d=\"{}\"/>", css_class, path);
}

void Plot::area(const std::vector<Point>& points, std::string_view css_class, std::string_view title) {
  if (points.empty()) return;
  std::string path = fmt::format("M{} {}", px(points[0].x), kSide);
  int y = -1;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const int next = py(points[i].y);
    const bool bends = i == 0 || i + 1 == points.size() || next != y || py(points[i + 1].y) != y;
    if (bends) path += fmt::format("L{} {}", px(points[i].x), next);
    y = next;
  }
  path += fmt::format("V{}Z", kSide);
  shapes_ += fmt::format("<path class=\"{}\" d=\"{}\"><title>{}</title></path>", css_class, path, html(title));
}

void Plot::bar(double x0, double x1, double y, std::string_view css_class, const std::string& title) {
  const int left = px(x0), right = px(x1), top = std::min(py(y), static_cast<int>(kSide) - 4);
  shapes_ +=
      fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{}</title></rect>", css_class,
                  left + 1, top, std::max(right - left - 2, 1), static_cast<int>(kSide) - top, html(title));
}

void Plot::upright(double x, std::string_view css_class) {
  shapes_ += fmt::format("<path class=\"{}\" d=\"M{} 0V{}\"/>", css_class, px(x), kSide);
}

void Plot::dot(double x, double y, std::string_view css_class) {
  marks_ +=
      fmt::format("<i class=\"dot {}\" style=\"left:{:.1f}%;top:{:.1f}%\"></i>", css_class, px(x) / 10.0, py(y) / 10.0);
}

void Plot::x_axis(const std::vector<std::pair<double, std::string>>& labels, const std::string& unit) {
  for (const auto& [x, text] : labels)
    marks_ += fmt::format("<span class=\"x\" style=\"left:{:.1f}%\">{}</span>", px(x) / 10.0, html(text));
  marks_ += fmt::format("<span class=\"unit\">{}</span>", html(unit));
}

void Plot::y_axis(const std::vector<std::pair<double, std::string>>& labels) {
  for (const auto& [y, text] : labels) {
    marks_ += fmt::format("<span class=\"y\" style=\"top:{:.1f}%\">{}</span>", py(y) / 10.0, html(text));
    grid_ += fmt::format("M0 {}H{}", py(y), kSide);
  }
}

std::string Plot::text() const {
  return fmt::format(
      "<div class=\"plot\" role=\"img\" aria-label=\"{}\"><svg viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" "
      "aria-hidden=\"true\"><path class=\"grid\" d=\"{}\"/>{}</svg>{}</div>",
      html(about_), kSide, kSide, grid_, shapes_, marks_);
}

}  // namespace drover::io

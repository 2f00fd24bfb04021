// SPDX-License-Identifier: MIT
// Pieces of web pages: text that cannot become markup, numbers, plots.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace drover::io {

/// For text and for attributes in double quotes. Bytes that cannot be printed become \x00 escapes first.
std::string html(std::string_view text);
/// A name from outside, kept from turning the text around it.
std::string html_name(std::string_view name);
/// "18,414,125".
std::string grouped(std::uint64_t number);
/// "41 ns", "8.4 µs", "50 ms".
std::string time_text(double ns);
std::string base64(std::string_view bytes);
/// For a POSIX shell.
std::string shell_word(std::string_view word);

/// Round values from 0 to at most `most`, four or five of them.
std::vector<std::uint64_t> nice_ticks(std::uint64_t most);

/// A plot whose lines stretch with the page while its texts keep their size. Values are clipped to the ranges.
class Plot {
 public:
  /// `about` says in words what can be seen.
  Plot(std::string about, double x_most, double y_most);

  struct Point {
    double x, y;
  };
  /// Level until the next point.
  void steps(const std::vector<Point>& points, std::string_view css_class);
  /// Between the axis and the points.
  void area(const std::vector<Point>& points, std::string_view css_class, std::string_view title);
  void bar(double x0, double x1, double y, std::string_view css_class, const std::string& title);
  void upright(double x, std::string_view css_class);
  void dot(double x, double y, std::string_view css_class);
  void x_axis(const std::vector<std::pair<double, std::string>>& labels, const std::string& unit);
  void y_axis(const std::vector<std::pair<double, std::string>>& labels);

  std::string text() const;

 private:
  int px(double x) const;
  int py(double y) const;

  std::string about_, shapes_, marks_, grid_;
  double x_most_, y_most_;
};

}  // namespace drover::io

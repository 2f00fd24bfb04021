// SPDX-License-Identifier: MIT
// Draws the bar by overwriting one line.
#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace drover::cli {

Progress::Progress(Show show, std::string label, std::uint64_t total)
    : shown_(show == Show::on_terminal && ::isatty(STDERR_FILENO) == 1),
      label_(std::move(label)),
      total_(std::max<std::uint64_t>(total, 1)),
      next_(std::chrono::steady_clock::now() + std::chrono::milliseconds(200)) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void Progress::update(std::uint64_t done, const std::string& note) {
  if (!shown_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  drawn_ = true;
  constexpr std::uint64_t kWidth = 30;
  const std::uint64_t filled = std::min(kWidth, done * kWidth / total_);
  fmt::print(stderr, "\r{} [{:#>{}}{:->{}}] {}/{} {}\x1b[K", label_, "", filled, "", kWidth - filled, done, total_,
             note);
  std::fflush(stderr);
}

}  // namespace drover::cli

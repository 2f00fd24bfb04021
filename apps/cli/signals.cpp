// SPDX-License-Identifier: MIT
// One flag, set by the handler.
#include "signals.hpp"

#include <csignal>

namespace drover::cli {

namespace {

volatile std::sig_atomic_t caught = 0;

extern "C" void remember(int signal) {
  caught = signal;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void survive_file_limit() { std::signal(SIGXFSZ, SIG_IGN); }

void watch_signals() {
  std::signal(SIGINT, remember);
  std::signal(SIGTERM, remember);
}

int caught_signal() noexcept { return caught; }

}  // namespace drover::cli

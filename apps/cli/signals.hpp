// SPDX-License-Identifier: MIT
// Ctrl-C and friends: the work in hand is finished and written, then the program leaves.
#pragma once

namespace drover::cli {

/// A file that outgrows its limit is a failed write, not the end of the program.
void survive_file_limit();
/// From now on SIGINT and SIGTERM only set a flag; a second one ends the program at once.
void watch_signals();
/// The signal that came, 0 if none.
int caught_signal() noexcept;

}  // namespace drover::cli

// SPDX-License-Identifier: MIT
// A command in words.
#pragma once
#include <drover/recording.hpp>

#include <string>

namespace drover::io {

/// "door gate closed", "agent 12 walks to east": names from `info`, keys from `simulation`, in which it came into
/// force.
std::string input_text(const Command& command, const Simulation& simulation, const RecordingInfo& info);

}  // namespace drover::io

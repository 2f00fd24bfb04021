// SPDX-License-Identifier: MIT
// Profiles, goals, commands and inputs as bytes, and back.
#pragma once
#include "base/bytes.hpp"

#include <drover/simulation.hpp>

namespace drover::sim {

void write_profile(base::ByteWriter& out, const MovementProfile& profile);
MovementProfile read_profile(base::ByteReader& in);
void write_goal(base::ByteWriter& out, const SimulationGoal& goal);
SimulationGoal read_goal(base::ByteReader& in);
void write_command(base::ByteWriter& out, const Command& command);
/// What was read is of the right form; whether it fits a simulation is for Simulation to say.
Command read_command(base::ByteReader& in);
void write_input(base::ByteWriter& out, const Input& input);
Input read_input(base::ByteReader& in);

}  // namespace drover::sim

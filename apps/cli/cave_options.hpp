// SPDX-License-Identifier: MIT
// The options of `drover cave` as typed, and what they say.
#pragma once
#include <drover/cave.hpp>

#include <string>
#include <vector>

#include "app.hpp"

namespace drover::cli {

/// Empty means not given.
struct CaveOptions {
  std::string size, seed, walls, mode, passes, rule, generations, connect, tunnel_width, min_room, min_pillar, border,
      origin, start, spawn;
};
void add_cave_options(CLI::App& command, CaveOptions& options);

/// Refuses what is wrong by itself (exit status 2) before any file is opened. The start map is not read yet.
CaveDef parse_cave(const CaveOptions& options);

/// "player:6,stairs:2,enemy:2x5": name, side, how many. All but the first are tied to the region of the first.
std::vector<SpawnDef> parse_spawns(const std::string& text);

}  // namespace drover::cli

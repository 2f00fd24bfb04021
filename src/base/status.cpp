// SPDX-License-Identifier: MIT
// Names and exit statuses of every error code.
#include <drover/status.hpp>

namespace drover {

const char* error_name(StatusCode code) noexcept {  // NOLINT(readability-function-size): a table
  // No default: the compiler names a code that is missing here.
  // clang-format off
  switch (code) {
    case StatusCode::ok: return "OK";
    case StatusCode::argument: return "E_ARGUMENT";
    case StatusCode::handle: return "E_HANDLE";
    case StatusCode::out_of_memory: return "E_NOMEM";
    case StatusCode::internal: return "E_INTERNAL";
    case StatusCode::usage: return "E_USAGE";
    case StatusCode::position: return "E_POSITION";
    case StatusCode::map_empty: return "E_MAP_EMPTY";
    case StatusCode::map_size: return "E_MAP_SIZE";
    case StatusCode::map_header: return "E_MAP_HEADER";
    case StatusCode::map_truncated: return "E_MAP_TRUNCATED";
    case StatusCode::map_row_length: return "E_MAP_ROW_LENGTH";
    case StatusCode::map_trailing: return "E_MAP_TRAILING";
    case StatusCode::map_tile: return "E_MAP_TILE";
    case StatusCode::encoding: return "E_ENCODING";
    case StatusCode::version_unsupported: return "E_VERSION_UNSUPPORTED";
    case StatusCode::not_a_file: return "E_NOT_A_FILE";
    case StatusCode::cannot_open: return "E_OPEN";
    case StatusCode::write: return "E_WRITE";
    case StatusCode::limit_cells: return "E_LIMIT_CELLS";
    case StatusCode::limit_line: return "E_LIMIT_LINE";
    case StatusCode::limit_file: return "E_LIMIT_FILE";
    case StatusCode::limit_goals: return "E_LIMIT_GOALS";
    case StatusCode::limit_agents: return "E_LIMIT_AGENTS";
    case StatusCode::number: return "E_NUMBER";
    case StatusCode::cost_negative: return "E_COST_NEGATIVE";
    case StatusCode::cost_range: return "E_COST_RANGE";
    case StatusCode::weights_size: return "E_WEIGHTS_SIZE";
    case StatusCode::edit: return "E_EDIT";
    case StatusCode::edit_outside: return "E_EDIT_OUTSIDE";
    case StatusCode::goal_blocked: return "E_GOAL_BLOCKED";
    case StatusCode::goal_unknown: return "E_GOAL_UNKNOWN";
    case StatusCode::goal_outside: return "E_GOAL_OUTSIDE";
    case StatusCode::goal_none: return "E_GOAL_NONE";
    case StatusCode::start_blocked: return "E_START_BLOCKED";
    case StatusCode::start_outside: return "E_START_OUTSIDE";
    case StatusCode::start_conflict: return "E_START_CONFLICT";
    case StatusCode::footprint: return "E_FOOTPRINT";
    case StatusCode::profile_mismatch: return "E_PROFILE_MISMATCH";
    case StatusCode::profile_unknown: return "E_PROFILE_UNKNOWN";
    case StatusCode::name_unknown: return "E_NAME_UNKNOWN";
    case StatusCode::name_twice: return "E_NAME_TWICE";
    case StatusCode::key_unknown: return "E_KEY_UNKNOWN";
    case StatusCode::key_twice: return "E_KEY_TWICE";
    case StatusCode::key_missing: return "E_KEY_MISSING";
    case StatusCode::key_unsupported: return "E_KEY_UNSUPPORTED";
    case StatusCode::value: return "E_VALUE";
    case StatusCode::speed: return "E_SPEED";
    case StatusCode::horizon: return "E_HORIZON";
    case StatusCode::tick: return "E_TICK";
    case StatusCode::seed: return "E_SEED";
    case StatusCode::toml: return "E_TOML";
    case StatusCode::path_outside: return "E_PATH_OUTSIDE";
    case StatusCode::gate: return "E_GATE";
    case StatusCode::scen: return "E_SCEN";
    case StatusCode::scen_position: return "E_SCEN_POSITION";
    case StatusCode::same_file: return "E_SAME_FILE";
    case StatusCode::snapshot: return "E_SNAPSHOT";
    case StatusCode::replay_magic: return "E_REPLAY_MAGIC";
    case StatusCode::replay_mismatch: return "E_REPLAY_MISMATCH";
    case StatusCode::limit_replay: return "E_LIMIT_REPLAY";
    case StatusCode::limit_factions: return "E_LIMIT_FACTIONS";
    case StatusCode::obstacle: return "E_OBSTACLE";
    case StatusCode::limit_obstacles: return "E_LIMIT_OBSTACLES";
    case StatusCode::xml: return "E_XML";
    case StatusCode::xml_dtd: return "E_XML_DTD";
    case StatusCode::json: return "E_JSON";
    case StatusCode::json_depth: return "E_JSON_DEPTH";
    case StatusCode::tiled: return "E_TILED";
    case StatusCode::layer_size: return "E_LAYER_SIZE";
    case StatusCode::png: return "E_PNG";
    case StatusCode::png_color: return "E_PNG_COLOR";
    case StatusCode::format: return "E_FORMAT";
    case StatusCode::cave_range: return "E_CAVE_RANGE";
    case StatusCode::cave_empty: return "E_CAVE_EMPTY";
    case StatusCode::cave_promise: return "E_CAVE_PROMISE";
    case StatusCode::spawn_none: return "E_SPAWN_NONE";
  }
  // clang-format on
  return "E_INTERNAL";
}

int exit_status(StatusCode code) noexcept {
  // clang-format off
  switch (code) {
    case StatusCode::ok: return 0;
    case StatusCode::cave_empty: case StatusCode::cave_promise: case StatusCode::spawn_none: return 1;
    case StatusCode::usage: case StatusCode::same_file: return 2;
    case StatusCode::argument:
    case StatusCode::handle:
    case StatusCode::position:
    case StatusCode::cave_range:
    case StatusCode::map_empty:
    case StatusCode::map_size:
    case StatusCode::map_header:
    case StatusCode::map_truncated:
    case StatusCode::map_row_length:
    case StatusCode::map_trailing:
    case StatusCode::map_tile:
    case StatusCode::encoding:
    case StatusCode::number: case StatusCode::cost_negative: case StatusCode::cost_range:
    case StatusCode::weights_size:
    case StatusCode::edit: case StatusCode::edit_outside:
    case StatusCode::goal_blocked: case StatusCode::goal_unknown: case StatusCode::goal_outside:
    case StatusCode::goal_none:
    case StatusCode::start_blocked:
    case StatusCode::start_outside:
    case StatusCode::start_conflict:
    case StatusCode::footprint:
    case StatusCode::profile_mismatch:
    case StatusCode::profile_unknown:
    case StatusCode::name_unknown: case StatusCode::name_twice:
    case StatusCode::key_unknown: case StatusCode::key_twice: case StatusCode::key_missing:
    case StatusCode::key_unsupported:
    case StatusCode::value:
    case StatusCode::speed:
    case StatusCode::horizon:
    case StatusCode::tick:
    case StatusCode::seed:
    case StatusCode::toml:
    case StatusCode::path_outside:
    case StatusCode::snapshot: case StatusCode::replay_magic: case StatusCode::replay_mismatch:
    case StatusCode::scen: case StatusCode::scen_position:
    case StatusCode::obstacle:
    case StatusCode::xml: case StatusCode::xml_dtd: case StatusCode::json: case StatusCode::json_depth:
    case StatusCode::tiled: case StatusCode::layer_size:
    case StatusCode::png: case StatusCode::png_color:
    case StatusCode::format:
    case StatusCode::gate: return 3;
    case StatusCode::not_a_file: case StatusCode::cannot_open: case StatusCode::write: return 4;
    case StatusCode::out_of_memory:
    case StatusCode::limit_cells:
    case StatusCode::limit_line:
    case StatusCode::limit_file:
    case StatusCode::limit_goals: case StatusCode::limit_replay: case StatusCode::limit_factions:
    case StatusCode::limit_obstacles:
    case StatusCode::limit_agents: return 5;
    case StatusCode::version_unsupported: return 6;
    case StatusCode::internal: return 70;
  }
  // clang-format on
  return 70;
}

}  // namespace drover

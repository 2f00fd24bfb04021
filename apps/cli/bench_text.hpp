// SPDX-License-Identifier: MIT
// What `drover bench` says of its figures, to people and to programs.
#pragma once
#include <string>
#include <vector>

#include "bench/block_bench.hpp"
#include "bench/fov_bench.hpp"
#include "bench/gate_bench.hpp"
#include "bench/path_bench.hpp"

namespace drover::cli {

/// A name as JSON has it, without the quotes.
std::string map_text(const std::string& name);
/// The keys that every bench has, in ns a unit.
std::string figures(double mine, double other, bool equal);

std::string would_block_json(const std::vector<bench::BlockFigures>& rows, const bench::BlockDef& def, bool equal,
                             std::uint32_t threads);
/// ns_per_unit: a refresh of a plan; the baseline is the field in whose place it leads.
std::string gates_json(const bench::GateFigures& f);
std::string gates_text(const bench::GateFigures& f, std::int32_t plan_size);
/// One object a map; ns_per_unit of the whole is the mean over all queries.
std::string paths_json(const std::vector<bench::PathFigures>& rows, bool equal);
std::string paths_text(const bench::PathFigures& f);
std::string fov_json(const bench::FovFigures& f, const bench::FovDef& def);
std::string fov_text(const bench::FovFigures& f, const bench::FovDef& def);

}  // namespace drover::cli

// SPDX-License-Identifier: MIT
// What `drover bench` says of its figures, to people and to programs.
#pragma once
#include <string>

#include "bench/fov_bench.hpp"
#include "bench/gate_bench.hpp"

namespace drover::cli {

/// The keys that every bench has, in ns a unit.
std::string figures(double mine, double other, bool equal);

/// ns_per_unit: a refresh of a plan; the baseline is the field in whose place it leads.
std::string gates_json(const bench::GateFigures& f);
std::string gates_text(const bench::GateFigures& f, std::int32_t plan_size);
std::string fov_json(const bench::FovFigures& f, const bench::FovDef& def);
std::string fov_text(const bench::FovFigures& f, const bench::FovDef& def);

}  // namespace drover::cli

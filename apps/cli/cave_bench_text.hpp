// SPDX-License-Identifier: MIT
// What `drover bench cave` says.
#pragma once
#include <string>

#include "bench/cave_bench.hpp"

namespace drover::cli {

std::string cave_bench_json(const bench::CaveBenchDef& def, const bench::CaveFigures& figures);
std::string cave_bench_text(const bench::CaveBenchDef& def, const bench::CaveFigures& figures);

}  // namespace drover::cli

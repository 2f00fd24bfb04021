// SPDX-License-Identifier: MIT
// drover bench
#include "app.hpp"
namespace drover::cli {
std::unique_ptr<Command> add_bench(CLI::App& program, CLI::App*& app) {
  struct None final : Command { int run() override { return 0; } };
  app = program.add_subcommand("bench", "Measure");
  return std::make_unique<None>();
}
}  // namespace drover::cli

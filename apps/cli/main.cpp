// SPDX-License-Identifier: MIT
// The program `drover`: picks the command, turns every refusal into one line and an exit status.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>

#include "app.hpp"
#include "field/simd.hpp"
#include "signals.hpp"

namespace drover::cli {

namespace {

constexpr std::string_view kLaterCommands[] = {"serve"};
constexpr std::string_view kCommands = "run, replay, diff, field, path, fov, verify, convert, bake, cave or bench";

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

// CLI11's words in the form of our own messages.
std::string explained(const CLI::ParseError& error) {
  const std::string text = one_line(error.what());
  const std::string option = text.substr(0, text.find(':'));
  if (text.find("At Most 1 required") != std::string::npos)
    return option + " is given more than once; once is expected";
  const std::size_t missing = text.rfind(" missing");
  const std::size_t type = text.find(" required ");
  if (missing != std::string::npos && type != std::string::npos && type + 10 < missing) {
    return fmt::format("{} without a value; {} is expected", option, text.substr(type + 10, missing - type - 10));
  }
  return text + "; --help shows what is accepted";
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_lnames().empty()) names.push_back("--" + option->get_lnames().front());
  }
  return names;
}

const CLI::App& chosen(const CLI::App& program) {
  const std::vector<const CLI::App*> commands = program.get_subcommands(
      static_cast<std::function<bool(const CLI::App*)>>([](const CLI::App* app) { return app->parsed(); }));
  return commands.empty() ? program : *commands.front();
}

[[noreturn]] void refuse_extras(const CLI::App& program, const std::vector<std::string>& extras) {
  const CLI::App& app = chosen(program);
  const std::string word = extras.empty() ? std::string() : extras.front();
  if (&app == &program) {
    for (const std::string_view later : kLaterCommands) {
      if (word == later) usage(fmt::format("the command {} is not supported yet; {} is expected", word, kCommands));
    }
    usage(fmt::format("unknown command or option {}; {} is expected", word, kCommands));
  }
  const std::vector<std::string> names = option_names(app);
  const std::vector<std::string_view> views(names.begin(), names.end());
  if (word.substr(0, 1) != "-")
    usage(fmt::format("{} is one argument too many for drover {}; drover {} --help shows them", word, app.get_name(),
                      app.get_name()));
  const auto meant = io::nearest_word(word.substr(0, word.find('=')), views);
  usage(fmt::format("unknown option {}; {}options of drover {} are {}", word,
                    meant ? fmt::format("did you mean {}? ", *meant) : "", app.get_name(), io::joined(views)));
}

// DROVER_SIMD, for tests and measurements: instructions that fields are built with, at most.
void read_simd_limit() {
  const char* const text = std::getenv("DROVER_SIMD");
  if (text == nullptr || *text == '\0') return;
  constexpr field::Simd kLevels[] = {field::Simd::scalar, field::Simd::sse4, field::Simd::avx2, field::Simd::avx512};
  field::limit_simd(kLevels[choice("DROVER_SIMD", text, {"scalar", "sse4", "avx2", "avx512"})]);
}

int run_program(int argc, char** argv) {
  CLI::App program("Drover: crowds on grids through shared flow fields.", "drover");
  program.set_version_flag("--version", "drover " DROVER_VERSION);
  program.footer(
      "Examples:\n  drover run examples/castle_gate.toml\n  drover replay out/castle_gate/replay.drv --verify\n"
      "  drover field MAP.map --goal 10,12 --png field.png\n"
      "  drover path MAP.map --from 1,1 --to 10,12\n"
      "  drover fov MAP.map --at 5,5 --radius 10\n"
      "  drover verify examples/castle_gate.toml\n"
      "  drover convert KEEP.tmx keep.png\n"
      "  drover bake SHAPES.json --size 60x40 -o baked.map\n"
      "  drover cave --size 80x40 --spawn player:2,enemy:1x5 --png cave.png\n"
      "  drover bench field --map cave --moves 8\n"
      "Exit status: 0 done, 1 a check failed, 2 usage, 3 bad input, 4 environment, 5 limit, 6 version "
      "(docs/errors.md)");
  program.allow_extras();
  program.require_subcommand(0, 1);  // else the NAME of a bench could be taken for a command
  constexpr std::size_t kCount = 11;
  CLI::App* apps[kCount] = {};
  const std::unique_ptr<Command> commands[kCount] = {
      add_run(program, apps[0]),     add_replay(program, apps[1]), add_diff(program, apps[2]),
      add_field(program, apps[3]),   add_path(program, apps[4]),   add_verify(program, apps[5]),
      add_convert(program, apps[6]), add_bake(program, apps[7]),   add_cave(program, apps[8]),
      add_bench(program, apps[9]),   add_fov(program, apps[10])};
  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const CLI::App& app = chosen(program);
    print(&app == &program ? app.help() : app.help("drover"));
    return 0;
  } catch (const CLI::CallForVersion&) {
    print("drover " DROVER_VERSION "\n");
    return 0;
  } catch (const CLI::ExtrasError&) {
    refuse_extras(program, chosen(program).remaining());
  } catch (const CLI::ParseError& error) {
    usage(explained(error));
  }
  const std::vector<std::string> extras = program.remaining(true);
  if (!extras.empty()) refuse_extras(program, extras);
  read_simd_limit();
  for (std::size_t i = 0; i < kCount; ++i) {
    if (apps[i]->parsed()) return commands[i]->run();
  }
  usage(fmt::format("no command; {} is expected (drover --help)", kCommands));
}

}  // namespace

}  // namespace drover::cli

int main(int argc, char** argv) {
  drover::cli::survive_file_limit();
  try {
    return drover::cli::run_program(argc, argv);
  } catch (const drover::cli::Refusal& refusal) {
    drover::cli::print_error(drover::error_name(refusal.status.code()), refusal.status.message());
    return drover::exit_status(refusal.status.code());
  } catch (const drover::cli::WrongValue& wrong) {
    drover::cli::print_error(drover::error_name(wrong.status.code()), wrong.status.message());
    return drover::exit_status(drover::StatusCode::usage);
  } catch (const std::bad_alloc&) {
    drover::cli::print_error("E_NOMEM", "no memory left; a smaller input or a higher limit is expected");
    return drover::exit_status(drover::StatusCode::out_of_memory);
  } catch (const std::exception& error) {
    drover::cli::print_error("E_INTERNAL", std::string(error.what()) + "; this is a bug, please report it");
    return drover::exit_status(drover::StatusCode::internal);
  }
}

// SPDX-License-Identifier: MIT
// Which files a command reads and writes; none may be both, maps by their endings.
#pragma once
#include <string>
#include <vector>

namespace drover::cli {

struct NamedFile {
  std::string option;  // as the user knows it: --dump, MAP
  std::string path;    // empty: not given; "-": standard output
};

/// Refuses an output that is an input (`same_file`) and two outputs that are one file (`usage`), also through links.
/// To be called before anything is opened for writing. Devices and pipes may be shared.
void check_files(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs);

/// The files that MAP, IN or SCENARIO name, and those that they name, as inputs.
std::vector<NamedFile> with_named(std::vector<NamedFile> inputs, const std::vector<std::string>& named);
/// Refuses a name whose ending is no format of maps, as a mistake of the command line.
void check_map_ending(const std::string& path);

}  // namespace drover::cli

// SPDX-License-Identifier: MIT
// Published queries: every length is the one that the file states. A sample; all of them with --long.
#include "support/data.hpp"

#include <drover/io.hpp>
#include <drover/search.hpp>

#include <cmath>
#include <string>

namespace drover::test {
namespace {

std::string named(const std::filesystem::path& file, const io::ScenQuery& query) {
  return file.filename().string() + ":" + std::to_string(query.line);
}

void check_file(const std::filesystem::path& map_file, const std::filesystem::path& scen_file, std::size_t stride) {
  const std::string map_text = *io::read_text_file(map_file.string(), io::kMapFile);
  const GridMap map = *io::make_map(*io::parse_map(map_text, map_file.string()));
  MovementProfile profile;
  profile.costs = CostBase::octile;
  const NavGraph graph = *NavGraph::compile(map.view(), profile);
  const std::string text = *io::read_text_file(scen_file.string(), io::kScenFile);
  const auto queries = io::parse_scen(text, scen_file.string(), map.shape());
  ASSERT_TRUE(queries.ok()) << queries.status().message();
  PathFinder finder;
  Path path;
  for (std::size_t i = 0; i < queries->size(); i += stride) {
    const io::ScenQuery& query = (*queries)[i];
    ASSERT_TRUE(finder.find(graph, query.from, query.to, path).ok());
    const double optimum = std::ldexp(static_cast<double>(query.optimum.raw), -Fixed::kFractionBits);
    const bool reachable = optimum > 0 || query.from == query.to;
    ASSERT_EQ(path.status, reachable ? PathStatus::found : PathStatus::unreachable) << named(scen_file, query);
    if (!reachable) continue;
    const auto diagonals = static_cast<double>(path.diagonals);
    const double length = static_cast<double>(path.steps.size()) - diagonals + std::sqrt(2.0) * diagonals;
    ASSERT_LE(std::abs(length - optimum), std::max(0.01, 2e-5 * optimum)) << named(scen_file, query);
  }
}

TEST(RealPaths, LengthsAreThoseOfTheFiles) {
  DROVER_REQUIRE_DATA("movingai/scens");
  const std::filesystem::path root = data_root() / "movingai";
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "scens")) {
    const std::string folder = entry.path().parent_path().filename().string();
    if (entry.path().extension() != ".scen" || folder == "wc3maps512") continue;  // no lengths to trust: its README
    check_file(root / "maps" / folder / entry.path().stem(), entry.path(), long_run() ? 1 : 97);
    ++files;
  }
  EXPECT_EQ(files, 27);
}

}  // namespace
}  // namespace drover::test

// SPDX-License-Identifier: MIT
// What a cave's definition may say.
#include "base/no_throw.hpp"
#include "base/text.hpp"

#include <drover/cave.hpp>

namespace drover {
namespace {

Status out_of_range(std::string_view what, std::int64_t found, std::int64_t least, std::int64_t most) {
  return {StatusCode::cave_range, base::concat(what, " ", found, "; expected ", least, " .. ", most)};
}

constexpr int kNeighbours = 8;

Result<std::uint32_t> counts(std::string_view digits) {
  std::uint32_t set = 0;
  for (const char c : digits) {
    if (c < '0' || c > '0' + kNeighbours) return Status(StatusCode::cave_range, {});
    const std::uint32_t bit = 1u << (c - '0');
    if ((set & bit) != 0) return Status(StatusCode::cave_range, {});
    set |= bit;
  }
  return set;
}

}  // namespace

Result<CaveRule> CaveRule::parse(std::string_view text) {
  return base::no_throw([&]() -> Result<CaveRule> {
    const std::size_t slash = text.find('/');
    if (slash != std::string_view::npos && text.front() == 'B' && text.substr(slash + 1).starts_with('S')) {
      const auto born = counts(text.substr(1, slash - 1)), survives = counts(text.substr(slash + 2));
      if (born.ok() && survives.ok()) return CaveRule{*born, *survives};
    }
    return Status(StatusCode::cave_range,
                  base::concat("rule '", text, "'; expected B and S with digits 0 .. 8, each once, as B5678/S45678"));
  });
}

std::string CaveRule::text() const {
  const auto digits = [](std::uint32_t set) {
    std::string out;
    for (int n = 0; n <= kNeighbours; ++n)
      if ((set >> n & 1) != 0) out += static_cast<char>('0' + n);
    return out;
  };
  return "B" + digits(birth) + "/S" + digits(survival);
}

CaveConnect CaveDef::connecting() const noexcept {
  if (connect) return *connect;
  return mode == CaveMode::refined && border == CaveBorder::wall ? CaveConnect::largest : CaveConnect::none;
}

Status CaveDef::validate() const {
  return base::no_throw([&]() -> Status {
    struct Range {
      std::string_view what;
      std::int64_t value, least, most;
    };
    constexpr auto kCells = static_cast<std::int64_t>(kMaxCells);
    if (width > kMaxCaveSide || height > kMaxCaveSide || (width > 0 && height > 0 && width * height > kCells))
      return {StatusCode::limit_cells, base::concat("a cave of ", width, "x", height, "; at most ", kMaxCaveSide,
                                                    " cells a side and ", kCells, " in all are possible")};
    for (const Range& r :
         {Range{"width", width, 1, kMaxCaveSide}, Range{"height", height, 1, kMaxCaveSide},
          Range{"walls percent", walls_percent, 0, 100}, Range{"passes", passes, 0, kMaxCaveGenerations},
          Range{"generations", generations, 0, kMaxCaveGenerations}, Range{"smallest room", min_room, 0, kCells},
          Range{"smallest pillar", min_pillar, 0, kCells}, Range{"tunnel width", tunnel_width, 1, kMaxFootprint},
          Range{"floor percent", promise.min_floor_percent, 0, 100}})
      if (r.value < r.least || r.value > r.most) return out_of_range(r.what, r.value, r.least, r.most);
    constexpr std::uint32_t kAll = (1u << (kNeighbours + 1)) - 1;
    if (((rule.birth | rule.survival) & ~kAll) != 0) return {StatusCode::cave_range, "a rule counts 0 .. 8 neighbours"};
    const std::size_t classes = start ? start->terrain_classes().size() : standard_terrain().size();
    if (Status status = profile.validate(classes, start ? start->factions().size() : 0); !status.ok()) return status;
    if (connecting() == CaveConnect::tunnels && tunnel_width < profile.footprint)
      return out_of_range("tunnel width", tunnel_width, profile.footprint, kMaxFootprint);
    const bool more = mode == CaveMode::classic || start || min_room > 0 || min_pillar > 0 ||
                      connecting() != CaveConnect::none || promise.floor || promise.min_floor_percent > 0 ||
                      promise.start || promise.goal;
    if (border == CaveBorder::none && more)
      return {
          StatusCode::cave_range,
          "a window of an endless cave has fill and generations only; mode refined, connect none, no rooms, pillars, "
          "promises or start map are expected"};
    const std::int64_t rim = border == CaveBorder::none ? generations : 0;
    for (const std::int64_t corner :
         {std::int64_t{origin.x} - rim, std::int64_t{origin.y} - rim, origin.x + width + rim, origin.y + height + rim})
      if (corner < INT32_MIN || corner > INT32_MAX)
        return {StatusCode::cave_range, base::concat("cells about ", corner, "; coordinates have 32 bits")};
    return {};
  });
}

}  // namespace drover

// SPDX-License-Identifier: MIT
// Legends from the command line, and the spelling of colours.
#include "io/legend.hpp"

#include <fmt/format.h>

#include <map>

#include "io/text.hpp"

namespace drover::io {

namespace {

constexpr std::string_view kExample = "\"x=swamp,#00ff00=lava:5,palette 3=tar:blocked\" is expected";

[[noreturn]] void refuse_legend(std::string_view what) {
  throw Refusal{{StatusCode::usage, fmt::format("{}; {}", what, kExample)}};
}

// "lava:5" changes the ground or adds it; "lava" must be there.
std::int16_t ground_of(std::string_view text, std::vector<TerrainClass>& terrain) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  if (text == "unknown") return Alphabet::kUnknown;
  std::size_t index = 0;
  while (index < terrain.size() && terrain[index].name != name) ++index;
  if (colon == std::string_view::npos) {
    if (index < terrain.size()) return static_cast<std::int16_t>(index);
    std::vector<std::string_view> known;
    known.reserve(terrain.size());
    for (const TerrainClass& kind : terrain) known.push_back(kind.name);
    refuse_legend(fmt::format("no ground {} (there are {}; a new one needs a cost: {}:5, {}:blocked)", printable(name),
                              joined(known), printable(name), printable(name)));
  }
  const std::string_view value = text.substr(colon + 1);
  const ParsedInteger cost = parse_integer(value);
  const bool number = cost.kind == NumberKind::number && cost.value >= 0 && cost.value <= kMaxCellCost;
  if (name.empty() || (!number && value != "blocked"))
    refuse_legend(fmt::format("{}: a cost 0 .. {} or blocked belongs behind the colon", printable(text), kMaxCellCost));
  if (index == terrain.size()) {
    if (terrain.size() == 255) refuse_legend("more than 255 kinds of ground");
    terrain.push_back({std::string(name), '\0', 1, true});
  }
  terrain[index].passable = number;
  if (number) terrain[index].cost = static_cast<std::uint32_t>(cost.value);
  return static_cast<std::int16_t>(index);
}

// A letter stands for one ground; the one that had it loses it.
void give_letter(char letter, std::int16_t meaning, MapFileOptions& options) {
  options.alphabet.meaning[static_cast<unsigned char>(letter)] = meaning;
  for (TerrainClass& kind : options.terrain) {
    if (kind.letter == letter) kind.letter = '\0';
  }
  if (meaning != Alphabet::kUnknown) options.terrain[static_cast<std::size_t>(meaning)].letter = letter;
}

}  // namespace

std::optional<std::string> legend_color(std::string_view key) {
  if (key == "transparent") return std::string(key);
  if (key.substr(0, 8) == "palette ") {
    const ParsedInteger index = parse_integer(key.substr(8));
    if (index.kind != NumberKind::number || index.value < 0 || index.value > 255) return std::nullopt;
    return fmt::format("palette {}", index.value);
  }
  if (key.size() != 7 || key[0] != '#' || key.find_first_not_of("0123456789abcdefABCDEF", 1) != std::string_view::npos)
    return std::nullopt;
  std::string color(key);
  for (char& c : color) c = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  return color;
}

Status add_legend(std::string_view text, MapFileOptions& options) {
  const Result<bool> done = guarded("the legend", [&] {
    Legend legend;
    std::string letters;
    std::map<std::string_view, std::string_view> costs;  // of the kinds of ground that say one
    // A comma may be a letter itself: ",=swamp".
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find(',', at + 1), text.size());
      const std::string_view entry = text.substr(at, end - at);
      const std::size_t equals = entry.find('=', 1);
      if (equals == std::string_view::npos) refuse_legend(fmt::format("{} says nothing", printable(entry)));
      const std::string_view key = entry.substr(0, equals);
      const std::optional<std::string> color = legend_color(key);
      if (!color && (key.size() != 1 || key[0] <= ' ' || key[0] > '~' || key[0] == '?'))
        refuse_legend(fmt::format("{} is neither a letter nor a colour", printable(key)));
      const std::string_view ground = entry.substr(equals + 1), name = ground.substr(0, ground.find(':'));
      const bool costed = name != ground;
      if (const auto said = costed ? costs.emplace(name, ground).first : costs.end();
          said != costs.end() && said->second != ground)
        refuse_legend(fmt::format("{} beside {}; one cost is expected", printable(ground), printable(said->second)));
      const std::int16_t meaning = ground_of(ground, options.terrain);
      const bool fresh =
          color ? legend.colors.emplace(*color, meaning).second : letters.find(key[0]) == std::string::npos;
      if (!fresh) refuse_legend(fmt::format("{} is given twice", printable(key)));
      if (!color) {
        letters += key[0];
        give_letter(key[0], meaning, options);
      }
      at = end + 1;
    }
    if (!legend.colors.empty()) options.legend = std::move(legend);
    return true;
  });
  return done.status();
}

}  // namespace drover::io

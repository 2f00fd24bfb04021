// SPDX-License-Identifier: MIT
// Legends as people write them: letters of text and colours of pictures, each with a kind of ground.
#pragma once
#include <drover/io.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace drover::io {

/// "#ff0080" for "#FF0080"; "palette 3" for "palette 003", up to 255; "transparent". Nothing for any other text.
std::optional<std::string> legend_color(std::string_view key);

/// Adds "x=swamp,#00ff00=lava:5,palette 3=tar:blocked" to options: a letter or a colour each, a kind of ground by its
/// name, or `unknown`. With a cost or `blocked` the ground is changed, and need not be there already.
/// Errors: usage; the message begins with what was found.
Status add_legend(std::string_view text, MapFileOptions& options);

}  // namespace drover::io

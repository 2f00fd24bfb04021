// SPDX-License-Identifier: MIT
// The report of a run as one page that needs nothing else: no script, no font, no network.
#pragma once
#include "io/picture.hpp"
#include "io/report.hpp"
#include "io/run_history.hpp"

#include <string>

namespace drover::io {

struct HtmlReport {
  const RunReport& report;
  const RunHistory& history;
  const MapView& map;
  const PictureDef& picture;
  std::string command;  // that does this run again
};

/// Every figure is the one of to_json(). Names are escaped, whatever they hold.
std::string to_html(const HtmlReport& def);

}  // namespace drover::io

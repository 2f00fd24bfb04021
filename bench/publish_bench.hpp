// SPDX-License-Identifier: MIT
// What it costs to read a published field and to publish the next, beside a lock that readers and writer share.
#pragma once
#include <drover/host.hpp>
#include <drover/status.hpp>

#include <cstdint>

#include "base/histogram.hpp"

namespace drover::bench {

struct PublishDef {
  std::int32_t size = 256;
  std::uint32_t readers = 2, publications = 2000;
  std::uint64_t seed = 1;
};

/// A look-up is one of a tick: 200 of them to a snapshot. The baseline takes a std::shared_mutex for every look-up in
/// the one field that there is, which the writer replaces under the same lock.
struct PublishFigures {
  double snapshot_ns = 0;                               // alone, medians
  double lookup_ns = 0, baseline_lookup_ns = 0;         // beside a writer, mean over the readers
  base::Histogram publish_ns, stalled_ns;               // making and exchanging the bundle; beside a stalled reader
  std::uint64_t lookups = 0, mixed = 0, most_live = 0;  // most bundles alive beside the stalled reader
  bool equal = false;                                   // both answer the same of every cell
};

Result<PublishFigures> measure_publish(const PublishDef& def, const Host& host);

}  // namespace drover::bench

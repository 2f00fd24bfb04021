#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# No include runs upward; verify sees only base and world; public headers see no src/; the core opens, starts and times nothing.
set -euo pipefail
cd "${1:-$(dirname "$0")/../..}"

[ -d include/drover ] || { echo "no include/drover below $PWD"; exit 1; }
# shellcheck disable=SC2016  # the $ are awk's
find include src -type f \( -name '*.hpp' -o -name '*.cpp' -o -name '*.h' \) | LC_ALL=C sort | xargs -r awk '
BEGIN {
  order = "base world nav field bundle search cave crowd sim io"
  count = split(order, name, " ")
  for (i = 1; i <= count; i++) rank[name[i]] = i
  rank["verify"] = rank["sim"] - 0.5

  # The layer that defines each public header.
  split("status:base host:base geometry:base map:world profile:world obstacle:world graph:nav field:field bundle:bundle " \
        "search:search cave:cave crowd:crowd simulation:sim verify:verify io:io recording:io scenario:io", pairs, " ")
  for (i in pairs) { split(pairs[i], pair, ":"); home[pair[1]] = pair[2] }

  split("thread future fstream filesystem iostream chrono random ctime", words, " ")
  for (i in words) banned[words[i]] = 1
}

function fault(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; faults++ }

function may_see(from, to) {
  if (from == "verify") return to == "base" || to == "world" || to == "verify"
  return rank[to] <= rank[from] && (to != "verify" || from == "sim" || from == "io")
}

function check(to, what) {
  if (!(to in rank)) fault("\"" what "\" is of no known layer")
  else if (!may_see(layer, to)) fault(layer " includes " what " of the layer " to)
}

FNR == 1 {
  files++
  split(FILENAME, part, "/")
  public = part[1] == "include"
  stem = part[3]; sub(/\.[a-z]+$/, "", stem)
  layer = public ? home[stem] : part[2]
  if (!(layer in rank)) {
    fault(public ? "public header without a layer: name it in tests/layers/check_layers.sh" : "folder " layer " is no layer")
    nextfile
  }
}

/^[ \t]*#[ \t]*include/ {
  line = $0
  if (match(line, /"[^"]*"/)) {
    target = substr(line, RSTART + 1, RLENGTH - 2)
    if (public) fault("a public header includes \"" target "\"; only <...> is allowed there")
    else if (target !~ /^[a-z_]+\/[a-z0-9_\/]+\.(hpp|h)$/) fault("\"" target "\" is not written from src/: layer/file.hpp")
    else { split(target, step, "/"); check(step[1], target) }
  } else if (match(line, /<[^>]*>/)) {
    target = substr(line, RSTART + 1, RLENGTH - 2)
    if (target ~ /^drover\//) {
      stem = target; sub(/^drover\//, "", stem); sub(/\.[a-z]+$/, "", stem)
      check(home[stem], target)
    } else if (rank[layer] < rank["io"]) {
      if (target in banned) fault("<" target "> in the core: it opens no files, starts no threads, reads no clock")
      if (target ~ /[\/.]/ && (public || target !~ /^hwy\//)) fault("<" target "> in the core: only the standard library")
    }
  }
}

END {
  printf "%d files, %d layer faults\n", files, faults
  exit faults > 0 || files == 0
}'

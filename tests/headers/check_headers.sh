#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every public header compiles alone, twice in one file, without exceptions and RTTI, and without a warning.
set -euo pipefail
compiler=${1:-c++}
cd "$(dirname "$0")/../.."

alone() {
  printf '#include <%s>\n#include <%s>\n' "$2" "$2" |
    "$1" -x c++ -std=c++20 -fsyntax-only -fno-exceptions -fno-rtti -Iinclude \
      -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Werror - ||
    { echo "$2 does not compile alone"; return 1; }
}
export -f alone

headers=$(cd include && find drover -name '*.hpp' | LC_ALL=C sort)
[ -n "$headers" ] || { echo "no public headers"; exit 1; }
xargs -P 2 -I{} bash -c 'alone "$@"' _ "$compiler" {} <<<"$headers"
echo "$(wc -l <<<"$headers") headers"

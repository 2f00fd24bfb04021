#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The layer check accepts a clean tree and names each kind of fault.
set -euo pipefail
check="$(cd "$(dirname "$0")" && pwd)/check_layers.sh"
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

fresh() {
  rm -rf "${tree:?}"/*
  mkdir -p "$tree"/include/drover "$tree"/src/{base,world,field,crowd,sim,verify,extras}
  echo '#include <drover/status.hpp>' >"$tree/include/drover/map.hpp"
  printf '#include <vector>\n' >"$tree/include/drover/status.hpp"
  printf '#include "world/map.hpp"\n#include <drover/map.hpp>\n' >"$tree/src/field/engine.cpp"
}

refuses() { # FILE INCLUDE WORDS
  fresh
  echo "#include $2" >>"$tree/$1"
  local said
  if said=$(bash "$check" "$tree"); then echo "accepted in $1: $2"; exit 1; fi
  grep -qF -- "$3" <<<"$said" || { echo "for $2 in $1 expected '$3', got: $said"; exit 1; }
}

fresh
bash "$check" "$tree" >/dev/null
refuses src/field/engine.cpp '"crowd/agents.hpp"' 'field includes crowd/agents.hpp of the layer crowd'
refuses src/world/map.cpp '<drover/field.hpp>' 'world includes drover/field.hpp of the layer field'
refuses include/drover/map.hpp '<drover/crowd.hpp>' 'world includes drover/crowd.hpp of the layer crowd'
refuses src/verify/validator.cpp '"nav/graph.hpp"' 'verify includes nav/graph.hpp of the layer nav'
refuses src/crowd/arbiter.cpp '"verify/validator.hpp"' 'crowd includes verify/validator.hpp of the layer verify'
refuses include/drover/map.hpp '"world/map.hpp"' 'a public header includes "world/map.hpp"'
refuses src/field/engine.cpp '"../crowd/agents.hpp"' 'is not written from src/'
refuses src/field/engine.cpp '"queue.hpp"' 'is not written from src/'
refuses src/sim/tick.cpp '<thread>' '<thread> in the core'
refuses src/sim/tick.cpp '<fmt/format.h>' '<fmt/format.h> in the core'
refuses src/extras/odd.cpp '<vector>' 'folder extras is no layer'

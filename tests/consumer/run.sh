#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds and runs one consumer: run.sh subdirectory|package WORK_DIR COMPILER DROVER_BUILD_DIR
set -euo pipefail
kind=$1 work=$2 compiler=$3 drover_build=$4
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
mkdir -p "$work"

case $kind in
  subdirectory)
    arguments=("-DDROVER_SOURCE=$root" "-DCMAKE_CXX_FLAGS=-fno-exceptions -fno-rtti" -DCMAKE_BUILD_TYPE=Debug) ;;
  package)
    rm -rf "$work/prefix"
    cmake --install "$drover_build" --prefix "$work/prefix" >"$work/install.log"
    arguments=("-DCMAKE_PREFIX_PATH=$work/prefix" -DCMAKE_BUILD_TYPE=Debug) ;;
  *) echo "unknown consumer $kind"; exit 2 ;;
esac

cmake -G Ninja -S "$here/$kind" -B "$work/build" "-DCMAKE_CXX_COMPILER=$compiler" \
  -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "${arguments[@]}"
cmake --build "$work/build" --parallel "$(nproc)"
"$work/build/consumer"

commands=$work/build/compile_commands.json
if grep -E -- '-W(all|extra|error)' "$commands"; then echo "our warning flags reached the consumer"; exit 1; fi
if grep -E '^(fmt|TBB|PNG|ZLIB|zstd|tomlplusplus|nlohmann_json|CLI11|GTest|rapidcheck)_' "$work/build/CMakeCache.txt"; then
  echo "the core alone looked for packages"
  exit 1
fi

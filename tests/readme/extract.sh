#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Prints the C++ block that stands in a Markdown file between <!-- embed:begin --> and <!-- embed:end -->.
set -euo pipefail
awk '
/^<!-- embed:begin -->/ { inside = 1; next }
/^<!-- embed:end -->/ { inside = 0 }
inside && /^```/ { code = !code; next }
inside && code { print; lines++ }
END { exit lines == 0 }' "$1"

# SPDX-License-Identifier: MIT
# From the JSON of `drover bench NAME` to a Markdown table: awk -v columns="HEAD=KEY[:DIGITS[:FACTOR]]|..." -f tables.awk FILE
# One line for each object of "rows", or one for the whole where there are none. HEAD may hold blanks.
function value_of(text, key,   rest) {
  if (!match(text, "\"" key "\":")) return "-"
  rest = substr(text, RSTART + RLENGTH)
  if (rest ~ /^"/) { rest = substr(rest, 2); return substr(rest, 1, index(rest, "\"") - 1) }
  match(rest, /^[^,}\]]*/)
  return substr(rest, 1, RLENGTH)
}
function row(text,   i, line, value) {
  line = "|"
  for (i = 1; i <= count; ++i) {
    value = value_of(text, keys[i])
    if (digits[i] != "" && value ~ /^[-+0-9.e]+$/) value = sprintf("%." digits[i] "f", value * factors[i])
    line = line " " value " |"
  }
  print line
}
BEGIN {
  count = split(columns, parts, "|")
  head = "|"; rule = "|"
  for (i = 1; i <= count; ++i) {
    at = index(parts[i], "=")
    head = head " " substr(parts[i], 1, at - 1) " |"
    rule = rule "---|"
    split(substr(parts[i], at + 1), spec, ":")
    keys[i] = spec[1]; digits[i] = spec[2]; factors[i] = spec[3] == "" ? 1 : spec[3]
    delete spec
  }
  print head
  print rule
}
{ json = json $0 }
END {
  at = index(json, "\"rows\":[")
  if (at == 0) { row(json); exit }
  n = split(substr(json, at + 8), objects, /},\{/)
  for (i = 1; i <= n; ++i) row(objects[i])
}

// SPDX-License-Identifier: MIT
// Writes a field cell by cell; the words for cells without a value are the same in every dump.
#include "io/field_text.hpp"

#include <charconv>
#include <string_view>

namespace drover::io {

namespace {

void append_number(std::string& out, std::uint64_t value) {
  char digits[20];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  out.append(digits, end);
}

// What stands for a cell without a cost: blocked and without room look alike, as one cannot stand on either.
std::string_view word_of(CellState state) {
  if (state == CellState::unreachable) return "x";
  return state == CellState::unknown ? "?" : "#";
}

template <class AppendCell>
std::string rows(const FlowField& field, AppendCell append_cell) {
  const GridShape& shape = field.shape();
  std::string out;
  for (std::int32_t layer = 0; layer < shape.layers(); ++layer) {
    if (layer > 0) out.append("layer ").append(std::to_string(layer)).append("\n");
    for (std::int32_t row = 0; row < shape.height(); ++row) {
      for (std::int32_t x = 0; x < shape.width(); ++x) {
        if (x > 0) out += ' ';
        append_cell(out, CellIndex{shape.at(x, row, layer)});
      }
      out += '\n';
    }
  }
  return out;
}

}  // namespace

std::string costs_text(const FlowField& field) {
  return rows(field, [&](std::string& out, CellIndex i) {
    const CellState state = field.state(i);
    if (state == CellState::goal || state == CellState::reachable) {
      append_number(out, field.cost_to_goal(i));
    } else {
      out += word_of(state);
    }
  });
}

std::string directions_text(const FlowField& field) {
  return rows(field, [&](std::string& out, CellIndex i) {
    const CellState state = field.state(i);
    if (state == CellState::goal) {
      out += 'G';
    } else if (state == CellState::reachable) {
      const Step step = field.step(i);
      out += step.kind == Step::Kind::portal ? "P" : to_string(step.direction);
    } else {
      out += word_of(state);
    }
  });
}

std::string ties_text(const FlowField& field) {
  constexpr std::string_view kHex = "0123456789abcdef";
  return rows(field, [&](std::string& out, CellIndex i) {
    const std::uint8_t bits = field.optimal_directions(i).bits;
    out += kHex[bits >> 4];
    out += kHex[bits & 15];
    if (!field.optimal_portals(i).empty()) out += 'p';
  });
}

std::string goal_indices_text(const FlowField& field) {
  const std::vector<std::uint32_t> goals = field.goal_indices();
  return rows(field, [&](std::string& out, CellIndex i) {
    const CellState state = field.state(i);
    if (state == CellState::goal || state == CellState::reachable) {
      append_number(out, goals[i.value]);
    } else {
      out += word_of(state);
    }
  });
}

std::string steps_text(const FlowField& field) {
  return rows(field, [&](std::string& out, CellIndex i) {
    const std::optional<WaySteps> steps = field.steps_to_goal(i);
    if (!steps) {
      out += word_of(field.state(i));
      return;
    }
    append_number(out, steps->straight);
    append_number(out += '+', steps->diagonal);
    if (steps->portals > 0) append_number(out += '+', steps->portals);
  });
}

}  // namespace drover::io

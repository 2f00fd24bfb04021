// SPDX-License-Identifier: MIT
// The words for states, reasons and conflicts, and the sentence of a `why` chain.
#include "base/text.hpp"

#include <drover/crowd.hpp>

namespace drover {
namespace {

std::string place(Cell c) { return "(" + base::cell_text(c) + ")"; }

const char* verb(AgentState s) noexcept {
  switch (s) {
    case AgentState::not_started:
      return "has not started";
    case AgentState::moving:
      return "moves";
    case AgentState::waiting:
      return "waits";
    case AgentState::stopped:
    case AgentState::unreachable:
    case AgentState::no_space:
    case AgentState::enclosed:
      return "stands";
    case AgentState::arrived:
      return "has arrived";
  }
  return "";
}

std::string because(const WhyLink& link) {
  const std::string other = " agent " + std::to_string(link.by);
  switch (link.reason) {
    case Reason::none:
    case Reason::arrived:
      return "";
    case Reason::start_later:
      return "its start tick is not there yet";
    case Reason::start_held:
      return "start cell " + place(link.wanted) + " held by" + other;
    case Reason::reserved_by:
      return "cell " + place(link.wanted) + " held by" + other;
    case Reason::goal_occupied:
      return "goal cell " + place(link.wanted) + " occupied by" + other;
    case Reason::gave_way:
      return "cell " + place(link.wanted) + " left to" + other;
    case Reason::stale:
      return "its field is of an older map";
    case Reason::not_ready:
      return "its field is not built yet";
    case Reason::goal_changed:
      return "its goal moved";
    case Reason::unreachable:
      return "no way to its goal";
    case Reason::unknown:
      return "unknown ground under it";
    case Reason::enclosed:
      return "shut in";
    case Reason::no_space:
      return "no way past for anyone";
    case Reason::profile_mismatch:
      return "the field is of another profile";
    case Reason::search_budget:
      return "no search budget left for a way of its own";
    case Reason::illegal:
      return "no legal place";
  }
  return "";
}

}  // namespace

const char* to_string(AgentState s) noexcept {
  constexpr const char* kNames[] = {"not_started", "moving",   "waiting",  "stopped",
                                    "unreachable", "no_space", "enclosed", "arrived"};
  return kNames[static_cast<int>(s)];
}

const char* to_string(Reason r) noexcept {
  constexpr const char* kNames[] = {"none",          "start_later", "start_held", "reserved_by",      "goal_occupied",
                                    "gave_way",      "stale",       "not_ready",  "goal_changed",     "unreachable",
                                    "unknown",       "enclosed",    "no_space",   "profile_mismatch", "arrived",
                                    "search_budget", "illegal"};
  return kNames[static_cast<int>(r)];
}

const char* to_string(Conflict c) noexcept {
  constexpr const char* kNames[] = {"vertex", "edge_swap", "following", "diagonal_cross", "footprint", "horizon"};
  return kNames[static_cast<int>(c)];
}

const char* to_string(AgentEventKind k) noexcept {
  constexpr const char* kNames[] = {"started",    "arrived", "passed_via", "blocked", "resumed", "stopped",
                                    "retargeted", "removed", "teleported", "pushed",  "refused"};
  return kNames[static_cast<int>(k)];
}

std::string to_text(const std::vector<WhyLink>& chain) {
  std::string text;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const WhyLink& link = chain[i];
    text += i == 0 ? "agent " + std::to_string(link.key) + " " : ", which ";
    text += verb(link.state);
    if (i == 0 && link.state == AgentState::waiting) text += " " + std::to_string(link.age_ticks) + " ticks";
    const std::string reason = because(link);
    if (!reason.empty()) text += ": " + reason;
  }
  return text;
}

}  // namespace drover

// SPDX-License-Identifier: MIT
// Comparing two ticks, coarse to fine, and saying what was found.
#include "io/difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/text.hpp"
#include "world/map_terms.hpp"

namespace drover::io {

namespace {

constexpr std::string_view kSteps[] = {"N", "E", "S", "W", "NE", "SE", "SW", "NW"};

DifferenceValue word(std::string_view text) { return std::string(text); }
DifferenceValue digest(std::uint64_t value) { return fmt::format("{:016x}", value); }

// Fills in the values and answers true where they differ.
template <class T>
bool differ(Difference& out, std::string_view field, const T& a, const T& b) {
  if (a == b) return false;
  out.field = field;
  out.a = a;
  out.b = b;
  return true;
}

bool cells_differ(Difference& out, const MapView& a, const MapView& b) {
  const GridShape& shape = a.shape();
  for (std::int32_t layer = 0; layer < shape.layers(); ++layer) {
    for (std::int32_t y = 0; y < shape.height(); ++y) {
      for (std::int32_t x = 0; x < shape.width(); ++x) {
        const CellIndex i{shape.at(x, y, layer)};
        if (a.terrain(i) == b.terrain(i) && a.unknown(i) == b.unknown(i) && a.door_closed(i) == b.door_closed(i) &&
            a.hidden_from(i) == b.hidden_from(i))
          continue;
        out.cell = shape.cell(i);
        const auto door = [&](const MapView& map) { return word(map.door_closed(i) ? "closed" : "open"); };
        return differ(out, "terrain", std::uint64_t{a.terrain(i)}, std::uint64_t{b.terrain(i)}) ||
               differ(out, "unknown", std::uint64_t{a.unknown(i)}, std::uint64_t{b.unknown(i)}) ||
               differ(out, "hidden_from", std::uint64_t{a.hidden_from(i)}, std::uint64_t{b.hidden_from(i)}) ||
               differ(out, "door", door(a), door(b));
      }
    }
  }
  return false;
}

std::string shape_text(const Obstacle* shape) {
  if (shape == nullptr) return "none";
  static constexpr std::string_view kKinds[] = {"circle", "capsule", "box", "polygon"};
  return fmt::format("{} at {},{}", kKinds[static_cast<std::size_t>(shape->kind)], decimal_text(shape->centre.x),
                     decimal_text(shape->centre.y));
}

bool obstacles_differ(Difference& out, const MapView& a, const MapView& b) {
  const auto x = a.obstacles(), y = b.obstacles();
  for (std::uint32_t i = 0; i < std::max(x.size(), y.size()); ++i) {
    const Obstacle* const one = i < x.size() ? x[i].get() : nullptr;
    const Obstacle* const other = i < y.size() ? y[i].get() : nullptr;
    const auto term = [&](const Obstacle* shape) { return digest(world::obstacle_term(i, shape)); };
    if (one == other || world::obstacle_term(i, one) == world::obstacle_term(i, other)) continue;
    out.obstacle = i;
    return differ(out, "shape", shape_text(one), shape_text(other)) ||
           differ(out, "digest", term(one), term(other));  // other sizes at the same place
  }
  return false;
}

bool worlds_differ(Difference& out, const TickState& a, const TickState& b) {
  if (a.digests.world == b.digests.world) return false;
  out.subsystem = "world";
  const MapView &x = a.bundle->map(), &y = b.bundle->map();
  if (x.shape() == y.shape() && x.content_digest() != y.content_digest() &&
      (cells_differ(out, x, y) || obstacles_differ(out, x, y)))
    return true;
  return differ(out, "map_version", x.map_version(), y.map_version()) ||
         differ(out, "overlay_version", x.overlay_version(), y.overlay_version()) ||
         differ(out, "digest", digest(a.digests.world), digest(b.digests.world));
}

bool agent_differs(Difference& out, const AgentView& a, const AgentView& b) {
  const auto differs = [&] {
    return differ(out, "cell", a.cell, b.cell) ||
           differ(out, "state", word(to_string(a.state)), word(to_string(b.state))) ||
           differ(out, "goal", std::uint64_t{a.goal.index}, std::uint64_t{b.goal.index}) ||
           differ(out, "reason", word(to_string(a.reason)), word(to_string(b.reason))) ||
           differ(out, "by", a.by, b.by) || differ(out, "age", a.age_ticks, b.age_ticks) ||
           differ(out, "arrival_tick", a.arrival_tick, b.arrival_tick);
  };
  // Whole first: most agents are equal.
  const bool equal = a.cell == b.cell && a.state == b.state && a.goal == b.goal && a.reason == b.reason &&
                     a.by == b.by && a.age_ticks == b.age_ticks && a.arrival_tick == b.arrival_tick;
  if (equal || !differs()) return false;
  out.agent = a.key;
  return true;
}

// The first key that only one of two lists has, both ascending.
template <class List, class Key>
std::optional<std::uint64_t> only_in_one(const List& a, const List& b, Key key, std::size_t from) {
  const bool in_a = from < a.size(), in_b = from < b.size();
  if (!in_a && !in_b) return std::nullopt;
  if (!in_b) return key(a[from]);
  if (!in_a) return key(b[from]);
  return std::min(key(a[from]), key(b[from]));
}

bool agents_differ(Difference& out, const TickState& a, const TickState& b) {
  out.subsystem = "agents";
  std::size_t i = 0;
  for (; i < a.agents.size() && i < b.agents.size() && a.agents[i].key == b.agents[i].key; ++i) {
    if (agent_differs(out, a.agents[i], b.agents[i])) return true;
  }
  out.agent = only_in_one(
      a.agents, b.agents, [](const AgentView& v) { return v.key; }, i);
  if (out.agent) {
    const bool in_a = i < a.agents.size() && a.agents[i].key == *out.agent;
    return differ(out, "exists", word(in_a ? "yes" : "no"), word(in_a ? "no" : "yes"));
  }
  return differ(out, "digest", digest(a.digests.agents), digest(b.digests.agents));
}

bool entries_differ(Difference& out, const BundleEntry& a, const BundleEntry& b) {
  const auto field_digest = [](const BundleEntry& e) { return digest(e.field ? e.field->digest() : 0); };
  const bool found =
      differ(out, "freshness", static_cast<std::uint64_t>(a.freshness), static_cast<std::uint64_t>(b.freshness)) ||
      differ(out, "field_version", a.stamp.field, b.stamp.field) ||
      differ(out, "goal_version", a.stamp.goal, b.stamp.goal) ||
      differ(out, "digest", field_digest(a), field_digest(b));
  if (!found) return false;
  out.profile = a.profile;
  out.goal = a.goal;
  return true;
}

bool fields_differ(Difference& out, const TickState& a, const TickState& b) {
  if (a.digests.fields == b.digests.fields) return false;
  out.subsystem = "fields";
  const std::span<const BundleEntry> x = a.bundle->entries(), y = b.bundle->entries();
  for (std::size_t i = 0; i < x.size() && i < y.size(); ++i) {
    if (!(x[i].profile == y[i].profile && x[i].goal == y[i].goal)) break;
    if (entries_differ(out, x[i], y[i])) return true;
  }
  return differ(out, "count", std::uint64_t{x.size()}, std::uint64_t{y.size()}) ||
         differ(out, "digest", digest(a.digests.fields), digest(b.digests.fields));
}

DifferenceValue step_of(const std::vector<MoveRecord>& moves, std::size_t at, std::uint64_t agent) {
  if (at >= moves.size() || moves[at].agent != agent) return word("none");
  if (moves[at].portal != kNoPortal) return word(fmt::format("portal {}", moves[at].portal));
  for (int d = 0; d < kDirections; ++d) {
    if (moves[at].to.x - moves[at].from.x != kDx[d] || moves[at].to.y - moves[at].from.y != kDy[d]) continue;
    return moves[at].ticks > 1 ? word(fmt::format("{} in {} ticks", kSteps[d], moves[at].ticks)) : word(kSteps[d]);
  }
  return moves[at].to;
}

bool steps_differ(Difference& out, const TickState& a, const TickState& b) {
  if (a.digests.reservations == b.digests.reservations) return false;
  out.subsystem = "reservations";
  const auto same = [](const MoveRecord& x, const MoveRecord& y) {
    return x.agent == y.agent && x.from == y.from && x.to == y.to && x.portal == y.portal && x.ticks == y.ticks;
  };
  const auto [x, y] = std::mismatch(a.moves.begin(), a.moves.end(), b.moves.begin(), b.moves.end(), same);
  const auto i = static_cast<std::size_t>(x - a.moves.begin());
  out.agent = only_in_one(
      a.moves, b.moves, [](const MoveRecord& m) { return m.agent; }, i);
  if (out.agent && differ(out, "step", step_of(a.moves, i, *out.agent), step_of(b.moves, i, *out.agent))) return true;
  return differ(out, "digest", digest(a.digests.reservations), digest(b.digests.reservations));
}

struct AsText {
  std::string operator()(std::monostate) const { return "none"; }
  std::string operator()(std::uint64_t number) const { return std::to_string(number); }
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(Cell cell) const { return cell_text(cell); }
};

std::string_view first_subsystem(const Digests& a, const Digests& b) {
  if (a.world != b.world) return "world";
  if (a.agents != b.agents) return "agents";
  if (a.fields != b.fields) return "fields";
  return a.reservations != b.reservations ? "reservations" : "all";
}

std::uint64_t part(const Digests& d, std::string_view subsystem) {
  if (subsystem == "world") return d.world;
  if (subsystem == "agents") return d.agents;
  if (subsystem == "fields") return d.fields;
  return subsystem == "reservations" ? d.reservations : d.all;
}

using Json = nlohmann::ordered_json;

struct AsJson {
  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(std::uint64_t number) const { return number; }
  Json operator()(const std::string& text) const { return text; }
  Json operator()(Cell c) const { return c.layer == 0 ? Json::array({c.x, c.y}) : Json::array({c.x, c.y, c.layer}); }
};

}  // namespace

void read_state(const Simulation& simulation, TickState& out) {
  out.tick = simulation.tick();
  out.digests = simulation.digests();
  simulation.agents(out.agents);
  out.moves.assign(simulation.moves().begin(), simulation.moves().end());
  out.bundle = simulation.snapshot();
}

std::optional<Difference> first_difference(const TickState& a, const TickState& b) {
  Difference out;
  out.tick = a.tick;
  if (worlds_differ(out, a, b) || agents_differ(out, a, b) || fields_differ(out, a, b) || steps_differ(out, a, b))
    return out;
  out.subsystem = "all";
  if (differ(out, "digest", digest(a.digests.all), digest(b.digests.all))) return out;
  return std::nullopt;
}

// The first agent that ends the tick elsewhere, by the steps of two runs from one state.
bool steps_part(Difference& out, std::span<const MoveRecord> a, std::span<const MoveRecord> b) {
  for (std::size_t i = 0, k = 0; i < a.size() || k < b.size();) {
    const bool in_a = i < a.size() && (k == b.size() || a[i].agent <= b[k].agent);
    const bool in_b = k < b.size() && (i == a.size() || b[k].agent <= a[i].agent);
    const MoveRecord& move = in_a ? a[i] : b[k];
    const Cell to_a = in_a ? a[i].to : move.from, to_b = in_b ? b[k].to : move.from;
    if (to_a != to_b) {
      out.subsystem = "agents";
      out.agent = move.agent;
      out.field = "cell";
      out.a = to_a;
      out.b = to_b;
      return true;
    }
    i += in_a ? 1 : 0;
    k += in_b ? 1 : 0;
  }
  return false;
}

Difference digests_part(std::uint64_t tick, const Digests& a, const Digests& b) {
  Difference out;
  out.tick = tick;
  out.subsystem = first_subsystem(a, b);
  out.field = "digest";
  out.a = fmt::format("{:016x}", part(a, out.subsystem));
  out.b = fmt::format("{:016x}", part(b, out.subsystem));
  return out;
}

std::string to_text(const Difference& d, std::string_view other) {
  std::string whose;
  if (d.agent) whose += fmt::format("agent {} ", *d.agent);
  if (d.obstacle) whose += fmt::format("obstacle {} ", *d.obstacle);
  if (d.cell) whose += fmt::format("cell {} ", cell_text(*d.cell));
  if (d.profile && d.goal) whose += fmt::format("profile {} goal {} ", d.profile->index, d.goal->index);
  const bool one = d.subsystem == "world" || d.subsystem == "all";
  return fmt::format("tick {}: {} {}: {}{} {}, {} {}", d.tick, d.subsystem, one ? "differs" : "differ", whose, d.field,
                     std::visit(AsText{}, d.a), other, std::visit(AsText{}, d.b));
}

std::string to_json(const Difference& d) {
  Json out{{"tick", d.tick}, {"subsystem", d.subsystem}};
  if (d.agent) out["agent"] = *d.agent;
  if (d.obstacle) out["obstacle"] = *d.obstacle;
  if (d.cell) out["cell"] = AsJson{}(*d.cell);
  if (d.profile) out["profile"] = d.profile->index;
  if (d.goal) out["goal"] = d.goal->index;
  out["field"] = d.field;
  out["a"] = std::visit(AsJson{}, d.a);
  out["b"] = std::visit(AsJson{}, d.b);
  return out.dump();
}

}  // namespace drover::io

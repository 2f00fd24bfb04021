// SPDX-License-Identifier: MIT
// Heads in binary, the hello in JSON.
#include "io/record_payload.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "io/text.hpp"

namespace drover::io {

std::uint64_t rules_digest(const SimulationDef& def) {
  base::Digest digest;
  digest.add(kBehaviour).add(static_cast<std::uint64_t>(def.bodies)).add(static_cast<std::uint64_t>(def.following));
  digest.add(static_cast<std::uint64_t>(def.step));
  digest.add(static_cast<std::uint64_t>(def.on_stale)).add(static_cast<std::uint64_t>(def.on_goal_change));
  digest.add(static_cast<std::uint64_t>(def.guidance)).add(def.guidance_ticks);
  digest.add(def.adopt_latency_ticks).add(def.refresh_latency_ticks);
  digest.add(def.search_budget_cells).add(def.refusals_before_replan).add(def.seed);
  return digest.value();
}

void write_digests(base::ByteWriter& out, const Digests& d) {
  for (const std::uint64_t part : {d.agents, d.reservations, d.world, d.fields, d.all}) out.u64(part);
}

Digests read_digests(base::ByteReader& in) noexcept {
  Digests d;
  for (std::uint64_t* part : {&d.agents, &d.reservations, &d.world, &d.fields, &d.all}) *part = in.u64();
  return d;
}

void write_keyframe_head(base::ByteWriter& out, const KeyframeHead& head) {
  write_digests(out, head.digests);
  out.u64(head.state_bytes);
  out.u64(head.offset);
}

KeyframeHead read_keyframe_head(base::ByteReader& in) noexcept {
  KeyframeHead head;
  head.digests = read_digests(in);
  head.state_bytes = in.u64();
  head.offset = in.u64();
  return head;
}

std::string to_json(const RecordingInfo& info) {
  const auto names = [](const std::vector<std::string>& list) {
    nlohmann::ordered_json out = nlohmann::ordered_json::array();
    for (const std::string& name : list) out.push_back(printable(name));
    return out;
  };
  nlohmann::ordered_json out;
  out["drover"] = info.drover;
  out["scenario"] = printable(info.scenario);
  out["scenario_file"] = printable(info.scenario_file);
  out["scenario_digest"] = fmt::format("{:016x}", info.scenario_digest);
  out["profiles"] = names(info.profiles);
  out["goals"] = names(info.goals);
  out["doors"] = names(info.doors);
  if (!info.obstacles.empty()) out["obstacles"] = names(info.obstacles);
  return out.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

RecordingInfo parse_info(std::string_view json_text) {
  RecordingInfo info;
  const nlohmann::json json = nlohmann::json::parse(json_text, nullptr, false);
  if (!json.is_object()) return info;
  const auto word = [&](const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const auto names = [&](const char* key) {
    std::vector<std::string> out;
    const auto found = json.find(key);
    if (found == json.end() || !found->is_array()) return out;
    for (const nlohmann::json& name : *found) out.push_back(name.is_string() ? name.get<std::string>() : "");
    return out;
  };
  info.drover = word("drover");
  info.scenario = word("scenario");
  info.scenario_file = word("scenario_file");
  info.scenario_digest = parse_seed("0x" + word("scenario_digest")).value_or(0);
  info.profiles = names("profiles");
  info.goals = names("goals");
  info.doors = names("doors");
  info.obstacles = names("obstacles");
  return info;
}

}  // namespace drover::io

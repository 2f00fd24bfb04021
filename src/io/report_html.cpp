// SPDX-License-Identifier: MIT
// Section by section: verdict, map, arrivals, states, waits, times, counters, how to run it again.
#include "io/report_html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "io/html.hpp"
#include "io/report_map.hpp"
#include "io/report_style.hpp"
#include "io/text.hpp"

namespace drover::io {

namespace {

// Bottom to top in the plot of states.
constexpr AgentState kStack[] = {AgentState::arrived,     AgentState::moving,     AgentState::waiting,
                                 AgentState::stopped,     AgentState::enclosed,   AgentState::no_space,
                                 AgentState::unreachable, AgentState::not_started};

const char* words(AgentState state) {
  constexpr const char* kWords[] = {"not started", "moving",   "waiting",  "stopped",
                                    "unreachable", "no space", "enclosed", "arrived"};
  return kWords[static_cast<int>(state)];
}

const char* words(Reason reason) {
  constexpr const char* kWords[] = {"just placed",
                                    "start tick not there yet",
                                    "start cell held by another",
                                    "next cell held by another",
                                    "goal cell occupied for good",
                                    "gave way to one with priority",
                                    "field is of an older map",
                                    "field not built yet",
                                    "goal moved, new field on its way",
                                    "no way to the goal",
                                    "unknown ground under it",
                                    "shut in",
                                    "no way past for anyone",
                                    "field of another profile",
                                    "arrived",
                                    "no search budget left",
                                    "no legal place"};
  static_assert(std::size(kWords) == kReasons);
  return kWords[static_cast<int>(reason)];
}

const char* words(Conflict conflict) {
  constexpr const char* kWords[] = {"two into one cell",     "two exchange cells", "too close behind",
                                    "diagonals would cross", "bodies would touch", "beyond the horizon"};
  static_assert(std::size(kWords) == kConflicts);
  return kWords[static_cast<int>(conflict)];
}

std::string plural(std::uint64_t n, const char* word) { return grouped(n) + " " + word + (n == 1 ? "" : "s"); }

class Page {
 public:
  explicit Page(const HtmlReport& def)
      : def_(def), r_(def.report), points_(def.history.series().points()), bound_(def.report.bound.best()) {}

  std::string text() {
    head();
    verdict();
    map();
    arrivals();
    states();
    waits();
    refusals();
    longest_waits();
    unfinished();
    times();
    counters();
    again();
    add("<footer>drover {} · this page holds everything it shows: no script, no "
        "network</footer></main></body></html>\n",
        html(r_.drover));
    return std::move(out_);
  }

 private:
  template <class... Parts>
  void add(fmt::format_string<Parts...> format, Parts&&... parts) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Parts>(parts)...);
  }
  void open(const char* title, const std::string& about, const char* kind = "") {
    add("<section class=\"{}\"><h2>{}</h2><p class=\"about\">{}</p>", kind, title, about);
  }
  void close() { out_ += "</section>\n"; }
  void fact(const char* name, const std::string& value, const std::string& small, const char* kind = "") {
    add("<div><dt>{}</dt><dd class=\"{}\">{}<small>{}</small></dd></div>", name, kind, value, small);
  }

  void head() {
    // Nothing may be fetched or run, whatever a name says.
    add("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><meta name=\"viewport\" "
        "content=\"width=device-width,initial-scale=1\"/><meta http-equiv=\"Content-Security-Policy\" "
        "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\"/><meta name=\"color-scheme\" "
        "content=\"light dark\"/><title>{} - drover</title><style>{}</style></head><body><main>\n",
        html(r_.scenario), kReportStyle);
  }

  void verdict() {
    const std::uint64_t arrived = r_.count(AgentState::arrived);
    const bool all = arrived == r_.agents();
    add("<header><h1>{}</h1><p class=\"lead\">{} of {} arrived in {}</p><div class=\"verdict\">",
        html_name(r_.scenario), grouped(arrived), plural(r_.agents(), "agent"), plural(r_.ticks, "tick"));
    badge(all, all ? "all arrived" : grouped(r_.agents() - arrived) + " did not arrive");
    if (r_.validated) badge(r_.violations == 0, plural(r_.violations, "violation") + " in " + plural(r_.moves, "move"));
    if (!r_.validated) badge(false, "moves not checked");
    if (r_.interrupted) badge(false, "interrupted");
    out_ += "</div><dl class=\"facts\">";
    fact("Makespan", r_.makespan_ticks ? grouped(*r_.makespan_ticks) : "none",
         r_.makespan_ticks ? "tick of the last arrival" : "not all that can have arrived");
    fact("Lower bound", bound_ ? grouped(*bound_) : "none",
         r_.bound.exact && r_.bound.exact_note.empty() ? "the optimum" : "no plan can be done before");
    const std::optional<double> share = r_.throughput_vs_optimum();
    fact("Bound / makespan", share ? fmt::format("{:.1f} %", *share * 100) : "none", "100 % cannot be beaten");
    fact("Mean arrival",
         arrived == 0 ? "none"
                      : fmt::format("{:.1f}", static_cast<double>(r_.sum_of_arrivals) / static_cast<double>(arrived)),
         "ticks, of those that arrived");
    fact("Median tick", time_text(static_cast<double>(r_.tick_us.p50) * 1000),
         "99 %: " + time_text(static_cast<double>(r_.tick_us.p99) * 1000));
    fact("Digest", hex16(r_.digests.all), "of the last tick", "mono");
    out_ += "</dl>";
    remarks();
    out_ += "</header>\n";
  }
  void badge(bool good, const std::string& text) {
    add("<span class=\"badge {}\">{} {}</span>", good ? "good" : "bad", good ? "✓" : "✗", text);
  }

  void remarks() {
    if (r_.warnings.empty() && r_.first_violations.empty() && r_.moved_goals.empty()) return;
    out_ += "<div class=\"note-list\">";
    constexpr std::size_t kShown = 10;
    for (std::size_t i = 0; i < std::min(kShown, r_.first_violations.size()); ++i) {
      const Violation& v = r_.first_violations[i];
      add("<p><b>Violation</b> tick {}: {} of agent {}{} at {}</p>", v.tick, to_string(v.kind), v.agent,
          v.other == 0 ? "" : fmt::format(" and agent {}", v.other), cell_text(v.cell));
    }
    for (std::size_t i = 0; i < std::min(kShown, r_.warnings.size()); ++i)
      add("<p><b>{}</b> {}</p>", html(r_.warnings[i].name), html(r_.warnings[i].message));
    for (std::size_t i = 0; i < std::min(kShown, r_.moved_goals.size()); ++i) {
      const auto& [name, goal] = r_.moved_goals[i];
      add("<p>Goal {}: {} was moved to {}</p>", html_name(name), cell_text(goal.asked), cell_text(goal.placed));
    }
    const std::size_t more = r_.first_violations.size() + r_.warnings.size() + r_.moved_goals.size() -
                             std::min(kShown, r_.first_violations.size()) - std::min(kShown, r_.warnings.size()) -
                             std::min(kShown, r_.moved_goals.size());
    if (more > 0) add("<p>and {} more in report.json</p>", more);
    out_ += "</div>";
  }

  void map() {
    const MapPictures pictures = draw_map(def_.map, def_.picture);
    const GridShape& shape = def_.map.shape();
    const std::string size = fmt::format("{} x {}{}", shape.width(), shape.height(),
                                         shape.layers() > 1 ? fmt::format(" x {} layers", shape.layers()) : "");
    open("Map",
         fmt::format("{} cells{}.", size,
                     pictures.cells_a_pixel > 1 ? fmt::format(", {0} x {0} to a pixel", pictures.cells_a_pixel) : ""),
         "wide map");
    out_ += "<div class=\"toggles\">";
    if (!pictures.field.empty()) toggle("show-field", "field");
    if (!pictures.traffic.empty()) toggle("show-traffic", "traffic");
    toggle("show-marks", "goals, doors, agents");
    add("</div><div class=\"stage\" style=\"aspect-ratio:{0}/{1};max-width:min(100%,calc(78vh*{0}/{1}))\">",
        pictures.width, pictures.height);
    picture("ground", pictures.ground, "Map of " + size + " cells: walls dark, free ground light.");
    picture("field", pictures.field, fmt::format("Cost to the goal, 0 to {}.", grouped(pictures.most_cost)));
    picture("traffic", pictures.traffic,
            fmt::format("Where agents walked; the busiest cell was entered {} times.", grouped(pictures.most_visits)));
    add("<svg class=\"marks\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Goals, doors, starts and ends of "
        "agents\">{}"
        "</svg></div>",
        pictures.cells_wide, pictures.cells_high, pictures.marks);
    map_legend(pictures);
    close();
  }
  void toggle(const char* id, const char* label) {
    add("<label><input type=\"checkbox\" id=\"{}\" checked=\"checked\"/>{}</label>", id, label);
  }
  void picture(const char* kind, const std::string& png, const std::string& about) {
    if (png.empty()) return;
    add("<img class=\"{}\" alt=\"{}\" src=\"data:image/png;base64,{}\"/>", kind, html(about), base64(png));
  }
  void map_legend(const MapPictures& pictures) {
    out_ += "<ul class=\"legend\">";
    if (!pictures.field.empty())
      add("<li>cost to goal 0 <span class=\"ramp f\"></span> {} (darker: farther)</li>", grouped(pictures.most_cost));
    if (!pictures.traffic.empty())
      add("<li>entered once <span class=\"ramp t\"></span> {} times (lighter: more)</li>",
          grouped(pictures.most_visits));
    out_ += "<li>◎ goal</li>";
    if (!def_.map.doors().empty()) out_ += "<li>▢ door, ⊠ shut at the end</li>";
    if (!def_.map.obstacles().empty()) out_ += "<li>▰ obstacle, where it is at the end</li>";
    if (!def_.map.portals().empty()) out_ += "<li>●→ portal, open at the end, from floor to floor or across one</li>";
    const std::span<const PictureAgent> agents = def_.picture.agents;
    const auto any = [&](bool arrived) {
      return pictures.agents_shown && std::any_of(agents.begin(), agents.end(), [&](const PictureAgent& agent) {
               return agent.there && agent.arrived == arrived;
             });
    };
    if (pictures.agents_shown) out_ += "<li>○ start</li>";
    if (any(true)) out_ += "<li>● arrived and still there</li>";
    if (any(false)) out_ += "<li>■ elsewhere at the end</li>";
    out_ += "</ul>";
  }

  std::uint64_t last_tick() const { return std::max<std::uint64_t>(r_.ticks, 1); }
  void axes(Plot& plot, std::uint64_t ticks, std::uint64_t agents) const {
    std::vector<std::pair<double, std::string>> x, y;
    for (const std::uint64_t t : nice_ticks(ticks)) x.emplace_back(static_cast<double>(t), grouped(t));
    for (const std::uint64_t n : nice_ticks(agents)) y.emplace_back(static_cast<double>(n), grouped(n));
    plot.x_axis(x, "tick");
    plot.y_axis(y);
  }

  void arrivals() {
    const std::uint64_t end = std::max(last_tick(), bound_.value_or(0));
    std::uint64_t most = std::max<std::uint64_t>(r_.agents(), 1);
    const std::string bound = bound_ ? fmt::format("no plan is done before {}", grouped(*bound_)) : "";
    Plot plot(fmt::format("Arrivals over time: {} of {} agents by tick {}; {}.", r_.count(AgentState::arrived),
                          r_.agents(), r_.ticks, bound.empty() ? "no bound" : bound),
              static_cast<double>(end), static_cast<double>(most));
    std::vector<Plot::Point> limit, done;
    if (!r_.bound.most_arrivals.empty()) limit.push_back({0, 0});
    for (const auto& [tick, count] : r_.bound.most_arrivals)
      limit.push_back({static_cast<double>(tick), static_cast<double>(count)});
    for (const HistoryPoint& p : points_)
      done.push_back({static_cast<double>(p.last_tick),
                      static_cast<double>(p.last[static_cast<std::size_t>(AgentState::arrived)])});
    plot.steps(limit, "limit");
    if (bound_ && limit.empty()) plot.upright(static_cast<double>(*bound_), "limit");
    plot.steps(done, "curve");
    if (r_.makespan_ticks)
      plot.dot(static_cast<double>(*r_.makespan_ticks), static_cast<double>(r_.count(AgentState::arrived)), "");
    axes(plot, end, most);
    open("Arrivals", "Agents that arrived, tick by tick, beside what no plan can beat.");
    out_ += plot.text();
    add("<ul class=\"legend\"><li><span class=\"key\"></span><span>arrived <b>{}</b>{}</span></li>",
        grouped(r_.count(AgentState::arrived)),
        r_.makespan_ticks ? fmt::format(", the last at tick <b>{}</b>", grouped(*r_.makespan_ticks)) : "");
    if (!limit.empty()) out_ += "<li><span class=\"key dashed\"></span>the most that any plan could have by then</li>";
    if (bound_)
      add("<li>{}<span>no plan is done before tick <b>{}</b></span></li>",
          limit.empty() ? "<span class=\"key dashed\"></span>" : "", grouped(*bound_));
    out_ += "</ul>";
    close();
  }

  void states() {
    Plot plot("Agents by state over time, stacked; figures at the end stand in the list below.",
              static_cast<double>(last_tick()), static_cast<double>(std::max<std::uint64_t>(r_.agents(), 1)));
    for (std::size_t top = std::size(kStack); top > 0; --top) {
      const AgentState state = kStack[top - 1];
      if (!ever(state)) continue;
      std::vector<Plot::Point> boundary;
      for (const HistoryPoint& p : drawn()) {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < top; ++i) sum += p.busiest[static_cast<std::size_t>(kStack[i])];
        boundary.push_back({static_cast<double>(p.last_tick), static_cast<double>(sum)});
      }
      plot.area(boundary, fmt::format("st-{}", to_string(state)), words(state));
    }
    axes(plot, last_tick(), r_.agents());
    open("Agents by state", "Stacked, in the order of the list from bottom to top; counts at the end.");
    out_ += plot.text();
    out_ += "<ul class=\"legend\">";
    for (const AgentState state : kStack) {
      if (ever(state))
        add("<li><span class=\"swatch st-{}\"></span>{} <b>{}</b></li>", to_string(state), words(state),
            grouped(r_.count(state)));
    }
    out_ += "</ul>";
    close();
  }
  bool ever(AgentState state) const {
    const auto i = static_cast<std::size_t>(state);
    return std::any_of(points_.begin(), points_.end(),
                       [i](const HistoryPoint& p) { return p.last[i] + p.busiest[i] > 0; });
  }
  // More points than columns only make the file large.
  std::vector<HistoryPoint> drawn() const {
    constexpr std::size_t kColumns = 400;
    const std::size_t stride = (points_.size() + kColumns - 1) / kColumns;
    std::vector<HistoryPoint> out;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (i <= 1 || (i - 1) % stride == 0) {
        out.push_back(points_[i]);
      } else {
        out.back().append(points_[i]);
      }
    }
    return out;
  }

  struct Row {
    std::string name;
    const char* code;
    std::uint64_t count;
  };
  void bars(std::vector<Row> rows, const char* kind) {
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.count > b.count; });
    out_ += fmt::format("<ul class=\"rows {}\">", kind);
    for (const Row& row : rows) {
      add("<li><div class=\"name\"><span>{} <code class=\"quiet\">{}</code></span><b>{}</b></div>", row.name, row.code,
          grouped(row.count));
      add("<div class=\"track\"><i style=\"width:{:.2f}%\"></i></div></li>",
          100 * static_cast<double>(row.count) / static_cast<double>(std::max<std::uint64_t>(rows[0].count, 1)));
    }
    out_ += "</ul>";
    if (rows.empty()) out_ += "<p class=\"quiet\">None.</p>";
  }

  void waits() {
    std::vector<Row> rows;
    const auto& counts = def_.history.waits_by_reason();
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const auto reason = static_cast<Reason>(i);
      const bool waits = reason != Reason::none && reason != Reason::arrived && reason != Reason::unreachable &&
                         reason != Reason::no_space;
      if (counts[i] > 0 && waits) rows.push_back({words(reason), to_string(reason), counts[i]});
    }
    open("Waits by reason", "Agents that wait, are stopped or shut in, summed over all ticks.");
    bars(std::move(rows), "");
    close();
  }

  void refusals() {
    std::vector<Row> rows;
    for (int i = 0; i < kConflicts; ++i) {
      const auto conflict = static_cast<Conflict>(i);
      const std::uint64_t n = r_.metrics.refusals[static_cast<std::size_t>(i)];
      if (n > 0) rows.push_back({words(conflict), to_string(conflict), n});
    }
    open("Refused steps by kind", "Steps that would have met another body. Refused before they were taken.");
    bars(std::move(rows), "cold");
    close();
  }

  void longest_waits() {
    const std::vector<LongWait> waits = def_.history.longest_waits();
    open("Longest waits", "Ticks in which an agent came no nearer to its goal, and what it said about it then.",
         "wide");
    out_ += "<ol class=\"waits\">";
    for (std::size_t i = 0; i < waits.size();) {
      const LongWait& w = waits[i];
      std::string others;
      for (++i; i < waits.size() && alike(w, waits[i]); ++i)
        others += fmt::format("{}{}", others.empty() ? "" : ", ", waits[i].key);
      add("<li><div class=\"long\">{}<small>tick {} to {}</small></div><div>{}", plural(w.ticks, "tick"),
          grouped(w.tick - std::min(w.tick, w.ticks)), grouped(w.tick), html(w.why));
      if (!others.empty()) add("<small>and so for as long: agents {}</small>", others);
      if (w.why_ticks != w.ticks) add("<small>asked {} into the wait</small>", plural(w.why_ticks, "tick"));
      out_ += "</div></li>";
    }
    out_ += "</ol>";
    if (waits.empty()) out_ += "<p class=\"quiet\">Nobody who stands has waited for longer than a moment.</p>";
    close();
  }

  // The same words but for the agent's key.
  static bool alike(const LongWait& a, const LongWait& b) {
    const auto rest = [](const LongWait& w) {
      return w.why.substr(std::min(w.why.size(), 6 + std::to_string(w.key).size()));
    };
    return a.ticks == b.ticks && a.tick == b.tick && a.why_ticks == b.why_ticks && rest(a) == rest(b);
  }

  void unfinished() {
    std::vector<const UnfinishedAgent*> shown;
    for (const UnfinishedAgent& agent : r_.unfinished) {
      if (agent.why != fmt::format("agent {} moves", agent.key)) shown.push_back(&agent);
    }
    if (shown.empty()) return;
    const std::uint64_t all = r_.agents() - r_.count(AgentState::arrived);
    open("Not arrived", fmt::format("{} of {}, at the end of the run.", shown.size(), plural(all, "agent")), "wide");
    out_ += "<ol class=\"waits\">";
    for (const UnfinishedAgent* agent : shown)
      add("<li><div class=\"long\">agent {}</div><div>{}</div></li>", agent->key, html(shortened(agent->why)));
    out_ += "</ol>";
    close();
  }
  static std::string shortened(const std::string& why) {
    constexpr std::size_t kHead = 300, kTail = 120;
    if (why.size() <= kHead + kTail + 5) return why;
    const std::size_t head = why.rfind(", which", kHead), tail = why.find(", which", why.size() - kTail);
    return why.substr(0, head == std::string::npos ? kHead : head) + " … " +
           (tail == std::string::npos ? std::string("(in full in report.json)") : why.substr(tail + 2));
  }

  void times() {
    const auto& counts = def_.history.times().counts();
    open("Time of a tick", "How many ticks took how long; the scale is logarithmic.");
    std::size_t first = 0, last = counts.size();
    while (first < last && counts[first] == 0) ++first;
    while (last > first && counts[last - 1] == 0) --last;
    if (first < last) out_ += histogram(first, last);
    close();
    slowest();
  }

  std::string histogram(std::size_t first, std::size_t last) const {
    const auto& counts = def_.history.times().counts();
    const auto scale = [](std::size_t i) { return std::log2(std::max(TimeClasses::begin(i), 0.5)); };
    const double from = scale(first), to = scale(last);
    std::uint64_t most = 0, all = 0;
    for (const std::uint64_t n : counts) most = std::max(most, n), all += n;
    Plot plot(fmt::format("Histogram of {} tick times, from {} to {}.", all, time_text(TimeClasses::begin(first)),
                          time_text(TimeClasses::begin(last))),
              to - from, static_cast<double>(most));
    for (std::size_t i = first; i < last; ++i) {
      if (counts[i] > 0)
        plot.bar(scale(i) - from, scale(i + 1) - from, static_cast<double>(counts[i]), "bars",
                 fmt::format("{} to {}: {} ticks", time_text(TimeClasses::begin(i)),
                             time_text(TimeClasses::begin(i + 1)), grouped(counts[i])));
    }
    std::vector<std::pair<double, std::string>> x, y;
    for (const double ns : round_times(TimeClasses::begin(first), TimeClasses::begin(last)))
      x.emplace_back(std::log2(ns) - from, time_text(ns));
    for (const std::uint64_t n : nice_ticks(most)) y.emplace_back(static_cast<double>(n), grouped(n));
    plot.x_axis(x, "time of a tick");
    plot.y_axis(y);
    return plot.text();
  }

  // 1, 2, 5, 10 ..; only the powers of ten where that would be many.
  static std::vector<double> round_times(double from, double to) {
    std::vector<double> all, tens;
    for (double ten = 1; ten <= to; ten *= 10) {
      for (const double ns : {ten, 2 * ten, 5 * ten}) {
        if (ns < from || ns > to) continue;
        all.push_back(ns);
        if (ns == ten) tens.push_back(ns);
      }
    }
    return all.size() <= 6 || tens.size() < 2 ? all : tens;
  }

  void slowest() {
    std::uint64_t most = 1;
    for (const HistoryPoint& p : points_) most = std::max(most, p.most_ns);
    Plot plot(fmt::format("Time of each tick over the run; the slowest took {}.", time_text(static_cast<double>(most))),
              static_cast<double>(last_tick()), static_cast<double>(most));
    std::vector<Plot::Point> line;
    for (const HistoryPoint& p : drawn())
      line.push_back({static_cast<double>(p.last_tick), static_cast<double>(p.most_ns)});
    plot.area(line, "spikes", "time of a tick");
    std::vector<std::pair<double, std::string>> x;
    for (const std::uint64_t t : nice_ticks(last_tick())) x.emplace_back(static_cast<double>(t), grouped(t));
    plot.x_axis(x, "tick");
    plot.y_axis({{0, "0"}, {static_cast<double>(most), time_text(static_cast<double>(most))}});
    open("Time over the run", "Time of each tick; in long runs the slowest of each stretch.");
    out_ += plot.text();
    out_ += "<table>";
    const Percentiles& t = r_.tick_us;
    for (const auto& [name, us] : {std::pair{"half of the ticks within (p50)", t.p50},
                                   {"95 % within (p95)", t.p95},
                                   {"99 % within (p99)", t.p99},
                                   {"slowest (max)", t.max}})
      add("<tr><th scope=\"row\">{}</th><td>{} µs</td></tr>", name, grouped(us));
    add("<tr><th scope=\"row\">an agent's step</th><td>{} ns</td></tr></table>", grouped(r_.agent_step_ns));
    close();
  }

  void counters() {
    const Metrics& m = r_.metrics;
    open("Counters", "Since the start; the same as in report.json.", "wide");
    out_ += "<div class=\"columns\">";
    const std::pair<const char*, std::uint64_t> rows[] = {{"agent_steps", m.agent_steps},
                                                          {"waits", m.waits},
                                                          {"sum_of_arrivals", r_.sum_of_arrivals},
                                                          {"field_builds", m.field_builds},
                                                          {"field_repairs", m.field_repairs},
                                                          {"field_bytes", m.field_bytes},
                                                          {"retired_bytes", m.retired_bytes},
                                                          {"live_bundles", m.live_bundles},
                                                          {"oldest_reader_ticks", m.oldest_reader_ticks},
                                                          {"withheld_bundles", m.withheld_bundles},
                                                          {"kept_fields", m.kept_fields},
                                                          {"plans", m.plans},
                                                          {"plan_adoptions", m.plan_adoptions},
                                                          {"planned_ticks", m.planned_ticks},
                                                          {"planned_finish", m.planned_finish},
                                                          {"cache_hits", m.cache_hits},
                                                          {"cache_misses", m.cache_misses},
                                                          {"cache_bytes", m.cache_bytes},
                                                          {"adoptions", m.adoptions},
                                                          {"adoption_ticks", m.adoption_ticks},
                                                          {"coalesced_requests", m.coalesced_requests},
                                                          {"map_versions", m.map_versions},
                                                          {"direction_lookups", m.direction_lookups},
                                                          {"sweep_refusals", m.sweep_refusals},
                                                          {"stale_stops", m.stale_stops},
                                                          {"kept_old_direction", m.kept_old_direction},
                                                          {"steps_aside", m.steps_aside},
                                                          {"pushes", m.pushes},
                                                          {"rotations", m.rotations},
                                                          {"replans", m.replans},
                                                          {"deadlocks", m.deadlocks},
                                                          {"joint_plans", m.joint_plans},
                                                          {"fallbacks", m.fallbacks},
                                                          {"queue_wait_ticks", m.queue_wait_ticks},
                                                          {"tick_overruns", m.tick_overruns},
                                                          {"coalesced_goal_changes", m.coalesced_goal_changes}};
    for (const auto& [name, value] : rows) add("<div><span>{}</span><span>{}</span></div>", name, grouped(value));
    out_ += "</div>";
    close();
  }

  void again() {
    open("Run it again", "The same input gives the same digest on any number of threads, compiler and machine.",
         "wide");
    add("<pre>{}</pre><table><tr><th scope=\"row\">digest</th><td><code>{}</code></td></tr>", html(def_.command),
        hex16(r_.digests.all));
    const std::pair<const char*, std::uint64_t> parts[] = {{"agents", r_.digests.agents},
                                                           {"reservations", r_.digests.reservations},
                                                           {"world", r_.digests.world},
                                                           {"fields", r_.digests.fields}};
    for (const auto& [name, digest] : parts)
      add("<tr><th scope=\"row\">of the {}</th><td><code>{}</code></td></tr>", name, hex16(digest));
    add("<tr><th scope=\"row\">seed</th><td>{}</td></tr><tr><th scope=\"row\">threads "
        "used</th><td>{}</td></tr></table>",
        r_.seed, r_.threads);
    close();
  }

  const HtmlReport& def_;
  const RunReport& r_;
  const std::vector<HistoryPoint>& points_;
  std::optional<std::uint64_t> bound_;
  std::string out_;
};

}  // namespace

std::string to_html(const HtmlReport& def) { return Page(def).text(); }

}  // namespace drover::io

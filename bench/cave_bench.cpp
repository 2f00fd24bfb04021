// SPDX-License-Identifier: MIT
// Whole caves and their parts, product and baseline in turn.
#include "cave_bench.hpp"

#include <drover/cave.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/counter_rng.hpp"
#include "cave/automaton.hpp"
#include "cave/fill_counter.hpp"
#include "cave/regions.hpp"
#include "thread_clock.hpp"

namespace drover::bench {

namespace {

constexpr std::int32_t kWalls = 45;
constexpr auto kThreshold = static_cast<std::uint32_t>(((std::uint64_t{kWalls} << 32) + 50) / 100);

/// Walls as bytes, with a border of wall around them, so that nobody asks for edges.
class Bytes {
 public:
  explicit Bytes(std::int32_t size)
      : size_(size), stride_(static_cast<std::size_t>(size) + 2), cells_(stride_ * stride_, 1) {}

  std::int32_t size() const noexcept { return size_; }
  std::size_t stride() const noexcept { return stride_; }
  std::uint8_t* row(std::int32_t y) noexcept { return cells_.data() + stride_ * static_cast<std::size_t>(y + 1) + 1; }
  const std::uint8_t* row(std::int32_t y) const noexcept {
    return cells_.data() + stride_ * static_cast<std::size_t>(y + 1) + 1;
  }
  void lock_border() noexcept {
    for (std::int32_t i = 0; i < size_; ++i) row(0)[i] = row(size_ - 1)[i] = row(i)[0] = row(i)[size_ - 1] = 1;
  }
  void swap(Bytes& other) noexcept { cells_.swap(other.cells_); }

 private:
  std::int32_t size_;
  std::size_t stride_;
  std::vector<std::uint8_t> cells_;
};

void plain_fill(Bytes& cells, std::uint64_t seed) {
  const base::CounterRng rng(seed, cave::kFillDomain);
  for (std::int32_t y = 0; y < cells.size(); ++y)
    for (std::int32_t x = 0; x < cells.size(); ++x)
      cells.row(y)[x] = static_cast<std::uint32_t>(rng.at_cell(x, y)) < kThreshold ? 1 : 0;
}

int walls_around(const std::uint8_t* at, std::ptrdiff_t stride) noexcept {
  return at[-stride - 1] + at[-stride] + at[-stride + 1] + at[-1] + at[1] + at[stride - 1] + at[stride] +
         at[stride + 1];
}

void plain_generation(Bytes& cells, Bytes& next) {
  const auto stride = static_cast<std::ptrdiff_t>(cells.stride());
  for (std::int32_t y = 0; y < cells.size(); ++y) {
    const std::uint8_t* const from = cells.row(y);
    std::uint8_t* const to = next.row(y);
    for (std::int32_t x = 0; x < cells.size(); ++x) {
      const int walls = walls_around(from + x, stride);
      to[x] = walls >= (from[x] != 0 ? 4 : 5) ? 1 : 0;
    }
  }
  cells.swap(next);
}

void plain_classic(Bytes& cells) {
  const auto stride = static_cast<std::ptrdiff_t>(cells.stride());
  for (std::int32_t y = 0; y < cells.size(); ++y) {
    std::uint8_t* const row = cells.row(y);
    for (std::int32_t x = 0; x < cells.size(); ++x)
      row[x] = walls_around(row + x, stride) >= (row[x] != 0 ? 4 : 5) ? 1 : 0;
  }
}

struct PlainRegions {
  std::vector<std::uint32_t> label;  // a cell each, in the layout of Bytes; 0: wall
  std::vector<std::uint64_t> cells;  // by label - 1
};

PlainRegions plain_regions(const Bytes& cells) {
  PlainRegions out;
  const std::uint8_t* const first = cells.row(-1) - 1;
  const std::size_t stride = cells.stride();
  out.label.assign(stride * stride, 0);
  std::vector<std::size_t> open;
  for (std::size_t at = 0; at < out.label.size(); ++at) {
    if (first[at] != 0 || out.label[at] != 0) continue;
    out.cells.push_back(0);
    const auto label = static_cast<std::uint32_t>(out.cells.size());
    open.assign(1, at);
    out.label[at] = label;
    while (!open.empty()) {
      const std::size_t here = open.back();
      open.pop_back();
      ++out.cells.back();
      for (const std::size_t there : {here - stride, here - 1, here + 1, here + stride}) {
        if (first[there] != 0 || out.label[there] != 0) continue;
        out.label[there] = label;
        open.push_back(there);
      }
    }
  }
  return out;
}

void keep_largest(Bytes& cells, const PlainRegions& regions) {
  const auto largest = static_cast<std::uint32_t>(std::max_element(regions.cells.begin(), regions.cells.end()) -
                                                  regions.cells.begin() + 1);
  std::uint8_t* const first = cells.row(-1) - 1;
  for (std::size_t at = 0; at < regions.label.size(); ++at) first[at] = regions.label[at] == largest ? 0 : 1;
}

template <class Body>
double ns_of(Body&& body) {
  const std::uint64_t start = thread_ns();
  body();
  return static_cast<double>(thread_ns() - start);
}

/// Values of one figure over the runs.
class Samples {
 public:
  void add(double value) { values_.push_back(value); }
  double median() {
    std::nth_element(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(values_.size() / 2), values_.end());
    return values_[values_.size() / 2];
  }

 private:
  std::vector<double> values_;
};

bool same(const cave::BitGrid& grid, const Bytes& cells) {
  for (std::int32_t y = 0; y < cells.size(); ++y)
    for (std::int32_t x = 0; x < cells.size(); ++x)
      if (grid.wall(x, y) != (cells.row(y)[x] != 0)) return false;
  return true;
}

bool same(const Cave& cave, const Bytes& cells) {
  for (std::int32_t y = 0; y < cells.size(); ++y)
    for (std::int32_t x = 0; x < cells.size(); ++x)
      if (cave.wall({x, y}) != (cells.row(y)[x] != 0)) return false;
  return true;
}

Bytes bytes_of(const cave::BitGrid& grid) {
  Bytes cells(grid.width());
  for (std::int32_t y = 0; y < cells.size(); ++y)
    for (std::int32_t x = 0; x < cells.size(); ++x) cells.row(y)[x] = grid.wall(x, y) ? 1 : 0;
  return cells;
}

/// Bit b of plane p of a cell's word is bit 31 - p of that cell's number.
bool fill_as_defined(const cave::BitGrid& grid, const cave::Fill& fill) {
  for (std::int32_t y = 0; y < grid.height(); y += 97)
    for (std::int32_t x = 0; x < grid.width(); ++x) {
      std::uint32_t number = 0;
      for (std::uint32_t pair = 0; pair < cave::kPlanePairs; ++pair) {
        const auto block = base::philox4x32(
            cave::fill_counter(fill, static_cast<std::uint32_t>(x) / 64, static_cast<std::uint32_t>(y), pair),
            cave::fill_key(fill));
        for (const std::uint32_t plane : {0u, 1u})
          number = number << 1 | (block[2 * plane + static_cast<std::uint32_t>(x) % 64 / 32] >> x % 32 & 1);
      }
      if (grid.wall(x, y) != (number < fill.threshold)) return false;
    }
  return true;
}

/// One figure of the product beside its baseline.
struct Pair {
  Samples mine, plain;
};

class Bench {
 public:
  explicit Bench(const CaveBenchDef& def) : def_(def), start_(def.size, def.size), plain_start_(def.size) {
    cave::fill_random(start_, fill(), 0, 0);
    figures_.equal = fill_as_defined(start_, fill());
    plain_start_ = bytes_of(start_);
    cells_ = static_cast<double>(def.size) * def.size;
  }

  Result<CaveFigures> run(const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
    for (std::uint32_t i = 0; i < def_.runs; ++i) {
      if (Status status = whole(); !status.ok()) return status;
      parts();
      progress(i + 1, def_.runs);
    }
    figures_.ms = whole_.mine.median() / 1e6;
    figures_.baseline_ms = whole_.plain.median() / 1e6;
    figures_.fill_ns = fill_.mine.median() / cells_;
    figures_.baseline_fill_ns = fill_.plain.median() / cells_;
    figures_.generation_ns = generation_.mine.median() / cells_;
    figures_.baseline_generation_ns = generation_.plain.median() / cells_;
    figures_.rule_ns = rule_.median() / cells_;
    figures_.classic_ns = classic_.mine.median() / cells_;
    figures_.baseline_classic_ns = classic_.plain.median() / cells_;
    figures_.regions_ns = regions_.mine.median() / cells_;
    figures_.baseline_regions_ns = regions_.plain.median() / cells_;
    return figures_;
  }

 private:
  cave::Fill fill() const noexcept { return {def_.seed, 0, kThreshold}; }

  Status whole() {
    CaveDef def;
    def.width = def.height = def_.size;
    def.generations = def_.generations;
    def.seed = def_.seed;
    def.walls_percent = kWalls;
    std::optional<Result<Cave>> cave;
    whole_.mine.add(ns_of([&] { cave = generate_cave(def); }));
    if (!cave->ok()) return cave->status();
    Bytes cells(def_.size);
    double fill_time = ns_of([&] { plain_fill(cells, def_.seed); });
    fill_.plain.add(fill_time);
    cells = plain_start_;
    whole_.plain.add(fill_time + ns_of([&] {
                       Bytes next(def_.size);
                       cells.lock_border();
                       for (std::int32_t g = 0; g < def_.generations; ++g) {
                         plain_generation(cells, next);
                         cells.lock_border();
                       }
                       const PlainRegions regions = plain_regions(cells);
                       if (!regions.cells.empty()) keep_largest(cells, regions);
                       figures_.regions = static_cast<std::uint32_t>(regions.cells.size());
                     }));
    figures_.floor = (*cave)->floor_cells();
    figures_.equal = figures_.equal && same(**cave, cells);
    return {};
  }

  void parts() {
    cave::BitGrid grid(def_.size, def_.size);
    fill_.mine.add(ns_of([&] { cave::fill_random(grid, fill(), 0, 0); }));
    cave::Generations generations(grid);
    const auto generation = [&](const cave::Rule& rule) {
      return ns_of([&] {
               for (int i = 0; i < kSteps; ++i) generations.step(grid, rule);
             }) /
             kSteps;
    };
    generation_.mine.add(generation(cave::kFiveOfNine));
    Bytes cells = plain_start_, next(def_.size);
    generation_.plain.add(ns_of([&] {
                            for (int i = 0; i < kSteps; ++i) plain_generation(cells, next);
                          }) /
                          kSteps);
    figures_.equal = figures_.equal && same(grid, cells);
    std::optional<cave::Regions> regions;
    regions_.mine.add(ns_of([&] { regions.emplace(grid, false, cave::Touch::sides); }));
    std::uint32_t plain_count = 0;
    regions_.plain.add(ns_of([&] { plain_count = static_cast<std::uint32_t>(plain_regions(cells).cells.size()); }));
    figures_.equal = figures_.equal && regions->count() == plain_count;
    rule_.add(generation({0x1C0, 0x1F8}));
    grid = start_;
    cells = plain_start_;
    classic_.mine.add(ns_of([&] { cave::pass_in_place(grid); }));
    classic_.plain.add(ns_of([&] { plain_classic(cells); }));
    figures_.equal = figures_.equal && same(grid, cells);
  }

  static constexpr int kSteps = 5;

  const CaveBenchDef& def_;
  cave::BitGrid start_;
  Bytes plain_start_;
  double cells_ = 0;
  Pair whole_, fill_, generation_, classic_, regions_;
  Samples rule_;
  CaveFigures figures_;
};

}  // namespace

Result<CaveFigures> measure_cave(const CaveBenchDef& def,
                                 const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  return Bench(def).run(progress);
}

}  // namespace drover::bench

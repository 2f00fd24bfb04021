// SPDX-License-Identifier: MIT
// Layout of tables and pages.
#include "field/field_data.hpp"

#include <cstring>
#include <new>
#include <utility>

namespace drover::field {
namespace {

constexpr std::uint64_t kPageCells = std::uint64_t{1} << FlowField::kPageBits;
constexpr std::uint64_t kPageLines = kPageCells / FlowFieldData::kLineCells;

// Makes up costs of 32 and of 64 bits that say "none".
constexpr int kNoneByte = 0xFE;
static_assert(FlowFieldData::kNone<std::uint32_t> == 0xFEFEFEFE);
static_assert(FlowFieldData::kNone<std::uint64_t> == 0xFEFEFEFEFEFEFEFE);

std::uint64_t cost_bytes(FlowFieldData::Width width) noexcept {
  return width == FlowFieldData::Width::bits16 ? 2 : width == FlowFieldData::Width::bits32 ? 4 : 8;
}

using RowDigest = std::atomic<std::uint64_t>;

std::uint64_t row_count(const GridShape& shape) {
  return static_cast<std::uint64_t>(shape.layers()) * static_cast<std::uint64_t>(shape.height());
}

std::uint64_t rounded_up(std::uint64_t bytes) { return (bytes + 63) / 64 * 64; }

template <class T>
const T* const* make_table(std::byte*& at, std::uint64_t pages) {
  auto* const table = reinterpret_cast<const T**>(at);
  at += pages * sizeof(void*);
  return table;
}

// All that lies before, between and behind the rows of the map; half of a build's memory traffic if rows were set too.
void fill_outside(const GridShape& shape, std::uint64_t cells, std::byte* plane, std::uint64_t bytes, int value) {
  const auto width = static_cast<std::uint64_t>(shape.width());
  std::uint64_t from = 0;
  for (std::int32_t layer = 0; layer < shape.layers(); ++layer) {
    for (std::int32_t row = 0; row < shape.height(); ++row) {
      const std::uint64_t first = shape.at(0, row, layer);
      std::memset(plane + from * bytes, value, (first - from) * bytes);
      from = first + width;
    }
  }
  std::memset(plane + from * bytes, value, (cells - from) * bytes);
}

template <class T>
void lay_plane(const T* const* table, std::byte*& at, std::uint64_t pages, std::uint64_t each = kPageCells) noexcept {
  for (std::uint64_t i = 0; i < pages; ++i) {
    const_cast<const T**>(table)[i] = reinterpret_cast<const T*>(at);
    at += each * sizeof(T);
  }
}

/// Where page number `index` of `count` that lie plane by plane has its part of each plane.
class PagePlaces {
 public:
  PagePlaces(std::byte* planes, std::uint64_t index, std::uint64_t count) noexcept
      : at_(planes), index_(index), count_(count) {}

  /// Copies a page into the next plane, and says in the table that it is there now.
  template <class T>
  void copy(const T* const* table, std::uint32_t page, std::uint64_t each = kPageCells) noexcept {
    std::byte* const to = at_ + index_ * each * sizeof(T);
    std::memcpy(to, table[page], each * sizeof(T));
    const_cast<const T**>(table)[page] = reinterpret_cast<const T*>(to);
    at_ += count_ * each * sizeof(T);
  }

 private:
  std::byte* at_;
  std::uint64_t index_, count_;
};

}  // namespace

/// What there is of each page; how many bytes that makes.
struct FlowFieldData::Layout {
  std::uint64_t pages = 0;
  Parts parts;
  std::uint64_t rows = 0;

  std::uint64_t page_bytes() const noexcept {
    return kPageCells * (cost_bytes(parts.width) + (parts.steps == Steps::kept ? sizeof(WaySteps) : 0) +
                         (parts.hops == Hops::kept ? 4 : 0) + 1) +
           (parts.width == Width::bits16 ? kPageLines * sizeof(std::uint32_t) : 0);
  }
  /// Pointers to owners, ties, costs and what else is kept; digests of rows.
  std::uint64_t table_bytes() const noexcept {
    const std::uint64_t tables = 3u + (parts.width == Width::bits16 ? 1u : 0u) +
                                 (parts.steps == Steps::kept ? 1u : 0u) + (parts.hops == Hops::kept ? 1u : 0u);
    return rounded_up(pages * tables * sizeof(void*) + rows * sizeof(RowDigest));
  }
  std::uint64_t owner_bytes() const noexcept { return rounded_up(sizeof(PageBlock) + pages * sizeof(Page)); }
};

FlowFieldData::Layout FlowFieldData::layout() const noexcept {
  return {page_count_,
          {width(), steps_ != nullptr ? Steps::kept : Steps::left_out, hops_ != nullptr ? Hops::kept : Hops::left_out},
          row_count(shape_)};
}

void FlowFieldData::lay_tables(std::byte* at, const Layout& layout) noexcept {
  page_count_ = static_cast<std::uint32_t>(layout.pages);
  pages_ = reinterpret_cast<Page**>(at);
  at += layout.pages * sizeof(void*);
  ties_ = make_table<std::uint8_t>(at, layout.pages);
  if (layout.parts.width == Width::bits16) {
    costs16_ = make_table<std::uint16_t>(at, layout.pages);
    bases_ = make_table<std::uint32_t>(at, layout.pages);
  } else if (layout.parts.width == Width::bits32) {
    costs32_ = make_table<std::uint32_t>(at, layout.pages);
  } else {
    costs64_ = make_table<std::uint64_t>(at, layout.pages);
  }
  if (layout.parts.steps == Steps::kept) steps_ = make_table<WaySteps>(at, layout.pages);
  if (layout.parts.hops == Hops::kept) hops_ = make_table<std::uint32_t>(at, layout.pages);
  row_digests_ = reinterpret_cast<RowDigest*>(at);
}

void FlowFieldData::lay_planes(std::byte* at, const Layout& layout, Page* first, Costs first_costs,
                               bool laid_before) noexcept {
  for (std::uint64_t i = 0; i < layout.pages; ++i) pages_[i] = first + i;
  const std::uint64_t cells = layout.pages * kPageCells;
  const auto lay = [&](const auto* const* table, Costs at_first, int outside) {
    std::byte* const plane = at;
    lay_plane(table, at, layout.pages);
    if (at_first == Costs::none) std::memset(plane, kNoneByte, static_cast<std::size_t>(at - plane));
    if (at_first == Costs::none || !laid_before) fill_outside(shape_, cells, plane, sizeof(table[0][0]), outside);
  };
  if (costs16_ != nullptr) {
    lay(costs16_, first_costs, 0xFF);
    if (!laid_before) std::memset(at, 0, layout.pages * kPageLines * sizeof(std::uint32_t));
    lay_plane(bases_, at, layout.pages, kPageLines);
  } else {
    costs32_ != nullptr ? lay(costs32_, first_costs, 0xFF) : lay(costs64_, first_costs, 0xFF);
  }
  const auto fill = [&](const auto* const* table) {
    std::byte* const plane = at;
    lay_plane(table, at, layout.pages);
    std::memset(plane, 0xFF, static_cast<std::size_t>(at - plane));
  };
  if (steps_ != nullptr) fill(steps_);
  if (hops_ != nullptr) fill(hops_);
  lay(ties_, Costs::unset, 0);
}

std::shared_ptr<FlowFieldData> FlowFieldData::make(std::shared_ptr<FieldPool> pool, const GridShape& shape, Parts parts,
                                                   Costs costs) {
  const Layout layout{(shape.padded_cells() + kPageCells - 1) >> kPageBits, parts, row_count(shape)};
  const std::uint64_t bytes = layout.table_bytes() + layout.owner_bytes() + layout.pages * layout.page_bytes();
  if (bytes > static_cast<std::size_t>(-1) / 2) return nullptr;
  auto data = std::make_shared<FlowFieldData>(pool, PoolBlock{});
  PoolBlock memory = pool->take(static_cast<std::size_t>(bytes));
  if (memory.data == nullptr) return nullptr;
  const BlockLayout laid = std::exchange(memory.layout, {shape, static_cast<std::uint8_t>(cost_bytes(parts.width)),
                                                         parts.steps == Steps::kept, parts.hops == Hops::kept});
  std::byte* const owners = memory.data + layout.table_bytes();
  auto* const block = new (owners) PageBlock{
      .memory = memory, .used = static_cast<std::uint32_t>(layout.pages), .planes = owners + layout.owner_bytes()};
  auto* const pages = reinterpret_cast<Page*>(owners + sizeof(PageBlock));
  block->pages = pages;
  for (std::uint64_t i = 0; i < layout.pages; ++i) new (pages + i) Page{.block = block, .users = 1};
  data->shape_ = shape;
  data->lay_tables(memory.data, layout);
  for (std::uint64_t i = 0; i < layout.rows; ++i) new (data->row_digests_ + i) RowDigest(0);
  data->lay_planes(block->planes, layout, pages, costs, laid == memory.layout);
  data->bytes_ = memory.bytes;
  return data;
}

std::shared_ptr<FlowFieldData> FlowFieldData::make_blank(std::shared_ptr<FieldPool> pool, const GridShape& shape,
                                                         Parts parts) {
  const Layout layout{(shape.padded_cells() + kPageCells - 1) >> kPageBits, parts, row_count(shape)};
  auto data = std::make_shared<FlowFieldData>(pool, PoolBlock{});
  data->table_ = pool->take(static_cast<std::size_t>(layout.table_bytes()));
  if (data->table_.data == nullptr) return nullptr;
  data->table_.layout = {};
  Page* const blank = pool->take_page(static_cast<std::size_t>(layout.page_bytes()));
  if (blank == nullptr) return nullptr;
  std::byte* at = blank->block->planes;
  std::memset(at, 0, static_cast<std::size_t>(layout.page_bytes()));
  data->shape_ = shape;
  data->lay_tables(data->table_.data, layout);
  std::fill_n(data->pages_, layout.pages, blank);
  pool->share({data->pages_ + 1, data->page_count_ - 1u});
  for (std::uint64_t i = 0; i < layout.rows; ++i) new (data->row_digests_ + i) RowDigest(0);
  const auto lay = [&](const auto* const* table, std::uint64_t each, auto value) {
    using T = std::remove_cvref_t<decltype(table[0][0])>;
    std::fill_n(reinterpret_cast<T*>(at), each, static_cast<T>(value));
    std::fill_n(const_cast<const T**>(table), layout.pages, reinterpret_cast<const T*>(at));
    at += each * sizeof(T);
  };
  if (data->costs16_ != nullptr) {
    lay(data->costs16_, kPageCells, kNotReady<std::uint16_t>);
    lay(data->bases_, kPageLines, 0);
  } else if (data->costs32_ != nullptr) {
    lay(data->costs32_, kPageCells, kNotReady<std::uint32_t>);
  } else {
    lay(data->costs64_, kPageCells, kNotReady<std::uint64_t>);
  }
  lay(data->ties_, kPageCells, 0);
  data->bytes_ = data->table_.bytes + layout.pages * layout.page_bytes();
  return data;
}

std::shared_ptr<FlowFieldData> FlowFieldData::share(const FlowFieldData& old) {
  const Layout layout = old.layout();
  auto data = std::make_shared<FlowFieldData>(old.pool_, PoolBlock{});
  data->table_ = old.pool_->take(static_cast<std::size_t>(layout.table_bytes()));
  if (data->table_.data == nullptr) return nullptr;
  data->table_.layout = {};  // no planes of a field any more
  data->lay_tables(data->table_.data, layout);
  const auto* const tables = reinterpret_cast<const std::byte*>(old.pages_);
  const auto digests = reinterpret_cast<const std::byte*>(old.row_digests_);
  std::memcpy(data->table_.data, tables, static_cast<std::size_t>(digests - tables));
  for (std::uint64_t i = 0; i < layout.rows; ++i)
    new (data->row_digests_ + i) RowDigest(old.row_digests_[i].load(std::memory_order_relaxed));
  data->pool_->share({old.pages_, old.page_count_});
  data->shape_ = old.shape_;
  data->bytes_ = data->table_.bytes + layout.pages * layout.page_bytes();
  return data;
}

FlowFieldData::~FlowFieldData() {
  pool_->release({pages_, page_count_});
  pool_->give_back(table_);
}

// Where repairs left a page of the field's block without a user, that one is taken: so a chain of repairs holds no more
// than its block and what others still read.
Page* FlowFieldData::take_page(std::uint32_t in_place_of) noexcept {
  const auto of_a_block = [](const Page* page) { return page->block->pages != nullptr; };
  const Page* near = pages_[in_place_of];
  for (std::uint32_t i = 0; i < page_count_ && !of_a_block(near); ++i) near = pages_[i];
  Page* const unused = of_a_block(near) ? pool_->take_unused(*near->block) : nullptr;
  return unused != nullptr ? unused : pool_->take_page(static_cast<std::size_t>(layout().page_bytes()));
}

bool FlowFieldData::own(std::uint32_t page) noexcept {
  Page* const mine = take_page(page);
  if (mine == nullptr) return false;
  const PageBlock& block = *mine->block;
  PagePlaces to(block.planes, block.pages == nullptr ? 0 : static_cast<std::uint64_t>(mine - block.pages),
                block.pages == nullptr ? 1 : page_count_);
  if (costs16_ != nullptr) {
    to.copy(costs16_, page);
    to.copy(bases_, page, kPageLines);
  } else {
    costs32_ != nullptr ? to.copy(costs32_, page) : to.copy(costs64_, page);
  }
  if (steps_ != nullptr) to.copy(steps_, page);
  if (hops_ != nullptr) to.copy(hops_, page);
  to.copy(ties_, page);
  pool_->release({pages_ + page, 1});
  pages_[page] = mine;
  return true;
}

void FlowFieldData::forget_digest(std::uint32_t cell) noexcept {
  const std::uint32_t row = (cell - GridShape::kFront) / shape_.stride();
  const auto height = static_cast<std::uint32_t>(shape_.height()) + 2;  // with the border of each layer
  row_digests_[row / height * (height - 2) + row % height - 1].store(0, std::memory_order_relaxed);
}

void FlowFieldData::set_identity(const Identity& identity) noexcept {
  scale_ = identity.scale;
  graph_hash_ = identity.graph_hash;
  profile_digest_ = identity.profile_digest;
  served_ = identity.served;
}

void FlowFieldData::set_goals(std::vector<PlacedGoal> placed, std::vector<std::uint32_t> cells,
                              std::vector<std::uint32_t> owners) noexcept {
  goals_ = std::move(placed);
  goal_cells_ = std::move(cells);
  goal_owners_ = std::move(owners);
}

void FlowFieldData::set_portal_steps(std::vector<std::uint32_t> cells, std::vector<PortalStep> steps) noexcept {
  portal_cells_ = std::move(cells);
  portal_steps_ = std::move(steps);
  bytes_ += portal_cells_.size() * (sizeof(std::uint32_t) + sizeof(PortalStep));
}

}  // namespace drover::field

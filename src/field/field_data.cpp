// SPDX-License-Identifier: MIT
// Layout of tables and pages.
#include "field/field_data.hpp"

#include <cstring>
#include <new>

namespace drover::field {
namespace {

constexpr std::uint64_t kPageCells = std::uint64_t{1} << FlowField::kPageBits;

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

template <class T>
void fill_table(const T* const* table, std::byte*& at, std::uint64_t pages, int value) noexcept {
  std::memset(at, value, pages * kPageCells * sizeof(T));
  for (std::uint64_t i = 0; i < pages; ++i) {
    const_cast<const T**>(table)[i] = reinterpret_cast<const T*>(at);
    at += kPageCells * sizeof(T);
  }
}

template <class T>
void copy_page(const T* const* table, std::uint32_t page, std::byte*& at) noexcept {
  std::memcpy(at, table[page], kPageCells * sizeof(T));
  const_cast<const T**>(table)[page] = reinterpret_cast<const T*>(at);
  at += kPageCells * sizeof(T);
}

}  // namespace

/// What there is of each page; how many bytes that makes.
struct FlowFieldData::Layout {
  std::uint64_t pages = 0;
  Width width = Width::bits32;
  Steps steps = Steps::left_out;
  Hops hops = Hops::left_out;
  std::uint64_t rows = 0;

  std::uint64_t page_bytes() const noexcept {
    return kPageCells * ((width == Width::bits32 ? 4 : 8) + (steps == Steps::kept ? sizeof(WaySteps) : 0) +
                         (hops == Hops::kept ? 4 : 0) + 2);
  }
  /// Pointers to owners, codes, ties, costs and what else is kept; digests of rows.
  std::uint64_t table_bytes() const noexcept {
    const std::uint64_t tables = 4u + (steps == Steps::kept ? 1u : 0u) + (hops == Hops::kept ? 1u : 0u);
    return rounded_up(pages * tables * sizeof(void*) + rows * sizeof(RowDigest));
  }
  std::uint64_t owner_bytes() const noexcept { return rounded_up(sizeof(PageBlock) + pages * sizeof(Page)); }
};

FlowFieldData::Layout FlowFieldData::layout() const noexcept {
  return {page_count_, width(), steps_ != nullptr ? Steps::kept : Steps::left_out,
          hops_ != nullptr ? Hops::kept : Hops::left_out, row_count(shape_)};
}

void FlowFieldData::lay_tables(std::byte* at, const Layout& layout) noexcept {
  page_count_ = static_cast<std::uint32_t>(layout.pages);
  pages_ = reinterpret_cast<Page**>(at);
  at += layout.pages * sizeof(void*);
  codes_ = make_table<std::uint8_t>(at, layout.pages);
  ties_ = make_table<std::uint8_t>(at, layout.pages);
  if (layout.width == Width::bits32)
    costs32_ = make_table<std::uint32_t>(at, layout.pages);
  else
    costs64_ = make_table<std::uint64_t>(at, layout.pages);
  if (layout.steps == Steps::kept) steps_ = make_table<WaySteps>(at, layout.pages);
  if (layout.hops == Hops::kept) hops_ = make_table<std::uint32_t>(at, layout.pages);
  row_digests_ = reinterpret_cast<RowDigest*>(at);
}

void FlowFieldData::lay_planes(std::byte* at, const Layout& layout, Page* first) noexcept {
  for (std::uint64_t i = 0; i < layout.pages; ++i) pages_[i] = first + i;
  if (costs32_ != nullptr)
    fill_table(costs32_, at, layout.pages, 0xFF);
  else
    fill_table(costs64_, at, layout.pages, 0xFF);
  if (steps_ != nullptr) fill_table(steps_, at, layout.pages, 0xFF);
  if (hops_ != nullptr) fill_table(hops_, at, layout.pages, 0xFF);
  fill_table(codes_, at, layout.pages, kOutsideCode);
  fill_table(ties_, at, layout.pages, 0);
}

std::shared_ptr<FlowFieldData> FlowFieldData::make(std::shared_ptr<FieldPool> pool, const GridShape& shape, Width width,
                                                   Steps steps, Hops hops) {
  const Layout layout{(shape.padded_cells() + kPageCells - 1) >> kPageBits, width, steps, hops, row_count(shape)};
  const std::uint64_t bytes = layout.table_bytes() + layout.owner_bytes() + layout.pages * layout.page_bytes();
  if (bytes > static_cast<std::size_t>(-1) / 2) return nullptr;
  auto data = std::make_shared<FlowFieldData>(pool, PoolBlock{});
  const PoolBlock memory = pool->take(static_cast<std::size_t>(bytes));
  if (memory.data == nullptr) return nullptr;
  std::byte* const owners = memory.data + layout.table_bytes();
  auto* const block = new (owners) PageBlock{memory, static_cast<std::uint32_t>(layout.pages), false};
  auto* const pages = reinterpret_cast<Page*>(owners + sizeof(PageBlock));
  for (std::uint64_t i = 0; i < layout.pages; ++i) new (pages + i) Page{block, 1};
  data->lay_tables(memory.data, layout);
  for (std::uint64_t i = 0; i < layout.rows; ++i) new (data->row_digests_ + i) RowDigest(0);
  data->lay_planes(owners + layout.owner_bytes(), layout, pages);
  data->shape_ = shape;
  data->bytes_ = memory.bytes;
  return data;
}

std::shared_ptr<FlowFieldData> FlowFieldData::share(const FlowFieldData& old) {
  const Layout layout = old.layout();
  auto data = std::make_shared<FlowFieldData>(old.pool_, PoolBlock{});
  data->table_ = old.pool_->take(static_cast<std::size_t>(layout.table_bytes()));
  if (data->table_.data == nullptr) return nullptr;
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

bool FlowFieldData::own(std::uint32_t page) noexcept {
  Page* const mine = pool_->take_page(static_cast<std::size_t>(layout().page_bytes()));
  if (mine == nullptr) return false;
  std::byte* at = FieldPool::single_page_planes(mine);
  costs32_ != nullptr ? copy_page(costs32_, page, at) : copy_page(costs64_, page, at);
  if (steps_ != nullptr) copy_page(steps_, page, at);
  if (hops_ != nullptr) copy_page(hops_, page, at);
  copy_page(codes_, page, at);
  copy_page(ties_, page, at);
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

// SPDX-License-Identifier: MIT
// The engines; all fill the same costs, each for the plans that it applies to, in one piece or in several.
#pragma once
#include "field/bitboards.hpp"
#include "field/buckets.hpp"
#include "field/heap.hpp"
#include "field/progress.hpp"
#include "field/rings.hpp"
#include "field/tile_sweep.hpp"

namespace drover::field {

/// Memory of the engines, kept between builds.
struct Scratch {
  Stream straight, diagonal;
  EntryRing entries;
  BucketScratch buckets;
  HeapScratch heap;
  base::Plane<std::uint16_t> ground;  // moves and factors of cells, packed
  TileScratch tiles;
  BoardScratch boards;
};

/// One factor everywhere; four moves, or eight at one cost. Entered costs leave a queue as they came in.
template <class T>
void breadth_first(const Plan<T>& plan, Scratch& scratch, const Allocator& allocator, Progress& progress) noexcept;

/// One factor everywhere, eight moves, straight <= diagonal < 2 x straight: two sorted queues, merged.
template <class T>
void two_cursor(const Plan<T>& plan, Scratch& scratch, const Allocator& allocator, Progress& progress) noexcept;

}  // namespace drover::field

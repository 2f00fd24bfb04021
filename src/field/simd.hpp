// SPDX-License-Identifier: MIT
// Which vector instructions fields are built with; all give the same bytes.
#pragma once
#include <cstdint>

namespace drover::field {

enum class Simd : std::uint8_t { scalar, sse4, neon, avx2, avx512 };

/// The best of this machine, or less where limit_simd() said so.
Simd simd_in_use() noexcept;

/// For tests and measurements: builds that begin later use at most this. Any thread.
void limit_simd(Simd most) noexcept;

}  // namespace drover::field

// SPDX-License-Identifier: MIT
// The public boundary: std::bad_alloc becomes `out_of_memory`; without exceptions nothing is caught.
#pragma once
#include "base/text.hpp"

#include <drover/status.hpp>

#include <cstdint>
#include <new>
#include <utility>

#if defined(__cpp_exceptions)
#define DROVER_TRY try
#define DROVER_CATCH_BAD_ALLOC catch (const std::bad_alloc&)
#else
#define DROVER_TRY if constexpr (true)
#define DROVER_CATCH_BAD_ALLOC else
#endif

namespace drover::base {

/// The sentence is short enough to need no memory itself.
inline Status out_of_memory() { return {StatusCode::out_of_memory, "out of memory"}; }

/// For planes, whose size is known before they are taken.
inline Status out_of_memory(std::uint64_t bytes) {
  return {StatusCode::out_of_memory, concat("no memory for ", bytes, " bytes")};
}

/// Calls `body`, whose result can be made from a Status. The body must leave its object unchanged when an allocation
/// fails.
template <class Body>
auto no_throw(Body&& body) -> decltype(body()) {
  DROVER_TRY { return std::forward<Body>(body)(); }
  DROVER_CATCH_BAD_ALLOC { return out_of_memory(); }
}

}  // namespace drover::base

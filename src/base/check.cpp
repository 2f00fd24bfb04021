// SPDX-License-Identifier: MIT
// What happens to a broken invariant.
#include "base/check.hpp"

#include <cstdlib>

namespace drover::base {

void check_failed(const Host* host, const char* file, int line, const char* condition) noexcept {
  if (host != nullptr && host->on_assert.failed != nullptr) {
    host->on_assert.failed(host->on_assert.context, file, line, condition);
  }
  std::abort();
}

}  // namespace drover::base

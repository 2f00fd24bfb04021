// SPDX-License-Identifier: MIT
// The root of publication. Not an atomic shared_ptr and not epochs: those starve the writer or grow behind a slow
// reader.
#include <drover/bundle.hpp>

namespace drover {

BundleRef NavStore::snapshot() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

// The old bundle leaves with `next`, after the lock is open again: what dies with it delays no reader.
void NavStore::publish(BundleRef next) {
  const std::lock_guard lock(mutex_);
  current_.swap(next);
}

}  // namespace drover

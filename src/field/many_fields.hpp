// SPDX-License-Identifier: MIT
// Fields side by side on the host's tasks.
#pragma once
#include "field/build_run.hpp"

#include <span>
#include <vector>

namespace drover::field {

/// Results in the order of requests. Each field is built by one task from beginning to end.
std::vector<BuiltField> build_all(const std::shared_ptr<Workshop>& shop, std::span<const FieldRequest> requests);

}  // namespace drover::field

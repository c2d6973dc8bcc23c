#pragma once

/// Wrong settings, and right ones at their limits.

#include <host/conformance/rules.hpp>

namespace radd::conformance {

/// See rules().
[[nodiscard]] Findings settings_are_held(const Options& options);

}  // namespace radd::conformance

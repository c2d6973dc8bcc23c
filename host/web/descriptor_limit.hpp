#pragma once

/// How many connections the process may hold open.

#include <cstddef>

namespace radd::web {

/// Raises the soft limit of open descriptors as far towards `wanted` as the hard one lets us, and
/// returns what it is then.
std::size_t raise_descriptor_limit(std::size_t wanted) noexcept;

}  // namespace radd::web

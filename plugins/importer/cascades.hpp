#pragma once

/// What of an import goes with the item that it made.

#include <vector>

#include <radd/manifest.hpp>

namespace importer {

[[nodiscard]] std::vector<radd::CascadeSpec> cascades();

}  // namespace importer

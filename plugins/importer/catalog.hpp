#pragma once

/// What imports tell others: their events, and how one is described.

#include <vector>

#include <radd/manifest.hpp>

namespace importer {

[[nodiscard]] std::vector<radd::EventTypeSpec> event_types();
[[nodiscard]] std::vector<radd::EntityRefSpec> entity_refs();

}  // namespace importer

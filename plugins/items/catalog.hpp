#pragma once

/// What this plugin declares: its event types, and how its entities are described to others.

#include <vector>

#include <radd/manifest.hpp>

namespace items {

[[nodiscard]] std::vector<radd::EventTypeSpec> event_types();
[[nodiscard]] std::vector<radd::EntityRefSpec> entity_refs();

}  // namespace items

#pragma once

/// Payloads against the JSON Schema of their type: a check for debug builds and tests.

#include <optional>
#include <string>

#include <radd/manifest.hpp>

namespace radd::outbox {

/// False in a build without valijson: nothing is checked then, and asking for it is refused.
[[nodiscard]] bool can_check_schemas() noexcept;

/// @throws ConfigError if this build cannot check. Called at boot when the setting is on.
void require_schema_checks();

/// @throws ConfigError if the spec's schema is not a JSON Schema. Without valijson, only whether
///         it is a JSON object can be told.
void check_schema_itself(const EventTypeSpec& spec);

/// What in `payload`, which is JSON, breaks the spec's schema; nothing if it fits or there is no
/// schema. Schemas are parsed once per process. [any-thread]
[[nodiscard]] std::optional<std::string> schema_violation(const EventTypeSpec& spec,
                                                          const std::string& payload);

}  // namespace radd::outbox

#pragma once

/// Payloads against the JSON Schema of their type: a check for debug builds and tests.

#include <optional>
#include <string>

#include <radd/manifest.hpp>

namespace radd::outbox {

/// @throws ConfigError if the spec's schema is not a JSON Schema.
void check_schema_itself(const EventTypeSpec& spec);

/// What in `payload`, which is JSON, breaks the spec's schema; nothing if it fits or there is no
/// schema. Schemas are parsed once per process. [any-thread]
[[nodiscard]] std::optional<std::string> schema_violation(const EventTypeSpec& spec,
                                                          const std::string& payload);

}  // namespace radd::outbox

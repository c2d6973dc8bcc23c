#pragma once

/// Consumers as JSON, for `--json` of the commands and for the API alike: one object, one place.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include <host/consumers/operations.hpp>
#include <host/consumers/overview.hpp>

namespace radd::consumers {

/// Members as the fields are called; what is absent is null. `kind` is consumer or task.
[[nodiscard]] nlohmann::ordered_json to_json(const ConsumerStatus& status);

/// `{event_id, pid, age_ms, application_name, query}`, or null.
[[nodiscard]] nlohmann::ordered_json to_json(const std::optional<outbox::StreamHolder>& holder);

/// `{name, from, to, events, approximate, direction}`: `direction` is replay or pass.
[[nodiscard]] nlohmann::ordered_json to_json(const std::string& name, const Seek& seek);

/// As text, because the event's copy stands in it as it is stored, so that numbers stay exact.
[[nodiscard]] std::string json_text(const SkippedEvent& skipped);

}  // namespace radd::consumers

#pragma once

/// Which events one client wants to see.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <radd/event.hpp>
#include <radd/http.hpp>

namespace realtime {

inline constexpr std::size_t types_max = 100;  ///< Named by one client.

/// All that is given must hold.
struct Filter {
    std::vector<std::string> types{};  ///< Any of these; empty: all.
    std::optional<std::string> entity_type{};
    std::optional<std::string> entity_id{};
    std::optional<std::int64_t> project_id{};

    [[nodiscard]] bool matches(const radd::Event& event) const;
};

/// From `type`, `entity_type`, `entity_id` and `project_id`. @throws InvalidInput past types_max.
[[nodiscard]] Filter filter_of(const radd::HttpRequest& request);

/// What the client has seen last, from the header Last-Event-ID or, where a client cannot set one,
/// from `last_event_id`; empty if it says nothing. The header wins: EventSource connects again with
/// the address it has been given once.
/// @throws HttpError 400 for what no event can have as its id.
[[nodiscard]] std::optional<std::int64_t> last_seen(const radd::HttpRequest& request);

/// For the document of the routes.
[[nodiscard]] std::vector<radd::QueryParameter> query_parameters();

}  // namespace realtime

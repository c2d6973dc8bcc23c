#include "filter.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

namespace realtime {
namespace {

std::optional<std::string> text(const radd::HttpRequest& request, std::string_view name) {
    const auto value = request.query_value(name);
    if (!value) return std::nullopt;
    return std::string{*value};
}

/// Digits alone: no sign, no blank.
std::optional<std::int64_t> whole_number(std::string_view text) {
    std::int64_t number = 0;
    const auto* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    if (read.ec != std::errc{} || read.ptr != end || text.front() == '-') return std::nullopt;
    return number;
}

}  // namespace

bool Filter::matches(const radd::Event& event) const {
    if (!types.empty() && std::ranges::find(types, event.type) == types.end()) return false;
    if (entity_type && event.entity_type != *entity_type) return false;
    if (entity_id && event.entity_id != *entity_id) return false;
    return !project_id || event.project_id == project_id;
}

Filter filter_of(const radd::HttpRequest& request) {
    Filter filter{.types = request.query_values("type"),
                  .entity_type = text(request, "entity_type"),
                  .entity_id = text(request, "entity_id")};
    if (filter.types.size() > types_max)
        throw radd::InvalidInput{"type",
                                 "is given more than " + std::to_string(types_max) +
                                     " times; follow all types and choose yourself"};
    // The host has checked that it is an integer, if not that it fits.
    if (const auto project = request.query_value("project_id")) {
        filter.project_id = whole_number(*project);
        if (!filter.project_id) throw radd::InvalidInput{"project_id", "is no project's id"};
    }
    return filter;
}

std::optional<std::int64_t> last_seen(const radd::HttpRequest& request) {
    constexpr int bad_request = 400;
    auto given = request.header("last-event-id");
    if (!given || given->empty()) given = request.query_value("last_event_id");
    if (!given || given->empty()) return std::nullopt;
    const auto id = whole_number(*given);
    if (!id)
        throw radd::HttpError{bad_request,
                              "Last-Event-ID is no id of an event; leave it out to begin now"};
    return id;
}

std::vector<radd::QueryParameter> query_parameters() {
    return {{.name = "type",
             .description = "Only events of this type; may be given more than once.",
             .repeated = true},
            {.name = "entity_type", .description = "Only events about this type of entity."},
            {.name = "entity_id", .description = "Only events about this entity."},
            {.name = "project_id",
             .description = "Only events of this project.",
             .schema = R"({"type":"integer"})"},
            {.name = "last_event_id",
             .description = "As the header Last-Event-ID, which wins, for clients that cannot set "
                            "one: go on after this event."}};
}

}  // namespace realtime

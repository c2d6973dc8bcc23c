// The stream, as people look into it.

#include <algorithm>
#include <memory>

#include <host/api/query.hpp>
#include <host/api/routes.hpp>
#include <host/api/schemas.hpp>
#include <host/outbox/event_queries.hpp>
#include <host/outbox/event_text.hpp>

namespace radd::api {
namespace {

constexpr int forbidden = 403;
constexpr int not_found = 404;
/// A page ends early rather than hold more: each payload may have 256 KiB.
constexpr std::size_t page_bytes_max = std::size_t{4} * 1024 * 1024;

/// What no index answers is looked for in so many ids at a time, about 0.2 s.
constexpr std::int64_t scan_ids_max = 1'000'000;

/// A text stands in no index and in no column of its own: so many payloads are read at a time,
/// about as fast.
constexpr std::int64_t read_ids_max = 100'000;

/// Paging and its limit, alike for every list of events.
outbox::EventFilter paged(const HttpRequest& request) {
    outbox::EventFilter filter{.after_id = integer(request, "after"),
                               .before_id = integer(request, "before"),
                               .limit = integer(request, "limit").value_or(50),
                               .bytes_max = page_bytes_max,
                               .scan_ids_max = scan_ids_max,
                               .read_ids_max = read_ids_max};
    filter.newest_first = !filter.after_id;
    if (filter.limit < 1 || filter.limit > page_rows_max)
        throw InvalidInput{"limit", "is not in 1 to " + std::to_string(page_rows_max)};
    return filter;
}

HttpResponse page_of(db::Session& session, const outbox::EventFilter& filter) {
    const auto page = outbox::query_page(session, filter);
    std::string text = R"({"events":[)";
    for (const auto& event : page.events) {
        if (text.back() != '[') text += ',';
        text += outbox::json_line(*event);
    }
    text += R"(],"next":)";
    if (page.next) {
        text.append(filter.newest_first ? R"({"before":)" : R"({"after":)")
            .append(std::to_string(*page.next))
            .append("}");
    } else {
        text += "null";
    }
    return json_response(text += '}');
}

std::optional<outbox::EventSource> source(const HttpRequest& request) {
    const auto name = text(request, "source");
    if (!name) return std::nullopt;
    if (*name == "people") return outbox::EventSource::people;
    if (*name == "automations") return outbox::EventSource::automations;
    if (*name == "system") return outbox::EventSource::system;
    throw InvalidInput{"source", "'" + *name + "' is none of people, automations, system"};
}

/// Stored names of types, old ones included.
struct Types {
    std::vector<std::string> unaudited;
    std::vector<std::string> for_members;

    [[nodiscard]] bool readable(const HttpRequest& request, const std::string& type) const {
        return request.principal->role == Role::admin ||
               std::ranges::find(for_members, type) != for_members.end();
    }
    void check_readable(const HttpRequest& request, const std::string& type) const {
        if (!readable(request, type))
            throw HttpError{forbidden, "events of this type are for administrators"};
    }
    /// In the statement, so that neither the length of a page nor a search for a text tells of what
    /// is for others.
    void narrow(const HttpRequest& request, bool all, outbox::EventFilter& filter) const {
        auto& left_out = filter.not_types;
        if (!all) left_out.insert(left_out.end(), unaudited.begin(), unaudited.end());
        if (request.principal->role != Role::admin) filter.readable_types = for_members;
    }
};

HttpResponse query(db::Pool& pool, const Types& known, const HttpRequest& request) {
    auto filter = paged(request);
    filter.types = request.query_values("type");
    filter.not_types = request.query_values("not_type");
    // Who names a type wants to see it, and is told if that is not for him: an empty page would say
    // that there is none.
    for (const auto& type : filter.types) known.check_readable(request, type);
    if (filter.types.empty()) known.narrow(request, flag(request, "all"), filter);
    filter.source = source(request);
    filter.changed = text(request, "changed");
    filter.text = text(request, "text");
    filter.entity_type = text(request, "entity_type");
    filter.entity_id = text(request, "entity_id");
    filter.actor_id = text(request, "actor_id");
    filter.project_id = integer(request, "project_id");
    if (text(request, "silent")) filter.silent = flag(request, "silent");
    auto session = lease(pool);
    const auto instant = [&](const std::string& name) -> std::optional<Timestamp> {
        const auto given = text(request, name);
        if (!given) return std::nullopt;
        return outbox::parse_time(*session, name, *given);
    };
    filter.since = instant("since");
    filter.until = instant("until");
    return page_of(*session, filter);
}

HttpResponse show(db::Pool& pool, const Types& known, const HttpRequest& request) {
    const auto id = id_in_path(request, "id");
    auto session = lease(pool);
    const auto event = outbox::find_event(*session, id);
    if (!event)
        throw HttpError{not_found,
                        "there is no event " + std::to_string(id) + ", or it is not committed yet"};
    known.check_readable(request, event->type);
    return json_response(outbox::json_line(*event));
}

HttpResponse activity(db::Pool& pool, const Types& known, const HttpRequest& request) {
    auto filter = paged(request);
    filter.entity_type = request.path_parameter("entity_type");
    filter.entity_id = request.path_parameter("entity_id");
    known.narrow(request, flag(request, "all"), filter);
    auto session = lease(pool);
    return page_of(*session, filter);
}

}  // namespace

std::vector<RouteSpec> event_routes(const EventRoutesParts& parts) {
    const std::string tag = "Events";
    auto& pool = parts.pool;
    const Types known{
        .unaudited = parts.catalog.names([](const auto& spec) { return !spec.audited; }),
        .for_members =
            parts.catalog.names([](const auto& spec) { return spec.readable_by == Role::member; })};
    const ResponseSpec page{.description = "A page of events",
                            .schema = schema::page("events", schema::event())};
    return {
        {.path = "/api/v1/events",
         .summary = "Search the stream",
         .description =
             "The newest first, or with `after` the oldest first. All that is given "
             "must hold; `type` and `not_type` may be given more than once. Event types "
             "that are not audited are left out unless `all` is true or they are asked "
             "for. Those that are for administrators, or that no loaded plugin declares, "
             "are left out for others, who get 403 if they ask for one. An event "
             "is shown as soon as it is visible, before it is final. An "
             "entity, or one type alone, is found by an index; anything else is looked "
             "for in a million ids at a time, and a text in a hundred thousand, so "
             "that a page may be short or empty while `next` goes on.",
         .tag = tag,
         .query = schema::event_query(),
         .responses = {page},
         .handle = [&pool, known](const HttpRequest& request,
                                  Services&) { return query(pool, known, request); }},
        {.path = "/api/v1/events/{id}",
         .summary = "Show an event",
         .tag = tag,
         .responses = {{.description = "The event", .schema = schema::event()}},
         .handle = [&pool, known](const HttpRequest& request,
                                  Services&) { return show(pool, known, request); }},
        {.path = "/api/v1/entities/{entity_type}/{entity_id}/activity",
         .summary = "Show what has happened to one entity",
         .description = "The newest first, or with `after` the oldest first. Without event "
                        "types that are not audited, unless `all` is true, and without those that "
                        "are for administrators unless one asks.",
         .tag = tag,
         .query = schema::activity_query(),
         .responses = {page},
         .handle = [&pool, known](const HttpRequest& request, Services&) {
             return activity(pool, known, request);
         }}};
}

}  // namespace radd::api

#include "routes.hpp"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "rooms.hpp"
#include "trial.hpp"
#include <radd/services.hpp>

namespace chat {
namespace {

using radd::HttpMethod;

[[noreturn]] void unknown() {
    throw radd::HttpError{404, "there is no such room"};
}

std::int64_t id_of(const radd::HttpRequest& request) {
    const auto& text = request.path_parameter("id");
    std::int64_t id = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (error != std::errc{} || end != text.data() + text.size()) unknown();
    return id;
}

std::optional<std::string> actor_of(const radd::HttpRequest& request) {
    if (!request.principal) return std::nullopt;
    return request.principal->id;
}

/// The fields that are given; the others stay as they are.
void apply(const radd::json& body, RoomDraft& draft) {
    if (body.contains("name")) draft.name = body.at("name").get<std::string>();
    if (body.contains("event_types"))
        draft.event_types = body.at("event_types").get<std::vector<std::string>>();
    if (body.contains("project_ids"))
        draft.project_ids = body.at("project_ids").get<std::vector<std::int64_t>>();
    if (body.contains("enabled")) draft.enabled = body.at("enabled").get<bool>();
}

radd::json found(radd::Transaction& tx, const Rooms& rooms, std::int64_t id) {
    const auto room = rooms.find(tx, id);
    if (!room) unknown();
    return to_json(*room);
}

radd::HttpResponse list(const radd::HttpRequest&, radd::Services& host) {
    auto array = radd::json::array();
    for (const Room& room :
         host.database().transact([&](radd::Transaction& tx) { return Rooms{host}.list(tx); }))
        array.push_back(to_json(room));
    return radd::json_response(radd::json{{"rooms", array}});
}

radd::HttpResponse show(const radd::HttpRequest& request, radd::Services& host) {
    return host.database().transact([&](radd::Transaction& tx) {
        return radd::json_response(found(tx, Rooms{host}, id_of(request)));
    });
}

radd::HttpResponse create(const radd::HttpRequest& request, radd::Services& host) {
    const auto body = request.json_body();
    return host.database().transact([&](radd::Transaction& tx) {
        Rooms rooms{host};
        RoomDraft draft;
        apply(body, draft);
        const auto id =
            rooms.create(tx, draft, body.at("url").get<std::string>(), actor_of(request));
        auto response = radd::json_response(found(tx, rooms, id), 201);
        response.headers.emplace_back("Location", "/api/v1/chat/rooms/" + std::to_string(id));
        return response;
    });
}

radd::HttpResponse update(const radd::HttpRequest& request, radd::Services& host) {
    const auto body = request.json_body();
    return host.database().transact([&](radd::Transaction& tx) {
        Rooms rooms{host};
        auto room = rooms.find_to_change(tx, id_of(request));
        if (!room) unknown();
        apply(body, room->draft);
        std::optional<std::string> url;
        if (body.contains("url")) url = body.at("url").get<std::string>();
        if (!rooms.update(tx, room->id, room->draft, url, actor_of(request))) unknown();
        return radd::json_response(found(tx, rooms, room->id));
    });
}

radd::HttpResponse remove(const radd::HttpRequest& request, radd::Services& host) {
    return host.database().transact([&](radd::Transaction& tx) {
        if (!Rooms{host}.remove(tx, id_of(request), actor_of(request))) unknown();
        return radd::no_content();
    });
}

radd::HttpResponse test(const radd::HttpRequest& request, radd::Services& host) {
    const auto trial = try_room(host, id_of(request));
    if (!trial) unknown();
    return radd::json_response(radd::json{{"posted", trial->posted}, {"detail", trial->detail}});
}

radd::json parsed(const char* schema) {
    return radd::json::parse(schema);
}

radd::json draft_properties() {
    return parsed(R"json({
        "name": {"type": "string", "minLength": 1, "maxLength": 200},
        "event_types": {"type": "array", "items": {"type": "string"}, "maxItems": 100,
            "description": "item.updated, or item.* for all that begin so; empty: all"},
        "project_ids": {"type": "array", "items": {"type": "integer"}, "maxItems": 100},
        "enabled": {"type": "boolean"}
    })json");
}

radd::json room_schema() {
    auto properties = draft_properties();
    properties.update(parsed(R"json({
        "id": {"type": "integer"},
        "url_host": {"type": "string", "description": "All that is shown of its URL"},
        "waiting": {"type": "integer", "description": "Lines that were not posted yet"},
        "disabled_reason": {"type": ["string", "null"]},
        "disabled_at": {"type": ["string", "null"]},
        "created_at": {"type": "string"}
    })json"));
    auto required = radd::json::array();
    for (const auto& [name, value] : properties.items()) required.push_back(name);
    return {{"type", "object"}, {"properties", properties}, {"required", required}};
}

radd::json request_schema(const radd::json& required) {
    auto properties = draft_properties();
    properties["url"] = parsed(
        R"({"type":"string","maxLength":8192,"description":"Of the room's incoming webhook; it is never shown"})");
    return {{"type", "object"},
            {"properties", properties},
            {"required", required},
            {"additionalProperties", false}};
}

radd::RouteSpec route(HttpMethod method,
                      std::string path,
                      std::string summary,
                      radd::ResponseSpec answer,
                      radd::HttpResponse (*handle)(const radd::HttpRequest&, radd::Services&)) {
    return {.method = method,
            .path = "/api/v1/chat/rooms" + path,
            .access = radd::Access::admin,
            .summary = std::move(summary),
            .responses = {std::move(answer)},
            .handle = handle};
}

}  // namespace

std::vector<radd::RouteSpec> routes() {
    const radd::ResponseSpec one{.description = "The room", .schema = room_schema()};
    auto made = one;
    made.status = 201;
    auto make = route(HttpMethod::post, "", "Tell a room of events", made, create);
    make.request_schema = request_schema({"name", "url"});
    auto change = route(HttpMethod::patch, "/{id}", "Change a room", one, update);
    change.description = "Switching it off cancels what waits for it.";
    change.request_schema = request_schema(radd::json::array());
    auto trial = route(HttpMethod::post,
                       "/{id}/test",
                       "Post a message to a room, at once",
                       {.description = "What its service has answered", .schema = parsed(R"json({
                            "type": "object", "required": ["posted", "detail"],
                            "properties": {"posted": {"type": "boolean"},
                                           "detail": {"type": "string"}}})json")},
                       test);
    trial.request_schema = parsed(R"({"type":"object","additionalProperties":false})");
    return {
        route(HttpMethod::get,
              "",
              "List rooms",
              {.description = "All of them",
               .schema = radd::json{{"type", "object"},
                                    {"properties",
                                     {{"rooms", {{"type", "array"}, {"items", room_schema()}}}}},
                                    {"required", {"rooms"}}}},
              list),
        std::move(make),
        route(HttpMethod::get, "/{id}", "Show a room", one, show),
        std::move(change),
        route(HttpMethod::del,
              "/{id}",
              "Forget a room",
              {.status = 204, .description = "It is gone", .content_type = {}},
              remove),
        std::move(trial)};
}

}  // namespace chat

#include "routes.hpp"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "endpoints.hpp"
#include "schemas.hpp"
#include "sql.hpp"
#include <radd/http.hpp>
#include <radd/services.hpp>

namespace webhooks {
namespace {

using radd::HttpMethod;

constexpr std::int64_t attempts_listed_max = 100;

std::optional<std::int64_t> whole_number(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

[[noreturn]] void unknown() {
    throw radd::HttpError{404, "there is no such endpoint"};
}

std::int64_t id_of(const radd::HttpRequest& request) {
    const auto id = whole_number(request.path_parameter("id"));
    if (!id) unknown();
    return *id;
}

std::optional<std::string> actor_of(const radd::HttpRequest& request) {
    if (!request.principal) return std::nullopt;
    return request.principal->id;
}

/// The fields that are given; the others stay as they are.
void apply(const radd::json& body, EndpointDraft& draft) {
    if (body.contains("name")) draft.name = body.at("name").get<std::string>();
    if (body.contains("url")) draft.url = body.at("url").get<std::string>();
    if (body.contains("format")) draft.format = format_of(body.at("format").get<std::string>());
    if (body.contains("event_types"))
        draft.event_types = body.at("event_types").get<std::vector<std::string>>();
    if (body.contains("entity_types"))
        draft.entity_types = body.at("entity_types").get<std::vector<std::string>>();
    if (body.contains("project_ids"))
        draft.project_ids = body.at("project_ids").get<std::vector<std::int64_t>>();
    if (body.contains("enabled")) draft.enabled = body.at("enabled").get<bool>();
}

std::optional<std::string> secret_in(const radd::json& body) {
    if (!body.contains("secret")) return std::nullopt;
    return body.at("secret").get<std::string>();
}

radd::json found(radd::Transaction& tx, const Endpoints& endpoints, std::int64_t id) {
    const auto endpoint = endpoints.find(tx, id);
    if (!endpoint) unknown();
    return to_json(*endpoint);
}

radd::HttpResponse list(const radd::HttpRequest&, radd::Services& host) {
    auto array = radd::json::array();
    const auto all =
        host.database().transact([&](radd::Transaction& tx) { return Endpoints{host}.list(tx); });
    for (const Endpoint& endpoint : all) array.push_back(to_json(endpoint));
    return radd::json_response(radd::json{{"endpoints", array}});
}

radd::HttpResponse show(const radd::HttpRequest& request, radd::Services& host) {
    return host.database().transact([&](radd::Transaction& tx) {
        return radd::json_response(found(tx, Endpoints{host}, id_of(request)));
    });
}

radd::HttpResponse create(const radd::HttpRequest& request, radd::Services& host) {
    const auto body = request.json_body();
    return host.database().transact([&](radd::Transaction& tx) {
        Endpoints endpoints{host};
        EndpointDraft draft;
        apply(body, draft);
        const auto made = endpoints.create(tx, draft, secret_in(body), actor_of(request));
        auto answer = found(tx, endpoints, made.id);
        answer["secret"] = made.secret;
        auto response = radd::json_response(answer, 201);
        response.headers.emplace_back("Location", "/api/v1/webhooks/" + std::to_string(made.id));
        return response;
    });
}

radd::HttpResponse update(const radd::HttpRequest& request, radd::Services& host) {
    const auto body = request.json_body();
    return host.database().transact([&](radd::Transaction& tx) {
        Endpoints endpoints{host};
        auto endpoint = endpoints.find_to_change(tx, id_of(request));
        if (!endpoint) unknown();
        apply(body, endpoint->draft);
        if (!endpoints.update(tx, endpoint->id, endpoint->draft, actor_of(request))) unknown();
        return radd::json_response(found(tx, endpoints, endpoint->id));
    });
}

radd::HttpResponse remove(const radd::HttpRequest& request, radd::Services& host) {
    return host.database().transact([&](radd::Transaction& tx) {
        if (!Endpoints{host}.remove(tx, id_of(request), actor_of(request))) unknown();
        return radd::no_content();
    });
}

radd::HttpResponse rotate(const radd::HttpRequest& request, radd::Services& host) {
    const auto body = request.json_body();
    const auto overlap = host.settings().duration("rotation_overlap");
    return host.database().transact([&](radd::Transaction& tx) {
        const auto secret =
            Endpoints{host}.rotate(tx, id_of(request), secret_in(body), overlap, actor_of(request));
        if (!secret) unknown();
        return radd::json_response(radd::json{{"secret", *secret}});
    });
}

radd::HttpResponse attempts(const radd::HttpRequest& request, radd::Services& host) {
    std::optional<std::int64_t> before;
    if (const auto text = request.query_value("before")) before = whole_number(*text);
    auto array = radd::json::array();
    host.database().transact([&](radd::Transaction& tx) {
        (void)found(tx, Endpoints{host}, id_of(request));
        for (const auto row :
             tx.query(sql::list_attempts, id_of(request), before, attempts_listed_max)) {
            const auto status = row.optional_integer("status");
            array.push_back({{"id", row.integer("id")},
                             {"delivery_id", row.integer("delivery_id")},
                             {"attempt", row.integer("attempt")},
                             {"outcome", row.text("outcome")},
                             {"status", status ? radd::json(*status) : radd::json()},
                             {"detail", row.text("detail")},
                             {"took_ms", row.integer("took_ms")},
                             {"at", row.text("at")}});
        }
    });
    return radd::json_response(radd::json{{"attempts", array}});
}

radd::HttpResponse replay(const radd::HttpRequest& request, radd::Services& host) {
    const auto body = request.json_body();
    const auto number = [&](const char* name) -> std::optional<std::int64_t> {
        if (!body.contains(name)) return std::nullopt;
        return body.at(name).get<std::int64_t>();
    };
    return host.database().transact([&](radd::Transaction& tx) {
        auto& queue = host.deliveries(queue_name);
        const auto id = id_of(request);
        (void)found(tx, Endpoints{host}, id);
        std::int64_t count = 0;
        if (const auto one = number("delivery_id")) {
            // The queue knows all endpoints' deliveries; the path names one.
            if (!tx.query_one(sql::was_tried_for, id, *one) || !queue.replay_one(tx, *one))
                throw radd::InvalidInput{"delivery_id", "is no finished delivery of this endpoint"};
            count = 1;
        } else {
            count = queue.replay_dead(tx,
                                      {.lane = std::to_string(id),
                                       .first_id = number("first_id"),
                                       .last_id = number("last_id")});
        }
        return radd::json_response(
            radd::json{{"replayed", count}, {"more", count == radd::deliveries_replayed_max}});
    });
}

radd::RouteSpec route(HttpMethod method,
                      std::string path,
                      std::string summary,
                      radd::ResponseSpec answer,
                      radd::HttpResponse (*handle)(const radd::HttpRequest&, radd::Services&)) {
    return {.method = method,
            .path = "/api/v1/webhooks" + path,
            .access = radd::Access::admin,
            .summary = std::move(summary),
            .responses = {std::move(answer)},
            .handle = handle};
}

}  // namespace

std::vector<radd::RouteSpec> routes() {
    const radd::ResponseSpec one{.description = "The endpoint", .schema = endpoint_schema()};
    auto make = route(HttpMethod::post,
                      "",
                      "Create an endpoint",
                      {.status = 201,
                       .description = "The endpoint and its secret, which is shown this once",
                       .schema = made_schema()},
                      create);
    make.request_schema = new_endpoint_schema();
    auto change = route(HttpMethod::patch, "/{id}", "Change an endpoint", one, update);
    change.description = "Switching it off cancels what waits for it.";
    change.request_schema = endpoint_change_schema();
    auto turn =
        route(HttpMethod::post,
              "/{id}/rotate",
              "Give an endpoint a new secret",
              {.description = "The secret, which is shown this once", .schema = secret_schema()},
              rotate);
    turn.description = "For the time of the setting rotation_overlap both secrets sign.";
    turn.request_schema = rotate_schema();
    auto log = route(HttpMethod::get,
                     "/{id}/attempts",
                     "List the latest attempts",
                     {.description = "At most 100, the latest first", .schema = attempts_schema()},
                     attempts);
    log.query = {{.name = "before",
                  .description = "Only those before the attempt of this id",
                  .schema = R"({"type":"integer","minimum":1})"}};
    auto again = route(HttpMethod::post,
                       "/{id}/replay",
                       "Repeat deliveries as new ones",
                       {.description = "How many", .schema = replayed_schema()},
                       replay);
    again.description =
        "One delivery, or the dead ones within a range of ids that have not been repeated.";
    again.request_schema = replay_schema();
    return {route(HttpMethod::get,
                  "",
                  "List endpoints",
                  {.description = "All of them", .schema = endpoints_schema()},
                  list),
            std::move(make),
            route(HttpMethod::get, "/{id}", "Show an endpoint", one, show),
            std::move(change),
            route(HttpMethod::del,
                  "/{id}",
                  "Delete an endpoint",
                  {.status = 204, .description = "It is gone", .content_type = {}},
                  remove),
            std::move(turn),
            std::move(log),
            std::move(again)};
}

}  // namespace webhooks

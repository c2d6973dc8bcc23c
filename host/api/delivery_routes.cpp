// What an operator sees of deliveries that must arrive, and does to them.

#include <algorithm>

#include <nlohmann/json.hpp>

#include <host/api/account_schemas.hpp>
#include <host/api/delivery_routes.hpp>
#include <host/api/delivery_schemas.hpp>
#include <host/api/query.hpp>
#include <host/api/schemas.hpp>
#include <host/delivery/delivery_json.hpp>
#include <host/delivery/operations.hpp>
#include <host/delivery/stored_queue.hpp>

namespace radd::api {
namespace {

using delivery::DeliveryOperations;
using nlohmann::ordered_json;
using Parts = DeliveryRoutesParts;

constexpr int not_found = 404;
constexpr std::int64_t rows_default = 50;

/// Does `work` with the operations. @throws HttpError 404 if there is no such delivery or queue.
template <typename Work>
auto operate(const Parts& parts, Work work) {
    auto session = lease(parts.pool);
    DeliveryOperations operations{*session, parts.declared};
    try {
        return work(operations);
    } catch (const delivery::UnknownDelivery& error) {
        throw HttpError{not_found, error.what()};
    } catch (const delivery::UnknownQueue& error) {
        throw HttpError{not_found, error.what()};
    }
}

/// Afterwards: the log knows who.
void note(const Parts& parts, const HttpRequest& request, const std::string& what) {
    parts.log.info("deliveries: " + what + " by " + who_asks(request));
}

HttpResponse queues(const Parts& parts, const HttpRequest&) {
    auto all = ordered_json::array();
    for (const auto& status :
         operate(parts, [](DeliveryOperations& operations) { return operations.queues(); }))
        all.push_back(to_json(status));
    return response({{"delivery_queues", std::move(all)}});
}

HttpResponse lanes(const Parts& parts, const HttpRequest& request) {
    auto all = ordered_json::array();
    for (const auto& status : operate(parts, [&](DeliveryOperations& operations) {
             return operations.lanes(request.path_parameter("name"));
         }))
        all.push_back(to_json(status));
    return response({{"lanes", std::move(all)}});
}

HttpResponse list(const Parts& parts, const HttpRequest& request) {
    const std::int64_t limit = integer(request, "limit").value_or(rows_default);
    if (limit < 1 || limit > page_rows_max)
        throw InvalidInput{"limit", "is not in 1 to " + std::to_string(page_rows_max)};
    const delivery::DeliveryFilter filter{.queue = text(request, "queue"),
                                          .lane = text(request, "lane"),
                                          .state = text(request, "state"),
                                          .event_id = integer(request, "event_id"),
                                          .before = integer(request, "before")};
    if (filter.state && std::ranges::find(delivery::delivery_states, *filter.state) ==
                            delivery::delivery_states.end())
        throw InvalidInput{"state", "is none of pending, delivered, dead and cancelled"};
    auto rows = operate(
        parts, [&](DeliveryOperations& operations) { return operations.list(filter, limit + 1); });
    const bool more = static_cast<std::int64_t>(rows.size()) > limit;
    if (more) rows.pop_back();
    auto page = ordered_json::array();
    for (const auto& row : rows) page.push_back(to_json(row));
    ordered_json next;
    if (more) next["before"] = rows.back().id;
    return response({{"deliveries", std::move(page)}, {"next", std::move(next)}});
}

HttpResponse show(const Parts& parts, const HttpRequest& request) {
    const auto id = id_in_path(request, "id");
    return operate(parts, [&](DeliveryOperations& operations) {
        const auto stored = operations.find(id);
        return json_response(json_text(stored, operations.payload_text(id)));
    });
}

HttpResponse replay(const Parts& parts, const HttpRequest& request) {
    const auto id = id_in_path(request, "id");
    const auto made =
        operate(parts, [&](DeliveryOperations& operations) { return operations.replay(id); });
    note(parts, request, std::to_string(id) + " queued again as " + std::to_string(made));
    return response({{"replayed_as", made}});
}

HttpResponse cancel(const Parts& parts, const HttpRequest& request) {
    const auto id = id_in_path(request, "id");
    const auto row = operate(parts, [&](DeliveryOperations& operations) {
        operations.cancel(id, "cancelled by " + who_asks(request));
        return operations.find(id);
    });
    note(parts, request, std::to_string(id) + " cancelled");
    return response(to_json(row));
}

HttpResponse replay_letters(const Parts& parts, const HttpRequest& request) {
    const auto& queue = request.path_parameter("name");
    const json body = request.json_body();
    ReplayFilter filter;
    if (body.contains("lane")) filter.lane = body["lane"].get<std::string>();
    if (body.contains("first_id")) filter.first_id = body["first_id"].get<std::int64_t>();
    if (body.contains("last_id")) filter.last_id = body["last_id"].get<std::int64_t>();
    const bool dry_run = body.value("dry_run", false);
    std::int64_t replayed = 0;
    const auto letters = operate(parts, [&](DeliveryOperations& operations) {
        auto found = operations.preview_dead(queue, filter);
        if (!dry_run) replayed = operations.replay_dead(queue, filter);
        return found;
    });
    if (!dry_run) note(parts, request, std::to_string(replayed) + " of " + queue + " queued again");
    auto answer = to_json(letters);
    answer["replayed"] = replayed;
    answer["more"] = std::max(replayed, letters.deliveries) ==
                     static_cast<std::int64_t>(deliveries_replayed_max);
    return response(answer);
}

HttpResponse cancel_lane(const Parts& parts, const HttpRequest& request) {
    const auto& queue = request.path_parameter("name");
    const json body = request.json_body();
    const auto lane = body.at("lane").get<std::string>();
    const bool dry_run = body.value("dry_run", false);
    std::int64_t cancelled = 0;
    const auto waiting = operate(parts, [&](DeliveryOperations& operations) {
        const auto before = operations.waiting_in(queue, lane);
        if (!dry_run)
            cancelled = operations.cancel_lane(queue, lane, "cancelled by " + who_asks(request));
        return before;
    });
    if (!dry_run) note(parts, request, std::to_string(cancelled) + " of " + queue + " cancelled");
    return response({{"cancelled", cancelled},
                     {"waiting", waiting},
                     {"more", cancelled == delivery::StoredQueue::cancelled_max}});
}

RouteSpec route(const Parts& parts,
                HttpMethod method,
                std::string path,
                HttpResponse (*handler)(const Parts&, const HttpRequest&),
                std::string summary,
                ResponseSpec answer) {
    return {.method = method,
            .path = "/api/v1/" + std::move(path),
            .access = Access::admin,
            .summary = std::move(summary),
            .tag = "Deliveries",
            .responses = {std::move(answer)},
            .handle = [parts, handler](const HttpRequest& request, Services&) {
                return handler(parts, request);
            }};
}

std::vector<RouteSpec> single_routes(const Parts& parts) {
    auto all = route(parts,
                     HttpMethod::get,
                     "deliveries",
                     list,
                     "List deliveries",
                     {.description = "The newest first",
                      .schema = schema::page("deliveries", schema::delivery())});
    all.query = schema::delivery_query();
    auto again = route(parts,
                       HttpMethod::post,
                       "deliveries/{id}/replay",
                       replay,
                       "Queue a finished delivery again, as a new one",
                       {.description = "It is queued", .schema = schema::replayed_delivery()});
    again.request_schema = schema::empty_request();
    auto off = route(parts,
                     HttpMethod::post,
                     "deliveries/{id}/cancel",
                     cancel,
                     "Attempt a delivery no more",
                     {.description = "The delivery", .schema = schema::delivery()});
    off.description = "An attempt that is under way may still arrive.";
    off.request_schema = schema::empty_request();
    return {std::move(all),
            route(parts,
                  HttpMethod::get,
                  "deliveries/{id}",
                  show,
                  "Show a delivery",
                  {.description = "With its payload", .schema = schema::delivery_with_payload()}),
            std::move(again),
            std::move(off)};
}

}  // namespace

std::vector<RouteSpec> delivery_routes(const DeliveryRoutesParts& parts) {
    auto all = single_routes(parts);
    all.push_back(route(parts,
                        HttpMethod::get,
                        "delivery-queues",
                        queues,
                        "List delivery queues",
                        {.description = "All that plugins declare or that have deliveries",
                         .schema = schema::list("delivery_queues", schema::delivery_queue())}));
    all.push_back(route(parts,
                        HttpMethod::get,
                        "delivery-queues/{name}/lanes",
                        lanes,
                        "List the receivers of a queue that something waits or has died for",
                        {.description = "At most 500, those with most dead letters first",
                         .schema = schema::list("lanes", schema::delivery_lane())}));
    auto again = route(parts,
                       HttpMethod::post,
                       "delivery-queues/{name}/replay",
                       replay_letters,
                       "Queue dead letters again, or say which that would be",
                       {.description = "How many", .schema = schema::replayed_letters()});
    again.description = "Those that have not been replayed, within the range, 10000 at most.";
    again.request_schema = schema::replay_letters_request();
    auto off = route(parts,
                     HttpMethod::post,
                     "delivery-queues/{name}/cancel",
                     cancel_lane,
                     "Cancel what waits for a receiver, or say how much that is",
                     {.description = "How many", .schema = schema::cancelled_lane()});
    off.description = "10000 at most.";
    off.request_schema = schema::cancel_lane_request();
    all.push_back(std::move(again));
    all.push_back(std::move(off));
    return all;
}

}  // namespace radd::api

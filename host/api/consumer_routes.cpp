// What an operator sees of consumers and does to them.

#include <chrono>
#include <variant>

#include <nlohmann/json.hpp>

#include <host/api/query.hpp>
#include <host/api/routes.hpp>
#include <host/api/schemas.hpp>
#include <host/config/scalars.hpp>
#include <host/consumers/consumer_json.hpp>
#include <host/consumers/operations.hpp>

namespace radd::api {
namespace {

using consumers::ConsumerOperations;
using nlohmann::ordered_json;
using Parts = ConsumerRoutesParts;

constexpr int not_found = 404;
constexpr std::int64_t skipped_rows = 50;

const std::string& name_in_path(const HttpRequest& request) {
    return request.path_parameter("name");
}

/// Does `work` with the operations. @throws HttpError 404 if there is no such consumer.
template <typename Work>
auto operate(const Parts& parts, Work work) {
    auto session = lease(parts.pool);
    ConsumerOperations operations{*session};
    try {
        return work(operations);
    } catch (const consumers::UnknownConsumer& error) {
        throw HttpError{not_found, error.what()};
    }
}

/// Afterwards: the log knows who, and nobody is shown what was so before.
void note(const Parts& parts, const HttpRequest& request, const std::string& what) {
    parts.monitor.sampler().expire();
    std::string who = "somebody";
    if (request.principal) who = request.principal->name + " (" + request.principal->id + ")";
    parts.log.info("consumer " + name_in_path(request) + ": " + what + " by " + who);
}

std::optional<ordered_json> find_status(const Parts& parts, const std::string& name) {
    const auto snapshot = parts.monitor.sampler().fresh();
    for (const auto& status : snapshot->consumers) {
        if (status.name == name) return to_json(status);
    }
    return std::nullopt;
}

ordered_json status_of(const Parts& parts, const std::string& name) {
    if (auto found = find_status(parts, name)) return *std::move(found);
    operate(parts, [&](ConsumerOperations& operations) { operations.require_known(name); });
    parts.monitor.sampler().expire();  // It was declared a moment ago.
    if (auto found = find_status(parts, name)) return *std::move(found);
    throw Unavailable{"the overview does not know " + name};
}

HttpResponse list(const Parts& parts, const HttpRequest&) {
    ordered_json all = ordered_json::array();
    const auto snapshot = parts.monitor.sampler().fresh();
    for (const auto& status : snapshot->consumers) all.push_back(to_json(status));
    return response({{"consumers", std::move(all)}});
}

HttpResponse show(const Parts& parts, const HttpRequest& request) {
    return response(status_of(parts, name_in_path(request)));
}

HttpResponse pause(const Parts& parts, const HttpRequest& request) {
    const json body = request.json_body();
    std::optional<std::chrono::milliseconds> how_long;
    if (body.contains("for")) {
        constexpr Range range{1, 10LL * 365 * 24 * 3600 * 1000};
        const auto parsed = config::parse_duration(body["for"].get<std::string>(), range);
        if (const auto* complaint = std::get_if<config::Complaint>(&parsed))
            throw InvalidInput{"for", complaint->message};
        how_long = std::get<std::chrono::milliseconds>(parsed);
    }
    const std::string reason = body.value("reason", "");
    operate(parts, [&](ConsumerOperations& operations) {
        operations.pause(name_in_path(request), how_long, reason);
    });
    note(parts,
         request,
         "paused " +
             (how_long ? "for " + std::to_string(how_long->count()) + " ms" : "until resumed"));
    return show(parts, request);
}

HttpResponse resume(const Parts& parts, const HttpRequest& request) {
    const auto& name = name_in_path(request);
    const auto moved = operate(parts, [&](ConsumerOperations& operations) {
        return operations.resume(name, parts.tail.position());
    });
    note(parts, request, "resumed");
    ordered_json answer = status_of(parts, name);
    answer["moved"] = moved ? to_json(name, *moved) : ordered_json();
    return response(answer);
}

consumers::SeekTarget target_from(const json& to) {
    if (to == "head") return consumers::SeekTo::head;
    if (to == "beginning") return consumers::SeekTo::beginning;
    if (!to.is_number_integer())
        throw InvalidInput{"to", "is not \"head\", \"beginning\" or an event's id"};
    return to.get<std::int64_t>();
}

HttpResponse seek(const Parts& parts, const HttpRequest& request) {
    const auto& name = name_in_path(request);
    const json body = request.json_body();
    const auto target = target_from(body.value("to", json{}));
    const bool dry_run = body.value("dry_run", false);
    const std::int64_t head = parts.tail.position();
    const auto moved = operate(parts, [&](ConsumerOperations& operations) {
        return dry_run ? operations.preview_seek(name, target, head)
                       : operations.seek(name, target, head);
    });
    if (!dry_run) {
        note(parts,
             request,
             "cursor set from " + std::to_string(moved.from) + " to " + std::to_string(moved.to));
    }
    return response(to_json(name, moved));
}

HttpResponse retry(const Parts& parts, const HttpRequest& request) {
    const auto& name = name_in_path(request);
    const json body = request.json_body();
    std::optional<std::int64_t> event_id;
    if (body.contains("event_id")) event_id = body["event_id"].get<std::int64_t>();
    const auto found = operate(
        parts, [&](ConsumerOperations& operations) { return operations.retry(name, event_id); });
    if (event_id && found == 0) {
        throw HttpError{
            not_found,
            "event " + std::to_string(*event_id) + " is not among the skipped of " + name};
    }
    note(parts, request, std::to_string(found) + " skipped events requested again");
    return response({{"requested", found}});
}

HttpResponse retire(const Parts& parts, const HttpRequest& request) {
    operate(parts,
            [&](ConsumerOperations& operations) { operations.retire(name_in_path(request)); });
    note(parts, request, "retired");
    return show(parts, request);
}

HttpResponse skipped_of(const Parts& parts,
                        const HttpRequest& request,
                        const std::optional<std::string>& name) {
    const std::int64_t limit = integer(request, "limit").value_or(skipped_rows);
    if (limit < 1 || limit > page_rows_max)
        throw InvalidInput{"limit", "is not in 1 to " + std::to_string(page_rows_max)};
    auto records = operate(parts, [&](ConsumerOperations& operations) {
        return operations.skipped(name, limit + 1, integer(request, "before"));
    });
    const bool more = static_cast<std::int64_t>(records.size()) > limit;
    if (more) records.pop_back();
    std::string page = R"({"skipped_events":[)";
    for (const auto& record : records) {
        if (page.back() != '[') page += ',';
        page += consumers::json_text(record);
    }
    page += R"(],"next":)";
    page += more ? R"({"before":)" + std::to_string(records.back().id) + '}' : "null";
    return json_response(page += '}');
}

HttpResponse skipped(const Parts& parts, const HttpRequest& request) {
    return skipped_of(parts, request, name_in_path(request));
}

HttpResponse all_skipped(const Parts& parts, const HttpRequest& request) {
    return skipped_of(parts, request, std::nullopt);
}

using Handler = HttpResponse (*)(const Parts&, const HttpRequest&);

/// What all these routes have in common.
RouteSpec route(const Parts& parts, HttpMethod method, std::string path, Handler handler) {
    return {.method = method,
            .path = std::move(path),
            .access = Access::admin,
            .summary = {},
            .tag = "Consumers",
            .handle = [parts, handler](const HttpRequest& request, Services&) {
                return handler(parts, request);
            }};
}

RouteSpec act(const Parts& parts,
              const std::string& verb,
              Handler handler,
              std::string summary,
              const JsonText& body,
              ResponseSpec answer) {
    auto spec = route(parts, HttpMethod::post, "/api/v1/consumers/{name}/" + verb, handler);
    spec.summary = std::move(summary);
    spec.request_schema = body;
    spec.responses.push_back(std::move(answer));
    return spec;
}

RouteSpec reading(const Parts& parts,
                  std::string path,
                  Handler handler,
                  std::string summary,
                  ResponseSpec answer,
                  std::vector<QueryParameter> query = {}) {
    auto spec = route(parts, HttpMethod::get, std::move(path), handler);
    spec.summary = std::move(summary);
    spec.responses.push_back(std::move(answer));
    spec.query = std::move(query);
    return spec;
}

}  // namespace

std::vector<RouteSpec> consumer_routes(const ConsumerRoutesParts& parts) {
    const ResponseSpec one{.description = "The consumer as it is now",
                           .schema = schema::consumer()};
    const ResponseSpec page{.description = "Open records, the newest first",
                            .schema = schema::page("skipped_events", schema::skipped_event())};
    return {reading(parts,
                    "/api/v1/consumers",
                    list,
                    "List consumers and periodic tasks",
                    {.description = "All that were ever declared",
                     .schema = schema::list("consumers", schema::consumer())}),
            reading(parts, "/api/v1/consumers/{name}", show, "Show a consumer", one),
            reading(parts,
                    "/api/v1/consumers/{name}/skipped",
                    skipped,
                    "List what a consumer has skipped",
                    page,
                    schema::skipped_query()),
            reading(parts,
                    "/api/v1/skipped-events",
                    all_skipped,
                    "List what all consumers have skipped",
                    page,
                    schema::skipped_query()),
            act(parts, "pause", pause, "Pause a consumer", schema::pause_request(), one),
            act(parts,
                "resume",
                resume,
                "End a pause, or bring back what was retired",
                schema::empty_request(),
                {.description = "The consumer, and how its cursor was moved, if it was",
                 .schema = schema::resumed()}),
            act(parts,
                "seek",
                seek,
                "Move a cursor by hand, or say what that would mean",
                schema::seek_request(),
                {.description = "What is replayed or passed", .schema = schema::seek()}),
            act(parts,
                "retry",
                retry,
                "Plan skipped events again",
                schema::retry_request(),
                {.description = "How many will be", .schema = schema::retry()}),
            act(parts,
                "retire",
                retire,
                "Run a consumer no more, until it is resumed",
                schema::empty_request(),
                one)};
}

}  // namespace radd::api

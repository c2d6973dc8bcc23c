#include "routes.hpp"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "dry_run.hpp"
#include "rules.hpp"
#include "schemas.hpp"
#include <radd/services.hpp>

namespace automations {
namespace {

using radd::HttpMethod;
using radd::json;

std::optional<std::int64_t> whole_number(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

[[noreturn]] void unknown() {
    throw radd::HttpError{404, "there is no such rule"};
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
void take_over(json body, RuleDraft& draft) {
    if (body.contains("name")) draft.name = body.at("name").get<std::string>();
    if (body.contains("enabled")) draft.enabled = body.at("enabled").get<bool>();
    body.erase("name");
    body.erase("enabled");
    read_definition(body, draft);
}

json found(radd::Transaction& tx, const Rules& rules, std::int64_t id) {
    const auto rule = rules.find(tx, id);
    if (!rule) unknown();
    return to_json(*rule);
}

radd::HttpResponse list(const radd::HttpRequest&, radd::Services& host) {
    auto array = json::array();
    const auto all =
        host.database().transact([&](radd::Transaction& tx) { return Rules{host}.list(tx); });
    for (const Rule& rule : all) array.push_back(to_json(rule));
    return radd::json_response(json{{"rules", array}});
}

radd::HttpResponse show(const radd::HttpRequest& request, radd::Services& host) {
    return host.database().transact([&](radd::Transaction& tx) {
        return radd::json_response(found(tx, Rules{host}, id_of(request)));
    });
}

radd::HttpResponse create(const radd::HttpRequest& request, radd::Services& host) {
    RuleDraft draft;
    take_over(request.json_body(), draft);
    return host.database().transact([&](radd::Transaction& tx) {
        Rules rules{host};
        const auto id = rules.create(tx, draft, actor_of(request));
        auto response = radd::json_response(found(tx, rules, id), 201);
        response.headers.emplace_back("Location", "/api/v1/automations/" + std::to_string(id));
        return response;
    });
}

radd::HttpResponse update(const radd::HttpRequest& request, radd::Services& host) {
    return host.database().transact([&](radd::Transaction& tx) {
        Rules rules{host};
        auto rule = rules.find_to_change(tx, id_of(request));
        if (!rule) unknown();
        take_over(request.json_body(), rule->draft);
        if (!rules.update(tx, rule->id, rule->draft, actor_of(request))) unknown();
        return radd::json_response(found(tx, rules, rule->id));
    });
}

radd::HttpResponse remove(const radd::HttpRequest& request, radd::Services& host) {
    return host.database().transact([&](radd::Transaction& tx) {
        if (!Rules{host}.remove(tx, id_of(request), actor_of(request))) unknown();
        return radd::no_content();
    });
}

radd::HttpResponse test(const radd::HttpRequest& request, radd::Services& host) {
    const auto body = request.json_body();
    if (body.contains("rule") == body.contains("rule_id"))
        throw radd::InvalidInput{"rule", "give either a rule or a rule_id"};
    Rule rule;
    if (body.contains("rule")) {
        take_over(body.at("rule"), rule.draft);
    } else {
        const auto id = body.at("rule_id").get<std::int64_t>();
        const auto kept = host.database().transact(
            [&](radd::Transaction& tx) { return Rules{host}.find(tx, id); });
        if (!kept) throw radd::InvalidInput{"rule_id", "there is no such rule"};
        rule = *kept;
    }
    std::optional<std::int64_t> event_id;
    if (body.contains("event_id")) event_id = body.at("event_id").get<std::int64_t>();
    return radd::json_response(dry_run(host, rule, event_id));
}

radd::HttpResponse list_runs(const radd::HttpRequest& request, radd::Services& host) {
    std::optional<std::int64_t> before;
    std::optional<std::int64_t> rule_id;
    if (const auto text = request.query_value("before")) before = whole_number(*text);
    if (const auto text = request.query_value("rule_id")) rule_id = whole_number(*text);
    auto array = host.database().transact(
        [&](radd::Transaction& tx) { return runs(tx, rule_id, before, runs_listed_max); });
    return radd::json_response(json{{"runs", std::move(array)}});
}

radd::RouteSpec route(HttpMethod method,
                      std::string path,
                      std::string summary,
                      radd::ResponseSpec answer,
                      radd::HttpResponse (*handle)(const radd::HttpRequest&, radd::Services&)) {
    return {.method = method,
            .path = "/api/v1/automations" + path,
            .access = radd::Access::admin,
            .summary = std::move(summary),
            .responses = {std::move(answer)},
            .handle = handle};
}

radd::RouteSpec dry_run_route() {
    auto spec = route(
        HttpMethod::post,
        "/dry-run",
        "Show what a rule would do on an event",
        {.description = "What a real run would decide and apply now", .schema = dry_run_schema()},
        test);
    spec.description = "The rule is given, or one that is kept is named. Nothing is written.";
    spec.request_schema = dry_run_request_schema();
    return spec;
}

radd::RouteSpec runs_route() {
    auto spec = route(HttpMethod::get,
                      "/runs",
                      "List the latest runs",
                      {.description = "At most 200, the latest first", .schema = runs_schema()},
                      list_runs);
    const char* number = R"({"type":"integer","minimum":1})";
    spec.query = {{.name = "rule_id", .description = "Only of this rule", .schema = number},
                  {.name = "before",
                   .description = "Only those before the run of this id",
                   .schema = number}};
    return spec;
}

}  // namespace

std::vector<radd::RouteSpec> routes() {
    const radd::ResponseSpec one{.description = "The rule", .schema = rule_schema()};
    auto make = route(HttpMethod::post,
                      "",
                      "Create a rule",
                      {.status = 201, .description = "The rule", .schema = rule_schema()},
                      create);
    make.request_schema = new_rule_schema();
    auto change = route(HttpMethod::patch, "/{id}", "Change a rule", one, update);
    change.description =
        "Switching it on gives it a new budget. A rule of a plugin can be switched alone.";
    change.request_schema = rule_change_schema();
    return {route(HttpMethod::get,
                  "",
                  "List rules",
                  {.description = "All of them", .schema = rules_schema()},
                  list),
            std::move(make),
            dry_run_route(),
            runs_route(),
            route(HttpMethod::get, "/{id}", "Show a rule", one, show),
            std::move(change),
            route(HttpMethod::del,
                  "/{id}",
                  "Delete a rule and its runs",
                  {.status = 204, .description = "It is gone", .content_type = {}},
                  remove)};
}

}  // namespace automations

#include "routes.hpp"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "clocks.hpp"
#include "list_json.hpp"
#include "policies.hpp"
#include "schemas.hpp"
#include "sql.hpp"
#include <radd/http.hpp>
#include <radd/services.hpp>

namespace sla {
namespace {

using radd::HttpMethod;

constexpr std::int64_t page_clocks = 100;

std::int64_t id_of(const radd::HttpRequest& request, const char* what) {
    const std::string& text = request.path_parameter("id");
    std::int64_t id = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (error != std::errc{} || end != text.data() + text.size())
        throw radd::HttpError{404, std::string{"there is no such "} + what};
    return id;
}

StoredCalendar found_calendar(radd::Transaction& tx, std::int64_t id) {
    auto calendar = find_calendar(tx, id);
    if (!calendar) throw radd::HttpError{404, "there is no such calendar"};
    return *std::move(calendar);
}

Policy found_policy(radd::Transaction& tx, std::int64_t id) {
    auto policy = find_policy(tx, id);
    if (!policy) throw radd::HttpError{404, "there is no such policy"};
    return *std::move(policy);
}

radd::HttpResponse made(const radd::json& body, const std::string& location) {
    auto response = radd::json_response(body, 201);
    response.headers.emplace_back("Location", location);
    return response;
}

/// The fields that are given; the others stay as they are.
void overlay(const radd::json& body, CalendarDraft& draft) {
    const auto before = to_json(draft.rules);
    const auto field = [&](const char* name) {
        return body.contains(name) ? body.at(name) : before.at(name);
    };
    if (body.contains("name")) draft.name = body.at("name").get<std::string>();
    draft.rules = rules_of(field("zone").get<std::string>(), field("hours"), field("holidays"));
}

void overlay(const radd::json& body, PolicyDraft& draft) {
    const auto take = [&body](const char* name, auto& value) {
        if (body.contains(name)) body.at(name).get_to(value);
    };
    take("project", draft.project);
    take("name", draft.name);
    take("position", draft.position);
    take("enabled", draft.enabled);
    take("types", draft.types);
    take("priorities", draft.priorities);
    take("labels", draft.labels);
    take("calendar_id", draft.calendar_id);
    take("pause_states", draft.pause_states);
    take("alarm_for_past", draft.alarm_for_past);
    if (body.contains("targets")) draft.targets = promises_of(body.at("targets"));
}

using Work = radd::HttpResponse (*)(radd::Transaction&, const radd::HttpRequest&);

std::function<radd::HttpResponse(const radd::HttpRequest&, radd::Services&)> transacted(Work work) {
    return [work](const radd::HttpRequest& request, radd::Services& host) {
        return host.database().transact([&](radd::Transaction& tx) { return work(tx, request); });
    };
}

radd::HttpResponse calendars(radd::Transaction& tx, const radd::HttpRequest&) {
    return radd::json_response(radd::json{{"calendars", list_json(list_calendars(tx))}});
}

radd::HttpResponse calendar(radd::Transaction& tx, const radd::HttpRequest& request) {
    return radd::json_response(to_json(found_calendar(tx, id_of(request, "calendar"))));
}

radd::HttpResponse make_calendar(radd::Transaction& tx, const radd::HttpRequest& request) {
    CalendarDraft draft;
    overlay(request.json_body(), draft);
    const auto id = create_calendar(tx, draft);
    return made(to_json(found_calendar(tx, id)), "/api/v1/sla/calendars/" + std::to_string(id));
}

radd::HttpResponse change_calendar(radd::Transaction& tx, const radd::HttpRequest& request) {
    auto calendar = found_calendar(tx, id_of(request, "calendar"));
    overlay(request.json_body(), calendar.draft);
    (void)update_calendar(tx, calendar.id, calendar.draft);
    return radd::json_response(to_json(found_calendar(tx, calendar.id)));
}

radd::HttpResponse remove_calendar(radd::Transaction& tx, const radd::HttpRequest& request) {
    if (!delete_calendar(tx, id_of(request, "calendar")))
        throw radd::HttpError{404, "there is no such calendar"};
    return radd::no_content();
}

std::optional<std::string> text_in(const radd::HttpRequest& request, const char* name) {
    const auto value = request.query_value(name);
    if (!value) return std::nullopt;
    return std::string{*value};
}

radd::HttpResponse policies(radd::Transaction& tx, const radd::HttpRequest& request) {
    return radd::json_response(
        radd::json{{"policies", list_json(list_policies(tx, text_in(request, "project")))}});
}

radd::HttpResponse policy(radd::Transaction& tx, const radd::HttpRequest& request) {
    return radd::json_response(to_json(found_policy(tx, id_of(request, "policy"))));
}

radd::HttpResponse make_policy(radd::Transaction& tx, const radd::HttpRequest& request) {
    PolicyDraft draft;
    overlay(request.json_body(), draft);
    const auto id = create_policy(tx, draft);
    return made(to_json(found_policy(tx, id)), "/api/v1/sla/policies/" + std::to_string(id));
}

radd::HttpResponse change_policy(radd::Transaction& tx, const radd::HttpRequest& request) {
    auto policy = found_policy(tx, id_of(request, "policy"));
    overlay(request.json_body(), policy.draft);
    (void)update_policy(tx, policy.id, policy.draft);
    return radd::json_response(to_json(found_policy(tx, policy.id)));
}

radd::HttpResponse remove_policy(radd::Transaction& tx, const radd::HttpRequest& request) {
    if (!delete_policy(tx, id_of(request, "policy")))
        throw radd::HttpError{404, "there is no such policy"};
    return radd::no_content();
}

radd::HttpResponse open_clocks(radd::Transaction& tx, const radd::HttpRequest& request) {
    auto clocks = list_open(tx,
                            {.project = text_in(request, "project"),
                             .state = text_in(request, "state"),
                             .after = text_in(request, "after"),
                             .limit = page_clocks + 1});
    radd::json body{{"clocks", nullptr}, {"next", nullptr}};
    if (static_cast<std::int64_t>(clocks.size()) > page_clocks) {
        clocks.pop_back();
        body["next"] = {{"after", place_of(clocks.back())}};
    }
    body["clocks"] = list_json(clocks);
    return radd::json_response(body);
}

radd::HttpResponse item_clocks(radd::Transaction& tx, const radd::HttpRequest& request) {
    const auto item = tx.query_one(sql::find_item, request.path_parameter("key"));
    if (!item) throw radd::HttpError{404, "there is no such item"};
    return radd::json_response(
        radd::json{{"clocks", list_json(list_of_item(tx, item->integer("id")))}});
}

radd::RouteSpec route(HttpMethod method,
                      std::string path,
                      std::string summary,
                      radd::ResponseSpec answer,
                      Work work) {
    return {.method = method,
            .path = "/api/v1/sla" + path,
            .access = radd::Access::admin,
            .summary = std::move(summary),
            .tag = "service levels",
            .responses = {std::move(answer)},
            .handle = transacted(work)};
}

radd::ResponseSpec gone() {
    return {.status = 204, .description = "It is gone", .content_type = {}};
}

std::vector<radd::RouteSpec> calendar_routes() {
    const radd::ResponseSpec one{.description = "The calendar", .schema = calendar_schema()};
    auto make = route(HttpMethod::post,
                      "/calendars",
                      "Create a calendar",
                      {.status = 201, .description = "The calendar", .schema = calendar_schema()},
                      make_calendar);
    make.request_schema = new_calendar_schema();
    auto change =
        route(HttpMethod::patch, "/calendars/{id}", "Change a calendar", one, change_calendar);
    change.description =
        "Clocks of open items follow within moments; what has been told stays told.";
    change.request_schema = calendar_change_schema();
    auto list = route(HttpMethod::get,
                      "/calendars",
                      "List calendars",
                      {.description = "All of them", .schema = calendars_schema()},
                      calendars);
    list.access = radd::Access::member;
    auto show = route(HttpMethod::get, "/calendars/{id}", "Show a calendar", one, calendar);
    show.access = radd::Access::member;
    return {
        std::move(list),
        std::move(make),
        std::move(show),
        std::move(change),
        route(HttpMethod::del, "/calendars/{id}", "Delete a calendar", gone(), remove_calendar)};
}

std::vector<radd::RouteSpec> policy_routes() {
    const radd::ResponseSpec one{.description = "The policy", .schema = policy_schema()};
    auto make = route(HttpMethod::post,
                      "/policies",
                      "Create a policy",
                      {.status = 201, .description = "The policy", .schema = policy_schema()},
                      make_policy);
    make.description =
        "What was overdue by then is shown, and raises no alarm unless "
        "`alarm_for_past` says so.";
    make.request_schema = new_policy_schema();
    auto change = route(HttpMethod::patch, "/policies/{id}", "Change a policy", one, change_policy);
    change.description =
        "Clocks of open items follow within moments; what has been told stays told.";
    change.request_schema = policy_change_schema();
    auto list = route(HttpMethod::get,
                      "/policies",
                      "List policies",
                      {.description = "In their order", .schema = policies_schema()},
                      policies);
    list.access = radd::Access::member;
    list.query = {{.name = "project", .description = "Only those of the project of this key"}};
    auto show = route(HttpMethod::get, "/policies/{id}", "Show a policy", one, policy);
    show.access = radd::Access::member;
    return {std::move(list),
            std::move(make),
            std::move(show),
            std::move(change),
            route(HttpMethod::del, "/policies/{id}", "Delete a policy", gone(), remove_policy)};
}

std::vector<radd::RouteSpec> clock_routes() {
    auto open = route(HttpMethod::get,
                      "/clocks",
                      "List clocks that run or are overdue",
                      {.description = "A page, the most urgent first", .schema = clocks_schema()},
                      open_clocks);
    open.access = radd::Access::member;
    open.query = {
        {.name = "project", .description = "Only items of the project of this key"},
        {.name = "state",
         .description = "Only clocks in this state",
         .schema = R"({"type":"string","enum":["running","paused","due_soon","breached"]})"},
        {.name = "after", .description = "`next.after` of the page before"}};
    auto item = route(HttpMethod::get,
                      "/items/{key}",
                      "Show the clocks of an item",
                      {.description = "Also those that have ended, the latest life first",
                       .schema = item_clocks_schema()},
                      item_clocks);
    item.access = radd::Access::member;
    return {std::move(open), std::move(item)};
}

}  // namespace

std::vector<radd::RouteSpec> routes() {
    std::vector<radd::RouteSpec> all = calendar_routes();
    for (auto& route : policy_routes()) all.push_back(std::move(route));
    for (auto& route : clock_routes()) all.push_back(std::move(route));
    return all;
}

}  // namespace sla

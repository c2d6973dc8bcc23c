#include "routes.hpp"

#include <functional>
#include <string>
#include <utility>

#include "inbox.hpp"
#include "item_ids.hpp"
#include "local_time.hpp"
#include "preferences.hpp"
#include "schemas.hpp"
#include "watches.hpp"
#include <items/service.hpp>
#include <radd/http.hpp>

namespace notify {
namespace {

constexpr std::int64_t page_rows = 50;
constexpr std::int64_t page_rows_max = 200;

/// One request of a person, in its transaction.
struct Call {
    const radd::HttpRequest& request;
    radd::Services& host;
    radd::Transaction& tx;
    const PersonId& person;  ///< Of the caller's account; maybe not a person of items yet.
};

using Handler = std::function<radd::HttpResponse(const radd::HttpRequest&, radd::Services&)>;

Handler in_transaction(std::function<radd::HttpResponse(const Call&)> work) {
    return [work = std::move(work)](const radd::HttpRequest& request, radd::Services& host) {
        return host.database().transact([&](radd::Transaction& tx) {
            return work({.request = request,
                         .host = host,
                         .tx = tx,
                         .person = request.principal.value().id});
        });
    };
}

/// What the caller writes hangs on their person, which the first write makes.
void become_person(const Call& call) {
    call.host.get<items::Directory>().ensure_person(
        call.tx, call.person, call.request.principal.value().name);
}

std::int64_t number_of(std::string_view name, std::string_view text) {
    const auto number = id_in(text);
    if (!number)
        throw radd::InvalidInput{std::string{name},
                                 "'" + std::string{text} + "' is no whole number above 0"};
    return *number;
}

radd::HttpResponse inbox(const Call& call) {
    InboxQuery query{.archived = call.request.query_value("archived") == "true",
                     .unread = call.request.query_value("unread") == "true",
                     .limit = page_rows};
    if (const auto before = call.request.query_value("before"))
        query.before = number_of("before", *before);
    if (const auto limit = call.request.query_value("limit"))
        query.limit = std::min(number_of("limit", *limit), page_rows_max);
    const auto rows = query.limit++;
    auto notices = list_inbox(call.tx, call.person, query);
    const bool more = std::ssize(notices) > rows;
    if (more) notices.pop_back();

    const Kinds kinds{call.host};
    auto list = radd::json::array();
    for (const auto& notice : notices) list.push_back(to_json(notice, kinds));
    radd::json body{
        {"notices", list}, {"unread", count_unread(call.tx, call.person)}, {"next", nullptr}};
    if (more) body["next"] = {{"before", notices.back().told.id}};
    return radd::json_response(body);
}

radd::HttpResponse unread(const Call& call) {
    return radd::json_response(radd::json{{"unread", count_unread(call.tx, call.person)}});
}

std::optional<bool> flag(const radd::json& body, const char* name) {
    const auto found = body.find(name);
    return found != body.end() && found->is_boolean() ? std::optional{found->get<bool>()}
                                                      : std::nullopt;
}

radd::HttpResponse mark_one(const Call& call) {
    const auto& text = call.request.path_parameter("id");
    const auto body = call.request.json_body();
    const auto id = id_in(text);
    if (!id || !mark(call.tx, call.person, *id, flag(body, "read"), flag(body, "archived")))
        throw radd::HttpError{404, "there is no notice '" + text + "' in your inbox"};
    return radd::no_content();
}

radd::HttpResponse mark_all(const Call& call) {
    const auto through = call.request.json_body().value("through", std::int64_t{0});
    const auto read = mark_read_through(call.tx, call.person, through);
    return radd::json_response(
        radd::json{{"read", read}, {"unread", count_unread(call.tx, call.person)}});
}

radd::HttpResponse show_preferences(const Call& call) {
    const auto preferences = preferences_of(call.tx, call.host, call.person);
    const auto optional = [](const auto& value) {
        return value ? radd::json(*value) : radd::json();
    };
    const Kinds known{call.host};
    auto kinds = radd::json::array();
    for (const Kind& kind : known.all()) {
        const auto chosen = preferences.kinds.find(kind.name);
        const auto& ways = chosen == preferences.kinds.end() ? kind.defaults : chosen->second;
        kinds.push_back({{"name", kind.name},
                         {"label", kind.label},
                         {"inbox", ways.inbox},
                         {"mail", ways.mail},
                         {"digest", ways.digest}});
    }
    radd::json next_at;
    if (preferences.next_digest_at) next_at = time_text(*preferences.next_digest_at);
    return radd::json_response(radd::json{{"email", optional(preferences.email)},
                                          {"digest",
                                           {{"zone", preferences.digest_zone},
                                            {"hour", preferences.digest_hour},
                                            {"next_at", next_at},
                                            {"last_on", optional(preferences.last_digest_on)}}},
                                          {"kinds", kinds}});
}

radd::HttpResponse patch_preferences(const Call& call) {
    const auto body = call.request.json_body();
    PreferencesPatch patch;
    const auto digest = body.value("digest", radd::json::object());
    if (digest.contains("zone")) patch.digest_zone = digest.at("zone").get<std::string>();
    if (digest.contains("hour")) patch.digest_hour = digest.at("hour").get<std::int64_t>();
    const auto kinds = body.value("kinds", radd::json::object());
    for (const auto& [name, ways] : kinds.items())
        patch.kinds[name] = {.inbox = ways.at("inbox").get<bool>(),
                             .mail = ways.at("mail").get<bool>(),
                             .digest = ways.at("digest").get<bool>()};
    become_person(call);
    change_preferences(call.tx, call.host, call.person, patch);
    return show_preferences(call);
}

items::Item item_in_path(const Call& call) {
    const auto& key = call.request.path_parameter("key");
    auto item = call.host.get<items::Directory>().find_item(call.tx, std::string_view{key});
    if (!item) throw radd::HttpError{404, "there is no item '" + key + "'"};
    return *std::move(item);
}

radd::HttpResponse show_watching(const Call& call) {
    const auto item = item_in_path(call);
    return radd::json_response(radd::json{{"reasons", reasons_of(call.tx, item.id, call.person)},
                                          {"muted", is_muted(call.tx, item.id, call.person)}});
}

radd::HttpResponse mute(const Call& call) {
    const auto item = item_in_path(call);
    const bool muted = call.request.method == radd::HttpMethod::put;
    if (muted) become_person(call);
    set_muted(call.tx, item.id, call.person, muted);
    return radd::no_content();
}

radd::HttpResponse show_projects(const Call& call) {
    auto list = radd::json::array();
    for (const auto& [id, key, name] : watched_projects(call.tx, call.person))
        list.push_back({{"id", id}, {"key", key}, {"name", name}});
    return radd::json_response(radd::json{{"projects", list}});
}

radd::HttpResponse watch_one_project(const Call& call) {
    const auto& key = call.request.path_parameter("key");
    const auto project = call.host.get<items::Directory>().find_project(call.tx, key);
    if (!project) throw radd::HttpError{404, "there is no project '" + key + "'"};
    const bool watching = call.request.method == radd::HttpMethod::put;
    if (watching) become_person(call);
    watch_project(call.tx, project->id, call.person, watching);
    return radd::no_content();
}

radd::RouteSpec get(std::string path,
                    std::string summary,
                    std::string description,
                    radd::JsonText schema,
                    std::function<radd::HttpResponse(const Call&)> work) {
    return {.method = radd::HttpMethod::get,
            .path = std::move(path),
            .summary = std::move(summary),
            .description = std::move(description),
            .tag = "Notices",
            .responses = {{.description = "As it is now", .schema = std::move(schema)}},
            .handle = in_transaction(std::move(work))};
}

/// A switch of the caller's own; repeating it changes nothing.
radd::RouteSpec flip(radd::HttpMethod method,
                     std::string path,
                     std::string summary,
                     std::function<radd::HttpResponse(const Call&)> work) {
    return {.method = method,
            .path = std::move(path),
            .summary = std::move(summary),
            .tag = "Notices",
            .responses = {{.status = 204, .description = "It is so", .content_type = {}}},
            .handle = in_transaction(std::move(work))};
}

std::vector<radd::RouteSpec> inbox_routes() {
    const radd::JsonText flag_schema = R"({"type":"boolean","default":false})";
    auto list = get("/api/v1/notify/inbox",
                    "List the caller's notices",
                    "The latest first. What an item and people are called is as it is now.",
                    schema::inbox(),
                    inbox);
    list.query = {{.name = "unread", .description = "Only unread ones", .schema = flag_schema},
                  {.name = "archived", .description = "Those instead", .schema = flag_schema},
                  {.name = "before",
                   .description = "`next.before` of the page before",
                   .schema = R"({"type":"integer","minimum":1})"},
                  {.name = "limit",
                   .description = "Entries of a page",
                   .schema = R"({"type":"integer","minimum":1,"maximum":200,"default":50})"}};
    return {
        std::move(list),
        get("/api/v1/notify/unread",
            "Count the caller's unread notices",
            "",
            schema::unread(),
            unread),
        {.method = radd::HttpMethod::patch,
         .path = "/api/v1/notify/inbox/{id}",
         .summary = "Mark a notice as read or archived, or no longer",
         .tag = "Notices",
         .request_schema = schema::mark(),
         .responses = {{.status = 204, .description = "It is so", .content_type = {}}},
         .handle = in_transaction(mark_one)},
        {.method = radd::HttpMethod::post,
         .path = "/api/v1/notify/inbox/read",
         .summary = "Mark all notices as read up to one",
         .description = "What came in since, and nobody has seen, stays unread.",
         .tag = "Notices",
         .request_schema = schema::read_through(),
         .responses = {{.description = "They are read", .schema = schema::marked()}},
         .handle = in_transaction(mark_all)},
    };
}

}  // namespace

std::vector<radd::RouteSpec> routes() {
    using radd::HttpMethod;
    auto all = inbox_routes();
    all.push_back(get("/api/v1/notify/preferences",
                      "Show what the caller is told of, and how",
                      "Mails go to the address of the person of the caller's account: "
                      "/api/v1/people/{id} has it.",
                      schema::preferences(),
                      show_preferences));
    all.push_back(
        {.method = HttpMethod::patch,
         .path = "/api/v1/notify/preferences",
         .summary = "Change what the caller is told of, and how",
         .description = "What is absent stays.",
         .tag = "Notices",
         .request_schema = schema::preferences_patch(),
         .responses = {{.description = "As they are now", .schema = schema::preferences()}},
         .handle = in_transaction(patch_preferences)});
    all.push_back(get("/api/v1/notify/items/{key}",
                      "Show why the caller hears of an item",
                      "",
                      schema::watching_item(),
                      show_watching));
    const std::string item = "/api/v1/notify/items/{key}/mute";
    all.push_back(flip(HttpMethod::put, item, "Hear no more of an item", mute));
    all.push_back(flip(HttpMethod::del, item, "Hear of an item again", mute));
    all.push_back(get("/api/v1/notify/projects",
                      "List the projects that the caller watches",
                      "",
                      schema::watched_projects(),
                      show_projects));
    const std::string project = "/api/v1/notify/projects/{key}";
    all.push_back(flip(HttpMethod::put, project, "Watch a project", watch_one_project));
    all.push_back(flip(HttpMethod::del, project, "Watch a project no longer", watch_one_project));
    return all;
}

}  // namespace notify

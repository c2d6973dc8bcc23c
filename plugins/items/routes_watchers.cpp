// Who watches an item. Both ways to change it answer the same however often they are repeated.

#include "route_call.hpp"
#include "routes.hpp"
#include "schemas.hpp"

namespace items {
namespace {

radd::HttpResponse list(const Call& call) {
    const auto watchers = call.directory.list_watchers(call.tx, item_in_path(call).id);
    return radd::json_response(radd::json{{"watchers", list_json(watchers)}});
}

radd::HttpResponse watch(const Call& call) {
    const auto item = item_in_path(call);
    const Act act = acting(call);  // First: it may be the caller who begins to watch.
    call.directory.watch(call.tx, item.id, person_in_path(call).id, act);
    return radd::no_content();
}

radd::HttpResponse unwatch(const Call& call) {
    const auto item = item_in_path(call);
    const Act act = acting(call);
    call.directory.unwatch(call.tx, item.id, person_in_path(call).id, act);
    return radd::no_content();
}

}  // namespace

std::vector<radd::RouteSpec> watcher_routes() {
    const std::string tag = "Watchers";
    return {
        {.method = radd::HttpMethod::get,
         .path = "/api/v1/items/{key}/watchers",
         .summary = "List who watches an item",
         .tag = tag,
         .responses = {{.description = "All of them, in order of name",
                        .schema = schema::list("watchers", schema::person_name())}},
         .handle = in_transaction(list)},
        {.method = radd::HttpMethod::put,
         .path = "/api/v1/items/{key}/watchers/{id}",
         .summary = "Let a person watch an item",
         .description = "Oneself by the id of one's account. Also if they do already.",
         .tag = tag,
         .responses = {{.status = 204, .description = "They watch it", .content_type = {}}},
         .handle = in_transaction(watch)},
        {.method = radd::HttpMethod::del,
         .path = "/api/v1/items/{key}/watchers/{id}",
         .summary = "Let a person no longer watch an item",
         .description = "Also if they do not.",
         .tag = tag,
         .responses = {{.status = 204, .description = "They do not watch it", .content_type = {}}},
         .handle = in_transaction(unwatch)},
    };
}

}  // namespace items

// Items.

#include <utility>

#include "body.hpp"
#include "route_call.hpp"
#include "routes.hpp"
#include "schemas.hpp"

namespace items {
namespace {

ItemId parent_id(const Call& call, const std::string& key) {
    const auto parent =
        key.find('\0') == std::string::npos ? call.directory.find_item(call.tx, key) : std::nullopt;
    if (!parent) throw radd::InvalidInput{"parent", "there is no item '" + key + "'"};
    return parent->id;
}

ProjectId project_id(const Call& call, const std::string& key) {
    const auto project = key.find('\0') == std::string::npos
                             ? call.directory.find_project(call.tx, key)
                             : std::nullopt;
    if (!project) throw radd::InvalidInput{"project", "there is no project '" + key + "'"};
    return project->id;
}

/// The fields that a new item and a change of one have in common.
ItemPatch patch_of(const Call& call, const Body& body) {
    ItemPatch patch{.title = body.text("title"),
                    .description = body.text("description"),
                    .type = body.text("type"),
                    .state = body.text("state"),
                    .priority = body.nullable_text("priority"),
                    .reporter = body.nullable_text("reporter"),
                    .assignee = body.nullable_text("assignee"),
                    .contact = body.contact("contact"),
                    .labels = body.texts("labels")};
    if (const auto parent = body.nullable_text("parent"))
        patch.parent = *parent ? std::optional{parent_id(call, **parent)} : std::optional<ItemId>{};
    return patch;
}

radd::HttpResponse list(const Call& call) {
    const auto limit = query_limit(call.request);
    ItemFilter filter{.after = query_number(call.request, "after"), .limit = limit + 1};
    if (const auto project = call.request.query_value("project"))
        filter.project_id = project_id(call, std::string{*project});
    return page_response(
        "items", call.directory.list_items(call.tx, filter), limit, [](const Item& item) {
            return item.id;
        });
}

radd::HttpResponse create(const Call& call) {
    const Body body{call.request.json_body(),
                    {"project",
                     "title",
                     "description",
                     "type",
                     "state",
                     "priority",
                     "reporter",
                     "assignee",
                     "contact",
                     "parent",
                     "labels"}};
    const auto project = project_id(call, body.required_text("project"));
    const auto title = body.required_text("title");
    auto patch = patch_of(call, body);
    const auto item = call.directory.create_item(
        call.tx,
        {.project_id = project,
         .title = title,
         .description = patch.description.value_or(""),
         .type = patch.type.value_or("Task"),
         .state = patch.state,
         .priority = patch.priority.value_or(std::nullopt),
         .reporter = patch.reporter.value_or(std::nullopt),
         .assignee = patch.assignee.value_or(std::nullopt),
         .contact = patch.contact.value_or(std::nullopt),
         .parent = patch.parent.value_or(std::nullopt),
         .labels = std::move(patch.labels).value_or(std::vector<std::string>{})},
        acting(call));
    return created_response(to_json(item), "/api/v1/items/" + item.key);
}

radd::HttpResponse show(const Call& call) {
    return radd::json_response(to_json(item_in_path(call)));
}

radd::HttpResponse change(const Call& call) {
    const Body body{call.request.json_body(),
                    {"title",
                     "description",
                     "type",
                     "state",
                     "priority",
                     "reporter",
                     "assignee",
                     "contact",
                     "parent",
                     "labels"}};
    const auto id = item_in_path(call).id;
    (void)call.directory.update_item(call.tx, id, patch_of(call, body), acting(call));
    return radd::json_response(to_json(item_in_path(call)));
}

radd::HttpResponse remove(const Call& call) {
    call.directory.delete_item(call.tx, item_in_path(call).id, acting(call));
    return radd::no_content();
}

std::vector<radd::QueryParameter> list_query() {
    auto query = schema::paging(schema::id());
    query.insert(query.begin(),
                 {.name = "project", .description = "Only those of the project of this key"});
    return query;
}

}  // namespace

std::vector<radd::RouteSpec> item_routes() {
    const std::string tag = "Items";
    return {
        {.method = radd::HttpMethod::get,
         .path = "/api/v1/items",
         .summary = "List items",
         .description = "In the order they were made.",
         .tag = tag,
         .query = list_query(),
         .responses = {{.description = "A page of items",
                        .schema = schema::page("items", schema::item(), schema::id())}},
         .handle = in_transaction(list)},
        {.method = radd::HttpMethod::post,
         .path = "/api/v1/items",
         .summary = "Add an item",
         .description = "Project and parent are named by key, people by id and the state by name.",
         .tag = tag,
         .request_schema = schema::new_item(),
         .responses = {{.status = 201,
                        .description = "The new item; Location names it",
                        .schema = schema::item()}},
         .handle = in_transaction(create)},
        {.method = radd::HttpMethod::get,
         .path = "/api/v1/items/{key}",
         .summary = "Show an item",
         .tag = tag,
         .responses = {{.description = "The item", .schema = schema::item()}},
         .handle = in_transaction(show)},
        {.method = radd::HttpMethod::patch,
         .path = "/api/v1/items/{key}",
         .summary = "Change an item",
         .description = "A field that is absent stays, and null clears it. What changes nothing "
                        "is no error and no event.",
         .tag = tag,
         .request_schema = schema::item_patch(),
         .responses = {{.description = "The item as it is now", .schema = schema::item()}},
         .handle = in_transaction(change)},
        {.method = radd::HttpMethod::del,
         .path = "/api/v1/items/{key}",
         .summary = "Delete an item",
         .description = "With its comments and watchers. Items it is the parent of stay.",
         .tag = tag,
         .responses = {{.status = 204, .description = "It is gone", .content_type = {}}},
         .handle = in_transaction(remove)},
    };
}

}  // namespace items

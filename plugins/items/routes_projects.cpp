// Projects.

#include <algorithm>
#include <string>

#include "body.hpp"
#include "route_call.hpp"
#include "routes.hpp"
#include "schemas.hpp"

namespace items {
namespace {

radd::HttpResponse list(const Call& call) {
    const auto limit = query_limit(call.request);
    Page<std::string> page{.limit = limit + 1};
    if (const auto after = call.request.query_value("after")) page.after = std::string{*after};
    return page_response(
        "projects", call.directory.list_projects(call.tx, page), limit, [](const Project& project) {
            return project.key;
        });
}

radd::HttpResponse create(const Call& call) {
    const Body body{call.request.json_body(), {"key", "name"}};
    const NewProject wanted{.key = body.required_text("key"), .name = body.required_text("name")};
    const auto project = call.directory.create_project(call.tx, wanted, acting(call));
    return created_response(to_json(project), "/api/v1/projects/" + project.key);
}

radd::HttpResponse show(const Call& call) {
    return radd::json_response(to_json(project_in_path(call)));
}

radd::HttpResponse change(const Call& call) {
    const Body body{call.request.json_body(), {"name"}};
    auto project = project_in_path(call);
    if (const auto name = body.text("name")) {
        call.directory.rename_project(call.tx, project.id, *name, acting(call));
        project.name = *name;
    }
    return radd::json_response(to_json(project));
}

radd::HttpResponse remove(const Call& call) {
    const auto project = project_in_path(call);
    const bool with_items = call.request.query_value("with_items") == "true";
    (void)call.directory.delete_project(
        call.tx, project.id, {.with_items = with_items}, acting(call));
    return radd::no_content();
}

std::string removal_description() {
    return "409 while it has items, unless with_items is true: then they are deleted first, each "
           "as by itself. Also 409 if more than " +
           std::to_string(removal_items_max) +
           " items would be deleted or lose their parent; delete some first. What only concerned "
           "this project is switched off with the reason: automations, webhook endpoints and chat "
           "rooms.";
}

}  // namespace

std::vector<radd::RouteSpec> project_routes() {
    const std::string tag = "Projects";
    return {
        {.method = radd::HttpMethod::get,
         .path = "/api/v1/projects",
         .summary = "List projects",
         .description = "In order of key.",
         .tag = tag,
         .query = schema::paging({{"type", "string"}}),
         .responses = {{.description = "A page of projects",
                        .schema =
                            schema::page("projects", schema::project(), {{"type", "string"}})}},
         .handle = in_transaction(list)},
        {.method = radd::HttpMethod::post,
         .path = "/api/v1/projects",
         .access = radd::Access::admin,
         .summary = "Add a project",
         .description = "409 if its key is another project's. A key is never changed.",
         .tag = tag,
         .request_schema = schema::new_project(),
         .responses = {{.status = 201,
                        .description = "The new project; Location names it",
                        .schema = schema::project()}},
         .handle = in_transaction(create)},
        {.method = radd::HttpMethod::get,
         .path = "/api/v1/projects/{key}",
         .summary = "Show a project",
         .tag = tag,
         .responses = {{.description = "The project", .schema = schema::project()}},
         .handle = in_transaction(show)},
        {.method = radd::HttpMethod::patch,
         .path = "/api/v1/projects/{key}",
         .access = radd::Access::admin,
         .summary = "Rename a project",
         .tag = tag,
         .request_schema = schema::project_patch(),
         .responses = {{.description = "The project as it is now", .schema = schema::project()}},
         .handle = in_transaction(change)},
        {.method = radd::HttpMethod::del,
         .path = "/api/v1/projects/{key}",
         .access = radd::Access::admin,
         .summary = "Delete a project",
         .description = removal_description(),
         .tag = tag,
         .query = {{.name = "with_items",
                    .description = "Whether its items, with their comments, are deleted as well",
                    .schema = R"({"type":"boolean","default":false})"}},
         .responses = {{.status = 204, .description = "It is gone", .content_type = {}}},
         .handle = in_transaction(remove)},
    };
}

}  // namespace items

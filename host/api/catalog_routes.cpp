#include <host/api/asyncapi.hpp>
#include <host/api/catalog_json.hpp>
#include <host/api/routes.hpp>
#include <host/api/schemas.hpp>
#include <host/plugins/report.hpp>

namespace radd::api {
namespace {

/// Answers the same to everybody.
std::function<HttpResponse(const HttpRequest&, Services&)> always(std::string document) {
    return [document = std::move(document)](const HttpRequest&, Services&) {
        return json_response(document);
    };
}

}  // namespace

std::vector<RouteSpec> catalog_routes(const loader::PluginSet& plugins) {
    const std::string tag = "Catalogue";
    return {{.path = "/api/v1/event-types",
             .summary = "List the event types that loaded plugins declare",
             .tag = tag,
             .responses = {{.description = "All of them, by name",
                            .schema = schema::list("event_types", schema::event_type())}},
             .handle = always(event_types_json(plugins))},
            {.path = "/api/v1/actions",
             .summary = "List the actions that automations may take",
             .tag = tag,
             .responses = {{.description = "All of them, by name",
                            .schema = schema::list("actions", schema::action())}},
             .handle = always(actions_json(plugins))},
            {.path = "/api/v1/asyncapi.json",
             .summary = "Describe the stream for programs",
             .description = "An AsyncAPI 3.0 document made from the loaded plugins.",
             .tag = tag,
             .responses = {{.description = "The document", .schema = R"({"type":"object"})"}},
             .handle = always(asyncapi_document(plugins))},
            {.path = "/api/v1/plugins",
             .access = Access::admin,
             .summary = "List plugins: loaded, refused with reasons, disabled, ignored",
             .tag = tag,
             .responses = {{.description = "As they were at the start of this process",
                            .schema = schema::plugins()}},
             .handle = always(loader::set_json(plugins))}};
}

}  // namespace radd::api

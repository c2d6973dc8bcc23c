#include <algorithm>
#include <set>
#include <utility>

#include <host/web/openapi.hpp>
#include <host/web/router.hpp>
#include <radd/http_problem.hpp>
#include <radd/route_pattern.hpp>

namespace radd::web {
namespace {

using Json = nlohmann::ordered_json;

/// As a step of a JSON pointer (RFC 6901).
std::string escaped(std::string_view step) {
    std::string text;
    for (const char c : step) {
        if (c == '~') {
            text += "~0";
        } else if (c == '/') {
            text += "~1";
        } else {
            text += c;
        }
    }
    return text;
}

/// A schema's references into itself, moved to where it stands in the document.
void rebase(Json& part, const std::string& place) {
    if (part.is_object()) {
        const auto reference = part.find("$ref");
        if (reference != part.end() && reference->is_string() &&
            reference->get_ref<const std::string&>().starts_with('#'))
            *reference = "#" + place + reference->get_ref<const std::string&>().substr(1);
    }
    if (!part.is_structured()) return;
    for (Json& member : part) rebase(member, place);
}

Json parsed(const Route& route, const JsonText& text, const std::string& place) {
    Json schema = Json::parse(text.text(), nullptr, false);
    if (schema.is_discarded())
        throw ConfigError{"route " + shown(route.spec) + ": a schema of it is not JSON"};
    schema.erase("$schema");  // One document, one dialect; ours mean the same in both.
    rebase(schema, place);
    return schema;
}

/// "GET /api/v1/items/{key}" → "get_items_by_key".
std::string operation_id(const RouteSpec& spec) {
    std::string id;
    for (const char c : name_of(spec.method)) id += static_cast<char>(c - 'A' + 'a');
    auto path = std::string_view{spec.path};
    constexpr std::string_view api = "/api/v1/";
    if (path.starts_with(api)) path.remove_prefix(api.size() - 1);
    const RoutePattern pattern{path};
    for (const auto& [text, is_parameter] : pattern.segments()) {
        id += is_parameter ? "_by_" : "_";
        for (const char c : text) id += c == '-' || c == '.' || c == '~' ? '_' : c;
    }
    return id;
}

Json parameters_of(const Route& route, const std::string& place) {
    Json parameters = Json::array();
    const RoutePattern pattern{route.spec.path};
    for (const auto& [text, is_parameter] : pattern.segments()) {
        if (!is_parameter) continue;
        parameters.push_back({{"name", text},
                              {"in", "path"},
                              {"required", true},
                              {"schema", {{"type", "string"}, {"minLength", 1}}}});
    }
    for (const QueryParameter& parameter : route.spec.query) {
        const auto at = place + "/parameters/" + std::to_string(parameters.size()) + "/schema";
        Json schema = parsed(route, parameter.schema, parameter.repeated ? at + "/items" : at);
        if (parameter.repeated) schema = Json{{"type", "array"}, {"items", std::move(schema)}};
        parameters.push_back({{"name", parameter.name},
                              {"in", "query"},
                              {"description", parameter.description},
                              {"required", parameter.required},
                              {"schema", std::move(schema)}});
    }
    return parameters;
}

/// The errors that this route may give because of what it is.
std::set<int> error_statuses(const RouteSpec& spec) {
    std::set<int> statuses{400, 429, 500, 503};
    if (spec.access != Access::anyone) statuses.insert(401);
    const bool is_safe = spec.method == HttpMethod::get;
    if (spec.access == Access::admin || (spec.access == Access::member && !is_safe))
        statuses.insert(403);
    if (spec.path.find('{') != std::string::npos) statuses.insert(404);
    if (spec.request_schema) statuses.insert({413, 415, 422});
    if (!spec.query.empty()) statuses.insert(422);
    return statuses;
}

Json responses_of(const Route& route, const std::string& place, std::set<int>& used) {
    Json responses = Json::object();
    for (const ResponseSpec& spec : route.spec.responses) {
        const auto status = std::to_string(spec.status);
        Json response{{"description", spec.description}};
        if (!spec.content_type.empty()) {
            Json content = Json::object();
            if (spec.schema) {
                content["schema"] = parsed(route,
                                           *spec.schema,
                                           place + "/responses/" + status + "/content/" +
                                               escaped(spec.content_type) + "/schema");
            }
            constexpr int no_body = 204;
            constexpr int see_other_status = 303;
            if (spec.status != no_body && spec.status != see_other_status)
                response["content"][spec.content_type] = std::move(content);
        }
        responses[status] = std::move(response);
    }
    if (responses.empty()) responses["200"] = {{"description", "Done."}};
    for (const int status : error_statuses(route.spec)) {
        const auto name = std::to_string(status);
        used.insert(status);
        if (!responses.contains(name))
            responses[name] = {{"$ref", "#/components/responses/" + name}};
    }
    return responses;
}

Json operation_of(const Route& route, std::set<int>& used) {
    const RouteSpec& spec = route.spec;
    std::string method;
    for (const char c : name_of(spec.method)) method += static_cast<char>(c - 'A' + 'a');
    const std::string place = "/paths/" + escaped(spec.path) + "/" + method;

    Json operation{{"operationId", operation_id(spec)},
                   {"summary", spec.summary},
                   {"tags", {spec.tag.empty() ? route.owner : spec.tag}}};
    std::string description = spec.description;
    if (spec.access == Access::admin)
        description += (description.empty() ? "" : "\n\n") + std::string{"For administrators."};
    if (!description.empty()) operation["description"] = std::move(description);
    if (auto parameters = parameters_of(route, place); !parameters.empty())
        operation["parameters"] = std::move(parameters);
    if (spec.request_schema) {
        operation["requestBody"] = {
            {"required", true},
            {"content",
             {{"application/json",
               {{"schema",
                 parsed(route,
                        *spec.request_schema,
                        place + "/requestBody/content/application~1json/schema")}}}}}};
    }
    operation["responses"] = responses_of(route, place, used);
    if (spec.access == Access::anyone) {
        operation["security"] = Json::array();
    } else {
        operation["security"] =
            Json::array({{{"bearer", Json::array()}}, {{"session", Json::array()}}});
    }
    return operation;
}

Json problem_schema() {
    const Json text{{"type", "string"}};
    const Json error{{"type", "object"},
                     {"required", {"field", "problem"}},
                     {"properties", {{"field", text}, {"problem", text}}}};
    return {{"type", "object"},
            {"required", {"type", "title", "status", "detail", "request_id"}},
            {"properties",
             {{"type", {{"const", "about:blank"}}},
              {"title", text},
              {"status", {{"type", "integer"}}},
              {"detail", text},
              {"request_id", text},
              {"errors", {{"type", "array"}, {"items", error}}}}}};
}

Json components_of(const OpenApiInfo& info, const std::set<int>& used) {
    Json responses = Json::object();
    for (const int status : used) {
        responses[std::to_string(status)] = {
            {"description", reason_of(status)},
            {"content",
             {{"application/problem+json",
               {{"schema", {{"$ref", "#/components/schemas/Problem"}}}}}}}};
    }
    return {
        {"schemas", {{"Problem", problem_schema()}}},
        {"responses", std::move(responses)},
        {"securitySchemes",
         {{"bearer",
           {{"type", "http"},
            {"scheme", "bearer"},
            {"description", "A token, as `radd token create` prints it once."}}},
          {"session",
           {{"type", "apiKey"},
            {"in", "cookie"},
            {"name", info.session_cookie},
            {"description",
             "What signing in sets. Whatever is not a GET then needs the session's csrf_token in "
             "X-CSRF-Token as well."}}}}}};
}

}  // namespace

std::string openapi_document(std::span<const Route> routes, const OpenApiInfo& info) {
    Json paths = Json::object();
    std::set<int> used;
    std::set<std::string> tags;
    std::vector<const Route*> sorted;
    for (const Route& route : routes) sorted.push_back(&route);
    std::ranges::sort(sorted, {}, [](const Route* route) {
        return std::pair{route->spec.path, route->spec.method};
    });
    for (const Route* route : sorted) {
        std::string method;
        for (const char c : name_of(route->spec.method)) method += static_cast<char>(c - 'A' + 'a');
        paths[route->spec.path][method] = operation_of(*route, used);
        tags.insert(route->spec.tag.empty() ? route->owner : route->spec.tag);
    }
    Json tag_list = Json::array();
    for (const auto& tag : tags) tag_list.push_back({{"name", tag}});
    const Json document{
        {"openapi", "3.1.0"},
        {"info",
         {{"title", "radd"},
          {"version", info.version},
          {"description",
           "Errors are application/problem+json. Bodies are JSON in UTF-8, at most 1 MiB and 64 "
           "levels deep; where nobody need sign in, at most 64 KiB. Who sends more requests at a "
           "time than wait for one caller, or opens more streams than one may have, is told 429. A "
           "problem of the type "
           "urn:radd:problem:commit-in-doubt says that nobody knows whether what was asked for has "
           "been done: look before you send it again. An answer's X-Request-Id is in the log as "
           "well."}}},
        {"servers", Json::array({{{"url", info.public_url}}})},
        {"tags", std::move(tag_list)},
        {"paths", std::move(paths)},
        {"components", components_of(info, used)}};
    return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void add_openapi_route(std::vector<Route>& routes, Services& host, const OpenApiInfo& info) {
    routes.push_back({.spec = {.method = HttpMethod::get,
                               .path = "/api/v1/openapi.json",
                               .access = Access::anyone,
                               .summary = "Describe every route",
                               .description = "This document.",
                               .tag = "meta",
                               .responses = {{.description = "An OpenAPI 3.1 document.",
                                              .schema = R"({"type":"object"})"}},
                               .handle = {}},
                      .owner = "radd",
                      .host = &host});
    auto document = openapi_document(routes, info);
    routes.back().spec.handle = [document = std::move(document)](const HttpRequest&, Services&) {
        return json_response(JsonText{document});
    };
}

}  // namespace radd::web

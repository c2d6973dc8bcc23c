#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <host/config/scalars.hpp>
#include <host/plugins/route_check.hpp>
#include <host/plugins/schema_fault.hpp>
#include <radd/route_pattern.hpp>

namespace radd::loader {
namespace {

// What the kernel answers itself, and the addresses of its pages. Two plugins cannot be told apart
// by their paths, so a new name here is a change that breaks: take it from the start.
constexpr std::array<std::string_view, 17> kernel_paths{"assets",
                                                        "consumers",
                                                        "entities",
                                                        "event-types",
                                                        "events",
                                                        "healthz",
                                                        "index.html",
                                                        "link",
                                                        "links",
                                                        "metrics",
                                                        "monitoring",
                                                        "pages",
                                                        "plugins",
                                                        "readyz",
                                                        "session",
                                                        "sign-in",
                                                        "skipped-events"};
constexpr std::array<std::string_view, 13> kernel_resources{"accounts",
                                                            "asyncapi.json",
                                                            "consumers",
                                                            "entities",
                                                            "event-types",
                                                            "events",
                                                            "links",
                                                            "monitoring",
                                                            "openapi.json",
                                                            "plugins",
                                                            "session",
                                                            "skipped-events",
                                                            "tokens"};

// What a server answers in the end; and 101, by which it agrees to speak another protocol.
constexpr int switching_protocols = 101;
constexpr int status_min = 200;
constexpr int status_max = 599;

template <typename Names>
bool among(const Names& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

/// Empty, or what of the kernel's this path would take, as the end of a sentence.
std::string reserved(const RoutePattern& pattern) {
    const auto& segments = pattern.segments();
    if (segments.front().is_parameter)
        return "begins with a parameter and would take the host's own paths";
    const std::string& first = segments.front().text;
    if (first.empty()) return "is the host's own front page";
    if (among(kernel_paths, first)) return "lies under the host's own /" + first;
    if (first != "api") return {};

    const bool is_v1 = segments.size() > 2 && !segments[1].is_parameter && segments[1].text == "v1";
    if (!is_v1) return "lies under /api and not under /api/v1/<resource>";
    if (segments[2].is_parameter)
        return "has a parameter behind /api/v1 and would take the host's own resources";
    if (among(kernel_resources, segments[2].text))
        return "lies under the host's own /api/v1/" + segments[2].text;
    return {};
}

class Check {
public:
    explicit Check(const Manifest& manifest) : manifest_{manifest} {}

    config::Problems run() {
        for (const RouteSpec& route : manifest_.routes) {
            check_function(route, static_cast<bool>(route.handle), "handle");
            check(route);
            check_path(route);
        }
        for (const StreamSpec& stream : manifest_.streams) {
            const RouteSpec route = route_of(stream);
            check_function(route, static_cast<bool>(stream.open), "open");
            check(route);
            check_path(route);
        }
        return std::move(problems_);
    }

private:
    void add(std::string code, std::string message, std::string hint = "") {
        problems_.push_back({.code = std::move(code),
                             .plugin = manifest_.id,
                             .message = std::move(message),
                             .hint = std::move(hint)});
    }

    void check_schema(const std::string& what, const JsonText& schema) {
        const std::string fault = schema_fault(schema.text());
        if (!fault.empty()) add("E33", what + " " + fault);
    }

    void check_function(const RouteSpec& route, bool present, const std::string& field) {
        if (present) return;
        add("E35",
            "route '" + shown_route(route) + "' has no '" + field + "' function",
            "Set ." + field + " = …");
    }

    void check(const RouteSpec& route) {
        const std::string what = "route '" + shown_route(route) + "'";
        if (route.summary.find_first_not_of(' ') == std::string::npos)
            add("E21", what + " has no summary", "Say in one line what it does");
        if (route.request_schema) {
            if (route.method == HttpMethod::get)
                add("E34",
                    what + " has a request_schema, and a GET has no body",
                    "Take .request_schema away, or the values as .query");
            check_schema(what + ": request_schema", *route.request_schema);
        }
        std::set<std::string> names;
        for (const QueryParameter& parameter : route.query) check(what, parameter, names);
        for (const ResponseSpec& response : route.responses) {
            const std::string status = std::to_string(response.status);
            const bool is_final = response.status >= status_min && response.status <= status_max;
            if (!is_final && response.status != switching_protocols)
                add("E21", what + ": response status " + status + " is outside 200..599");
            if (response.schema)
                check_schema(what + ": schema of response " + status, *response.schema);
        }
    }

    void check(const std::string& what,
               const QueryParameter& parameter,
               std::set<std::string>& names) {
        const std::string called = what + ": query parameter " + config::shown(parameter.name);
        if (parameter.name.empty()) add("E21", what + ": a query parameter has no name");
        if (!names.insert(parameter.name).second)
            add("E30", called + " is declared twice", "Take one of them away");
        const std::string fault = schema_fault(parameter.schema.text());
        if (!fault.empty()) {
            add("E33", called + ": schema " + fault);
            return;
        }
        const auto schema = nlohmann::json::parse(parameter.schema.text());
        const auto type = schema.is_object() ? schema.value("type", nlohmann::json{}) : schema;
        if (type != "string" && type != "integer" && type != "boolean")
            add("E33", called + ": schema has a type other than string, integer or boolean");
    }

    void check_path(const RouteSpec& route) {
        const std::string what = "route '" + shown_route(route) + "'";
        const std::string fault = RoutePattern::fault(route.path);
        if (!fault.empty()) {
            add("E37", what + ": path " + fault);
            return;
        }
        const RoutePattern pattern{route.path};
        const std::string taken = reserved(pattern);
        if (!taken.empty()) add("E38", what + " " + taken, "Choose another path");
        const auto [known, is_new] =
            shapes_.emplace(std::pair{route.method, pattern.shape()}, route.path);
        if (!is_new)
            add("E39",
                what + " means the same requests as '" + known->second + "'",
                "Take one of them away");
    }

    const Manifest& manifest_;
    std::map<std::pair<HttpMethod, std::string>, std::string> shapes_;
    config::Problems problems_;
};

}  // namespace

std::vector<RouteSpec> all_routes(const Manifest& manifest) {
    std::vector<RouteSpec> routes = manifest.routes;
    for (const StreamSpec& stream : manifest.streams) routes.push_back(route_of(stream));
    return routes;
}

std::string shown_route(const RouteSpec& route) {
    return std::string{name_of(route.method)} + " " + route.path;
}

config::Problems check_routes(const Manifest& manifest) {
    return Check{manifest}.run();
}

std::vector<RouteClash> route_clashes(const std::vector<const Manifest*>& manifests) {
    struct First {
        std::size_t owner;
        RouteSpec route;
    };
    std::map<std::pair<HttpMethod, std::string>, First> firsts;
    std::vector<RouteClash> clashes;
    for (std::size_t i = 0; i < manifests.size(); ++i) {
        if (manifests[i] == nullptr) continue;
        for (const RouteSpec& route : all_routes(*manifests[i])) {
            if (!RoutePattern::fault(route.path).empty()) continue;  // E37 has said it.
            const auto shape = RoutePattern{route.path}.shape();
            const auto [first, is_new] =
                firsts.try_emplace({route.method, shape}, First{.owner = i, .route = route});
            if (is_new || first->second.owner == i) continue;
            clashes.push_back({.later = i,
                               .earlier = first->second.owner,
                               .message = "route '" + shown_route(route) +
                                          "' means the same requests as '" +
                                          shown_route(first->second.route) + "'"});
        }
    }
    return clashes;
}

}  // namespace radd::loader

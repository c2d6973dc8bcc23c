#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <host/plugins/route_check.hpp>
#include <host/plugins/schema_fault.hpp>
#include <host/plugins/validate.hpp>

using namespace radd;

namespace {

RouteSpec a_route(std::string path, HttpMethod method = HttpMethod::get) {
    return {.method = method,
            .path = std::move(path),
            .summary = "Does it",
            .handle = [](const HttpRequest&, Services&) { return no_content(); }};
}

std::string faults_of(std::vector<RouteSpec> routes) {
    std::string text;
    const Manifest manifest{.id = "a", .version = "1.0.0", .routes = std::move(routes)};
    for (const auto& problem : loader::check_routes(manifest))
        text += problem.code + ' ' + problem.message + '\n';
    return text;
}

/// The only code; else all that is said.
std::string code_of(const RouteSpec& route) {
    const auto text = faults_of({route});
    return text.find('\n') == text.size() - 1 ? text.substr(0, 3) : text;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE("route check") {
    TEST_CASE("routes that make sense are taken") {
        CHECK(faults_of({a_route("/csat/{token}"),
                         a_route("/csat/{token}", HttpMethod::post),
                         a_route("/csat/style.css"),
                         a_route("/api/v1/items"),
                         a_route("/api/v1/items/{key}/watchers/{id}"),
                         a_route("/api/v1/items/{key}/watchers/me")}) == "");
    }

    TEST_CASE("a path that is none is told with its reason") {
        const std::vector<std::pair<std::string, std::string>> bad{
            {"", "must begin with '/'"},
            {"csat", "must begin with '/'"},
            {"/csat/", "has an empty segment"},
            {"/csat//x", "has an empty segment"},
            {"/csat/../x", "has the segment '..'"},
            {"/csat/{}", "a parameter is a whole segment"},
            {"/csat/{Token}", "a parameter is a whole segment"},
            {"/csat/{to-ken}", "a parameter is a whole segment"},
            {"/csat/{a}{b}", "a parameter is a whole segment"},
            {"/csat/x{a}", "a parameter is a whole segment"},
            {"/csat/{a", "a parameter is a whole segment"},
            {"/csat/a b", "other than letters"},
            {"/csat/a%20b", "other than letters"},
            {"/csat?x=1", "other than letters"},
            {"/csat/{a}/{a}", "names the parameter {a} twice"},
            {"/" + std::string(200, 'x'), "is longer than 200 bytes"}};
        for (const auto& [path, reason] : bad) {
            CAPTURE(path);
            const auto text = faults_of({a_route(path)});
            CHECK(text.starts_with("E37 "));
            CHECK(contains(text, reason));
        }
        CHECK(faults_of({a_route("/" + std::string(199, 'x'))}).empty());
    }

    TEST_CASE("the host's own paths are taken") {
        for (const std::string path : {"/",
                                       "/{page}",
                                       "/metrics",
                                       "/assets/mine.js",
                                       "/monitoring",
                                       "/api",
                                       "/api/v1",
                                       "/api/v2/items",
                                       "/api/{version}/items",
                                       "/api/v1/{resource}",
                                       "/api/v1/monitoring/mine",
                                       "/api/v1/events/{id}/mine",
                                       "/api/v1/openapi.json"})
            CHECK_MESSAGE(code_of(a_route(path)) == "E38", path);
    }

    TEST_CASE("what a route lacks or contradicts is told") {
        auto no_handler = a_route("/a");
        no_handler.handle = nullptr;
        CHECK(code_of(no_handler) == "E35");
        auto no_summary = a_route("/a");
        no_summary.summary = " ";
        CHECK(code_of(no_summary) == "E21");
        auto get_with_body = a_route("/a");
        get_with_body.request_schema = "{}";
        CHECK(code_of(get_with_body) == "E34");
        auto bad_status = a_route("/a");
        bad_status.responses = {{.status = 199, .description = "Odd"}};
        CHECK(code_of(bad_status) == "E21");
    }

    TEST_CASE("a schema that is none is told with its place") {
        auto request = a_route("/a", HttpMethod::post);
        request.request_schema = R"({"properties":{"n":{"type":"numbr"}}})";
        CHECK(contains(faults_of({request}),
                       "E33 route 'POST /a': request_schema at /properties/n has a 'type' that is "
                       "no type or list of types"));
        auto response = a_route("/a");
        response.responses = {{.description = "Broken", .schema = "{"}};
        CHECK(contains(faults_of({response}), "schema of response 200 is no JSON"));
        auto query = a_route("/a");
        query.query = {{.name = "n", .description = "N", .schema = R"({"type":"number"})"}};
        CHECK(code_of(query) == "E33");
        query.query = {{.name = "n", .description = "N", .schema = "true"}};
        CHECK(code_of(query) == "E33");
        query.query = {{.name = "n", .description = "N"}, {.name = "n", .description = "N"}};
        CHECK(code_of(query) == "E30");
    }

    TEST_CASE("a stream is checked as the route it is") {
        const auto faults = [](StreamSpec first, std::vector<RouteSpec> routes = {}) {
            Manifest manifest{.id = "a", .version = "1.0.0", .routes = std::move(routes)};
            manifest.streams.push_back(std::move(first));
            std::string text;
            for (const auto& problem : loader::check_routes(manifest))
                text += problem.code + ' ' + problem.message + '\n';
            return text;
        };
        const StreamSpec good{
            .kind = StreamKind::websocket,
            .path = "/api/v1/feed",
            .summary = "Follow it",
            .open = [](const HttpRequest&, Services&) { return std::unique_ptr<StreamSession>{}; }};
        CHECK(faults(good).empty());
        auto bad = good;
        bad.open = nullptr;
        CHECK(faults(bad).starts_with("E35 route 'GET /api/v1/feed' has no 'open' function"));
        bad = good;
        bad.path = "/api/v1/events";
        CHECK(faults(bad).starts_with("E38 "));
        CHECK(faults(good, {a_route("/api/v1/feed")}).starts_with("E39 "));
        const Manifest manifest{.id = "b", .version = "1.0.0", .streams = {good}};
        const Manifest other{.id = "c", .version = "1.0.0", .routes = {a_route("/api/v1/feed")}};
        CHECK(loader::route_clashes({&manifest, &other}).size() == 1);
    }

    TEST_CASE("two routes of one plugin that mean the same are told and others are not") {
        const auto text = faults_of({a_route("/a/{x}/c"), a_route("/a/{y}/c")});
        CHECK(text == "E39 route 'GET /a/{y}/c' means the same requests as '/a/{x}/c'\n");
        CHECK(faults_of({a_route("/a/{x}"), a_route("/a/b")}).empty());
        CHECK(faults_of({a_route("/a/{x}/c"), a_route("/a/b/{y}")}).empty());
        CHECK(faults_of({a_route("/a/{x}"), a_route("/a/{x}", HttpMethod::put)}).empty());
    }

    TEST_CASE("a route of another plugin is named with its owner and refuses the later one") {
        std::deque<Manifest> manifests{
            {.id = "b", .version = "1.0.0", .routes = {a_route("/x/{p}")}},
            {.id = "a", .version = "1.0.0", .routes = {a_route("/x/{q}"), a_route("/y")}}};
        std::vector<loader::Candidate> candidates;
        for (const auto& manifest : manifests)
            candidates.push_back(
                {.id = manifest.id, .file = manifest.id + ".so", .manifest = &manifest});

        const auto verdict = loader::validate(candidates, {});

        REQUIRE(verdict.problems.size() == 1);
        CHECK(config::to_text(verdict.problems[0])
                  .starts_with("E39 b.so b: route 'GET /x/{p}' means the same requests as 'GET "
                               "/x/{q}' of plugin 'a' (a.so)"));
        CHECK(verdict.start_order == std::vector<std::size_t>{1});
    }
}

TEST_SUITE("json schema check") {
    TEST_CASE("schemas of every kind are taken") {
        for (const std::string schema :
             {"{}",
              R"({"type":["string","null"],"format":"uuid","examples":[1]})",
              R"({"properties":{"a":{"enum":[1]},"b":false},"required":["a"],"x-own":[]})",
              R"({"items":[{"type":"integer"},true],"additionalItems":false})",
              R"({"items":{"pattern":"^a+$","minLength":0}})",
              R"({"definitions":{"n":{"minimum":-1.5}},"anyOf":[{"$ref":"#/definitions/n"}]})",
              R"({"dependencies":{"a":["b"],"c":{"not":{}}},"multipleOf":0.5})"})
            CHECK_MESSAGE(loader::schema_fault(schema).empty(), schema);
    }

    TEST_CASE("what is no schema is told with its place") {
        const std::vector<std::pair<std::string, std::string>> bad{
            {"", "is no JSON"},
            {"7", "is no JSON object"},
            {"true", "is no JSON object"},
            {R"({"type":"text"})", "has a 'type'"},
            {R"({"type":[]})", "has a 'type'"},
            {R"({"type":["null","null"]})", "has a 'type'"},
            {R"({"required":["a","a"]})", "has a 'required' that is no list of names"},
            {R"({"enum":[]})", "has a 'enum'"},
            {R"({"minLength":-1})", "has a 'minLength'"},
            {R"({"maximum":"5"})", "has a 'maximum' that is no number"},
            {R"({"multipleOf":0})", "has a 'multipleOf'"},
            {R"({"pattern":"["})", "has a 'pattern' that is no regular expression"},
            {R"({"properties":[]})", "has a 'properties' that is no object"},
            {R"({"properties":{"a":{"items":7}}})", "at /properties/a/items is no JSON object"},
            {R"({"allOf":{}})", "has a 'allOf' that is no list of schemas"},
            {R"({"oneOf":[]})", "at /oneOf is an empty list"},
            {R"({"anyOf":[{},{"not":1}]})", "at /anyOf/1/not is no JSON object"},
            {R"({"patternProperties":{"(":{}}})", "a key that is no regular expression"},
            {R"({"$ref":"#/definitions/n"})", "refers to '#/definitions/n', which is not there"},
            {R"({"$ref":"#definitions"})", "has a '$ref' that is no reference"},
            {R"({"$ref":"other.json"})", "refers to another document"}};
        for (const auto& [schema, reason] : bad) {
            CAPTURE(schema);
            const auto fault = loader::schema_fault(schema);
            CAPTURE(fault);
            CHECK(contains(fault, reason));
        }
    }

    TEST_CASE("depth is bounded") {
        const auto nested = [](int depth) {
            std::string text;
            for (int i = 0; i < depth; ++i) text += R"({"not":)";
            text += "{}";
            return loader::schema_fault(text.append(static_cast<std::size_t>(depth), '}'));
        };
        CHECK(nested(64).empty());
        CHECK(contains(nested(65), "is nested deeper than 64"));
        CHECK(contains(nested(100'000), "is nested deeper than 64"));
    }
}

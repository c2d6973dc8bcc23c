// Routes of a plugin, tested without a server.

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include <radd/testing/fixture_host.hpp>

using radd::HttpMethod;
using radd::HttpRequest;
using radd::HttpResponse;
using radd::json;
using radd::RouteSpec;
using radd::Services;
using radd::testing::a_member;
using radd::testing::an_admin;
using radd::testing::FixtureHost;

namespace {

constexpr radd::Sql statement = "SELECT 1 AS one";

HttpResponse echo(const HttpRequest& request, Services&) {
    json body{{"path", request.path}, {"body", request.body}};
    for (const auto& [name, value] : request.path_parameters) body["parameters"][name] = value;
    for (const auto& [name, value] : request.query) body["query"].push_back(name + "=" + value);
    if (request.principal) body["principal"] = request.principal->name;
    body["type"] = request.header("content-type").value_or("");
    return radd::json_response(body);
}

RouteSpec a_route(HttpMethod method, std::string path, radd::Access access = radd::Access::anyone) {
    return {.method = method,
            .path = std::move(path),
            .access = access,
            .summary = "Echo",
            .handle = echo};
}

radd::Manifest manifest() {
    auto list = a_route(HttpMethod::get, "/things");
    list.query = {{.name = "limit", .description = "Rows", .schema = R"({"type":"integer"})"},
                  {.name = "all", .description = "All", .schema = R"({"type":"boolean"})"},
                  {.name = "tag", .description = "Tag", .repeated = true}};
    auto search = a_route(HttpMethod::get, "/search");
    search.query = {{.name = "q", .description = "Words", .required = true}};
    auto make = a_route(HttpMethod::post, "/things", radd::Access::member);
    make.request_schema = R"({"type":"object"})";
    auto fails = a_route(HttpMethod::get, "/fails/{how}");
    fails.handle = [](const HttpRequest& request, Services& host) -> HttpResponse {
        const auto& how = request.path_parameter("how");
        if (how == "invalid") throw radd::InvalidInput{"title", "is empty"};
        if (how == "away") throw radd::Unavailable{"no database"};
        if (how == "http") throw radd::HttpError{418, "a teapot"};
        if (how == "int") throw 7;
        if (how == "header") return {.headers = {{"X-A", "b\r\nc"}}};
        if (how == "sql")
            host.database().transact([](radd::Transaction& tx) { tx.execute(statement); });
        throw std::runtime_error{"secret"};
    };
    return {.id = "probe",
            .version = "1.0.0",
            .routes = {list,
                       make,
                       search,
                       fails,
                       a_route(HttpMethod::get, "/things/{name}"),
                       a_route(HttpMethod::get, "/things/first"),
                       a_route(HttpMethod::del, "/things/{name}", radd::Access::admin)}};
}

struct Bench {
    json get(std::string_view target) {
        const auto response = host.call(HttpMethod::get, target);
        REQUIRE_MESSAGE(response.status == 200, response.body);
        return json::parse(response.body);
    }
    int status(HttpMethod method,
               std::string_view target,
               std::string body = {},
               std::optional<radd::Principal> principal = {}) {
        return host.call(method, target, std::move(body), std::move(principal)).status;
    }
    std::string refused(std::string_view target) {
        const auto response = host.call(HttpMethod::get, target);
        if (response.status != 422) return std::to_string(response.status);
        return json::parse(response.body).at("errors").at(0).at("field");
    }

    FixtureHost host{manifest()};
};

}  // namespace

TEST_SUITE("fixture host routes") {
    TEST_CASE_FIXTURE(Bench, "a request finds its route and text comes before a parameter") {
        CHECK(get("/things/a%2Fb").at("parameters").at("name") == "a/b");
        CHECK_FALSE(get("/things/first").contains("parameters"));
        CHECK(status(HttpMethod::get, "/nothing") == 404);
        CHECK(status(HttpMethod::get, "/things/") == 404);
        CHECK(status(HttpMethod::get, "/things/%FF") == 400);
        const auto refused = host.call(HttpMethod::put, "/things");
        CHECK(refused.status == 405);
        CHECK(refused.headers.back() == radd::HttpField{"Allow", "GET, POST"});
    }

    TEST_CASE_FIXTURE(Bench, "a query is decoded and held to what is declared") {
        CHECK(get("/things?tag=a+b&tag=%26&limit=3").at("query") ==
              json::array({"tag=a b", "tag=&", "limit=3"}));
        CHECK(refused("/things?limt=3") == "limt");
        CHECK(refused("/things?limit=x") == "limit");
        CHECK(refused("/things?limit=1&limit=2") == "limit");
        CHECK(refused("/things?all=yes") == "all");
        CHECK(refused("/search") == "q");
        CHECK(refused("/things?tag=%f") == "400");
    }

    TEST_CASE_FIXTURE(Bench, "access is asked before anything else is told") {
        CHECK(status(HttpMethod::post, "/things", "{}") == 401);
        CHECK(status(HttpMethod::post, "/things", "{}", a_member()) == 200);
        CHECK(status(HttpMethod::del, "/things/x", "", a_member()) == 403);
        CHECK(status(HttpMethod::del, "/things/x", "", an_admin()) == 200);
    }

    TEST_CASE_FIXTURE(Bench, "a body is JSON where the route says so and a form elsewhere") {
        CHECK(status(HttpMethod::post, "/things", "{", a_member()) == 400);
        CHECK(status(HttpMethod::post, "/things", "", a_member()) == 400);
        const auto other = host.call(
            HttpMethod::post, "/things", "{}", a_member(), {{"content-type", "text/plain"}});
        CHECK(other.status == 415);
        const auto form = host.call(HttpMethod::del, "/things/x", "a=1", an_admin());
        CHECK(json::parse(form.body).at("type") == "application/x-www-form-urlencoded");
    }

    TEST_CASE_FIXTURE(Bench, "what a handler throws is answered by its type and logged") {
        CHECK(refused("/fails/invalid") == "title");
        CHECK(status(HttpMethod::get, "/fails/away") == 503);
        CHECK(status(HttpMethod::get, "/fails/http") == 418);
        CHECK(status(HttpMethod::get, "/fails/int") == 500);
        CHECK(status(HttpMethod::get, "/fails/header") == 500);
        const auto failed = host.call(HttpMethod::get, "/fails/otherwise");
        CHECK(failed.status == 500);
        CHECK(failed.body.find("secret") == std::string::npos);
        CHECK(host.services().lines.contains("secret"));
    }

    TEST_CASE_FIXTURE(Bench, "a statement that nobody scripted fails the test and no request") {
        CHECK_THROWS_AS(host.call(HttpMethod::get, "/fails/sql"),
                        radd::testing::UnscriptedStatement);
    }
}

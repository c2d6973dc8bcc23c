// Which requests a path means, and which answer an error becomes.

#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <radd/http_problem.hpp>
#include <radd/route_pattern.hpp>

using radd::json;
using radd::path_segments;
using radd::RoutePattern;
using Segments = std::vector<std::string>;

TEST_SUITE("path of a request") {
    TEST_CASE("is split first and then decoded") {
        CHECK(path_segments("/") == Segments{""});
        CHECK(path_segments("/a/b%2Fc") == Segments{"a", "b/c"});
        CHECK(path_segments("/a/") == Segments{"a", ""});
        CHECK(path_segments("/%C3%A9+") == Segments{"é+"});
    }

    // P21 P22
    TEST_CASE("is refused when it is no text") {
        for (const char* path : {"", "a", "*", "/%", "/%f", "/%zz", "/%FF", "/%ED%A0%80", "/a%00"})
            CHECK_MESSAGE(!path_segments(path).has_value(), path);
    }
}

TEST_SUITE("route pattern") {
    TEST_CASE("a parameter takes one whole segment that is not empty") {
        const RoutePattern pattern{"/api/v1/items/{key}/comments"};

        const auto found = pattern.match({"api", "v1", "items", "a/b", "comments"});
        REQUIRE(found.has_value());
        CHECK(*found == std::vector<radd::HttpField>{{"key", "a/b"}});
        CHECK_FALSE(pattern.match({"api", "v1", "items", "", "comments"}).has_value());
        CHECK_FALSE(pattern.match({"api", "v1", "items", "a"}).has_value());
        CHECK_FALSE(pattern.match({"api", "v1", "items", "a", "comments", ""}).has_value());
        CHECK_FALSE(pattern.match({"api", "v1", "Items", "a", "comments"}).has_value());
    }

    TEST_CASE("text comes before a parameter at the first difference") {
        const RoutePattern text{"/a/b/{y}"};
        const RoutePattern parameter{"/a/{x}/c"};

        CHECK(text.precedes(parameter));
        CHECK_FALSE(parameter.precedes(text));
        CHECK_FALSE(text.precedes(text));
        CHECK(text.shape() == "/a/b/{}");
        CHECK(RoutePattern{"/a/{z}/c"}.shape() == parameter.shape());
    }

    TEST_CASE("a path that is none throws") {
        CHECK_THROWS_AS(RoutePattern{"/a//b"}, radd::ConfigError);
        CHECK(RoutePattern{"/"}.match({""}).has_value());
    }
}

TEST_SUITE("problem") {
    TEST_CASE("says what and where and under which request") {
        const auto response =
            radd::problem_response(422, "title: is empty", "r-1", {{"title", "is empty"}});

        CHECK(response.status == 422);
        CHECK(response.content_type == "application/problem+json");
        CHECK(json::parse(response.body) ==
              json{{"type", "about:blank"},
                   {"title", "Unprocessable Content"},
                   {"status", 422},
                   {"detail", "title: is empty"},
                   {"request_id", "r-1"},
                   {"errors", json::array({{{"field", "title"}, {"problem", "is empty"}}})}});
        CHECK(radd::problem_response(401, "", "").headers.at(0).first == "WWW-Authenticate");
    }

    TEST_CASE("each type of error has its answer") {
        const auto answer = [](const auto& error) {
            return radd::problem_of(std::make_exception_ptr(error), "r");
        };

        CHECK(answer(radd::HttpError{409, "taken"}).status == 409);
        const auto invalid = json::parse(answer(radd::InvalidInput{"a", "is bad"}).body);
        CHECK(invalid.at("errors").at(0) == json{{"field", "a"}, {"problem", "is bad"}});
        CHECK(answer(radd::Unavailable{"x"}).status == 503);
        CHECK(answer(radd::Unavailable{"x"}).headers.at(0).first == "Retry-After");
        CHECK(answer(radd::Contention{"40001", "x"}).status == 503);
        const auto doubt = answer(radd::CommitInDoubt{"secret"});
        CHECK(doubt.status == 500);
        CHECK(doubt.headers.empty());
        CHECK(json::parse(doubt.body)["type"] == radd::problem_commit_in_doubt);
        CHECK(doubt.body.find("secret") == std::string::npos);
        CHECK(doubt.body.find("look which before you send it again") != std::string::npos);
        for (const auto& failed : {answer(radd::SqlError{"23505", "secret"}),
                                   answer(radd::ConfigError{"secret"}),
                                   answer(std::runtime_error{"secret"}),
                                   answer(7)}) {
            CHECK(failed.status == 500);
            CHECK(failed.body.find("secret") == std::string::npos);
        }
    }

    TEST_CASE("a detail that is not UTF-8 is shown as well as can be") {
        const auto response = radd::problem_response(422, "a\xff", "r", {{"b\xff", "c"}});

        CHECK(json::accept(response.body));
    }
}

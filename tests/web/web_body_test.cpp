#include <doctest/doctest.h>

#include <host/schema/json_schema.hpp>
#include <host/web/content_coding.hpp>
#include <tests/web/web_bench.hpp>

using namespace radd;
using namespace radd::testing;

namespace {

struct Checked : WebBench {
    Checked() {
        auto create = route(HttpMethod::post, "/items");
        create.request_schema = R"({"type":"object","additionalProperties":false,
            "required":["title"],
            "properties":{"title":{"type":"string","minLength":1},
                          "state":{"enum":["open","done"]},
                          "lines":{"type":"array","items":{"type":"object",
                              "properties":{"qty":{"type":"integer","minimum":1}}}}}})";
        add(std::move(create));
        auto list = route(HttpMethod::get, "/items");
        list.query = {{.name = "limit",
                       .description = "How many",
                       .schema = R"({"type":"integer","minimum":1,"maximum":100})"},
                      {.name = "type", .description = "Which", .repeated = true},
                      {.name = "open", .description = "?", .schema = R"({"type":"boolean"})"}};
        add(std::move(list));
        auto need = route(HttpMethod::get, "/needy");
        need.query = {{.name = "key", .description = "Which", .required = true}};
        add(std::move(need));
        start();
    }
    /// "field: problem" of the first error.
    [[nodiscard]] static std::string first_error(const HttpReply& reply) {
        const auto errors = reply.json()["errors"];
        return errors[0]["field"].get<std::string>() + ": " +
               errors[0]["problem"].get<std::string>();
    }
};

std::string nested(std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
}

}  // namespace

TEST_SUITE("web body") {
    TEST_CASE_FIXTURE(Checked, "what fits reaches the handler") {
        const auto reply = post("/items", R"({"title":"a","lines":[{"qty":1}]})");

        CHECK(reply.status == 200);
        CHECK(
            post("/items", R"({"title":"a"})", "Content-Type: Application/JSON; charset=utf-8\r\n")
                .status == 200);
    }

    TEST_CASE_FIXTURE(Checked, "another content type is 415") {
        for (const char* type : {"", "Content-Type: text/plain\r\n", "Content-Type: json\r\n"}) {
            CAPTURE(type);
            CHECK(post("/items", R"({"title":"a"})", type).status == 415);
        }
    }

    TEST_CASE_FIXTURE(Checked, "what is not JSON is 400 with the place") {
        const auto detail = [&](const std::string& body) {
            const auto reply = post("/items", body);
            CHECK(reply.status == 400);
            return reply.json()["detail"].get<std::string>();
        };

        CHECK(detail(R"({"title":"a",})") == "the body is not JSON at byte 14");
        CHECK(detail("nope") == "the body is not JSON at byte 2");
        CHECK(detail(std::string("{\"a\":1}\0x", 9)) == "the body is not JSON at byte 8");
        CHECK(detail("{\"title\":\"\xff\"}") == "the body is not UTF-8 at byte 11");
        CHECK(detail("\xEF\xBB\xBF{}") == "the body is not JSON at byte 1");
        CHECK(detail("{\"title\":1e999}").find("out of range") != std::string::npos);
        CHECK(
            post("/items", "", "Content-Type: application/json\r\nContent-Length: 0\r\n").status ==
            400);
    }

    TEST_CASE_FIXTURE(Checked, "the depth of a body has a limit") {
        CHECK(post("/items", nested(64)).status == 422);
        CHECK(post("/items", nested(65)).status == 400);
        CHECK(post("/items", std::string(60'000, '[')).status == 400);
    }

    TEST_CASE_FIXTURE(Checked, "what does not fit is 422 and names the field") {
        const auto error = [&](const std::string& body) {
            const auto reply = post("/items", body);
            CHECK(reply.status == 422);
            return first_error(reply);
        };

        CHECK(error(R"({"title":"a","colour":1})") == "colour: is not known here");
        CHECK(error(R"({"title":"a","it's 'odd'":1})") == "it's 'odd': is not known here");
        CHECK(error(R"({})") == "title: is missing");
        CHECK(error(R"({"title":5})") == "title: must be string");
        CHECK(error(R"({"title":"a","state":"x"})") == "state: must be one of: open, done");
        CHECK(error(R"({"title":"a","lines":[{"qty":1},{"qty":0}]})").starts_with("lines.1.qty: "));
        CHECK(error(R"([])") == "body: must be object");
        CHECK(error(R"({"title":"a","title":"b"})") == "title: is given twice");
        CHECK(error(R"({"title":"a\u0000b"})") == "title: holds a NUL character; remove it");
    }

    TEST_CASE_FIXTURE(Checked, "every fault of a body is told at once") {
        const auto errors =
            post("/items", R"({"state":"x","colour":1,"shape":2})").json()["errors"];

        CHECK(errors.size() == 4);
    }

    TEST_CASE_FIXTURE(Checked, "a thousand faults are told by a hundred") {
        std::string body = "{";
        for (int i = 0; i < 1000; ++i) body += "\"f" + std::to_string(i) + "\":1,";
        body.back() = '}';

        CHECK(post("/items", body).json()["errors"].size() == schema::violations_max);
    }

    TEST_CASE("of a document with very many values it is told only that it does not fit") {
        const schema::JsonSchema schema{R"({"items":{"type":"string"}})"};
        const auto first_fault = [&](const json& value, std::size_t count) {
            const auto faults = schema.violations(json(count, value));
            return faults.empty() ? "" : faults.front().field;
        };
        constexpr std::size_t most = schema::located_values_max - 1;  // Beside the list itself.

        CHECK(first_fault(1, most) == "0");
        CHECK(first_fault(1, most + 1) == "body");
        CHECK(first_fault("a", most + 1) == "");
    }

    TEST_CASE("a text that is too long for a pattern is refused and not matched") {
        const schema::JsonSchema schema{
            R"({"properties":{"key":{"type":"string","pattern":"^(a|b)*$"},
                              "note":{"type":"string"}}})"};
        const auto faults = [&](const char* field, std::size_t bytes) {
            return schema.violations(json{{field, std::string(bytes, 'a')}}).size();
        };

        CHECK(faults("key", schema::matched_bytes_max) == 0);
        CHECK(faults("key", schema::matched_bytes_max + 1) == 1);
        CHECK(faults("key", 1024 * 1024) == 1);
        CHECK(faults("note", 1024 * 1024) == 0);
    }

    TEST_CASE_FIXTURE(Checked, "query parameters are checked by their schema") {
        CHECK(get("/items?limit=100&type=a&type=b+c&open=true").status == 200);
        CHECK(get("/items?type=b+c%20d").json()["query"][0] == "b c d");
        const auto error = [&](const char* target) {
            const auto reply = get(target);
            CHECK(reply.status == 422);
            return first_error(reply);
        };
        CHECK(error("/items?limit=ten") == "limit: must be integer");
        CHECK(error("/items?limit=").starts_with("limit: "));
        CHECK(error("/items?limit=101").starts_with("limit: "));
        CHECK(error("/items?limit=99999999999999999999") == "limit: must be integer");
        CHECK(error("/items?open=yes") == "open: must be boolean");
        CHECK(error("/items?limit=1&limit=2") == "limit: is given more than once");
        CHECK(error("/items?page=2") == "page: is not a parameter of this route");
        CHECK(error("/needy") == "key: is missing");
    }

    TEST_CASE_FIXTURE(Checked, "a hundred parameters pass and one more is 400") {
        std::string target = "/items?type=a";
        for (int i = 1; i < 100; ++i) target += "&type=a";

        CHECK(get(target).status == 200);
        CHECK(get(target + "&type=a").status == 400);
    }
}

TEST_SUITE("web content coding") {
    TEST_CASE("a client is believed in what it accepts") {
        for (const char* yes :
             {"gzip", "GZIP", "br, gzip;q=0.5", "*", "gzip;q=1.0, *;q=0", "x-gzip"}) {
            CAPTURE(yes);
            CHECK(web::accepts_gzip(yes));
        }
        for (const char* no :
             {"", "br", "gzip;q=0", "gzip;q=0.000, *", "*;q=0", "gzip;q=x", "identity"}) {
            CAPTURE(no);
            CHECK_FALSE(web::accepts_gzip(no));
        }
    }

    TEST_CASE_FIXTURE(WebBench, "what is worth it is compressed for who takes it") {
        auto large = route(HttpMethod::get, "/large");
        large.handle = [](const HttpRequest&, Services&) {
            return json_response(json(std::vector<int>(2000, 7)));
        };
        add(std::move(large));
        auto image = route(HttpMethod::get, "/image");
        image.handle = [](const HttpRequest&, Services&) {
            return HttpResponse{.content_type = "image/png", .body = std::string(4000, 'x')};
        };
        add(std::move(image));
        add(route(HttpMethod::get, "/small"));
        start();
        constexpr std::string_view accept = "Accept-Encoding: gzip, deflate, br\r\n";

        const auto packed = get("/large", accept);
        const auto plain = get("/large");

        CHECK(packed.header("content-encoding") == "gzip");
        CHECK(packed.header("vary") == "Accept-Encoding");
        CHECK(packed.body.size() * 10 < plain.body.size());
        CHECK(packed.body.starts_with("\x1f\x8b"));
        CHECK(plain.header("content-encoding").empty());
        CHECK(plain.header("vary") == "Accept-Encoding");
        CHECK(get("/small", accept).header("content-encoding").empty());
        CHECK(get("/image", accept).header("content-encoding").empty());
    }
}

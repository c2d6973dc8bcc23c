#include <doctest/doctest.h>

#include <tests/web/web_bench.hpp>

using namespace radd;
using namespace radd::testing;

namespace {

struct Served : WebBench {
    Served() {
        add(route(HttpMethod::get, "/things/{name}"));
        add(route(HttpMethod::get, "/things/special"));
        add(route(HttpMethod::put, "/things/{name}"));
        start();
    }
};

}  // namespace

TEST_SUITE("web routes") {
    TEST_CASE_FIXTURE(Served, "a request reaches its route with what stands in the path") {
        const auto reply = get("/things/caf%C3%A9%2Fbar");

        CHECK(reply.status == 200);
        CHECK(reply.header("content-type") == "application/json");
        CHECK(reply.json()["parameters"]["name"] == "café/bar");
    }

    TEST_CASE_FIXTURE(Served, "text wins over a parameter") {
        CHECK_FALSE(get("/things/special").json().contains("parameters"));
        CHECK(get("/things/other").json().contains("parameters"));
    }

    TEST_CASE_FIXTURE(Served, "an address that nobody serves is 404 and a problem") {
        for (const char* target :
             {"/nothing", "/things", "/things/", "/things/a/b", "//things/a"}) {
            CAPTURE(target);
            const auto reply = get(target);
            CHECK(reply.status == 404);
            CHECK(reply.header("content-type") == "application/problem+json");
            CHECK(reply.json()["status"] == 404);
            CHECK(reply.json()["request_id"] == reply.header("x-request-id"));
        }
    }

    TEST_CASE_FIXTURE(Served,
                      "a method that the address does not have is 405 and names those it has") {
        for (const char* method : {"DELETE", "POST", "BREW", "TRACE"}) {
            CAPTURE(method);
            const auto reply = http(port, method, "/things/a");
            CHECK(reply.status == 405);
            CHECK(reply.header("allow") == "GET, HEAD, OPTIONS, PUT");
        }
    }

    TEST_CASE_FIXTURE(Served, "OPTIONS tells the methods") {
        CHECK(http(port, "OPTIONS", "/things/a").status == 204);
        CHECK(http(port, "OPTIONS", "/things/a").header("allow") == "GET, HEAD, OPTIONS, PUT");
        CHECK(http(port, "OPTIONS", "*").status == 204);
    }

    TEST_CASE_FIXTURE(Served, "HEAD is GET without the bytes") {
        const auto length = get("/things/a").header("content-length");

        HttpConnection connection{port};
        connection.send("HEAD /things/a HTTP/1.1\r\nHost: a\r\n\r\n");
        const auto head = connection.read(true);
        connection.send("GET /things/a HTTP/1.1\r\nHost: a\r\n\r\n");
        const auto next = connection.read();

        CHECK(head.status == 200);
        CHECK(head.header("content-length") != "0");
        CHECK(next.status == 200);
        CHECK_FALSE(length.empty());
    }

    TEST_CASE_FIXTURE(Served, "a path that is no path is 400 and says why") {
        for (const char* target : {"/things/%",
                                   "/things/%zz",
                                   "/things/%00",
                                   "/things/%ff",
                                   "/things/%c0%ae",
                                   "/things/..",
                                   "/things/%2e%2e",
                                   "/../../etc/passwd",
                                   "/things/a?x=%",
                                   "/things/a?x=in%00a",  // P21
                                   "/things/a?x=%ff",     // P22
                                   "/things/a?%ff=x",
                                   "/things/a?x=\xff",
                                   "/things/a?\xff=x",
                                   "/things/\xff",
                                   "/things/a#b",
                                   "things"}) {
            CAPTURE(target);
            const auto reply = get(target);
            CHECK(reply.status == 400);
            CHECK_FALSE(reply.json()["detail"].get<std::string>().empty());
        }
    }

    // P22
    TEST_CASE_FIXTURE(Served, "a header that is not UTF-8 is 400 and named") {
        CHECK(get("/things/a", "X-Note: caf\xC3\xA9\r\n").status == 200);
        for (const char* value : {"caf\xE9", "\xED\xA0\x80", "\xC0\xAF"}) {
            const auto reply = get("/things/a", "X-Note: " + std::string{value} + "\r\n");
            CHECK(reply.status == 400);
            CHECK(reply.json()["detail"] == "header x-note: is not UTF-8");
        }
    }

    TEST_CASE_FIXTURE(Served, "the absolute form of a target means the same") {
        CHECK(get("http://elsewhere:80/things/a").json()["path"] == "/things/a");
        CHECK(get("HTTP://elsewhere").status == 404);
    }

    TEST_CASE_FIXTURE(Served, "every answer carries the headers that protect a browser") {
        for (const char* target : {"/things/a", "/nothing"}) {
            const auto reply = get(target);
            CHECK(reply.header("x-content-type-options") == "nosniff");
            CHECK(reply.header("referrer-policy") == "same-origin");
            CHECK(reply.header("content-security-policy") ==
                  "default-src 'none'; frame-ancestors 'none'");
            CHECK(reply.header("cache-control") == "no-store");
            CHECK_FALSE(reply.header("date").empty());
        }
    }
}

TEST_SUITE("web handlers") {
    struct Throwing : WebBench {
        void on(const char* path, std::function<HttpResponse()> body) {
            auto spec = route(HttpMethod::get, path);
            spec.handle = [body = std::move(body)](const HttpRequest&, Services&) {
                return body();
            };
            add(std::move(spec));
        }
    };

    TEST_CASE_FIXTURE(Throwing, "what a handler throws becomes its answer and no more") {
        on("/http", []() -> HttpResponse { throw HttpError{409, "the key is taken"}; });
        on("/input", []() -> HttpResponse { throw InvalidInput{"title", "is empty"}; });
        on("/away", []() -> HttpResponse { throw Unavailable{"password authentication failed"}; });
        on("/lost", []() -> HttpResponse { throw Contention{"40001", "lost the race"}; });
        on("/bug", []() -> HttpResponse { throw std::runtime_error{"SELECT secret"}; });
        on("/odd", []() -> HttpResponse { throw 5; });
        start();

        CHECK(get("/http").status == 409);
        CHECK(get("/http").json()["detail"] == "the key is taken");
        CHECK(get("/input").status == 422);
        CHECK(get("/input").json()["errors"][0]["field"] == "title");
        CHECK(get("/input").json()["errors"][0]["problem"] == "is empty");
        for (const char* target : {"/away", "/lost"}) {
            CHECK(get(target).status == 503);
            CHECK(get(target).header("retry-after") == "1");
        }
        CHECK(get("/away").body.find("password") == std::string::npos);
        CHECK(get("/bug").status == 500);
        CHECK(get("/bug").body.find("SELECT") == std::string::npos);
        CHECK(log.lines.contain("SELECT secret"));
        CHECK(get("/odd").status == 500);
    }

    TEST_CASE_FIXTURE(Throwing, "an answer that would break the connection is not sent") {
        on("/split", [] {
            return HttpResponse{.body = "{}", .headers = {{"X-Note", "a\r\nSet-Cookie: b"}}};
        });
        on("/length", [] {
            return HttpResponse{.body = "{}", .headers = {{"Content-Length", "5"}}};
        });
        on("/name", [] { return HttpResponse{.body = "{}", .headers = {{"X Note", "a"}}}; });
        on("/status", [] { return HttpResponse{.status = 99, .body = "{}"}; });
        on("/type", [] { return HttpResponse{.content_type = "text/plain\r\nX: y"}; });
        start();

        for (const char* target : {"/split", "/length", "/name", "/status", "/type"}) {
            CAPTURE(target);
            const auto reply = get(target);
            CHECK(reply.status == 500);
            CHECK(reply.header("set-cookie").empty());
        }
    }

    TEST_CASE_FIXTURE(Throwing, "a handler that takes too long is left and its client told") {
        Gate gate;
        on("/slow", [&] {
            gate.pass();
            return no_content();
        });
        options.request_timeout = std::chrono::seconds{1};
        start();

        CHECK(get("/slow").status == 503);
        CHECK(get("/slow").header("retry-after") == "1");
        CHECK(gate.waiting() == 2);
        gate.open();
        CHECK(get("/slow").status == 204);
    }

    TEST_CASE_FIXTURE(Throwing, "a database that goes away ends the wait of who asked it") {
        Gate gate;
        on("/stuck", [&] {
            gate.pass();
            return no_content();
        });
        add(route(HttpMethod::get, "/vital"), false);
        start();
        HttpConnection waiting{port};
        waiting.send("GET /stuck HTTP/1.1\r\nHost: a\r\n\r\n");
        REQUIRE(eventually([&] { return gate.waiting() == 1; }));

        away = true;

        CHECK(waiting.read().status == 503);
        CHECK(get("/stuck").status == 503);
        CHECK(get("/vital").status == 200);
        CHECK(gate.waiting() == 1);
    }

    TEST_CASE_FIXTURE(Throwing, "what was begun and is given up is said to be in doubt") {
        Gate gate;
        for (const auto method : {HttpMethod::get, HttpMethod::post}) {
            auto spec = route(method, "/slow");
            spec.handle = [&](const HttpRequest&, Services&) {
                gate.pass();
                return no_content();
            };
            add(std::move(spec));
        }
        options.request_timeout = std::chrono::seconds{1};
        start();

        const auto read = get("/slow");
        const auto written = post("/slow", "{}");

        CHECK(read.status == 503);
        CHECK(read.header("retry-after") == "1");
        CHECK(read.json()["type"] == problem_of_status);
        CHECK(written.status == 503);
        CHECK(written.header("retry-after").empty());
        CHECK(written.json()["type"] == problem_commit_in_doubt);
        CHECK(written.json()["detail"].get<std::string>().starts_with("this took too long"));
    }

    TEST_CASE_FIXTURE(Throwing, "who asks is not looked for on the thread that must not wait") {
        Gate gate;
        on("/slow", [&] {
            gate.pass();
            return no_content();
        });
        add(route(HttpMethod::get, "/vital"), false);
        add(route(HttpMethod::get, "/metrics", Access::admin), false);
        options.threads = 1;
        start();
        HttpConnection waiting{port};
        waiting.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
        REQUIRE(eventually([&] { return gate.waiting() == 1; }));
        HttpConnection asking{port};

        asking.send("GET /metrics HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer unknown\r\n\r\n");

        CHECK(get("/vital").status == 200);
        gate.open();
        CHECK(asking.read().status == 401);
        away = true;
        CHECK(get("/metrics", "Authorization: Bearer admin-secret\r\n").status == 503);
        CHECK(get("/vital").status == 200);
    }

    TEST_CASE_FIXTURE(Throwing, "what is given up before its turn came is never begun") {
        Gate gate;
        std::atomic<int> begun = 0;
        on("/slow", [&] {
            gate.pass();
            return no_content();
        });
        on("/counted", [&] {
            ++begun;
            return no_content();
        });
        options.threads = 1;
        options.request_timeout = std::chrono::seconds{3};
        start();
        HttpConnection waiting{port};
        waiting.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
        REQUIRE(eventually([&] { return gate.waiting() == 1; }));

        const auto refused = get("/counted");

        CHECK(refused.status == 503);
        CHECK(refused.json()["detail"].get<std::string>().starts_with("this was not begun"));
        CHECK(waiting.read().json()["detail"].get<std::string>().starts_with("this took too long"));
        gate.open();
        CHECK(get("/counted").status == 204);
        CHECK(begun == 1);
    }

    TEST_CASE_FIXTURE(Throwing, "no probe is refused because others wait") {
        Gate gate;
        auto probe = route(HttpMethod::get, "/probe");
        probe.handle = [&](const HttpRequest&, Services&) {
            gate.pass();
            return no_content();
        };
        add(std::move(probe), false);
        start();
        std::vector<HttpConnection> waiting;
        for (std::size_t i = 0; i < web::requests_queued_max + 2; ++i) {
            waiting.emplace_back(port).send("GET /probe HTTP/1.1\r\nHost: a\r\n\r\n");
            if (i == 0) REQUIRE(eventually([&] { return gate.waiting() == 1; }));
        }

        gate.open();

        for (auto& connection : waiting) CHECK(connection.read().status == 204);
    }

    TEST_CASE_FIXTURE(Throwing, "more requests than may wait for a handler are answered 503") {
        Gate gate;
        on("/slow", [&] {
            gate.pass();
            return no_content();
        });
        options.threads = 1;
        start();
        std::vector<HttpConnection> waiting;
        for (std::size_t i = 0; i <= web::requests_queued_max; ++i) {
            waiting.emplace_back(port).send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
            if (i == 0) REQUIRE(eventually([&] { return gate.waiting() == 1; }));
        }

        CHECK(eventually([&] { return get("/slow").status == 503; }));

        gate.open();
        for (auto& connection : waiting) CHECK(connection.read().status == 204);
    }
}

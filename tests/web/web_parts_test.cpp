#include <doctest/doctest.h>

#include <host/config/address_range.hpp>
#include <host/web/cookies.hpp>
#include <host/web/http_date.hpp>
#include <host/web/router.hpp>
#include <host/web/secret.hpp>
#include <host/web/worker_pool.hpp>
#include <tests/web/web_bench.hpp>

using namespace radd;
using namespace radd::testing;

TEST_SUITE("web parts") {
    TEST_CASE("ranges of addresses hold what they say") {
        const auto holds = [](const char* range, const char* address) {
            return config::AddressRange::parse(range)->contains(*config::parse_address(address));
        };

        CHECK(holds("10.0.0.0/8", "10.255.0.1"));
        CHECK_FALSE(holds("10.0.0.0/8", "11.0.0.1"));
        CHECK(holds("127.0.0.1", "127.0.0.1"));
        CHECK(holds("127.0.0.1", "::ffff:127.0.0.1"));
        CHECK(holds("0.0.0.0/0", "8.8.8.8"));
        CHECK_FALSE(holds("0.0.0.0/0", "::1"));
        CHECK(holds("fd00::/8", "fd12::1"));
        CHECK(holds("::1/128", "::1"));
        for (const char* none : {"",
                                 "10.0.0.0/33",
                                 "10.0.0.1/8",
                                 "10.0.0.0/",
                                 "fd00::/129",
                                 "host",
                                 "1.2.3",
                                 "::1/-1"}) {
            CAPTURE(none);
            CHECK_FALSE(config::AddressRange::parse(none).has_value());
        }
    }

    TEST_CASE("one client is an IPv4 address or 64 bits of IPv6") {
        CHECK(config::address_block("192.0.2.7") == "192.0.2.7");
        CHECK(config::address_block("::ffff:192.0.2.7") == "192.0.2.7");
        CHECK(config::address_block("2001:db8:1:2:3:4:5:6") == "2001:db8:1:2::/64");
        CHECK(config::address_block("2001:db8:1:2::1") ==
              config::address_block("2001:db8:1:2:ffff::9"));
        CHECK(config::address_block("2001:db8:1:3::1") != config::address_block("2001:db8:1:2::1"));
        CHECK(config::address_block("unknown") == "unknown");
    }

    TEST_CASE("a cookie is found by its name and not where it stands twice") {
        CHECK(web::cookie_value("a=1; radd_session=x; b=2", "radd_session") == "x");
        CHECK(web::cookie_value("radd_session=", "radd_session").empty());
        CHECK(web::cookie_value("xradd_session=x", "radd_session").empty());
        CHECK(web::cookie_value("radd_session=x;radd_session=y", "radd_session").empty());
        CHECK(web::set_cookie("radd_session", "x", std::chrono::seconds{60}) ==
              "radd_session=x; Path=/; HttpOnly; SameSite=Lax; Max-Age=60");
        CHECK(web::set_cookie("__Host-radd_session", "", std::chrono::seconds{0})
                  .ends_with("Max-Age=0; Secure"));
    }

    TEST_CASE("a secret equals itself alone") {
        CHECK(web::is_same_secret("abc", "abc"));
        CHECK_FALSE(web::is_same_secret("abd", "abc"));
        CHECK_FALSE(web::is_same_secret("ab", "abc"));
        CHECK_FALSE(web::is_same_secret("", ""));
    }

    TEST_CASE("dates are spelled as HTTP wants them") {
        using namespace std::chrono;
        CHECK(web::http_date(sys_days{1994y / 11 / 6} + 8h + 49min + 37s) ==
              "Sun, 06 Nov 1994 08:49:37 GMT");
        CHECK(web::http_date(sys_days{2024y / 2 / 29}) == "Thu, 29 Feb 2024 00:00:00 GMT");
    }

    TEST_CASE("two routes that mean the same requests are refused by name") {
        FakeServices services;
        const auto made = [&](const char* path) {
            return web::Route{
                .spec = route(HttpMethod::get, path), .owner = "test", .host = &services};
        };

        CHECK_NOTHROW(web::Router{{made("/a/{x}"), made("/a/b")}});
        CHECK_THROWS_WITH_AS((web::Router{{made("/a/{x}"), made("/a/{y}")}}),
                             "route GET /a/{y} of test means the same requests as GET /a/{x} of "
                             "test",
                             ConfigError);
        CHECK_THROWS_AS((web::Router{{made("a")}}), ConfigError);
    }

    TEST_CASE("a pool takes as many jobs as may wait and drops them when it stops") {
        Gate gate;
        web::WorkerPool pool{1, 2};
        std::atomic<int> ran{0};
        const auto job = [&] {
            gate.pass();
            ++ran;
        };
        REQUIRE(pool.submit(job));
        REQUIRE(eventually([&] { return gate.waiting() == 1; }));

        CHECK(pool.submit(job));
        CHECK(pool.submit(job));
        CHECK_FALSE(pool.submit(job));
        CHECK(pool.busy() == 3);
        CHECK_FALSE(pool.stop(std::chrono::milliseconds{20}));
        gate.open();
        CHECK(pool.stop(std::chrono::seconds{20}));
        CHECK(ran == 1);
        CHECK_FALSE(pool.submit(job));
    }
}

TEST_SUITE("web pages") {
    constexpr std::array assets{web::Asset{.path = "/assets/app.1234.js",
                                           .content_type = "text/javascript; charset=utf-8",
                                           .bytes = "plain",
                                           .gzip = "packed",
                                           .etag = "\"1\"",
                                           .immutable = true},
                                web::Asset{.path = "/index.html",
                                           .content_type = "text/html; charset=utf-8",
                                           .bytes = "<!doctype html>",
                                           .gzip = "",
                                           .etag = "\"2\""}};

    struct Paged : WebBench {
        Paged() {
            serve_pages(assets);
            add(route(HttpMethod::get, "/api/v1/things"));
            start();
        }
    };

    TEST_CASE_FIXTURE(Paged, "every address that a browser opens is the application") {
        for (const char* target : {"/", "/consumers/csat.sender", "/link/abc"}) {
            CAPTURE(target);
            const auto reply = get(target, "Accept: text/html,*/*;q=0.8\r\n");
            CHECK(reply.status == 200);
            CHECK(reply.body == "<!doctype html>");
            CHECK(reply.header("cache-control") == "no-cache");
            CHECK(reply.header("content-security-policy").starts_with("default-src 'self';"));
        }
        for (const char* target : {"/api/v1/nothing", "/assets/gone.js"}) {
            CAPTURE(target);
            CHECK(get(target, "Accept: text/html\r\n").status == 404);
        }
        CHECK(get("/typo", "Accept: */*\r\n").status == 404);
        CHECK(http(port, "POST", "/", "Accept: text/html\r\n").status == 404);
    }

    TEST_CASE_FIXTURE(Paged, "assets are cached for good and packed for who takes it") {
        const auto plain = get("/assets/app.1234.js");
        const auto packed = get("/assets/app.1234.js", "Accept-Encoding: gzip\r\n");
        const auto known = get("/assets/app.1234.js", "If-None-Match: W/\"1\"\r\n");

        CHECK(plain.body == "plain");
        CHECK(plain.header("etag") == "\"1\"");
        CHECK(plain.header("cache-control") == "public, max-age=31536000, immutable");
        CHECK(plain.header("vary") == "Accept-Encoding");
        CHECK(packed.body == "packed");
        CHECK(packed.header("content-encoding") == "gzip");
        CHECK(known.status == 304);
        CHECK(known.body.empty());
        CHECK(known.header("content-security-policy").empty());
        CHECK(http(port, "HEAD", "/assets/app.1234.js").header("content-length") == "5");
    }

    TEST_CASE_FIXTURE(WebBench, "a build without pages says where the API is") {
        start();

        CHECK(get("/").status == 404);
        CHECK(get("/").json()["detail"].get<std::string>().find("/api/v1/openapi.json") !=
              std::string::npos);
    }
}

#include <doctest/doctest.h>

#include <tests/web/web_bench.hpp>

using namespace radd;
using namespace radd::testing;

namespace {

struct Guarded : WebBench {
    Guarded() {
        add(route(HttpMethod::get, "/open"));
        add(route(HttpMethod::get, "/member", Access::member));
        add(route(HttpMethod::post, "/member", Access::member));
        add(route(HttpMethod::get, "/admin", Access::admin));
    }
};

constexpr std::string_view member_token = "Authorization: Bearer member-secret\r\n";
constexpr std::string_view member_cookie = "Cookie: a=b; radd_session=member-secret\r\n";

}  // namespace

TEST_SUITE("web access") {
    TEST_CASE_FIXTURE(Guarded,
                      "without a token or session the answer is 401 and names the scheme") {
        start();
        for (const char* header : {"",
                                   "Authorization: Bearer wrong\r\n",
                                   "Authorization: Bearer\r\n",
                                   "Authorization: Basic bWVtYmVyLXNlY3JldA==\r\n",
                                   "Cookie: radd_session=wrong\r\n",
                                   "Cookie: radd_session=member-secret; radd_session=x\r\n",
                                   "Cookie: other=member-secret\r\n"}) {
            CAPTURE(header);
            const auto reply = get("/member", header);
            CHECK(reply.status == 401);
            CHECK(reply.header("www-authenticate") == "Bearer");
        }
    }

    TEST_CASE_FIXTURE(Guarded, "a token and a session each say who asks") {
        start();

        CHECK(get("/member", member_token).json()["principal"] == "id-of-member");
        CHECK(get("/member", member_cookie).json()["principal"] == "id-of-member");
        CHECK(get("/member", "authorization: bearer admin-secret\r\n").json()["principal"] ==
              "id-of-admin");
        CHECK_FALSE(get("/open", member_token).json().contains("principal"));
    }

    TEST_CASE_FIXTURE(Guarded, "a token that is wrong is not made good by a cookie") {
        start();

        const std::string both = "Authorization: Bearer wrong\r\n" + std::string{member_cookie};

        CHECK(get("/member", both).status == 401);
        CHECK(get("/member", std::string{member_token} + std::string{member_token}).status == 400);
    }

    TEST_CASE_FIXTURE(Guarded, "a member on the way of administrators is told nothing but 403") {
        start();

        const auto reply = get("/admin", member_token);

        CHECK(reply.status == 403);
        CHECK(reply.json()["detail"] == "this is for administrators");
        CHECK(get("/admin", "Authorization: Bearer admin-secret\r\n").status == 200);
    }

    TEST_CASE_FIXTURE(Guarded, "handlers never see what proves who asks") {
        start();

        const auto headers =
            get("/member", std::string{member_token} + "X-Other: 1\r\nCookie: a=b\r\n")
                .json()["headers"];

        CHECK(headers.contains("x-other"));
        CHECK_FALSE(headers.contains("authorization"));
        CHECK_FALSE(headers.contains("cookie"));
    }

    TEST_CASE_FIXTURE(Guarded,
                      "what a browser sends by itself changes nothing without its CSRF token") {
        start();
        const std::string cookie{member_cookie};

        CHECK(post("/member", "x", cookie).status == 403);
        CHECK(post("/member", "x", cookie + "X-CSRF-Token: wrong-of-sessio\r\n").status == 403);
        CHECK(post("/member", "x", cookie + "X-CSRF-Token: csrf-of-session\r\n").status == 200);
        CHECK(post("/member", "x", std::string{member_token}).status == 200);
        CHECK(get("/member", cookie).status == 200);
    }

    TEST_CASE_FIXTURE(Guarded, "a form may carry the CSRF token as a field") {
        start();
        const std::string form =
            std::string{member_cookie} + "Content-Type: application/x-www-form-urlencoded\r\n";

        CHECK(post("/member", "a=1&csrf_token=csrf-of-session", form).status == 200);
        CHECK(post("/member", "a=1&csrf_token=csrf", form).status == 403);
        CHECK(post("/member", "a=%zz", form).status == 400);
    }

    TEST_CASE_FIXTURE(Guarded, "behind https the cookie has the name that browsers protect") {
        dispatcher_options.public_https = true;
        start();

        CHECK(get("/member", member_cookie).status == 401);
        CHECK(get("/member", "Cookie: __Host-radd_session=member-secret\r\n").status == 200);
    }

    TEST_CASE_FIXTURE(Guarded, "who cannot be looked up for want of a database is told 503") {
        start();
        people.is_away = true;

        CHECK(get("/member", member_token).status == 503);
    }
}

TEST_SUITE("web forwarded") {
    TEST_CASE_FIXTURE(Guarded, "a stranger's word about where he comes from is not heard") {
        start();

        const auto echo = get("/open", "X-Forwarded-For: 9.9.9.9\r\nX-Forwarded-Proto: https\r\n");

        CHECK(echo.json()["remote_address"] == "127.0.0.1");
        CHECK_FALSE(echo.json()["headers"].contains("x-forwarded-for"));
    }

    TEST_CASE_FIXTURE(Guarded, "a configured proxy is believed as far as it could see") {
        dispatcher_options.trusted_proxies = {"127.0.0.0/8", "10.0.0.0/8"};
        start();
        const auto address = [&](const std::string& header) {
            return get("/open", header).json()["remote_address"].get<std::string>();
        };

        CHECK(address("X-Forwarded-For: 9.9.9.9\r\n") == "9.9.9.9");
        CHECK(address("X-Forwarded-For: 6.6.6.6, 9.9.9.9, 10.1.2.3\r\n") == "9.9.9.9");
        CHECK(address("X-Forwarded-For: 6.6.6.6\r\nX-Forwarded-For: 9.9.9.9\r\n") == "9.9.9.9");
        CHECK(address("X-Forwarded-For: 10.1.2.3\r\n") == "10.1.2.3");
        CHECK(address("X-Forwarded-For: nonsense, 10.1.2.3\r\n") == "10.1.2.3");
        CHECK(address("X-Forwarded-For: 2001:db8::1\r\n") == "2001:db8::1");
        CHECK(address("") == "127.0.0.1");
        CHECK(get("/open", "X-Forwarded-Host: radd.example\r\n").json()["headers"]["host"] ==
              "radd.example");
    }
}

// Answers to surveys over HTTP, by people in a browser and by programs, into a real database.

#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <radd/testing/routes.hpp>
#include <tests/pg/csat_bench.hpp>
#include <tests/support/lent_services.hpp>
#include <tests/support/wait.hpp>

using radd::HttpMethod;
using radd::HttpResponse;
using radd::json;

namespace {

struct Bench : csat_pg::Bench {
    /// An item of DEMO that is asked about, and the address of its survey.
    std::string a_survey() {
        const std::string token = csat::make_token(chance);
        REQUIRE(request(an_item(reporter), token).has_value());
        return "/csat/" + token;
    }

    HttpResponse get(const std::string& path) { return call(HttpMethod::get, path); }
    HttpResponse submit(const std::string& path, const std::string& form) {
        return call(HttpMethod::post, path, form);
    }
    HttpResponse answer_json(const std::string& path, const std::string& body) {
        return call(HttpMethod::post, "/api/v1" + path + "/answer", body);
    }
    HttpResponse call(HttpMethod method,
                      const std::string& path,
                      const std::string& body = {},
                      std::optional<radd::Principal> principal = {}) {
        radd::testing::RouteCaller web{csat.routes, services};
        return web.call(method, path, body, std::move(principal));
    }

    /// Of every answer there is: "4 Grand, 2 ".
    std::string answers() {
        return database.value(
            "SELECT coalesce(string_agg(concat_ws(' ', score, comment), ', ' ORDER BY item_id), '')"
            " FROM csat.surveys WHERE score IS NOT NULL");
    }
    std::string responses_told() {
        return database.value(
            "SELECT count(*) FROM radd.events WHERE event_type = 'csat.responded'");
    }

    radd::testing::LentServices services{db};
    radd::testing::FakeRandom chance;
};

bool contains(const HttpResponse& response, std::string_view text) {
    return response.body.find(text) != std::string::npos;
}

}  // namespace

TEST_SUITE("survey page") {
    TEST_CASE_FIXTURE(Bench, "shows what it asks about and answers nothing by being read") {
        const auto path = a_survey();

        const auto page = get(path);

        CHECK(page.status == 200);
        CHECK(page.content_type == "text/html; charset=utf-8");
        CHECK(contains(page, "DEMO-1"));
        CHECK(contains(page, "<bdi>Printer</bdi>"));
        CHECK(contains(page, "<form method=\"post\">"));
        CHECK(responses_told() == "0");
    }

    TEST_CASE_FIXTURE(Bench, "takes an answer and thanks under the same address") {
        const auto path = a_survey();

        const auto taken = submit(path, "score=4&comment=Fast%0D%0A+and+friendly+%C3%A9");

        REQUIRE(taken.status == 303);
        CHECK("/csat/" + taken.headers.at(0).second == path);
        const auto thanks = get(path);
        CHECK(thanks.status == 200);
        CHECK(contains(thanks, "Thank you"));
        CHECK(contains(thanks, "Fast\n and friendly é"));
        CHECK_FALSE(contains(thanks, "<form"));
        CHECK(answers() == "4 Fast\n and friendly é");
        CHECK(database.value("SELECT payload ->> 'comment' FROM radd.events "
                             "WHERE event_type = 'csat.responded'") == "Fast\n and friendly é");
    }

    TEST_CASE_FIXTURE(Bench, "lets the first answer stand and says so") {
        const auto path = a_survey();
        REQUIRE(submit(path, "score=2&comment=").status == 303);

        CHECK(submit(path, "score=2&comment=").status == 303);
        const auto other = submit(path, "score=5&comment=Better");
        CHECK(other.status == 409);
        CHECK(contains(other, "answered before"));
        CHECK(contains(other, "Dissatisfied"));
        CHECK_FALSE(contains(other, "Better"));
        CHECK(submit(path, "comment=Better").status == 409);

        CHECK(answers() == "2");
        CHECK(responses_told() == "1");
    }

    TEST_CASE_FIXTURE(Bench, "asks to look again when nobody knows whether it was recorded") {
        const auto path = a_survey();
        // Ends the session that has written the answer as it commits.
        database.execute(
            "CREATE FUNCTION burn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            "PERFORM pg_terminate_backend(pg_backend_pid()); RETURN new; END $$;"
            "CREATE CONSTRAINT TRIGGER burn AFTER UPDATE ON csat.surveys DEFERRABLE "
            "INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION burn()");

        const auto page = submit(path, "score=4");

        CHECK(page.status == 503);
        CHECK(contains(page, "follow the link in the mail once more"));
        CHECK_FALSE(contains(page, "nothing has been recorded"));
        CHECK(answers().empty());
    }

    TEST_CASE_FIXTURE(Bench, "asks again for what is missing and keeps what was written") {
        const auto path = a_survey();

        for (const char* form : {"comment=%3Cb%3EHi",
                                 "score=&comment=%3Cb%3EHi",
                                 "score=6&comment=%3Cb%3EHi",
                                 "score=-1&comment=%3Cb%3EHi",
                                 "score=99999999999999999999&comment=%3Cb%3EHi",
                                 "score=1e400&comment=%3Cb%3EHi"}) {
            const auto page = submit(path, form);
            CHECK_MESSAGE(page.status == 422, form);
            CHECK(contains(page, "role=\"alert\" id=\"score-problem\""));
            CHECK(contains(page, "&lt;b&gt;Hi</textarea>"));
        }
        CHECK(answers().empty());
        CHECK(submit(path, "score=3").status == 303);
    }

    // P21 P22
    TEST_CASE_FIXTURE(Bench, "refuses a comment that no text is or that is too long") {
        const auto path = a_survey();
        const std::string fits(csat::comment_length_max, 'x');

        const auto with_nul = submit(path, "score=3&comment=a%00b");
        CHECK(with_nul.status == 422);
        CHECK(contains(with_nul, "id=\"comment-problem\""));
        CHECK(contains(with_nul, "value=\"3\" required checked"));
        CHECK(submit(path, "score=3&comment=" + fits + "x").status == 422);
        CHECK(submit(path, "score=3&comment=%ED%A0%80").status == 400);
        CHECK(submit(path, "score=3&comment=%ff").status == 400);
        CHECK(submit(path, "score=3&comment=%4").status == 400);
        CHECK(answers().empty());
        CHECK(submit(path, "score=3&comment=" + fits).status == 303);
    }

    TEST_CASE_FIXTURE(Bench, "is the same for every address that opens nothing") {
        a_survey();
        const std::string unknown = "/csat/" + std::string(43, 'A');

        const auto nothing = get(unknown);

        CHECK(nothing.status == 404);
        for (const std::string& path : {std::string{"/csat/x"},
                                        "/csat/" + std::string(43, '%'),
                                        unknown + "A",
                                        std::string{"/csat/%27--"}}) {
            const auto other = get(path);
            if (other.status != 400) CHECK(other.body == nothing.body);
        }
        CHECK(submit(unknown, "score=4").body == nothing.body);
        CHECK(submit(unknown, "score=").body == nothing.body);
        CHECK_FALSE(contains(nothing, "DEMO"));
    }

    TEST_CASE_FIXTURE(Bench, "shows a title and a comment as text and nothing else") {
        const std::string evil = "<script>alert(1)</script>\"'&";
        const auto item = db.transact([&](radd::Transaction& tx) {
            return directory.create_item(
                tx, {.project_id = project, .title = evil, .reporter = reporter}, {});
        });
        const std::string token = csat::make_token(chance);
        REQUIRE(request(item, token).has_value());

        CHECK(contains(get("/csat/" + token),
                       "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;"));
        submit("/csat/" + token, "score=1&comment=%3C%2Fdd%3E%3Cscript%3E");
        const auto thanks = get("/csat/" + token);
        CHECK(contains(thanks, "&lt;/dd&gt;&lt;script&gt;"));
        CHECK_FALSE(contains(thanks, "<script"));
    }

    TEST_CASE_FIXTURE(Bench, "needs no script and no style but its own") {
        const auto page = get(a_survey());
        const auto style = get("/csat/style.css");

        CHECK_FALSE(contains(page, "<script"));
        CHECK_FALSE(contains(page, "style=\""));
        CHECK_FALSE(contains(page, "<style"));
        CHECK(contains(page, "href=\"style.css\""));
        CHECK(style.status == 200);
        CHECK(style.content_type == "text/css; charset=utf-8");
    }

    TEST_CASE_FIXTURE(Bench, "is the address in the mail") {
        radd::testing::FakeMailer mailer;
        services.offer<radd::Mailer>(mailer);
        csat::Sender sender{services};
        REQUIRE(run(sender, a_resolution(an_item(reporter))));

        const auto token = csat_pg::token_in(mailer.sent().at(0));
        CHECK(mailer.sent().at(0).text.find("https://radd.example/csat/" + token + "\n") !=
              std::string::npos);
        CHECK(get("/csat/" + token).status == 200);
    }
}

TEST_SUITE("survey answer") {
    // P12
    TEST_CASE_FIXTURE(Bench, "of two that are sent at once one is recorded and told") {
        const auto path = a_survey();
        auto first = transaction();
        REQUIRE(csat::answer(first, path.substr(6), 4, std::nullopt) == csat::Answer::recorded);

        auto second = std::async(std::launch::async, [&] { return submit(path, "score=1"); });
        REQUIRE(radd::testing::eventually([&] {
            return database.value(
                       "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND "
                       "datname = current_database()") == "1";
        }));
        first.commit();

        CHECK(second.get().status == 409);
        CHECK(answers() == "4");
        CHECK(responses_told() == "1");
    }

    TEST_CASE_FIXTURE(Bench, "of many that are sent at once one is recorded and told") {
        const auto path = a_survey();

        std::vector<std::future<int>> sent;
        for (int i = 0; i < 8; ++i)
            sent.push_back(std::async(std::launch::async, [&, i] {
                return submit(
                           path,
                           "score=" + std::to_string(1 + i % 5) + "&comment=" + std::to_string(i))
                    .status;
            }));
        int recorded = 0;
        for (auto& one : sent) {
            const int status = one.get();
            CHECK((status == 303 || status == 409));
            if (status == 303) ++recorded;
        }

        CHECK(recorded == 1);
        CHECK(responses_told() == "1");
    }

    TEST_CASE_FIXTURE(Bench, "of a program is recorded once") {
        const auto path = a_survey();

        const auto taken = answer_json(path, R"({"score":5,"comment":"Grand"})");

        CHECK(taken.status == 200);
        CHECK(json::parse(taken.body) == json{{"item", {{"key", "DEMO-1"}, {"title", "Printer"}}},
                                              {"score", 5},
                                              {"comment", "Grand"}});
        CHECK(answer_json(path, R"({"score":5,"comment":"Grand"})").status == 409);
        CHECK(answer_json("/csat/" + std::string(43, 'A'), R"({"score":5})").status == 404);
        CHECK(answers() == "5 Grand");
        CHECK(responses_told() == "1");
    }

    // P21 P22 P23
    TEST_CASE_FIXTURE(Bench, "of a program that makes no sense is refused by field") {
        const auto path = a_survey();
        const auto field = [&](const std::string& body) {
            const auto response = answer_json(path, body);
            if (response.status != 422) return std::to_string(response.status);
            return json::parse(response.body).at("errors").at(0).at("field").get<std::string>();
        };

        for (const char* score : {"0",
                                  "6",
                                  "-1",
                                  "4.5",
                                  "\"5\"",
                                  "null",
                                  "true",
                                  "[]",
                                  "9223372036854775808",
                                  "18446744073709551615",
                                  "123456789012345678901234567890",
                                  "1e300"})
            CHECK_MESSAGE(field("{\"score\":" + std::string{score} + "}") == "score", score);
        CHECK(field("{}") == "score");
        CHECK(field(R"({"score":5,"comment":"a\u0000b"})") == "comment");
        CHECK(field(R"({"score":5,"comment":7})") == "comment");
        CHECK(field(R"({"score":5,"remark":"x"})") == "remark");
        CHECK(field("[]") == "body");
        CHECK(field(R"({"score":1e400})") == "400");
        CHECK(field(R"({"score":5,"comment":"\ud83d"})") == "400");
        CHECK(field("{\"score\":5,\"comment\":\"\xff\"}") == "400");
        CHECK(answers().empty());

        CHECK(field(R"({"score":5.0,"comment":null})") == "200");
    }

    TEST_CASE_FIXTURE(Bench, "is listed for admins in pages and the latest is first") {
        const auto first = a_survey();
        a_survey();
        a_survey();
        REQUIRE(submit(first, "score=4&comment=Grand").status == 303);
        const auto list = [this](const std::string& query) {
            const auto response = call(
                HttpMethod::get, "/api/v1/csat/surveys" + query, "", radd::testing::an_admin());
            REQUIRE_MESSAGE(response.status == 200, response.body);
            return json::parse(response.body);
        };

        const auto page = list("?limit=2");
        CHECK(page.at("surveys").at(0).at("item").at("key") == "DEMO-3");
        CHECK(page.at("surveys").at(1).at("score").is_null());
        const auto last = list("?limit=2&before=" + page.at("next").at("before").dump());
        REQUIRE(last.at("surveys").size() == 1);
        CHECK(last.at("surveys").at(0).at("comment") == "Grand");
        CHECK(last.at("surveys").at(0).at("responded_at").get<std::string>().ends_with("Z"));
        CHECK(last.at("next").is_null());

        const auto surveys = "/api/v1/csat/surveys";
        CHECK(call(HttpMethod::get, surveys).status == 401);
        CHECK(call(HttpMethod::get, surveys, "", radd::testing::a_member()).status == 403);
        for (const char* query : {"?limit=0", "?limit=501", "?before=999", "?before=x"})
            CHECK(call(HttpMethod::get, std::string{surveys} + query, "", radd::testing::an_admin())
                      .status == 422);
    }
}

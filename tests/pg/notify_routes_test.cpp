// The inbox, preferences and watches of whoever calls.

#include <string>

#include <doctest/doctest.h>

#include <tests/pg/notify_bench.hpp>

using radd::HttpMethod;
using radd::json;
using radd::testing::NotifyBench;

namespace {

struct Scene : NotifyBench {
    Scene() : item{a_printer(ada)} {}

    radd::HttpResponse call(HttpMethod method,
                            const std::string& path,
                            const json& body = nullptr,
                            const std::optional<items::PersonId>& as = {}) {
        return web.call(method,
                        "/api/v1/notify/" + path,
                        body.is_null() ? "" : body.dump(),
                        radd::Principal{.id = as.value_or(ada), .name = "Ada Lovelace"});
    }
    json got(const std::string& path, const std::optional<items::PersonId>& as = {}) {
        const auto answer = call(HttpMethod::get, path, nullptr, as);
        REQUIRE_MESSAGE(answer.status == 200, answer.body);
        return json::parse(answer.body);
    }
    void news(int comments = 1) {
        for (int i = 0; i < comments; ++i) comment(item, "Hello " + std::to_string(i), bob);
        follow();
    }
    std::string ids(const json& page) {
        std::string all;
        for (const auto& notice : page.at("notices")) all += notice.at("id").dump() + " ";
        return all;
    }

    items::Item item;
};

}  // namespace

TEST_SUITE("inbox") {
    TEST_CASE_FIXTURE(Scene, "shows what happened as it is called now") {
        news();
        change(item, {.title = "Scanner"}, ada);
        follow();

        const auto page = got("inbox");

        REQUIRE(page.at("notices").size() == 1);
        const auto& notice = page.at("notices")[0];
        CHECK(notice.at("kind") == "notify.commented");
        CHECK(notice.at("text") == "Bob commented");
        CHECK(notice.at("excerpt") == "Hello 0");
        CHECK(notice.at("item").at("key") == "DEMO-1");
        CHECK(notice.at("item").at("title") == "Scanner");
        CHECK(notice.at("actor").at("name") == "Bob");
        CHECK(notice.at("mail").at("state") == "waiting");
        CHECK(notice.at("read_at").is_null());
        CHECK(page.at("unread") == 1);
        CHECK(page.at("next").is_null());
    }

    TEST_CASE_FIXTURE(Scene, "comes in pages with the latest first") {
        news(5);

        const auto first = got("inbox?limit=2");
        CHECK(ids(first) == "5 4 ");
        const auto second = got("inbox?limit=2&before=" + first.at("next").at("before").dump());
        CHECK(ids(second) == "3 2 ");
        CHECK(ids(got("inbox?limit=2&before=2")) == "1 ");
        CHECK(got("inbox?limit=2&before=2").at("next").is_null());
        CHECK(call(HttpMethod::get, "inbox?before=0").status == 422);
    }

    TEST_CASE_FIXTURE(Scene, "is read one by one or up to what was seen") {
        news(4);
        CHECK(call(HttpMethod::patch, "inbox/2", {{"read", true}}).status == 204);
        CHECK(ids(got("inbox?unread=true")) == "4 3 1 ");

        const auto answer =
            json::parse(call(HttpMethod::post, "inbox/read", {{"through", 3}}).body);
        CHECK(answer == json{{"read", 2}, {"unread", 1}});
        CHECK(got("unread").at("unread") == 1);

        CHECK(call(HttpMethod::patch, "inbox/2", {{"read", false}}).status == 204);
        CHECK(ids(got("inbox?unread=true")) == "4 2 ");
    }

    TEST_CASE_FIXTURE(Scene, "is cleared by archiving and that can be taken back") {
        news(2);
        CHECK(call(HttpMethod::patch, "inbox/1", {{"archived", true}}).status == 204);

        CHECK(ids(got("inbox")) == "2 ");
        CHECK(got("inbox").at("unread") == 1);
        CHECK(ids(got("inbox?archived=true")) == "1 ");
        CHECK_FALSE(got("inbox?archived=true").at("notices")[0].at("read_at").is_null());
        CHECK(call(HttpMethod::patch, "inbox/1", {{"archived", false}}).status == 204);
        CHECK(ids(got("inbox")) == "2 1 ");
    }

    TEST_CASE_FIXTURE(Scene, "is nobody else's") {
        news();

        CHECK(got("inbox", cid).at("notices").empty());
        CHECK(call(HttpMethod::patch, "inbox/1", {{"read", true}}, cid).status == 404);
        CHECK(call(HttpMethod::patch, "inbox/x", {{"read", true}}).status == 404);
        (void)call(HttpMethod::post, "inbox/read", {{"through", 99}}, cid);
        CHECK(got("unread").at("unread") == 1);
        CHECK(got("inbox", "00000000-0000-4000-8000-00000000ffff").at("notices").empty());
    }

    TEST_CASE_FIXTURE(Scene, "holds only what is wanted there and says what became of the mail") {
        prefer(ada, notify::kind::commented, "false, true, false");
        news();
        database.execute("DELETE FROM notify.preferences");
        news();
        mailer.fail_next(radd::MailRefused{"550"}, 2);
        (void)send();

        const auto page = got("inbox");

        REQUIRE(page.at("notices").size() == 1);
        CHECK(page.at("notices")[0].at("mail").at("state") == "given_up");
        CHECK(page.at("notices")[0].at("mail").at("detail") == "550");
        CHECK(page.at("unread") == 1);
    }

    TEST_CASE_FIXTURE(Scene, "counts unread notices up to a thousand") {
        database.execute(
            "INSERT INTO notify.notices (person_id, event_id, kind, item_id, in_inbox, in_digest, "
            "mail) SELECT '" +
            ada + "', n, 'notify.changed', " + std::to_string(item.id) +
            ", true, false, false FROM generate_series(1, 1000) AS n");
        CHECK(got("unread").at("unread") == 1000);
        news();
        CHECK(got("unread").at("unread") == 1000);
    }
}

TEST_SUITE("preferences") {
    TEST_CASE_FIXTURE(Scene, "are the defaults until somebody says otherwise") {
        const auto before = got("preferences");
        CHECK(before.at("email") == "Ada@example.org");
        CHECK(before.at("digest").at("zone") == "UTC");
        CHECK(before.at("digest").at("hour") == 8);
        CHECK(before.at("kinds")[0].at("name") == "notify.assigned");
        CHECK(before.at("kinds")[0].at("mail") == true);

        const json patch{
            {"digest", {{"zone", "Europe/Berlin"}, {"hour", 7}}},
            {"kinds", {{"notify.assigned", {{"inbox", true}, {"mail", false}, {"digest", true}}}}}};
        const auto answer = call(HttpMethod::patch, "preferences", patch);
        REQUIRE_MESSAGE(answer.status == 200, answer.body);

        const auto after = got("preferences");
        CHECK(after == json::parse(answer.body));
        CHECK(after.at("kinds")[0].at("mail") == false);
        CHECK(after.at("digest").at("zone") == "Europe/Berlin");
        const auto next_at = after.at("digest").at("next_at").get<std::string>();
        CHECK((next_at.ends_with("T05:00:00Z") || next_at.ends_with("T06:00:00Z")));
        CHECK(got("preferences", bob).at("digest").at("zone") == "UTC");
    }

    TEST_CASE_FIXTURE(Scene, "that make no sense are refused by field") {
        const auto refused = [&](const json& patch) {
            const auto answer = call(HttpMethod::patch, "preferences", patch);
            CHECK(answer.status == 422);
            return json::parse(answer.body).at("errors")[0].at("field").get<std::string>();
        };
        const json ways{{"inbox", true}, {"mail", true}, {"digest", true}};

        CHECK(refused({{"digest", {{"zone", "Europe/Atlantis"}}}}) == "digest.zone");
        CHECK(refused({{"digest", {{"hour", 24}}}}) == "digest.hour");
        CHECK(refused({{"kinds", {{"notify.nothing", ways}}}}) == "kinds.notify.nothing");
        CHECK(count("notify.preferences") == "0");
    }

    TEST_CASE_FIXTURE(Scene, "make a person of an account that has never acted") {
        const std::string id = "00000000-0000-4000-8000-00000000ffff";
        CHECK(call(HttpMethod::patch, "preferences", {{"digest", {{"hour", 6}}}}, id).status ==
              200);
        CHECK(got("preferences", id).at("digest").at("hour") == 6);
        CHECK(got("preferences", id).at("email").is_null());
    }
}

TEST_SUITE("watching") {
    TEST_CASE_FIXTURE(Scene, "an item tells its reasons and can be muted") {
        news();
        CHECK(got("items/DEMO-1") == json{{"reasons", {"reporter"}}, {"muted", false}});

        CHECK(call(HttpMethod::put, "items/DEMO-1/mute").status == 204);
        CHECK(call(HttpMethod::put, "items/DEMO-1/mute").status == 204);
        CHECK(got("items/DEMO-1").at("muted") == true);
        CHECK(got("inbox").at("notices")[0].at("item").at("muted") == true);
        news();
        CHECK(told("Ada Lovelace") == "commented");
        CHECK(call(HttpMethod::del, "items/DEMO-1/mute").status == 204);
        news();
        CHECK(told("Ada Lovelace") == "commented commented");
        CHECK(call(HttpMethod::put, "items/DEMO-9/mute").status == 404);
    }

    TEST_CASE_FIXTURE(Scene, "a project is begun and ended") {
        follow();
        CHECK(call(HttpMethod::put, "projects/DEMO", nullptr, cid).status == 204);
        CHECK(got("projects", cid).at("projects")[0].at("key") == "DEMO");
        CHECK(got("items/DEMO-1", cid).at("reasons") == json{"project"});
        news();
        CHECK(told("Cid") == "commented");

        CHECK(call(HttpMethod::del, "projects/DEMO", nullptr, cid).status == 204);
        CHECK(got("projects", cid).at("projects").empty());
        CHECK(call(HttpMethod::put, "projects/NONE").status == 404);
    }
}

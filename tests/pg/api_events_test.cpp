// The stream over HTTP.

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <host/api/schemas.hpp>
#include <host/outbox/event_queries.hpp>
#include <host/schema/json_schema.hpp>
#include <tests/pg/api_bench.hpp>

using radd::testing::Api;

namespace {

struct Streamed : Api {
    Streamed() {
        database.execute(R"sql(
            INSERT INTO radd.events (event_type, entity_type, entity_id, actor_id, project_id,
                                     payload, occurred_at)
            SELECT CASE WHEN n % 2 = 0 THEN 'a.even' ELSE 'a.odd' END, 'item', (n % 5)::text,
                   CASE WHEN n % 3 = 0 THEN '00000000-0000-4000-8000-00000000000a'::uuid END,
                   CASE WHEN n <= 10 THEN 7 END,
                   '{"n": 9007199254740993, "p": 1.10, "b": 18446744073709551616}',
                   '2026-01-01'::timestamptz + n * interval '1 day'
              FROM generate_series(1, 20) n)sql");
    }
    std::vector<std::int64_t> ids(const std::string& query) {
        const auto answer = client.get("/api/v1/events" + query);
        CHECK_MESSAGE(answer.status == 200, query << ": " << answer.body);
        std::vector<std::int64_t> found;
        const auto page = answer.json();
        for (const auto& event : page.at("events"))
            found.push_back(event.at("id").get<std::int64_t>());
        return found;
    }
};

using Ids = std::vector<std::int64_t>;

}  // namespace

TEST_SUITE("events api") {
    TEST_CASE_FIXTURE(Streamed, "each filter finds what it says") {
        CHECK(ids("?limit=3") == Ids{20, 19, 18});
        CHECK(ids("?type=a.even&limit=2") == Ids{20, 18});
        CHECK(ids("?type=a.even&type=a.odd&limit=2") == Ids{20, 19});
        CHECK(ids("?entity_type=item&entity_id=1") == Ids{16, 11, 6, 1});
        CHECK(ids("?actor_id=00000000-0000-4000-8000-00000000000a&limit=2") == Ids{18, 15});
        CHECK(ids("?project_id=7&limit=2") == Ids{10, 9});
        CHECK(ids("?since=2026-01-20") == Ids{20, 19});
        CHECK(ids("?since=2026-01-10&until=2026-01-12T00:00:00Z") == Ids{10, 9});
        CHECK(ids("?after=18") == Ids{19, 20});
        CHECK(ids("?before=3") == Ids{2, 1});
        CHECK(ids("?type=a.other").empty());
    }

    TEST_CASE_FIXTURE(Streamed, "a history is narrowed by source and field and text and silence") {
        database.execute(R"sql(
            INSERT INTO radd.events (event_type, entity_type, entity_id, actor_id, automated_cause,
                                     silent, payload, changes)
            VALUES ('b.one', 'item', '9', '00000000-0000-4000-8000-00000000000b', NULL, false,
                    '{"note": "The \"Printer\" burns"}', '[{"field": "state", "from": 1, "to": 2}]'),
                   ('b.one', 'item', '9', '00000000-0000-4000-8000-00000000000b', 'rule:1', false,
                    '{}', '[{"field": "title", "from": "state", "to": "GrÜn"}]'),
                   ('b.two', 'item', '9', '00000000-0000-4000-8000-000000000001', NULL, true,
                    '{}', NULL),
                   ('b.two', 'item', '9', NULL, NULL, false, '{}', '{"field": "state"}'))sql");

        CHECK(ids("?entity_type=item&entity_id=9&source=people") == Ids{21});
        CHECK(ids("?entity_type=item&entity_id=9&source=automations") == Ids{22});
        CHECK(ids("?entity_type=item&entity_id=9&source=system") == Ids{24, 23});
        CHECK(ids("?changed=state") == Ids{21});
        CHECK(ids("?text=\"printer\" B") == Ids{21});
        CHECK(ids("?text=grün") == Ids{22});
        CHECK(ids("?text=%_") == Ids{});
        CHECK(ids("?silent=true") == Ids{23});
        CHECK(ids("?silent=false&limit=1") == Ids{24});
        CHECK(ids("?not_type=b.one&not_type=a.odd&limit=3") == Ids{24, 23, 20});
        CHECK(client.get("/api/v1/events?source=nobody").status == 422);
        CHECK(client.get("/api/v1/events?text=").status == 422);
        CHECK(client.get("/api/v1/events?text=" + std::string(1001, 'x')).status == 422);
    }

    TEST_CASE_FIXTURE(Streamed, "pages in either direction meet every event once") {
        for (const std::string begin : {"?limit=7", "?limit=7&after=0"}) {
            Ids seen;
            std::string query = begin;
            for (int pages = 0; pages < 10; ++pages) {
                const auto page = client.get("/api/v1/events" + query).json();
                for (const auto& event : page.at("events"))
                    seen.push_back(event.at("id").get<std::int64_t>());
                const auto next = page.at("next");
                if (next.is_null()) break;
                const auto way = next.begin().key();
                query = "?limit=7&" + way + "=" + next.begin().value().dump();
            }
            std::ranges::sort(seen);
            CHECK(seen == radd::testing::ids(1, 20));
        }
    }

    TEST_CASE_FIXTURE(Streamed, "a search without an index goes on where it has stopped looking") {
        const radd::outbox::EventFilter rare{
            .actor_id = "00000000-0000-4000-8000-00000000000a", .limit = 2, .scan_ids_max = 4};
        for (const bool newest_first : {true, false}) {
            Ids seen;
            int pages = 0;
            auto filter = rare;
            filter.newest_first = newest_first;
            for (; pages < 20; ++pages) {
                const auto page = radd::outbox::query_page(database.session(), filter);
                for (const auto& event : page.events) seen.push_back(event->id);
                if (!page.next) break;
                (newest_first ? filter.before_id : filter.after_id) = page.next;
            }
            std::ranges::sort(seen);
            CHECK(seen == Ids{3, 6, 9, 12, 15, 18});
            CHECK(pages >= 4);
        }
    }

    TEST_CASE_FIXTURE(Streamed, "the last page knows that it is the last") {
        CHECK(client.get("/api/v1/events?limit=20").json().at("next") == nullptr);
        CHECK(client.get("/api/v1/events?limit=19").json().at("next").at("before") == 2);
    }

    TEST_CASE_FIXTURE(Streamed, "a page ends early rather than grow without bound") {
        const std::string big(250'000, 'x');
        for (int event = 0; event < 30; ++event) {
            database.session().query(
                "INSERT INTO radd.events (event_type, entity_type, entity_id, payload) VALUES "
                "('a.big', 'item', '1', jsonb_build_object('text', $1::text))",
                big);
        }

        const auto answer = client.get("/api/v1/events?type=a.big");

        CHECK(answer.body.size() < 5'000'000);
        const auto page = answer.json();
        CHECK(page.at("events").size() < 30);
        CHECK(page.at("next").at("before") == page.at("events").back().at("id"));
    }

    TEST_CASE_FIXTURE(Streamed, "numbers keep their digits") {
        const auto answer = client.get("/api/v1/events/7");

        REQUIRE(answer.status == 200);
        for (const std::string digits : {"9007199254740993", "1.10", "18446744073709551616"})
            CHECK(answer.body.find(digits) != std::string::npos);
    }

    TEST_CASE_FIXTURE(Streamed, "what cannot be asked is refused by name") {
        for (const std::string query : {"limit=0",
                                        "limit=501",
                                        "limit=x",
                                        "before=1e3",
                                        "after=99999999999999999999",
                                        "actor_id=ada",
                                        "since=infinity",
                                        "since=yesterdayish",
                                        "until=0044-03-15 BC",
                                        "until=12024-03-15"}) {
            const auto answer = client.get("/api/v1/events?" + query);
            CHECK_MESSAGE(answer.status == 422, query);
            CHECK(answer.body.starts_with(query.substr(0, query.find('='))));
        }
    }

    TEST_CASE_FIXTURE(Streamed, "an event that is not there is 404 however it is asked for") {
        for (const std::string id : {"21", "0", "-1", "x", "99999999999999999999", "1.5"})
            CHECK_MESSAGE(client.get("/api/v1/events/" + id).status == 404, id);
    }

    TEST_CASE_FIXTURE(Streamed, "what is not audited is shown where it is asked for") {
        database.execute(R"sql(
            INSERT INTO radd.events (event_type, entity_type, entity_id) VALUES
                ('secret.known', 'item', '99'), ('secret.noted', 'item', '99'))sql");
        const std::string item = "entity_type=item&entity_id=99";
        const auto shown = [&](const std::string& query) {
            Ids found;
            const auto page = client.get("/api/v1/entities/item/99/activity" + query).json();
            for (const auto& event : page.at("events")) found.push_back(event.at("id"));
            return found;
        };
        for (const auto role : {radd::Role::admin, radd::Role::member}) {
            client.role = role;
            CHECK(ids("?" + item) == Ids{21});
            CHECK(ids("?" + item + "&all=false") == Ids{21});
            CHECK(ids("?" + item + "&all=true") == Ids{22, 21});
            CHECK(ids("?" + item + "&type=secret.noted") == Ids{22});
            CHECK(ids("?" + item + "&type=secret.noted&type=secret.known") == Ids{22, 21});
            CHECK(shown("") == Ids{21});
            CHECK(shown("?all=true") == Ids{22, 21});
            CHECK(client.get("/api/v1/events/22").status == 200);
        }
    }

    TEST_CASE_FIXTURE(Streamed, "what is for administrators is shown to no member") {
        database.execute(R"sql(
            INSERT INTO radd.events (event_type, entity_type, entity_id, payload) VALUES
                ('secret.told', 'item', '99', '{"comment": "whisper"}'),
                ('secret.heard', 'item', '99', '{"comment": "whisper"}'),
                ('secret.known', 'item', '99', '{"comment": "whisper"}'),
                ('nobody.declares', 'item', '99', '{"comment": "whisper"}'))sql");
        const auto seen = [&](const std::string& query) {
            Ids found;
            const auto page = client.get("/api/v1/entities/item/99/activity" + query).json();
            for (const auto& event : page.at("events")) found.push_back(event.at("id"));
            return found;
        };
        const auto status = [&](const std::string& target) {
            return client.get("/api/v1/events" + target).status;
        };
        CHECK(ids("?text=whisper") == Ids{24, 23, 22, 21});
        CHECK(seen("") == Ids{24, 23, 22, 21});
        for (const char* target : {"/21", "/22", "/24", "?type=secret.heard"})
            CHECK_MESSAGE(status(target) == 200, target);

        client.role = radd::Role::member;

        CHECK(ids("?text=whisper") == Ids{23});
        CHECK(ids("?after=0") == Ids{23});
        CHECK(ids("?entity_type=item&entity_id=99&all=true") == Ids{23});
        CHECK(seen("") == Ids{23});
        CHECK(seen("?all=true") == Ids{23});
        CHECK(status("/23") == 200);
        CHECK(ids("?type=secret.known") == Ids{23});
        for (const char* target : {"/21",
                                   "/22",
                                   "/24",
                                   "?type=secret.told",
                                   "?type=secret.heard&all=true",
                                   "?type=secret.known&type=secret.told",
                                   "?type=nobody.declares"})
            CHECK_MESSAGE(status(target) == 403, target);
    }

    // P17
    TEST_CASE_FIXTURE(Streamed, "rows that only SQL could insert are shown as they are") {
        database.execute(R"sql(
            INSERT INTO radd.events (event_type, entity_type, entity_id, payload, changes) VALUES
                ('legacy.thing', 'item', '77', 'null', NULL), ('A.Odd', 'item', '77', '[]', '{}'),
                ('', 'item', '77', '"x"', '[1]'), (repeat('x', 300), 'item', '77', '7', '"x"'))sql");
        const radd::schema::JsonSchema served{radd::api::schema::event().dump()};

        for (const std::string target :
             {"/api/v1/events?limit=4", "/api/v1/entities/item/77/activity?limit=4"}) {
            const auto answer = client.get(target);
            REQUIRE_MESSAGE(answer.status == 200, answer.body);
            std::string types;
            std::string data;
            const auto page = answer.json();
            for (const auto& event : page.at("events")) {
                types += event.at("event_type").get<std::string>() + '|';
                data += event.at("payload").dump() + event.at("changes").dump() + '|';
                CHECK(served.violations(event).empty());
            }
            CHECK(types == std::string(300, 'x') + "||A.Odd|legacy.thing|");
            CHECK(data == R"(7"x"|"x"[1]|[]{}|nullnull|)");
        }
        for (const int id : {21, 22, 23, 24})
            CHECK(client.get("/api/v1/events/" + std::to_string(id)).status == 200);
        CHECK(ids("?type=" + std::string(300, 'x')) == Ids{24});
    }

    TEST_CASE_FIXTURE(Streamed, "odd times are valid JSON") {
        database.execute(
            "INSERT INTO radd.events (event_type, entity_type, entity_id, occurred_at) VALUES "
            "('a.odd', 'item', '9', 'infinity'), ('a.odd', 'item', '9', '-infinity'), "
            "('a.odd', 'item', '9', '0044-03-15 BC'), "
            "('a.odd', 'item', '9', '2024-03-31T00:30:00.987654Z')");

        const auto page = client.get("/api/v1/entities/item/9/activity").json();

        REQUIRE(page.at("events").size() == 4);
        CHECK(page.at("events").at(0).at("occurred_at") == "2024-03-31T00:30:00.987654Z");
    }

    TEST_CASE_FIXTURE(Streamed, "the activity of an entity is its own and pages") {
        const auto page = client.get("/api/v1/entities/item/3/activity?limit=3").json();
        CHECK(page.at("events").size() == 3);
        CHECK(page.at("events").at(0).at("id") == 18);
        CHECK(page.at("next").at("before") == 8);
        CHECK(client.get("/api/v1/entities/item/3/activity?all=maybe").status == 422);
        CHECK(client.get("/api/v1/entities/item/none/activity").json().at("events").empty());
    }
}

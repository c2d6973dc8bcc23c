#include <string>
#include <thread>

#include <doctest/doctest.h>

#include <host/outbox/event_queries.hpp>
#include <host/outbox/event_text.hpp>
#include <tests/pg/outbox_bench.hpp>

namespace {

using namespace radd;
using namespace radd::testing;

using Ids = std::vector<std::int64_t>;

void append_rows(OutboxBench& bench, int count, int payload_bytes = 10) {
    bench.database.execute(
        "INSERT INTO radd.events (event_type, entity_type, entity_id, payload) "
        "SELECT 'probe.happened', 'note', i, jsonb_build_object('a', repeat('x', " +
        std::to_string(payload_bytes) + ")) FROM generate_series(1, " + std::to_string(count) +
        ") i");
}

Ids drained(outbox::Tail& tail, db::Session& session, std::size_t rows) {
    Ids ids;
    CHECK(eventually([&] {
        read_on(tail, session, ids, rows);
        return !ids.empty() && ids.back() == tail.position();
    }));
    return ids;
}

}  // namespace

TEST_SUITE("tail") {
    TEST_CASE_FIXTURE(OutboxBench, "an empty stream is at 0 and stays quiet") {
        auto tail = started_tail();

        CHECK(tail->position() == 0);
        CHECK(tail->read(database.session(), 0, 10).events.empty());
        CHECK_FALSE(tail->wait(0, std::chrono::milliseconds{20}));
        CHECK_FALSE(tail->outage());
    }

    TEST_CASE_FIXTURE(OutboxBench,
                      "a backlog is read by its reader and what follows from the buffer") {
        append_rows(*this, 3000);
        auto tail = started_tail();
        CHECK(tail->position() == 3000);
        CHECK_FALSE(tail->read_buffered(2999, 10));
        CHECK(tail->read(database.session(), 0, 10).own_read);

        const auto ids = drained(*tail, database.session(), 500);
        CHECK(ids.size() == 3000);
        CHECK(ids.front() == 1);

        append_rows(*this, 5);
        CHECK(tail->wait(3004, std::chrono::seconds{10}));
        const auto batch = tail->read(database.session(), 3000, 10);
        CHECK_FALSE(batch.own_read);
        CHECK(batch.events.size() == 5);
    }

    TEST_CASE_FIXTURE(OutboxBench, "every reader of the buffer shares one event") {
        auto tail = started_tail();
        append_rows(*this, 1);
        CHECK(tail->wait(0, std::chrono::seconds{10}));
        const auto first = tail->read_buffered(0, 1);
        const auto second = tail->read_buffered(0, 1);
        REQUIRE(first);
        REQUIRE(second);

        CHECK(first->front() == second->front());
        CHECK(&first->front()->payload() == &second->front()->payload());
    }

    TEST_CASE_FIXTURE(OutboxBench, "reads shrink when payloads are large") {
        append_rows(*this, 400, 100'000);
        auto tail = started_tail({.batch_bytes_max = 1'000'000});
        std::int64_t cursor = 0;
        std::size_t heaviest_after_first = 0;
        while (cursor < tail->position()) {
            const auto events = tail->read(database.session(), cursor, 1000).events;
            REQUIRE_FALSE(events.empty());
            if (cursor > 0) heaviest_after_first = std::max(heaviest_after_first, events.size());
            cursor = events.back()->id;
        }

        CHECK(heaviest_after_first <= 10);
    }

    TEST_CASE_FIXTURE(OutboxBench, "a stream that turns heavy is never held whole") {
        append_rows(*this, 2000);
        append_rows(*this, 400, 100'000);
        auto tail = started_tail({.batch_bytes_max = 1'000'000});
        std::int64_t cursor = 0;
        std::size_t heaviest = 0;
        while (cursor < tail->position()) {
            const auto events = tail->read(database.session(), cursor, 1000).events;
            REQUIRE_FALSE(events.empty());
            std::size_t bytes = 0;
            for (const auto& event : events) bytes += outbox::bytes_of(*event);
            heaviest = std::max(heaviest, bytes);
            CHECK(events.front()->id == cursor + 1);
            cursor = events.back()->id;
        }

        CHECK(cursor == 2400);
        CHECK(heaviest <= 1'000'000 + 101'000);
    }

    TEST_CASE_FIXTURE(OutboxBench, "wake brings an idle tail to look at once") {
        auto tail = started_tail(
            {.poll_busy = std::chrono::seconds{30}, .poll_idle = std::chrono::seconds{30}});
        append_rows(*this, 1);
        tail->wake();
        CHECK(tail->wait(0, std::chrono::seconds{10}));
    }

    TEST_CASE_FIXTURE(OutboxBench, "interrupted waiters return without an event") {
        auto tail = started_tail();
        std::atomic<bool> is_back{false};
        std::jthread waiter{[&] {
            CHECK_FALSE(tail->wait(0, std::chrono::seconds{60}));
            is_back = true;
        }};
        CHECK(eventually([&] {
            tail->interrupt_waiters();
            return is_back.load();
        }));
    }

    TEST_CASE_FIXTURE(OutboxBench, "the mark is published for readers in SQL") {
        auto tail = started_tail();
        append_rows(*this, 7);

        CHECK(eventually([&] { return database.value("SELECT settled FROM radd.stream") == "7"; }));
        CHECK(database.value("SELECT count(*) FROM radd.read_after(2, 3)") == "3");
        CHECK(database.value("SELECT radd.head()") == "7");
    }

    // P07
    TEST_CASE_FIXTURE(OutboxBench, "an outage is shown and survived") {
        auto tail = started_tail();
        append_rows(*this, 1);
        CHECK(tail->wait(0, std::chrono::seconds{10}));
        database.execute(
            "ALTER TABLE radd.stream RENAME TO away; "
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()");
        CHECK(eventually([&] { return tail->outage().has_value(); }));
        CHECK(tail->position() == 1);

        database.execute("ALTER TABLE radd.away RENAME TO stream");
        append_rows(*this, 2);
        CHECK(tail->wait(2, std::chrono::seconds{20}));
        CHECK_FALSE(tail->outage());
        CHECK(log.count(LogLevel::warn, "cannot read the stream") >= 1);
        CHECK(drained(*tail, database.session(), 100) == Ids{1, 2, 3});
    }

    TEST_CASE_FIXTURE(OutboxBench, "a stream that went back is said to have") {
        auto tail = started_tail();
        append_rows(*this, 10);
        CHECK(tail->wait(9, std::chrono::seconds{10}));
        database.execute(
            "DELETE FROM radd.events WHERE id > 4; "
            "UPDATE radd.stream SET settled = 4, head = 4; "
            "SELECT setval('radd.events_id_seq', 4)");
        CHECK(eventually([&] { return log.count(LogLevel::error, "was set back to 4") == 1; }));
        database.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()");

        CHECK(eventually([&] { return tail->position() == 4; }));
        CHECK(log.count(LogLevel::error, "went back from event 10 to 4") == 1);
        append_rows(*this, 1);
        CHECK(tail->wait(4, std::chrono::seconds{10}));
    }

    TEST_CASE_FIXTURE(OutboxBench, "without a database a start fails with the reason") {
        auto options = database.options();
        options.url += " dbname=radd_test_absent";
        outbox::Tail tail{options, {}, clock, log};

        CHECK_THROWS_WITH_AS(tail.start(std::chrono::milliseconds{500}),
                             doctest::Contains("radd_test_absent"),
                             Unavailable);
        tail.stop();
    }

    TEST_CASE_FIXTURE(OutboxBench, "attempts to come back are spread by chance") {
        struct Highest final : radd::Random {
            [[nodiscard]] std::uint64_t bits() override { return ~std::uint64_t{0}; }
        } highest;
        auto options = database.options();
        options.url += " dbname=radd_test_absent";
        outbox::Tail tail{options, {.random = &highest}, clock, log};

        CHECK_THROWS_AS(tail.start(std::chrono::milliseconds{100}), Unavailable);

        CHECK(log.count(LogLevel::warn, "trying again in 100 ms") == 0);
        CHECK(log.count(LogLevel::warn, "trying again in 1") >= 1);
    }

    TEST_CASE_FIXTURE(OutboxBench, "a start that is wanted no more ends at once") {
        auto options = database.options();
        options.url += " dbname=radd_test_absent";
        outbox::Tail tail{options, {}, clock, log};
        const auto begin = std::chrono::steady_clock::now();

        CHECK_THROWS_WITH_AS(
            tail.start(std::chrono::minutes{1}, [] { throw radd::Error{"not wanted"}; }),
            "not wanted",
            radd::Error);

        CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds{2});
        CHECK(tail.stop());
    }
}

TEST_SUITE("stored events") {
    // P17 and P20
    TEST_CASE_FIXTURE(OutboxBench, "whatever SQL could insert is read") {
        database.execute(R"sql(
            INSERT INTO radd.events (event_type, entity_type, entity_id, payload, changes, occurred_at)
            VALUES ('legacy.thing', 'x', '1', 'null', '"x"', 'infinity'),
                   ('', '', '', '[]', 'null', '-infinity'),
                   ('Item.Updated', 'x', '1', '"x"', '{}', '0044-03-15 BC'),
                   (repeat('t', 300), 'x', repeat('i', 900), '17', null, '12024-03-15'),
                   ('a', 'x', '1', '{}', '[1]', '2016-12-31T23:59:60Z'),
                   ('b', 'x', '1', '{}', null, '2024-03-31T00:30:00.987654Z'))sql");
        auto tail = started_tail();
        std::vector<std::string> times;
        for (const auto& event : tail->read(database.session(), 0, 100).events) {
            CHECK(event->payload().is_object());
            CHECK(event->changes().is_array());
            CHECK(event->change_of("field") == nullptr);
            CHECK(json::accept(outbox::json_line(*event)));
            times.push_back(json::parse(outbox::json_line(*event))["occurred_at"]);
        }

        CHECK(times == std::vector<std::string>{"9999-12-31T23:59:59.999999Z",
                                                "0001-01-01T00:00:00.000000Z",
                                                "0001-01-01T00:00:00.000000Z",
                                                "9999-12-31T23:59:59.999999Z",
                                                "2017-01-01T00:00:00.000000Z",
                                                "2024-03-31T00:30:00.987654Z"});
    }

    // P20
    TEST_CASE_FIXTURE(OutboxBench, "a database in another zone changes no instant") {
        database.execute("ALTER DATABASE " + database.name() +
                         " SET TimeZone = 'Asia/Kolkata'; "
                         "ALTER DATABASE " +
                         database.name() + " SET DateStyle = 'German'");
        database.execute(
            "INSERT INTO radd.events (event_type, entity_type, entity_id, occurred_at) "
            "VALUES ('a', 'x', '1', '2024-03-31T00:30:00.987654Z')");
        db::Session session{database.options()};
        const auto event = outbox::find_event(session, 1);
        REQUIRE(event);

        CHECK(outbox::json_line(*event).find("2024-03-31T00:30:00.987654Z") != std::string::npos);
        CHECK_FALSE(outbox::find_event(session, 2));
    }

    TEST_CASE_FIXTURE(OutboxBench, "questions combine and page") {
        database.execute(R"sql(
            INSERT INTO radd.events (event_type, entity_type, entity_id, actor_id, project_id, occurred_at)
            SELECT CASE WHEN i % 2 = 0 THEN 'a.even' ELSE 'a.odd' END, 'note', i % 3,
                   CASE WHEN i > 5 THEN '00000000-0000-4000-8000-000000000001'::uuid END,
                   i % 4, timestamptz '2024-01-01Z' + i * interval '1 day'
              FROM generate_series(1, 12) i)sql");
        const auto ids = [&](const outbox::EventFilter& filter) {
            Ids found;
            for (const auto& event : outbox::query_events(database.session(), filter))
                found.push_back(event->id);
            return joined(found);
        };
        const auto day = [](int number) {
            return Timestamp{std::chrono::sys_days{std::chrono::year{2024} / 1 / 1} +
                             std::chrono::days{number}};
        };

        CHECK(ids({.limit = 3}) == "12,11,10");
        CHECK(ids({.before_id = 10, .limit = 3}) == "9,8,7");
        CHECK(ids({.after_id = 2, .newest_first = false, .limit = 2}) == "3,4");
        CHECK(ids({.types = {"a.even", "none"}, .entity_type = "note", .entity_id = "0"}) ==
              "12,6");
        CHECK(ids({.actor_id = std::string{system_actor}, .project_id = 1}) == "9");
        CHECK(ids({.since = day(3), .until = day(5)}) == "4,3");
        CHECK_THROWS_AS(ids({.actor_id = "nobody"}), InvalidInput);
        CHECK_THROWS_AS(ids({.limit = 0}), InvalidInput);
        CHECK_THROWS_AS(ids({.limit = outbox::EventFilter::limit_max + 1}), InvalidInput);
    }

    TEST_CASE_FIXTURE(OutboxBench, "the position tells what is left") {
        append_rows(*this, 3);
        database.execute("SELECT radd.settle()");
        const auto position = outbox::stream_position(database.session());

        CHECK(position.last_drawn == 3);
        CHECK(position.settled == 3);
        CHECK(position.head == 3);
        CHECK(position.ids_left == 59'999'996);
    }
}

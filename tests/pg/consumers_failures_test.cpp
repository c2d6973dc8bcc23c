// What a failure costs: the event that failed, and no other.

#include <stdexcept>
#include <string>

#include <doctest/doctest.h>

#include <tests/pg/consumers_bench.hpp>

using radd::Contention;
using radd::Event;
using radd::Transaction;
using radd::consumers::Tick;
using radd::testing::Bench;
using radd::testing::ids;
using radd::testing::insert_done;
using radd::testing::Outward;
using radd::testing::PerEvent;
using radd::testing::Projection;
using radd::testing::Work;

namespace {

constexpr radd::Sql divide_by_zero = "SELECT 1 / 0";
constexpr radd::Sql read_one = "SELECT 1";

struct Failing : Bench {
    Outward outward;

    /// One batch of `count` events, of which the work for the `bad`-th is `wrong`.
    std::int64_t run(int count, int bad, const Work& wrong) {
        auto made = runner(outward);
        first = stream.tail->position() + 1;
        outward.work = [=, this](Transaction& tx, const Event& event) {
            tx.execute(insert_done, "outward", event.id);
            if (event.id == first + bad - 1) wrong(tx, event);
        };
        append(count);
        settle(*made);
        return first;
    }
    std::string done() {
        return database.value(
            "SELECT coalesce(string_agg(event_id::text, ',' ORDER BY event_id), '')"
            " FROM done");
    }
    std::string skipped(const std::string& column) {
        return database.value("SELECT " + column + " FROM radd.skipped_events");
    }
    /// Events 1 to 3 of which 2 failed: the two others stand, and the cursor has passed all.
    void check_only_the_second_is_lost() {
        CHECK(outward.delivered.ids() == std::vector<std::int64_t>{1, 3});
        CHECK(done() == "1,3");
        CHECK(cursor() == 3);
        CHECK(skipped("count(*)") == "1");
        CHECK(skipped("event_id") == "2");
        CHECK(skipped("phase") == "plan");
        CHECK(number("SELECT handled_count FROM radd.consumers") == 2);
        CHECK(stream.log.count("event 2 (probe.happened)", radd::LogLevel::error) == 1);
    }

    std::int64_t first = 0;
};

struct NullWhat final : std::exception {
    [[nodiscard]] const char* what() const noexcept override { return nullptr; }
};

}  // namespace

TEST_SUITE("failing event") {
    // P05 A
    TEST_CASE_FIXTURE(Failing, "an SQL error that leaves the plugin undoes that event alone") {
        run(3, 2, [](Transaction& tx, const Event& event) {
            tx.execute(insert_done, "outward", event.id);
        });

        check_only_the_second_is_lost();
        CHECK(skipped("event ->> 'entity_id'") == "2");
        CHECK(skipped("plugin || ' ' || plugin_version") == "probe 1.2.3");
    }

    // P05 B
    TEST_CASE_FIXTURE(Failing, "an SQL error that the plugin swallowed is noticed") {
        run(3, 2, [](Transaction& tx, const Event&) {
            try {
                tx.execute(divide_by_zero);
            } catch (const radd::SqlError&) {}
        });

        check_only_the_second_is_lost();
        CHECK(skipped("error").find("went on as if it had not") != std::string::npos);
    }

    // P05 C
    TEST_CASE_FIXTURE(Failing, "a plugin that commits by itself leaves no half batch") {
        run(3, 2, [](Transaction& tx, const Event&) { tx.execute("COMMIT"); });

        check_only_the_second_is_lost();
    }

    // P16
    TEST_CASE_FIXTURE(Failing, "any thrown type costs one event") {
        SUBCASE("standard exception") {
            run(3, 2, [](Transaction&, const Event&) { throw std::runtime_error{"no luck"}; });
            CHECK(skipped("error") == "no luck");
        }
        SUBCASE("integer") {
            run(3, 2, [](Transaction&, const Event&) { throw 42; });
            CHECK(skipped("error") == "an exception of type int without a message");
        }
        SUBCASE("null message") {
            run(3, 2, [](Transaction&, const Event&) { throw NullWhat{}; });
        }
        SUBCASE("megabyte of braces and line breaks") {
            std::string text;
            while (text.size() < 1'000'000) text += "{}%s\n\r";
            run(3, 2, [text](Transaction&, const Event&) { throw std::runtime_error{text}; });
            CHECK(skipped("octet_length(error) <= 8192") == "true");
            CHECK(skipped("error ~ '[\\n\\r]'") == "false");
            CHECK(stream.log.find("event 2").find("radd consumers retry") != std::string::npos);
        }
        check_only_the_second_is_lost();
    }

    TEST_CASE_FIXTURE(Failing, "work that loses races is done again up to three times") {
        int attempts = 0;
        run(3, 2, [&](Transaction&, const Event&) {
            if (++attempts <= 3) throw Contention{"40001", "lost a race"};
        });

        CHECK(attempts == 4);
        CHECK(outward.delivered.ids() == ids(1, 3));
        CHECK(done() == "1,2,3");
        CHECK(skipped("count(*)") == "0");
    }

    TEST_CASE_FIXTURE(Failing, "work that loses every race is skipped") {
        int attempts = 0;
        run(3, 2, [&](Transaction&, const Event&) {
            ++attempts;
            throw Contention{"40P01", "deadlock"};
        });

        CHECK(attempts == 4);
        check_only_the_second_is_lost();
    }

    TEST_CASE_FIXTURE(Failing, "a database that is away costs nothing but time") {
        int attempts = 0;
        run(3, 2, [&](Transaction&, const Event&) {
            if (++attempts == 1) throw radd::Unavailable{"gone"};
        });
        CHECK(outward.delivered.size() == 0);
        CHECK(done().empty());
        CHECK(cursor() == 0);

        auto again = runner(outward);
        settle(*again);

        CHECK(outward.delivered.ids() == ids(1, 3));
        CHECK(done() == "1,2,3");
        CHECK(skipped("count(*)") == "0");
    }

    // P06
    TEST_CASE_FIXTURE(Failing, "a killed connection abandons the batch and repeats it whole") {
        auto made = runner(outward);
        bool killed = false;
        outward.work = [&](Transaction& tx, const Event& event) {
            tx.execute(insert_done, "outward", event.id);
            if (event.id != 2 || std::exchange(killed, true)) return;
            const auto row = tx.query_one("SELECT pg_backend_pid() AS pid");
            database.execute("SELECT pg_terminate_backend(" + row->text("pid") + ")");
            tx.execute(read_one);
        };
        append(3);

        CHECK(made->tick() == Tick::unavailable);
        CHECK(done().empty());
        CHECK(outward.delivered.size() == 0);
        settle(*made);

        CHECK(done() == "1,2,3");
        CHECK(outward.delivered.ids() == ids(1, 3));
        CHECK(cursor() == 3);
    }

    TEST_CASE_FIXTURE(Failing, "a constraint that speaks up at the commit costs its event alone") {
        database.execute(
            "CREATE TABLE late (id bigint UNIQUE DEFERRABLE INITIALLY DEFERRED);"
            "INSERT INTO late VALUES (2)");
        auto made = runner(outward);
        outward.work = [](Transaction& tx, const Event& event) {
            tx.execute(insert_done, "outward", event.id);
            tx.execute("INSERT INTO late VALUES ($1)", event.id);
        };
        append(3);
        settle(*made);

        check_only_the_second_is_lost();
    }

    TEST_CASE_FIXTURE(Failing, "an event of its own transaction fails alone as well") {
        PerEvent consumer;
        consumer.work = [](Transaction& tx, const Event& event) {
            tx.execute(insert_done, "per_event", event.id);
            if (event.id == 2) tx.execute(divide_by_zero);
        };
        auto made = runner(consumer);
        append(3);
        settle(*made);

        CHECK(done() == "1,3");
        CHECK(cursor() == 3);
        CHECK(skipped("event_id") == "2");
    }

    TEST_CASE_FIXTURE(Failing, "a failed delivery is recorded and the others go out") {
        outward.act = [](std::int64_t id) {
            if (id == 2) throw std::runtime_error{"refused"};
        };
        auto made = runner(outward);
        append(3);
        settle(*made);

        CHECK(outward.delivered.ids() == std::vector<std::int64_t>{1, 3});
        CHECK(cursor() == 3);
        CHECK(skipped("phase || ' ' || error") == "deliver refused");
        CHECK(number("SELECT handled_count FROM radd.consumers") == 3);
    }
}

TEST_SUITE("odd rows") {
    // P17
    TEST_CASE_FIXTURE(Bench, "rows that SQL could insert and nobody knows are passed or handled") {
        Projection projection;
        projection.work = [](Transaction&, const Event& event) {
            static_cast<void>(event.payload().size() + event.changes().size());
        };
        auto made = runner(projection);
        database.execute(
            "INSERT INTO radd.events (event_type, entity_type, entity_id, payload, changes) VALUES "
            "('legacy.thing', 'item', '1', '{}', null), ('Probe.Happened', 'item', '1', '[]', "
            "'{}'),"
            "('', '', '', 'null', '[1]'), (repeat('x', 300), 'item', '1', '\"x\"', '\"x\"');");
        const auto last = append(1);
        settle(*made);

        CHECK(projection.seen.ids() == ids(1, last));
        CHECK(number("SELECT count(*) FROM radd.skipped_events") == 0);
    }

    // P18
    TEST_CASE_FIXTURE(Bench, "batches with nothing for a consumer move it all the same") {
        Outward outward;
        outward.silent = false;
        bool failing = false;
        outward.work = [&](Transaction&, const Event&) {
            if (failing) throw std::runtime_error{"no"};
        };
        auto made = runner(outward);

        append(1000, "probe.happened", true);
        auto last = append(1);
        CHECK(settle(*made) <= 11);
        CHECK(cursor() == last);
        CHECK(outward.delivered.size() == 1);

        failing = true;
        last = append(1000);
        CHECK(settle(*made) <= 11);
        failing = false;
        last = append(1);
        CHECK(settle(*made) <= 11);
        CHECK(cursor() == last);
        CHECK(outward.delivered.size() == 2);
        CHECK(number("SELECT count(*) FROM radd.skipped_events") == 1000);
        CHECK(state() == "ok");
    }
}

TEST_SUITE("skipped event") {
    TEST_CASE_FIXTURE(Failing, "a retry plans it again and resolves its record") {
        bool broken = true;
        run(3, 2, [&](Transaction&, const Event&) {
            if (broken) throw std::runtime_error{"broken"};
        });
        auto made = runner(outward);

        CHECK(operations.retry("probe.one", 2) == 1);
        REQUIRE(acquire(*made));
        settle(*made);
        CHECK(skipped("attempts") == "2");
        CHECK(skipped("resolved_at IS NULL") == "true");
        broken = false;
        CHECK(operations.retry("probe.one", std::nullopt) == 1);
        REQUIRE(acquire(*made));
        settle(*made);

        CHECK(outward.delivered.ids() == std::vector<std::int64_t>{1, 3, 2});
        CHECK(done() == "1,2,3");
        CHECK(skipped("resolution") == "retried");
        CHECK(cursor() == 3);
    }

    TEST_CASE_FIXTURE(Failing, "a retried event is the one that was skipped") {
        bool broken = true;
        std::optional<Event> retried;
        auto made = runner(outward);
        outward.work = [&](Transaction&, const Event& event) {
            if (broken) throw std::runtime_error{"broken"};
            retried = event;
        };
        database.execute(
            "INSERT INTO radd.events (event_type, entity_type, entity_id, actor_id, payload, "
            "changes,"
            " project_id, automated_cause, traceparent, occurred_at) VALUES ('probe.odd', 'item', "
            "'7', '00000000-0000-4000-8000-000000000009', '{\"a\": [1]}', '[{\"field\": \"x\"}]', "
            "5,"
            " 'rule:1', '00-ab', '1969-12-31 23:59:58.123456Z')");
        append(1);
        settle(*made);
        broken = false;
        operations.retry("probe.one", 1);
        REQUIRE(acquire(*made));
        settle(*made);

        REQUIRE(retried);
        CHECK(retried->id == 1);
        CHECK(retried->type == "probe.odd");
        CHECK(retried->actor_id == "00000000-0000-4000-8000-000000000009");
        CHECK(retried->payload().at("a").at(0) == 1);
        CHECK(retried->change_of("x") != nullptr);
        CHECK(retried->project_id == 5);
        CHECK(retried->automated_cause == "rule:1");
        CHECK(retried->traceparent == "00-ab");
        CHECK(retried->occurred_at.time_since_epoch() == std::chrono::microseconds{-1'876'544});
    }

    TEST_CASE_FIXTURE(Failing, "an event that has killed three owners is set aside") {
        run(1, 5, [](Transaction&, const Event&) {});
        const auto poison = append(1);
        append(1);
        std::unique_ptr<radd::consumers::ConsumerRunner> made;
        // An owner that dies in the handler has committed the start of its attempt and nothing
        // else, and its lease runs out.
        for (int death = 1; death <= 3; ++death) {
            const auto epoch = number("SELECT epoch FROM radd.consumers");
            REQUIRE(store.start_attempt("probe.one", epoch, poison) == death);
            database.execute(
                "UPDATE radd.consumers SET owner = 'dead:1:1', "
                "lease_until = clock_timestamp() - interval '1 s'");
        }

        made = runner(outward);
        settle(*made);

        CHECK(outward.delivered.ids() == std::vector<std::int64_t>{1, 3});
        CHECK(skipped("phase || ' ' || event_id") == "quarantine 2");
        CHECK(cursor() == 3);
    }

    TEST_CASE_FIXTURE(Failing, "after two deaths an event is still tried and counted before") {
        run(1, 5, [](Transaction&, const Event&) {});
        const auto event = append(1);
        const auto epoch = number("SELECT epoch FROM radd.consumers");
        for (int death = 1; death <= 2; ++death)
            REQUIRE(store.start_attempt("probe.one", epoch, event) == death);
        database.execute(
            "UPDATE radd.consumers SET owner = 'dead:1:1', "
            "lease_until = clock_timestamp() - interval '1 s'");
        std::int64_t counted = 0;
        outward.work = [&](Transaction&, const Event&) {
            counted = number("SELECT attempt_started FROM radd.consumers");
        };

        auto made = runner(outward);
        settle(*made);

        CHECK(counted == 3);
        CHECK(outward.delivered.ids() == ids(1, 2));
        CHECK(skipped("count(*)") == "0");
    }
}

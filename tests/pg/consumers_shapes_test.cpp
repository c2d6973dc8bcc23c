// The shapes that are told the past from the present, and that pass the stream on.

#include <array>
#include <span>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include <host/outbox/startup_checks.hpp>
#include <tests/pg/consumers_bench.hpp>

using radd::Event;
using radd::Transaction;
using radd::consumers::Tick;
using radd::testing::Bench;
using radd::testing::ids;
using radd::testing::insert_done;
using radd::testing::Outward;
using radd::testing::PerEvent;
using radd::testing::Projection;
using radd::testing::Seen;

namespace {

using Ids = std::vector<std::int64_t>;

class Watchers final : public radd::BootstrapConsumer {
public:
    void bootstrap(Transaction& tx, const Event& event) override {
        if (event.id == broken) throw std::runtime_error{"broken"};
        tx.execute(insert_done, "backlog", event.id);
        backlog.add(event.id);
    }
    void project(Transaction& tx, const Event& event) override {
        tx.execute(insert_done, "news", event.id);
        news.add(event.id);
    }
    std::int64_t broken = 0;
    Seen backlog;
    Seen news;
};

class Relay final : public radd::RelayConsumer {
public:
    void relay(std::span<const Event> events) override {
        for (const Event& event : events) {
            if (event.id == broken) throw std::runtime_error{"too odd for it"};
        }
        if (away) throw radd::Unavailable{"the other engine is away"};
        for (const Event& event : events) relayed.add(event.id);
        ++calls;
        if (dies) throw radd::Unavailable{"dead after it was safe there"};
    }
    std::int64_t broken = 0;
    bool away = false;
    bool dies = false;
    int calls = 0;
    Seen relayed;
};

struct Shapes : Bench {
    std::unique_ptr<radd::consumers::ConsumerRunner> start(radd::Consumer& consumer) {
        const radd::consumers::Declaration declaration{.name = "probe.one",
                                                       .plugin = "probe",
                                                       .plugin_version = "1.2.3",
                                                       .first_start = consumer.traits().first_start,
                                                       .bootstraps = consumer.traits().bootstraps};
        store.declare(declaration, stream.tail->position());
        auto made = std::make_unique<radd::consumers::ConsumerRunner>(
            radd::consumers::ConsumerSetup{.declaration = declaration, .consumer = &consumer},
            stream.parts());
        acquire(*made);
        return made;
    }
};

}  // namespace

TEST_SUITE("bootstrap shape") {
    TEST_CASE_FIXTURE(Shapes, "what was there is backlog and what comes is news") {
        Watchers watchers;
        append(3);
        append(1, "probe.happened", true);
        auto made = start(watchers);
        append(2);
        append(1, "probe.happened", true);

        settle(*made);

        CHECK(watchers.backlog.ids() == ids(1, 3));
        CHECK(watchers.news.ids() == ids(5, 6));
        CHECK(stream.tail->position() == 7);
    }

    TEST_CASE_FIXTURE(Shapes, "nothing is news twice whatever is sought") {
        Watchers watchers;
        auto made = start(watchers);
        append(2);
        settle(*made);
        database.execute("DELETE FROM done");
        operations.seek("probe.one", radd::consumers::SeekTo::beginning, 2);
        append(1);
        REQUIRE(acquire(*made));

        settle(*made);

        CHECK(watchers.news.ids() == ids(1, 3));
        CHECK(watchers.backlog.ids() == ids(1, 2));
    }

    TEST_CASE_FIXTURE(Shapes, "a retry of the backlog is no news and another owner knows as well") {
        Watchers watchers;
        watchers.broken = 2;
        append(3);
        auto made = start(watchers);
        settle(*made);
        append(1);
        watchers.broken = 0;
        operations.retry("probe.one", 2);
        database.execute("UPDATE radd.consumers SET owner = NULL, lease_until = '-infinity'");
        auto other = start(watchers);

        settle(*other);

        CHECK(watchers.backlog.ids() == Ids{1, 3, 2});
        CHECK(watchers.news.ids() == Ids{4});
    }
}

TEST_SUITE("relay shape") {
    TEST_CASE_FIXTURE(Shapes, "a batch is handed over whole and from the head on") {
        Relay relay;
        append(2);
        auto made = start(relay);
        append(50);
        append(1, "probe.happened", true);

        settle(*made);
        flush(*made);

        CHECK(relay.relayed.ids() == ids(3, 52));
        CHECK(relay.calls == 1);
        CHECK(cursor() == 53);
    }

    TEST_CASE_FIXTURE(Shapes, "an engine that is away loses nothing") {
        Relay relay;
        auto made = start(relay);
        append(3);
        relay.away = true;
        CHECK(made->tick() == Tick::unavailable);
        CHECK(made->tick() == Tick::unavailable);
        CHECK(cursor() == 0);
        relay.away = false;

        settle(*made);

        CHECK(relay.relayed.ids() == ids(1, 3));
    }

    TEST_CASE_FIXTURE(Shapes, "a death between hand over and cursor hands over again") {
        Relay relay;
        auto made = start(relay);
        append(2);
        relay.dies = true;
        CHECK(made->tick() == Tick::unavailable);
        relay.dies = false;

        settle(*made);

        CHECK(relay.relayed.ids() == Ids{1, 2, 1, 2});
    }

    TEST_CASE_FIXTURE(Shapes, "an event that it cannot take is set aside alone and retried") {
        Relay relay;
        auto made = start(relay);
        append(4);
        relay.broken = 2;

        settle(*made);

        CHECK(relay.relayed.ids() == Ids{1, 3, 4});
        CHECK(database.value("SELECT event_id || ' ' || phase FROM radd.skipped_events") ==
              "2 plan");
        relay.broken = 0;
        flush(*made);
        operations.retry("probe.one", 2);
        REQUIRE(acquire(*made));
        settle(*made);
        CHECK(relay.relayed.ids() == Ids{1, 3, 4, 2});
    }
}

TEST_SUITE("rows that no sequence has numbered") {
    // P04
    TEST_CASE_FIXTURE(Bench, "are read and what is appended after them is handled once by all") {
        Outward outward;
        Projection projection;
        PerEvent per_event;
        const auto runners = std::array{runner(outward, "probe.outward"),
                                        runner(projection, "probe.projection"),
                                        runner(per_event, "probe.per_event")};
        database.execute(
            "INSERT INTO radd.events (id, event_type, entity_type, entity_id) "
            "OVERRIDING SYSTEM VALUE SELECT i, 'probe.happened', 'item', i "
            "FROM generate_series(1, 1000) i");
        radd::outbox::check_stream(database.session(), stream.log);
        stream.tail->wake();
        REQUIRE(radd::testing::eventually([&] { return stream.tail->position() == 1000; }));
        for (const auto& one : runners) settle(*one);

        CHECK(append(1) == 1001);
        for (const auto& one : runners) settle(*one);

        CHECK(outward.delivered.ids() == ids(1, 1001));
        CHECK(projection.seen.ids() == ids(1, 1001));
        CHECK(per_event.seen.ids() == ids(1, 1001));
        CHECK(number("SELECT count(*) FROM radd.skipped_events") == 0);
    }
}

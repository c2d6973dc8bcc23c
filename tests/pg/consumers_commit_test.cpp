// The moment of the commit: refused, lost on the way, or landed without an answer.

#include <string>
#include <thread>

#include <doctest/doctest.h>

#include <radd/scopes.hpp>
#include <tests/faults/probe_events.hpp>
#include <tests/pg/consumers_running.hpp>
#include <tests/pg/consumers_unanswered.hpp>

using namespace std::chrono_literals;
using radd::Event;
using radd::Transaction;
using radd::consumers::ConsumerRunner;
using radd::consumers::Tick;
using radd::testing::Bench;
using radd::testing::eventually;
using radd::testing::ids;
using radd::testing::lay_fuse;
using radd::testing::leaves_a_row_and_burns_once;
using radd::testing::Outward;
using radd::testing::ProbeEntity;
using radd::testing::ProbeEvent;
using radd::testing::Unanswered;

namespace {

const radd::EventTypeSpec happened{
    .type = ProbeEvent::happened, .label = "Happened", .aliases = {"probe.occurred"}};
const radd::EventTypeSpec echoed{.type = ProbeEvent::echoed, .label = "Echoed"};

}  // namespace

TEST_SUITE("commit") {
    TEST_CASE_FIXTURE(Bench, "a connection that dies before the commit landed delivers nothing") {
        lay_fuse(database);
        Outward outward;
        outward.work = leaves_a_row_and_burns_once();
        auto made = runner(outward);
        append(3);

        CHECK(made->tick() == Tick::unavailable);
        CHECK(outward.delivered.size() == 0);
        CHECK(cursor() == 0);
        settle(*made);

        CHECK(outward.delivered.ids() == ids(1, 3));
        CHECK(number("SELECT count(*) FROM done") == 3);
        CHECK(stream.log.count("lost during COMMIT") == 1);
    }

    TEST_CASE_FIXTURE(Unanswered, "a commit that landed without an answer is delivered once") {
        outward.work = leaves_a_row_unanswered();
        const auto made = runner();
        append(3);

        Tick first{};
        std::thread ticking{[&] { first = made->tick(); }};
        cut_the_answer();
        ticking.join();
        CHECK(first == Tick::unavailable);
        CHECK(outward.delivered.size() == 0);
        CHECK(number("SELECT cursor AS n FROM radd.consumers") == 3);
        CHECK(made->tick() == Tick::progressed);

        CHECK(outward.delivered.ids() == ids(1, 3));
        CHECK(number("SELECT count(*) AS n FROM done") == 3);
        CHECK(made->tick() == Tick::idle);
    }

    TEST_CASE_FIXTURE(Bench, "a buffered event that the server refuses costs its cause alone") {
        stream.catalog.add(echoed, "probe");
        Outward outward;
        outward.work = [](Transaction& tx, const Event& event) {
            // JSON by its grammar, and a number that PostgreSQL cannot keep.
            tx.emit({.type = ProbeEvent::echoed,
                     .entity = ProbeEntity::thing,
                     .entity_id = event.id,
                     .payload = event.id == 2 ? R"({"n": 1e400000})" : R"({"n": 1})"});
        };
        auto made = runner(outward);
        append(3);
        made->tick();

        CHECK(outward.delivered.ids() == std::vector<std::int64_t>{1, 3});
        CHECK(number("SELECT count(*) FROM radd.events WHERE event_type = 'probe.echoed'") == 2);
        CHECK(number("SELECT event_id FROM radd.skipped_events") == 2);
        CHECK(cursor() == 3);
    }
}

TEST_SUITE("consumer that emits") {
    // P38 (e)
    TEST_CASE_FIXTURE(radd::testing::Running, "is not silenced by an import beside it") {
        stream.catalog.add(happened, "probe");
        stream.catalog.add(echoed, "probe");
        radd::testing::PerEvent consumer;
        consumer.work = [](Transaction& tx, const Event& event) {
            if (event.type != "probe.happened") return;
            tx.emit(
                {.type = ProbeEvent::echoed, .entity = ProbeEntity::thing, .entity_id = event.id});
        };
        const radd::Quiet quiet;
        const auto running = start({radd::testing::setup(consumer, "probe.one")});
        REQUIRE(owned(1));

        append(1);

        CHECK(eventually([&] {
            return number("SELECT count(*) FROM radd.events WHERE event_type = 'probe.echoed'") ==
                   1;
        }));
        CHECK(database.value("SELECT silent FROM radd.events WHERE event_type = "
                             "'probe.echoed'") == "false");
        CHECK(radd::Quiet::active());
        CHECK(workers->stop(10s).empty());
    }
}

TEST_SUITE("listening") {
    // P17
    TEST_CASE_FIXTURE(Bench, "old names of a type are offered under the present one") {
        stream.catalog.add(happened, "probe");
        stream.catalog.add(echoed, "probe");
        Outward outward;
        std::vector<std::string> types;
        outward.work = [&](Transaction&, const Event& event) { types.push_back(event.type); };
        const radd::consumers::Declaration declaration{
            .name = "probe.one", .plugin = "probe", .plugin_version = "1.0.0"};
        store.declare(declaration, 0);
        ConsumerRunner made{{.declaration = declaration,
                             .listens_to = {ProbeEvent::happened},
                             .consumer = &outward},
                            stream.parts()};
        REQUIRE(acquire(made));
        append(1, "probe.happened");
        append(1, "probe.occurred");
        append(1, "probe.echoed");
        const auto last = append(1, "legacy.thing");

        settle(made);

        CHECK(types == std::vector<std::string>{"probe.happened", "probe.happened"});
        CHECK(made.position().current()->cursor == last);
    }

    // P18
    TEST_CASE_FIXTURE(Bench, "a thousand events of other types are passed in their batches") {
        stream.catalog.add(happened, "probe");
        Outward outward;
        const radd::consumers::Declaration declaration{
            .name = "probe.one", .plugin = "probe", .plugin_version = "1.0.0"};
        store.declare(declaration, 0);
        ConsumerRunner made{{.declaration = declaration,
                             .listens_to = {ProbeEvent::happened},
                             .batch = 100,
                             .consumer = &outward},
                            stream.parts()};
        REQUIRE(acquire(made));
        append(1000, "legacy.thing");
        const auto last = append(1);

        CHECK(settle(made) <= 11);

        CHECK(made.position().current()->cursor == last);
        CHECK(cursor() == last);
        CHECK(outward.delivered.ids() == ids(last, last));
        CHECK(state() == "ok");
        CHECK(number("SELECT count(*) FROM radd.skipped_events") == 0);
        append(1000, "legacy.thing");
        CHECK(settle(made) <= 10);
        flush(made);
        for (const auto& one : radd::consumers::consumer_overview(
                 database.session(), {.head = stream.tail->position()})) {
            CHECK(one.lag == 0);
            CHECK(one.seconds_since_update <= 5);
        }
    }
}

// A tail that has lost its connection knows less than before, for as long as a new emitter is open.

#include <string>

#include <doctest/doctest.h>

#include <tests/pg/outbox_bench.hpp>

using namespace radd;
using namespace radd::testing;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view append =
    "INSERT INTO radd.events (event_type, entity_type, entity_id) VALUES ('probe.happened', "
    "'note', '1')";

}  // namespace

TEST_SUITE("rejoining the stream") {
    TEST_CASE_FIXTURE(OutboxBench, "a reader waits for what the tail has yet to learn again") {
        auto tail = started_tail({.publish_every = 1h});
        const auto emit = [&](db::Session& session) { session.query_text(append, {}, true); };
        emit(database.session());
        database.session().begin();
        emit(database.session());
        database.session().rollback();  // Id 2 will never be.
        emit(database.session());
        emit(database.session());
        REQUIRE(eventually([&] { return tail->position() == 4; }));

        // Whoever looks for the first time cannot know that this one did not draw id 2.
        db::Session open{database.options()};
        open.begin();
        emit(open);
        database.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = "
            "current_database() AND pid NOT IN (pg_backend_pid(), " +
            std::to_string(open.backend_pid()) + ")");
        // It may be back before anybody sees it away; the line stays.
        REQUIRE(
            eventually([&] { return log.count(LogLevel::warn, "cannot read the stream") > 0; }));
        REQUIRE(eventually([&] { return !tail->outage(); }));

        CHECK(tail->position() == 4);
        REQUIRE(tail->read_buffered(3, 10));
        CHECK(tail->read_buffered(3, 10)->empty());
        CHECK_FALSE(tail->wait(3, 200ms));  // And does not ask again and again meanwhile.

        open.rollback();
        CHECK(tail->wait(3, 20s));
        CHECK(tail->read_buffered(3, 10)->size() == 1);
    }
}

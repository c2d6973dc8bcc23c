// A cursor in the database that is not where this process has left it.

#include <doctest/doctest.h>

#include <tests/pg/consumers_running.hpp>

using radd::testing::eventually;
using radd::testing::Outward;
using radd::testing::Running;
using radd::testing::setup;

TEST_SUITE("cursor on disk") {
    TEST_CASE_FIXTURE(Running, "one that a failover set back is followed and not lost from sight") {
        Outward outward;
        outward.silent = true;  // Without effects, so that only the keeper ever writes the cursor.
        radd::testing::Seen seen;
        outward.work = [&](radd::Transaction&, const radd::Event& event) { seen.add(event.id); };
        const auto running = start({setup(outward, "probe.one")});
        REQUIRE(owned(1));
        append(5);
        REQUIRE(eventually([&] { return cursor() == 5; }));

        database.execute("UPDATE radd.consumers SET cursor = 3");
        append(1);

        CHECK(eventually([&] { return cursor() == 6; }));
        CHECK(seen.ids() == std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 4, 5, 6});
        CHECK(stream.log.count("went back from 5 to 3", radd::LogLevel::error) == 1);
    }

    TEST_CASE_FIXTURE(Running, "a write whose answer was lost is not waited for") {
        Outward outward;
        outward.silent = true;
        radd::testing::Seen seen;
        outward.work = [&](radd::Transaction&, const radd::Event& event) { seen.add(event.id); };
        const auto running = start({setup(outward, "probe.one")});
        REQUIRE(owned(1));
        append(5);
        REQUIRE(eventually([&] { return cursor() == 5; }));

        // While the row is held the moves wait in memory; then it is found further on.
        radd::db::Session session{stream.options()};
        session.begin();
        session.query("UPDATE radd.consumers SET cursor = 6");
        append(2);
        REQUIRE(eventually([&] { return seen.size() == 7; }));
        session.commit();

        CHECK(eventually([&] { return cursor() == 7; }));
        CHECK(seen.size() == 7);
    }
}

// What the settle rule makes of the head of the id sequence.

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <host/outbox/settling.hpp>
#include <tests/pg/outbox_bench.hpp>

using namespace radd;
using namespace radd::testing;

namespace {

constexpr std::string_view append =
    "INSERT INTO radd.events (event_type, entity_type, entity_id) VALUES ('probe.happened', "
    "'note', '1')";

struct Heads : OutboxBench {
    /// What radd.drawn() told if it looked at the page while nextval() logs.
    void say_ahead(int by) {
        database.execute(
            "CREATE OR REPLACE FUNCTION radd.drawn() RETURNS bigint LANGUAGE sql VOLATILE AS $$ "
            "SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END + " +
            std::to_string(by) + " FROM radd.events_id_seq $$");
    }
    void look() {
        for (const auto& event : settling.step().events) ids.push_back(event->id);
    }

    db::Session session{database.options()};
    db::Session first{database.options()};
    db::Session second{database.options()};
    outbox::EventReader reader{1000, 1 << 20};
    outbox::Settling settling{session, reader};
    std::vector<std::int64_t> ids;
};

}  // namespace

TEST_SUITE("head of the stream") {
    TEST_CASE_FIXTURE(Heads, "one look that is ahead loses what commits late") {
        for (const int ahead : {0, 32}) {
            CAPTURE(ahead);
            ids.clear();
            const auto before = settling.start();
            first.begin();
            first.query_text(append, {}, true);
            say_ahead(ahead);
            look();
            say_ahead(0);
            second.begin();
            second.query_text(append, {}, true);
            look();
            first.commit();
            look();
            second.commit();
            look();

            // Why radd.drawn() is what it is: the head is remembered as the low of `second`.
            CHECK(ids.size() == (ahead == 0 ? 2 : 1));
            CHECK(ids.front() == before + 1);
        }
    }
}

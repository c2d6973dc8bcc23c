// Two hosts behind a pooler that gives each transaction another server connection.

#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tests/pg/consumers_running.hpp>
#include <tests/support/pooler.hpp>

using namespace std::chrono_literals;
using radd::testing::eventually;
using radd::testing::Host;
using radd::testing::Pooler;
using radd::testing::Stream;
using radd::testing::TestDatabase;

namespace {

constexpr radd::Sql count_events = "SELECT count(*) AS n FROM radd.events WHERE id > $1";

struct Pooled {
    std::int64_t number(const std::string& query) { return std::stoll(database.value(query)); }
    [[nodiscard]] radd::db::ConnectOptions options() const {
        return {.url = pooler.url(), .prepared_statements = false};
    }

    TestDatabase database;
    Pooler pooler{database.url(), 2};
};

}  // namespace

TEST_SUITE("behind a pooler") {
    // P10
    TEST_CASE_FIXTURE(Pooled, "two hosts handle each event once over two connections") {
        std::vector<std::int64_t> delivered;
        {
            Host first{options(), 1s};
            Host second{options(), 1s};
            first.workers.start();
            second.workers.start();
            const auto owned = [&] {
                return first.workers.owned_count() + second.workers.owned_count();
            };
            REQUIRE(eventually([&] { return owned() == 3; }));

            for (int i = 0; i < 10; ++i) {
                database.execute(
                    "INSERT INTO radd.events (event_type, entity_type, entity_id) SELECT "
                    "'probe.happened', 'item', n::text FROM generate_series(1, 20) n");
                // The owner changes in the middle, on whatever connection comes to be free.
                if (i == 5) CHECK(first.workers.stop(10s).empty());
            }
            CHECK(eventually([&] {
                return number("SELECT count(*) FROM radd.consumers WHERE cursor = 200") == 3;
            }));
            CHECK(second.workers.owned_count() == 3);
            CHECK(second.workers.stop(10s).empty());
            delivered = first.outward.delivered.ids();
            for (const auto id : second.outward.delivered.ids()) delivered.push_back(id);
            CHECK(first.stream.log.count("prepared statement") == 0);
            CHECK(second.stream.log.count("", radd::LogLevel::error) == 0);
        }

        CHECK(number("SELECT count(*) FROM done") == 600);
        CHECK(delivered.size() == 200);
        CHECK(std::set<std::int64_t>{delivered.begin(), delivered.end()}.size() == 200);
        CHECK(number("SELECT count(*) FROM radd.skipped_events") == 0);
    }

    // P10
    TEST_CASE_FIXTURE(Pooled, "a thousand polls prepare nothing that another connection lacks") {
        Stream stream{options()};
        radd::db::Session first{stream.options()};
        radd::db::Session second{stream.options()};

        for (int i = 0; i < 500; ++i) {
            for (auto* session : {&first, &second}) {
                session->begin();
                REQUIRE(session->query(count_events, i)[0].integer("n") == 0);
                session->commit();
            }
        }

        CHECK(number("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                     "AND backend_type = 'client backend' AND pid <> pg_backend_pid()") <= 2);
    }

    // P10
    TEST_CASE_FIXTURE(Pooled, "a host that was not told of it is refused with the setting") {
        std::string refusal;
        try {
            const radd::db::Session session{{.url = pooler.url()}};
        } catch (const radd::ConfigError& error) {
            refusal = error.what();
        }

        CHECK(refusal.find("set database.prepared_statements to false") != std::string::npos);
    }
}

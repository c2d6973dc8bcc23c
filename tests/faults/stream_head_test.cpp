// The id sequence under fire: what is told of it must never be ahead of what was drawn.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <host/db/migrate.hpp>
#include <tests/support/test_database.hpp>

using namespace std::chrono_literals;
using radd::testing::TestDatabase;
using std::chrono::steady_clock;

namespace {

constexpr radd::Sql draw =
    "SELECT max(nextval('radd.events_id_seq')) FROM generate_series(1, 100000)";
// The last value that is read under the page's lock is read last, so that what was told before is
// ahead only if it was never true. It is no way for the host: it takes the lock of an emitter.
constexpr radd::Sql is_drawn_ahead =
    "SELECT radd.drawn() > pg_sequence_last_value('radd.events_id_seq') AS is_ahead";
// The condition is asked when the scan has let the page go, and the page is read after it: the gap
// of a look, made wide enough to meet a draw in it.
constexpr radd::Sql is_slow_look_ahead = R"sql(
    SELECT (SELECT last_value FROM radd.events_id_seq WHERE pg_sleep(0.0005) IS NOT NULL)
           > pg_sequence_last_value('radd.events_id_seq') AS is_ahead)sql";
constexpr radd::Sql is_least_of_three_ahead = R"sql(
    SELECT least(
        (SELECT last_value FROM radd.events_id_seq WHERE pg_sleep(0.0005) IS NOT NULL),
        (SELECT last_value FROM radd.events_id_seq WHERE pg_sleep(0.0005) IS NOT NULL),
        (SELECT last_value FROM radd.events_id_seq WHERE pg_sleep(0.0005) IS NOT NULL))
           > pg_sequence_last_value('radd.events_id_seq') AS is_ahead)sql";

struct Fire : TestDatabase {
    Fire() {
        radd::db::migrate(session(), {{"core", radd::db::core_migrations()}});
        session().query(draw);
        for (int i = 0; i < 2; ++i) drawing_.emplace_back([this] { keep_drawing(); });
    }
    ~Fire() {
        is_over_ = true;
        for (auto& thread : drawing_) thread.join();
    }
    Fire(const Fire&) = delete;
    Fire& operator=(const Fire&) = delete;

    std::int64_t times_ahead(radd::Sql look, std::chrono::milliseconds time) {
        std::int64_t ahead = 0;
        for (const auto end = steady_clock::now() + time; steady_clock::now() < end;)
            ahead += session().query(look)[0].boolean("is_ahead") ? 1 : 0;
        return ahead;
    }

private:
    void keep_drawing() {
        radd::db::Session own{options()};
        while (!is_over_) own.query(draw);
    }

    std::atomic<bool> is_over_{false};
    std::vector<std::thread> drawing_;
};

}  // namespace

TEST_SUITE("stream head") {
    TEST_CASE_FIXTURE(Fire, "what was drawn is never told before it is") {
        const bool is_long = std::getenv("RADD_LONG") != nullptr;  // NOLINT(concurrency-mt-unsafe)
        const auto time = is_long ? 60'000ms : 3'000ms;

        std::int64_t slow = 0;
        for (int i = 0; i < 20 && slow == 0; ++i) slow += times_ahead(is_slow_look_ahead, time);
        MESSAGE("a slow look was ahead ", slow, " times");
        CHECK(slow > 0);  // Or nothing is shown by the others.
        CHECK(times_ahead(is_least_of_three_ahead, time) == 0);
        CHECK(times_ahead(is_drawn_ahead, time) == 0);
    }
}

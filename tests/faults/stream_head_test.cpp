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

constexpr radd::Sql draw = "SELECT nextval('radd.events_id_seq')";
constexpr radd::Sql plain_look = "SELECT last_value AS head FROM radd.events_id_seq";
constexpr radd::Sql drawn = "SELECT radd.drawn() AS head";

struct Fire : TestDatabase {
    Fire() {
        radd::db::migrate(session(), {{"core", radd::db::core_migrations()}});
        // Each draw is one that logs, and not one of 32.
        execute("ALTER SEQUENCE radd.events_id_seq CACHE 100");
        for (int i = 0; i < 4; ++i) drawing_.emplace_back([this] { keep_drawing(); });
    }
    ~Fire() {
        is_over_ = true;
        for (auto& thread : drawing_) thread.join();
    }
    Fire(const Fire&) = delete;
    Fire& operator=(const Fire&) = delete;

    /// How often a look told less than the one before, which was ahead then.
    std::int64_t times_ahead(radd::Sql look, std::chrono::milliseconds time) {
        std::int64_t before = 0;
        std::int64_t ahead = 0;
        for (const auto end = steady_clock::now() + time; steady_clock::now() < end;) {
            const auto head = session().query(look)[0].integer("head");
            if (head < before) ++ahead;
            before = head;
        }
        return ahead;
    }

private:
    void keep_drawing() {
        radd::db::Session own{options()};
        while (!is_over_) {
            own.query(draw);
            own.run_script("DISCARD SEQUENCES");  // Or 99 draws would not ask the sequence.
        }
    }

    std::atomic<bool> is_over_{false};
    std::vector<std::thread> drawing_;
};

}  // namespace

TEST_SUITE("stream head") {
    TEST_CASE_FIXTURE(Fire, "what was drawn is never told before it is") {
        const bool is_long = std::getenv("RADD_LONG") != nullptr;  // NOLINT(concurrency-mt-unsafe)
        const auto time = is_long ? 60'000ms : 3'000ms;

        CHECK(times_ahead(drawn, time) == 0);
        MESSAGE("a plain look was ahead ", times_ahead(plain_look, time), " times");
    }
}

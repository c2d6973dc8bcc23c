// Kills at random points between the first statement and the answer to COMMIT.

#include <atomic>
#include <cmath>
#include <random>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include <host/db/errors.hpp>
#include <tests/pg/outbox_bench.hpp>

namespace {

using namespace radd;
using namespace radd::testing;

/// Ends the backends of the application's sessions whenever it gets to it.
void kill_until(const TestDatabase& database,
                const std::atomic<bool>& done,
                std::atomic<int>& kills) {
    db::Session killer{database.options()};
    std::mt19937 random{7};
    // As often a fifth of a millisecond as a tenth of a second: whatever a transaction takes on
    // this machine, some are ended and some get through.
    std::uniform_real_distribution magnitude{std::log(0.0002), std::log(0.1)};
    while (!done) {
        killer.query("SELECT pg_sleep($1::float8)", std::exp(magnitude(random)));
        const Rows rows = killer.query(
            "SELECT count(pg_terminate_backend(pid)) AS killed FROM pg_stat_activity "
            "WHERE datname = current_database() AND application_name = 'victim'");
        kills += static_cast<int>(rows[0].integer("killed"));
    }
}

/// Kills from its making to stop(), or to its end when a test fails.
class Killer {
public:
    explicit Killer(const TestDatabase& database)
        : thread_{[this, &database] { kill_until(database, done_, kills_); }} {}
    ~Killer() { stop(); }
    void stop() {
        done_ = true;
        if (thread_.joinable()) thread_.join();
    }
    [[nodiscard]] int kills() const { return kills_; }

private:
    std::atomic<bool> done_{false};
    std::atomic<int> kills_{0};
    std::thread thread_;
};

db::ConnectOptions victim(const TestDatabase& database) {
    auto options = database.options();
    options.application_name = "victim";
    return options;
}

}  // namespace

TEST_SUITE("killed emitter") {
    // P06 and P15 h
    TEST_CASE_FIXTURE(OutboxBench, "a row and its event land together or not at all") {
        db::Pool victims{victim(database), 2};
        outbox::OutboxDatabase writer{victims, catalog, {}, log, "victim", {}};
        Killer killer{database};
        int answered = 0;
        int lost = 0;
        for (int id = 1; lost < 200 && id < 50'000; ++id) {
            try {
                writer.transact([&](Transaction& tx) {
                    tx.execute("INSERT INTO things VALUES ($1, 'one')", id);
                    tx.emit(note(id));
                    if (id % 2 == 0) tx.flush_events();
                    tx.execute("UPDATE things SET title = 'two' WHERE id = $1", id);
                });
                ++answered;
            } catch (const Unavailable&) {
                ++lost;
            }
        }
        killer.stop();

        CHECK(lost == 200);
        CHECK(killer.kills() > 0);
        CHECK(answered > 0);
        const std::string both = database.value("SELECT count(*) FROM things");
        CHECK(std::stoi(both) >= answered);
        CHECK(database.value("SELECT count(*) FROM radd.events") == both);
        CHECK(database.value("SELECT count(*) FROM things t JOIN radd.events e "
                             "ON e.entity_id = t.id::text WHERE t.title = 'two'") == both);
    }

    TEST_CASE_FIXTURE(OutboxBench, "an event that is a transaction of its own lands once") {
        db::Pool victims{victim(database), 2};
        outbox::OutboxDatabase writer{victims, catalog, {}, log, "victim", {}};
        Killer killer{database};
        int answered = 0;
        int in_doubt = 0;
        for (int id = 1; killer.kills() < 50 && id < 50'000; ++id) {
            try {
                writer.transact([&](Transaction& tx) { tx.emit(note(id)); });
                ++answered;
            } catch (const CommitInDoubt&) {
                ++in_doubt;
            } catch (const Unavailable&) {}
        }
        killer.stop();

        const auto stored = std::stoi(database.value("SELECT count(*) FROM radd.events"));
        CHECK(stored >= answered);
        CHECK(stored <= answered + in_doubt);
        CHECK(database.value("SELECT count(DISTINCT entity_id) = count(*) FROM radd.events") ==
              "true");
    }
}

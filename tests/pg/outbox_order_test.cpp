// The promise the rest stands on: no event is skipped, repeated or read out of order.

#include <array>
#include <atomic>
#include <random>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include <tests/pg/outbox_bench.hpp>

namespace {

using namespace radd;
using namespace radd::testing;

using Ids = std::vector<std::int64_t>;

constexpr std::string_view append =
    "INSERT INTO radd.events (event_type, entity_type, entity_id) VALUES ('probe.happened', "
    "'note', '1')";

/// A session of the test's own, for an application that knows nothing of the host.
struct Application {
    explicit Application(const TestDatabase& database) : session{database.options()} {}

    void emit() { session.query_text(append, {}, true); }
    void run(const std::string& script) { session.run_script(script); }

    db::Session session;
};

bool reaches(outbox::Tail& tail, db::Session& session, Ids& ids, const std::string& wanted) {
    return eventually([&] {
        read_on(tail, session, ids);
        return joined(ids) == wanted;
    });
}

/// Waits until the tail has looked at the stream `times` more, so that "not yet" means something.
void let_it_look(db::Session& session, int times = 5) {
    constexpr Sql polls = R"sql(
        SELECT coalesce(sum(calls), 0) AS calls FROM (
            SELECT count(*) AS calls FROM pg_stat_activity
             WHERE datname = current_database() AND query LIKE '%events_id_seq%'
               AND pid <> pg_backend_pid() AND state = 'idle' AND query_start > $1::timestamptz) q)sql";
    for (int i = 0; i < times; ++i) {
        const auto since = session.query("SELECT clock_timestamp()::text AS now")[0].text("now");
        CHECK(eventually([&] { return session.query(polls, since)[0].integer("calls") > 0; }));
    }
}

}  // namespace

TEST_SUITE("stream order") {
    // P01
    TEST_CASE_FIXTURE(OutboxBench, "a lower id that commits late is read once and first") {
        for (const std::size_t rows : {1U, 100U}) {
            CAPTURE(rows);
            database.execute("DELETE FROM radd.events");
            auto tail = started_tail();
            const auto start = database.value(
                "SELECT last_value FROM radd.events_id_seq "
                "WHERE is_called");
            const auto first = start == "(no row)" ? 1 : std::stoll(start) + 1;
            Ids ids;
            Application late{database};
            Application early{database};
            late.session.begin();
            late.emit();
            early.emit();
            let_it_look(database.session());
            read_on(*tail, database.session(), ids, rows);
            CHECK(ids.empty());
            CHECK(tail->position() < first);

            late.session.commit();
            const Ids both{first, first + 1};
            CHECK(eventually([&] {
                read_on(*tail, database.session(), ids, rows);
                return ids.size() >= 2;
            }));
            let_it_look(database.session());
            read_on(*tail, database.session(), ids, rows);
            CHECK(ids == both);
        }
    }

    // P02 step 1
    TEST_CASE_FIXTURE(OutboxBench, "a rolled-back id is passed at once and after a restart") {
        Ids ids;
        {
            auto tail = started_tail();
            Application app{database};
            app.emit();
            app.session.begin();
            app.emit();
            app.session.rollback();
            app.emit();
            CHECK(reaches(*tail, database.session(), ids, "1,3"));
            app.session.begin();
            app.emit();
            app.session.rollback();
        }
        auto tail = started_tail();
        CHECK(tail->position() == 3);
        Application{database}.emit();
        CHECK(reaches(*tail, database.session(), ids, "1,3,5"));
        CHECK_FALSE(tail->waiting_on());
    }

    // P02 steps 2 to 5
    TEST_CASE_FIXTURE(OutboxBench, "transactions that emit nothing hold nobody") {
        TestDatabase elsewhere;
        elsewhere.execute("CREATE TABLE t (a int)");
        database.execute("CREATE TABLE unrelated (a int)");
        Application idle{database};
        idle.session.begin();
        idle.session.query("SELECT 1");
        db::Session other{elsewhere.options()};
        other.begin();
        other.query("INSERT INTO t VALUES (1)");
        const std::string gid = database.name() + "_unrelated";
        Application{database}.run("BEGIN; INSERT INTO unrelated VALUES (1); PREPARE TRANSACTION '" +
                                  gid + "'");

        Ids ids;
        auto tail = started_tail();
        Application{database}.emit();
        CHECK(reaches(*tail, database.session(), ids, "1"));
        tail = started_tail();
        CHECK(tail->position() == 1);
        Application{database}.emit();
        CHECK(reaches(*tail, database.session(), ids, "1,2"));
        CHECK_FALSE(tail->waiting_on());

        database.execute("ROLLBACK PREPARED '" + gid + "'");
    }

    // P02, step 4 with an emitter
    TEST_CASE_FIXTURE(OutboxBench, "a prepared emitter holds the stream and is named") {
        const std::string gid = database.name() + "_emitter";
        Application{database}.run("BEGIN; " + std::string{append} + "; PREPARE TRANSACTION '" +
                                  gid + "'");
        Ids ids;
        auto tail = started_tail();
        Application{database}.emit();
        CHECK(eventually([&] { return tail->waiting_on().has_value(); }));
        const auto holder = tail->waiting_on();
        REQUIRE(holder);
        CHECK(holder->hole_id == 1);
        CHECK_FALSE(holder->pid);
        CHECK(holder->gid == gid);
        read_on(*tail, database.session(), ids);
        CHECK(ids.empty());

        database.execute("COMMIT PREPARED '" + gid + "'");
        CHECK(reaches(*tail, database.session(), ids, "1,2"));
        CHECK(eventually([&] { return !tail->waiting_on(); }));
    }

    TEST_CASE_FIXTURE(OutboxBench, "an open emitter is named with pid and age and statement") {
        auto tail = started_tail();
        Application open{database};
        open.session.begin();
        open.emit();
        Application{database}.emit();
        CHECK(eventually([&] { return tail->waiting_on().has_value(); }));
        const auto holder = tail->waiting_on();
        REQUIRE(holder);
        CHECK(holder->hole_id == 1);
        CHECK(holder->pid == open.session.backend_pid());
        CHECK(holder->age >= std::chrono::milliseconds{1000});
        CHECK(holder->state == "idle in transaction");
        CHECK(holder->query.find("INSERT INTO radd.events") != std::string::npos);

        open.session.rollback();
        Ids ids;
        CHECK(reaches(*tail, database.session(), ids, "2"));
    }

    TEST_CASE_FIXTURE(OutboxBench, "a long hole is stepped over and not walked through") {
        Application app{database};
        app.emit();
        app.session.begin();
        app.session.query(
            "INSERT INTO radd.events (event_type, entity_type, entity_id) "
            "SELECT 'a', 'b', 'c' FROM generate_series(1, 5000)");
        app.session.rollback();
        app.emit();
        database.execute(
            "SELECT radd.ensure_partitions(); "
            "SELECT setval('radd.events_id_seq', 9007199254740993); "
            "SELECT radd.ensure_partitions()");
        app.emit();
        Ids ids;
        auto tail = started_tail();

        CHECK(reaches(*tail, database.session(), ids, "1,5002,9007199254740994"));
        app.emit();
        CHECK(reaches(*tail, database.session(), ids, "1,5002,9007199254740994,9007199254740995"));
    }
}

namespace {

/// One writer of the race: what applications do, in every way they can, mostly hurried.
class Writer {
public:
    Writer(const TestDatabase& database, unsigned seed)
        : app_{database}, random_{seed}, gid_{database.name() + "_w" + std::to_string(seed)} {}

    /// Commits at least `events` events.
    void run(std::int64_t events) {
        while (committed_ < events) one_transaction();
    }

private:
    int roll(int sides) { return std::uniform_int_distribution{0, sides - 1}(random_); }

    int some_events() {
        const int count = 1 + roll(6);
        for (int i = 0; i < count; ++i) emit_somehow();
        return count;
    }
    void emit_somehow() {
        if (roll(3) == 0) {
            app_.session.query("SELECT radd.emit('probe.happened', 'note', '1')");
        } else {
            app_.emit();
        }
    }
    void hold() {
        const int chance = roll(200);
        if (chance < 140) return;
        const auto seconds = chance < 190 ? "0.001" : chance < 199 ? "0.01" : "0.1";
        app_.session.query("SELECT pg_sleep($1::float8)", seconds);
    }
    void one_transaction() {
        app_.session.begin();
        if (roll(4) == 0) app_.session.query("SELECT count(*) FROM radd.stream");
        int count = some_events();
        hold();
        if (roll(10) < 3) {
            app_.run("SAVEPOINT s");
            const int inside = some_events();
            const bool is_kept = roll(2) == 0;
            app_.run(is_kept ? "RELEASE s" : "ROLLBACK TO s");
            if (is_kept) count += inside;
        }
        const int end = roll(100);
        if (end < 15) {
            app_.session.rollback();
            return;
        }
        if (end < 18) {
            end_in_two_phases();
        } else {
            app_.session.commit();
        }
        committed_ += count;
    }
    void end_in_two_phases() {
        app_.run("PREPARE TRANSACTION '" + gid_ + "'");
        app_.session.commit();  // Nothing is open: it only tells the session so.
        hold();
        app_.run("COMMIT PREPARED '" + gid_ + "'");
    }

    Application app_;
    std::mt19937 random_;
    std::string gid_;
    std::int64_t committed_ = 0;
};

/// Reads with the SQL functions alone, as another language would.
Ids read_in_sql(const TestDatabase& database, const std::atomic<bool>& done) {
    db::Session session{database.options()};
    Ids ids;
    while (true) {
        const bool is_last = done;
        session.query("SELECT radd.settle()");
        const auto cursor = ids.empty() ? 0 : ids.back();
        const Rows rows = session.query("SELECT id FROM radd.read_after($1, 200)", cursor);
        for (const Row row : rows) ids.push_back(row.integer("id"));
        if (is_last && rows.empty()) return ids;
    }
}

Ids read_by_tail(outbox::Tail& tail, const TestDatabase& database, const std::atomic<bool>& done) {
    db::Session session{database.options()};
    Ids ids;
    const auto head = [&] {
        return session.query("SELECT coalesce(max(id), 0) AS id FROM radd.events")[0].integer("id");
    };
    while (true) {
        const bool is_last = done;
        tail.wait(ids.empty() ? 0 : ids.back(), std::chrono::milliseconds{50});
        const auto before = ids.size();
        read_on(tail, session, ids, 300);
        if (is_last && ids.size() == before && tail.position() >= head()) return ids;
    }
}

}  // namespace

TEST_SUITE("stream race") {
    TEST_CASE_FIXTURE(OutboxBench, "racing writers lose nothing to any reader") {
        constexpr unsigned writers = 8;
        constexpr std::int64_t events = 20'000;
        database.execute("ALTER DATABASE " + database.name() + " SET synchronous_commit = off");
        // A buffer too small for the stream: readers change between it and reads of their own.
        auto tail = started_tail({.buffer_bytes_max = 100'000});
        std::atomic<bool> done{false};
        std::array<Ids, 3> read;
        std::vector<std::thread> readers;
        readers.emplace_back([&] { read[0] = read_by_tail(*tail, database, done); });
        readers.emplace_back([&] { read[1] = read_by_tail(*tail, database, done); });
        readers.emplace_back([&] { read[2] = read_in_sql(database, done); });
        {
            std::vector<std::jthread> threads;
            for (unsigned i = 0; i < writers; ++i) {
                threads.emplace_back([this, i] { Writer{database, i + 1}.run(events / writers); });
            }
        }
        done = true;
        for (auto& reader : readers) reader.join();

        Ids stored;
        for (const Row row : database.session().query("SELECT id FROM radd.events ORDER BY id"))
            stored.push_back(row.integer("id"));
        CHECK(stored.size() >= events);
        CHECK(database.value("SELECT max(id) > count(*) * 1.1 FROM radd.events") == "true");
        for (const Ids& ids : read) {
            CHECK(ids.size() == stored.size());
            CHECK(ids == stored);
        }
    }
}

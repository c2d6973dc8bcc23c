#pragma once

/// Commits without an answer: the server keeps it back, or ends before it commits.

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tests/pg/consumers_bench.hpp>
#include <tests/support/private_cluster.hpp>

namespace radd::testing {

/// Answers to a COMMIT can be held back on this server: a standby that never comes is waited for.
struct Unanswered {
    PrivateCluster cluster{
        {{"synchronous_standby_names", "nobody"}, {"synchronous_commit", "local"}}};
    Stream stream{cluster.url()};
    db::Session session{stream.options()};
    consumers::ConsumerStore store{session};
    Outward outward;

    std::int64_t number(std::string_view query) {
        return session.query_text(query, {}, false)[0].integer("n");
    }
    /// Ends the session that waits for the standby. Its commit has landed by then.
    void cut_the_answer() {
        CHECK(eventually([&] {
            return number(
                       "SELECT count(pg_terminate_backend(pid)) AS n FROM pg_stat_activity "
                       "WHERE wait_event = 'SyncRep'") == 1;
        }));
    }
    /// Runs `outward` as "probe.one".
    std::unique_ptr<consumers::ConsumerRunner> runner() {
        const consumers::Declaration declaration{
            .name = "probe.one", .plugin = "probe", .plugin_version = "1.0.0"};
        store.declare(declaration, 0);
        auto made = std::make_unique<consumers::ConsumerRunner>(
            consumers::ConsumerSetup{.declaration = declaration, .consumer = &outward},
            stream.parts());
        acquire(*made);
        return made;
    }
    void acquire(consumers::ConsumerRunner& runner) {
        const std::vector<std::string> names{"probe.one"};
        runner.position().take(store.acquire(names, "this:1:1", std::chrono::seconds{10}).at(0));
    }
    /// Appends `count` events and waits until the tail has them. The stream must have been empty.
    void append(std::int64_t count) {
        session.query(append_events, std::string{"probe.happened"}, false, count);
        REQUIRE(eventually([&] { return stream.tail->position() == count; }));
    }
    /// Work whose commit is not answered.
    static Work leaves_a_row_unanswered() {
        return [](Transaction& tx, const Event& event) {
            Bench::leaves_a_row("outward")(tx, event);
            tx.query("SELECT set_config('synchronous_commit', 'on', true)");
        };
    }
};

/// A row in `fuse` ends the session that wrote it when it commits, and nothing of it lands.
inline void lay_fuse(TestDatabase& database) {
    database.execute(
        "CREATE TABLE fuse (id bigint);"
        "CREATE FUNCTION burn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "PERFORM pg_terminate_backend(pg_backend_pid()); RETURN new; END $$;"
        "CREATE CONSTRAINT TRIGGER burn AFTER INSERT ON fuse DEFERRABLE INITIALLY DEFERRED "
        "FOR EACH ROW EXECUTE FUNCTION burn()");
}

inline Work leaves_a_row_and_burns_once() {
    return [burnt = false](Transaction& tx, const Event& event) mutable {
        Bench::leaves_a_row("outward")(tx, event);
        if (!std::exchange(burnt, true)) tx.execute("INSERT INTO fuse VALUES (1)");
    };
}

}  // namespace radd::testing

#pragma once

/// A database in which consumers_worker has seen an empty stream, and what it leaves there.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <host/db/migrate.hpp>
#include <host/verify/verification.hpp>
#include <signal.h>
#include <tests/support/process.hpp>
#include <tests/support/test_database.hpp>
#include <tests/support/wait.hpp>

namespace radd::testing {

/// How many consumers a worker has, one of each shape.
inline constexpr std::int64_t worker_consumers = 5;

class WorkerBench {
public:
    explicit WorkerBench(std::string database_url, std::string lease_ms = "1000")
        : database_url_{std::move(database_url)}, lease_ms_{std::move(lease_ms)} {
        db::migrate(session(), {{"core", db::core_migrations()}});
        execute(
            "CREATE TABLE planned (event_id bigint PRIMARY KEY);"
            "CREATE TABLE delivered (seq bigserial, event_id bigint);"
            "CREATE TABLE relayed (seq bigserial, event_id bigint);"
            "CREATE TABLE projected (seq bigserial, event_id bigint PRIMARY KEY, entity_id text,"
            " n bigint);"
            "CREATE TABLE bootstrapped (event_id bigint PRIMARY KEY);"
            "CREATE TABLE applied (event_id bigint PRIMARY KEY)");
    }

    /// Straight to the database; opened anew after a fault.
    [[nodiscard]] db::Session& session() {
        if (!session_ || !session_->usable())
            session_ = std::make_unique<db::Session>(db::ConnectOptions{.url = database_url_});
        return *session_;
    }
    void execute(const std::string& script) { session().run_script(script); }
    [[nodiscard]] std::string value(const std::string& query) {
        const auto rows = session().query_text("SELECT (" + query + ")::text AS value", {}, false);
        return rows[0].optional_text("value").value_or("(null)");
    }
    [[nodiscard]] std::int64_t number(const std::string& query) { return std::stoll(value(query)); }

    /// Seeds the consumers in an empty stream, so that all of them see event 1.
    void seed() {
        const auto first = start();
        REQUIRE(eventually([&] { return owned_by(*first); }));
        end(*first);
    }

    [[nodiscard]] std::unique_ptr<Process> start(
        const std::vector<std::string>& fuse = {},
        const std::map<std::string, std::string>& environment = {}) const {
        std::vector<std::string> arguments{RADD_BINARY_DIR "/tests/consumers_worker",
                                           worker_url.empty() ? database_url_ : worker_url,
                                           lease_ms_};
        arguments.insert(arguments.end(), fuse.begin(), fuse.end());
        auto all = worker_environment;
        all.insert(environment.begin(), environment.end());
        return std::make_unique<Process>(arguments, all);
    }
    static void end(Process& worker) {
        worker.signal(SIGTERM);
        CHECK(worker.wait() == 0);
    }

    /// `events` in one transaction, each of another entity.
    void append(int events, const std::string& type = "probe.happened") {
        execute("INSERT INTO radd.events (event_type, entity_type, entity_id, payload) SELECT '" +
                type + "', 'thing', n::text, jsonb_build_object('n', n) FROM generate_series(1, " +
                std::to_string(events) + ") n");
    }
    [[nodiscard]] std::int64_t count(const std::string& from) {
        return number("SELECT count(*) FROM " + from);
    }
    [[nodiscard]] std::string list(const std::string& table, const std::string& order) {
        return value("SELECT coalesce(string_agg(event_id::text, ',' ORDER BY " + order +
                     "), '') FROM " + table);
    }
    [[nodiscard]] bool all_at_head() {
        return count("radd.consumers WHERE cursor = (SELECT max(id) FROM radd.events)") ==
               worker_consumers;
    }
    /// All consumers belong to `worker`, and so whatever the one before it left is decided.
    [[nodiscard]] bool owned_by(const Process& worker) {
        return count("radd.consumers WHERE owner LIKE '%:" + std::to_string(worker.pid()) +
                     ":%'") == worker_consumers;
    }

    /// Rows of `table` that are missing or too many, compared with what happened.
    [[nodiscard]] std::int64_t mismatches(const std::string& table) {
        return count(
            "(SELECT id FROM radd.events WHERE event_type = 'probe.happened') e FULL JOIN " +
            table + " t ON t.event_id = e.id WHERE t.event_id IS NULL OR e.id IS NULL");
    }
    /// The first of the events that `table` lacks, with the ids around them, for who has to find
    /// out.
    [[nodiscard]] std::string not_in(const std::string& table) {
        return value(
            "SELECT coalesce(string_agg(format('%s (%s, after %s, before %s)', id, recorded_at, "
            "before, after), '; '), '') FROM (SELECT id, recorded_at, event_type, lag(id) OVER w "
            "AS before, lead(id) OVER w AS after FROM radd.events WINDOW w AS (ORDER BY id)) e "
            "WHERE event_type = 'probe.happened' AND NOT EXISTS (SELECT FROM " +
            table + " t WHERE t.event_id = e.id) LIMIT 5");
    }
    [[nodiscard]] std::int64_t repeated(const std::string& table) {
        return count("(SELECT FROM " + table + " GROUP BY event_id HAVING count(*) > 1) twice");
    }
    /// What every shape promises, whatever has died: each effect in the database once, everything
    /// relayed, nothing delivered twice, and tables that agree with all that.
    void check_guarantees() {
        for (const std::string table : {"planned", "projected", "bootstrapped", "applied"}) {
            CAPTURE(table);
            CAPTURE(not_in(table));
            CHECK(mismatches(table) == 0);
        }
        CHECK(count("radd.events e WHERE NOT EXISTS (SELECT FROM relayed r WHERE r.event_id = "
                    "e.id)") == 0);
        CHECK(repeated("delivered") == 0);
        CHECK(count("delivered d WHERE NOT EXISTS (SELECT FROM planned p WHERE p.event_id = "
                    "d.event_id)") == 0);
        const std::string tenth = "radd.events WHERE event_type = 'probe.happened' AND id % 10 = 0";
        CHECK(count("radd.events WHERE event_type = 'probe.echoed' AND payload ? 'of'") ==
              count(tenth));
        CHECK(count("(SELECT n, lag(n) OVER (PARTITION BY entity_id ORDER BY seq) AS before FROM "
                    "projected) p WHERE n < before") == 0);
        // What could not be sent is at most once, and recorded.
        CHECK(count("radd.skipped_events WHERE phase <> 'deliver'") == 0);
        check_tables();
    }
    /// `radd verify`, without a process of its own.
    void check_tables() {
        verify::Verification verification{session(), [](const auto&) {}};
        const auto report = verification.run();
        for (const auto& finding : report.findings) {
            CAPTURE(finding.detail);
            CAPTURE(finding.examples);
            FAIL_CHECK(finding.check->name << ": " << finding.subject);
        }
        for (const auto& one : report.consumers) {
            CAPTURE(one.name);
            CHECK(one.verdict == "each once");
        }
    }

    std::string worker_url{};  ///< Another way to the same database; empty: the straight one.
    std::map<std::string, std::string> worker_environment{};

private:
    std::string database_url_;
    std::string lease_ms_;
    std::unique_ptr<db::Session> session_;
};

struct OwnDatabase {
    TestDatabase database;
};

/// The same in a database of the shared cluster.
class SharedWorkerBench : public OwnDatabase, public WorkerBench {
public:
    explicit SharedWorkerBench(std::string lease_ms = "1000")
        : WorkerBench{database.url(), std::move(lease_ms)} {}
};

}  // namespace radd::testing

// P52: a page that any scraper can read, whatever consumers are called.

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tests/pg/monitoring_bench.hpp>
#include <tests/support/private_cluster.hpp>
#include <tests/support/process.hpp>

using namespace std::chrono_literals;
using radd::testing::eventually;
using radd::testing::PrivateCluster;
using radd::testing::Process;
using radd::testing::TempDir;
using radd::testing::TestDatabase;
using radd::testing::Watched;

namespace {

bool has(const std::string& page, const std::string& part) {
    return page.find(part) != std::string::npos;
}

/// Of one series, labels and all; -1: the page does not have it.
double value_of(const std::string& page, const std::string& series) {
    const auto at = page.find("\n" + series + " ");
    return at == std::string::npos ? -1 : std::stod(page.substr(at + series.size() + 2));
}

struct Lint {
    int code;
    std::string said;
};

/// `promtool check metrics`, which parses strictly and then judges names, units and help.
Lint promtool(const std::string& page) {
    const TempDir folder;
    const auto file = folder.path() / "page";
    std::ofstream{file} << page;
    Process check{{"/bin/sh", "-c", "promtool check metrics < " + file.string()}};
    const auto code = check.wait();
    return {code.value_or(-1), check.output() + check.errors()};
}

// Of two due since a minute and an hour, one to come, two dead of which one was replayed.
constexpr const char* insert_deliveries = R"sql(
    INSERT INTO radd.deliveries (queue, lane, payload, state, next_attempt_at, finished_at, replay_of)
    VALUES ('probe.out', 'a', '{}', 'dead', now(), now(), NULL),
           ('probe.out', 'a', '{}', 'dead', now(), now(), NULL),
           ('probe.out', 'b', '{}', 'delivered', now(), now(), NULL),
           ('probe.out', 'a', '{}', 'pending', now() + interval '1 day', NULL, 1),
           ('probe.out', 'b', '{}', 'pending', now() - interval '1 minute', NULL, NULL),
           ('probe.out', 'c', '{}', 'pending', now() - interval '1 hour', NULL, NULL))sql";

struct Measured {
    Measured() {
        host.outward.act = [](std::int64_t id) {
            if (id % 2 == 0) throw radd::Error{"refused"};
        };
        REQUIRE(host.starts_well());
    }
    [[nodiscard]] std::string page() { return host.monitor.metrics().text(); }
    /// As a process that runs "probe.out" and "idle.out", the second without a row.
    void watch_two_queues() {
        database.execute(insert_deliveries);
        host.monitor.metrics().watch_deliveries([] {
            return std::vector<radd::delivery::QueueTotals>{{.name = "probe.out",
                                                             .attempts = 16,
                                                             .delivered = 5,
                                                             .failed = 4,
                                                             .dead = 3,
                                                             .cancelled = 2,
                                                             .late = 1,
                                                             .in_flight = 3,
                                                             .overdue = 2,
                                                             .lanes_resting = 6},
                                                            {.name = "idle.out"}};
        });
        host.monitor.sampler().expire();
    }

    TestDatabase database;
    Watched host{database.url()};
};

constexpr const char* insert_four = R"sql(
    INSERT INTO radd.events (event_type, entity_type, entity_id)
    SELECT 'a.b', 'item', n::text FROM generate_series(1, 4) n)sql";

}  // namespace

TEST_SUITE("metrics") {
    TEST_CASE_FIXTURE(Measured, "promtool finds nothing to say") {
        database.execute(insert_four);
        host.monitor.metrics().observe_http("/api/v1/items/{key}", "GET", 200, 3ms);
        watch_two_queues();
        REQUIRE(eventually(
            [&] { return has(page(), R"(radd_consumer_cursor{consumer="probe.outward"} 4)"); }));

        const auto lint = promtool(page());

        CHECK_MESSAGE(lint.code == 0, lint.said);
        CHECK(lint.said == "");
        CHECK(has(page(), "radd_deliveries_pending{"));
        CHECK(page().back() == '\n');
    }

    TEST_CASE_FIXTURE(Measured, "what consumers do is counted") {
        database.execute(insert_four);
        REQUIRE(eventually([&] {
            return has(page(), R"(radd_consumer_skipped_open{consumer="probe.outward"} 2)");
        }));

        const std::string found = page();

        for (const std::string line :
             {R"(radd_consumer_planned_total{consumer="probe.outward"} 4)",
              R"(radd_consumer_deliveries_total{consumer="probe.outward",outcome="delivered"} 2)",
              R"(radd_consumer_deliveries_total{consumer="probe.outward",outcome="failed"} 2)",
              R"(radd_consumer_plan_seconds_count{consumer="probe.outward"} 4)",
              R"(radd_consumer_plan_seconds_bucket{consumer="probe.outward",le="+Inf"} 4)",
              R"(radd_consumer_deliver_seconds_count{consumer="probe.outward"} 4)",
              R"(radd_consumer_state{consumer="probe.outward",kind="consumer",state="ok"} 1)",
              R"(radd_consumer_state{consumer="probe.outward",kind="consumer",state="stalled"} 0)",
              R"(radd_consumer_lag_events{consumer="probe.outward"} 0)",
              R"(radd_tail_events_total 4)",
              R"(radd_leases_held 3)",
              R"(radd_database_up 1)",
              R"(radd_stream_head 4)",
              R"(radd_build_info{version="1.2.3"} 1)",
              R"(radd_pool_size{pool="plugins"} 16)"}) {
            CHECK_MESSAGE(has(found, line + "\n"), line << " in\n" << found);
        }
    }

    TEST_CASE_FIXTURE(Measured, "pools and the tail and the keeper of leases are measured") {
        database.execute(insert_four);
        REQUIRE(eventually([&] { return value_of(page(), "radd_tail_position") == 4; }));
        const std::string pool = R"({pool="plugins"})";
        const auto before = page();
        {
            const auto lease = host.stream.pool->lease("test");
            CHECK(value_of(page(), "radd_pool_leased" + pool) >= 1);
        }
        const auto found = page();

        CHECK(value_of(found, "radd_pool_leases_total" + pool) >
              value_of(before, "radd_pool_leases_total" + pool));
        CHECK(value_of(found, "radd_pool_waits_total" + pool) == 0);
        CHECK(value_of(found, "radd_pool_timeouts_total" + pool) == 0);
        CHECK(value_of(found, "radd_tail_polls_total") > 0);
        CHECK(value_of(found, "radd_tail_buffer_bytes") >= 0);
        CHECK(value_of(found, "radd_stream_waiting_seconds") == 0);
        CHECK(value_of(found, "radd_keeper_statements_total") > 0);
        CHECK(value_of(found, "radd_stream_ids_left") > 50'000'000);
        CHECK(value_of(found, "radd_events_bytes") > 0);
        const std::string consumer = R"({consumer="probe.projection"})";
        CHECK(eventually(
            [&] { return value_of(page(), "radd_consumer_oldest_age_seconds" + consumer) == 0; }));
        CHECK(value_of(found, "radd_consumer_last_move_age_seconds" + consumer) >= 0);
    }

    TEST_CASE_FIXTURE(Measured, "who holds the stream back and for how long is measured") {
        radd::db::Session holder{host.stream.options()};
        holder.begin();
        holder.run_script(insert_four);
        database.execute(insert_four);

        CHECK(eventually([&] { return value_of(page(), "radd_stream_waiting_seconds") > 0; }));
        holder.rollback();
        CHECK(eventually([&] { return value_of(page(), "radd_stream_waiting_seconds") == 0; }));
    }

    TEST_CASE_FIXTURE(Measured, "deliveries are told by queue and by what came of them") {
        watch_two_queues();

        const std::string found = page();

        for (const std::string line :
             {R"(radd_delivery_attempts_total{queue="probe.out"} 16)",
              R"(radd_delivery_results_total{queue="probe.out",outcome="delivered"} 5)",
              R"(radd_delivery_results_total{queue="probe.out",outcome="failed"} 4)",
              R"(radd_delivery_results_total{queue="probe.out",outcome="dead"} 3)",
              R"(radd_delivery_results_total{queue="probe.out",outcome="cancelled"} 2)",
              R"(radd_delivery_results_total{queue="probe.out",outcome="late"} 1)",
              R"(radd_delivery_results_total{queue="idle.out",outcome="dead"} 0)",
              R"(radd_deliveries_in_flight{queue="probe.out"} 3)",
              R"(radd_deliveries_overdue{queue="probe.out"} 2)",
              R"(radd_delivery_lanes_resting{queue="probe.out"} 6)",
              R"(radd_deliveries_pending{queue="probe.out"} 3)",
              R"(radd_deliveries_due{queue="probe.out"} 2)",
              R"(radd_deliveries_dead{queue="probe.out"} 1)",
              R"(radd_deliveries_pending{queue="idle.out"} 0)",
              R"(radd_deliveries_oldest_due_seconds{queue="idle.out"} 0)"}) {
            CHECK_MESSAGE(has(found, line + "\n"), line << " in\n" << found);
        }
        CHECK(has(found, R"(radd_deliveries_oldest_due_seconds{queue="probe.out"} 360)"));
    }

    TEST_CASE_FIXTURE(Measured, "any name is a label") {
        database.session().query("INSERT INTO radd.consumers (name, plugin) VALUES ($1, 'probe')",
                                 std::string{"a\"b\\c\nd\xF0\x9F\x98\x80"});
        host.monitor.metrics().observe_http("/\xFF", "GET", 200, 1ms);
        host.monitor.sampler().expire();

        const std::string found = page();

        CHECK(has(found, "radd_consumer_cursor{consumer=\"a\\\"b\\\\c\\nd\xF0\x9F\x98\x80\"} 0\n"));
        CHECK(has(found, "route=\"/\xEF\xBF\xBD\""));
        const auto lint = promtool(found);
        CHECK_MESSAGE(lint.code == 0, lint.said);
    }

    TEST_CASE_FIXTURE(Measured, "nothing that an event or a delivery says is on the page") {
        database.execute(R"sql(
            INSERT INTO radd.events (event_type, entity_type, entity_id, payload, changes,
                                     automated_cause, traceparent)
            SELECT 'whispered.type', 'whispered', 'whispered', '{"password": "whispered"}',
                   '[{"field": "whispered"}]', 'whispered', 'whispered'
              FROM generate_series(1, 4);
            INSERT INTO radd.deliveries (queue, lane, payload, state, next_attempt_at, last_error)
            VALUES ('probe.out', 'whispered', '{"secret": "whispered"}', 'pending', now(),
                    'whispered');
            UPDATE radd.consumers SET pause_reason = 'whispered')sql");
        watch_two_queues();
        REQUIRE(eventually([&] {
            return has(page(), R"(radd_consumer_skipped_open{consumer="probe.outward"} 2)");
        }));
        host.monitor.sampler().expire();

        CHECK_FALSE(has(page(), "whispered"));
    }

    TEST_CASE_FIXTURE(Measured, "two scrapes at once share one statement") {
        const auto began = std::chrono::steady_clock::now();
        std::set<std::shared_ptr<const radd::monitoring::Snapshot>> looks;
        for (int again = 0; again < 20; ++again) {
            auto other = std::async(std::launch::async, [&] { return page(); });
            CHECK(page().size() > 1000);
            CHECK(other.get().size() > 1000);
            looks.insert(host.monitor.sampler().latest());
        }
        const auto took = std::chrono::duration_cast<std::chrono::seconds>(
            std::chrono::steady_clock::now() - began);

        // One that was there, one a second, and the samples of every other second.
        CHECK(static_cast<std::int64_t>(looks.size()) <= 3 + 2 * took.count());
    }

    TEST_CASE_FIXTURE(Measured, "requests are counted by the pattern of their route") {
        for (int again = 0; again < 3; ++again)
            host.monitor.metrics().observe_http("/api/v1/events/{id}", "GET", 200, 2ms);
        host.monitor.metrics().observe_http("/api/v1/events/{id}", "GET", 404, 2ms);

        const std::string found = page();

        const std::string where = R"({method="GET",route="/api/v1/events/{id}")";
        CHECK(has(found, "radd_http_requests_total" + where + R"(,status="200"} 3)"));
        CHECK(has(found, "radd_http_requests_total" + where + R"(,status="404"} 1)"));
        CHECK(has(found, "radd_http_request_seconds_count" + where + "} 4"));
    }

    TEST_CASE_FIXTURE(Measured, "paths given for patterns do not grow the page for ever") {
        for (int path = 0; path < 6000; ++path)
            host.monitor.metrics().observe_http("/x/" + std::to_string(path), "GET", 404, 1ms);

        const std::string found = page();

        CHECK(has(found,
                  R"(radd_http_requests_total{method="other",route="other",status="0"} 1000)"));
        CHECK(found.size() < 10'000'000);
    }

    TEST_CASE("during an outage the page says so and comes at once") {
        PrivateCluster cluster;
        Watched host{cluster.url()};
        REQUIRE(host.starts_well());
        cluster.freeze();

        const auto began = std::chrono::steady_clock::now();
        const auto at_once = host.monitor.metrics().text();
        CHECK(std::chrono::steady_clock::now() - began < 2s);
        CHECK(at_once.size() > 1000);
        REQUIRE(eventually([&] { return !host.is_reachable(); }));
        const auto later = host.monitor.metrics().text();
        host.stream.clock.steady_ahead = 1min;
        const auto much_later = host.monitor.metrics().text();
        host.stream.clock.steady_ahead = 0ns;
        cluster.thaw();

        CHECK(has(later, "radd_database_up 0\n"));
        CHECK_FALSE(has(much_later, "radd_consumer_lag_events"));
        CHECK(promtool(much_later).code == 0);
        CHECK(
            eventually([&] { return has(host.monitor.metrics().text(), "radd_database_up 1\n"); }));
    }
}

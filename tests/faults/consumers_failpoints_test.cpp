// Each boundary of a commit and of a send, and a process that dies or freezes just there.

#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tests/faults/frozen.hpp>
#include <tests/faults/worker_bench.hpp>

using namespace std::chrono_literals;
using radd::testing::eventually;
using radd::testing::is_stopped;
using radd::testing::Process;
using radd::testing::SharedWorkerBench;

namespace {

const std::vector<std::string> shapes{
    "probe.outward", "probe.projection", "probe.per_event", "probe.bootstrapped", "probe.relay"};

bool is_long() {
    return std::getenv("RADD_LONG") != nullptr;  // NOLINT(concurrency-mt-unsafe)
}

/// A lease that does not cost a test its time, and events that every shape acts on or passes.
struct Bench : SharedWorkerBench {
    Bench() : SharedWorkerBench{"400"} { seed(); }

    [[nodiscard]] std::unique_ptr<Process> start_at(const std::string& failpoint) const {
        return start({}, {{"RADD_FAILPOINT", failpoint}});
    }
    /// Events 1 to 11 to begin with: the tenth is echoed.
    void feed() {
        append(11);
        append(3, "probe.echoed");
    }
    void expect_death(Process& doomed, const std::string& failpoint) {
        CAPTURE(failpoint);
        REQUIRE(doomed.wait(60s) == 128 + SIGKILL);
    }
    /// A worker dies at `failpoint`, once there is something to do; the next one does the rest.
    void die_at(const std::string& failpoint) {
        CAPTURE(failpoint);
        const auto doomed = start_at("kill " + failpoint);
        feed();
        expect_death(*doomed, failpoint);
        CHECK(repeated("delivered") == 0);
    }
    void finish() {
        const auto next = start();
        REQUIRE(eventually([&] { return owned_by(*next) && all_at_head(); }, 60s));
        end(*next);
        check_guarantees();
    }
    [[nodiscard]] bool has_caught_up(const Process& worker) {
        return owned_by(worker) && all_at_head();
    }
    [[nodiscard]] std::int64_t owned(const std::string& which, const Process& by) {
        return count("radd.consumers WHERE " + which +
                     " AND owner LIKE '%:" + std::to_string(by.pid()) + ":%'");
    }
    /// It goes on beside the one that came after it, and both end.
    void thaw(Process& frozen, Process& next) {
        frozen.signal(SIGCONT);
        REQUIRE(eventually([&] { return all_at_head(); }, 60s));
        CHECK(frozen.is_running());
        end(frozen);
        end(next);
    }
    [[nodiscard]] std::int64_t undelivered() {
        return count(
            "planned p WHERE NOT EXISTS (SELECT FROM delivered d WHERE d.event_id = "
            "p.event_id)");
    }
};

}  // namespace

TEST_SUITE("a process that dies") {
    // P15: (a) and (b), by every shape
    TEST_CASE_FIXTURE(Bench, "before its commit leaves no trace of the batch") {
        // Only of its own death: any other may find it between a commit and a delivery.
        for (const char* point : {"consumer.planned", "consumer.advanced"})
            die_at(std::string{point} + "@probe.outward");
        finish();
        CHECK(undelivered() == 0);
        for (const std::string point : {"consumer.planned", "consumer.advanced"}) {
            for (const auto& shape : shapes) {
                die_at(point + '@' + shape);
            }
        }
        finish();
    }

    // P15: (c)
    TEST_CASE_FIXTURE(Bench, "after its commit repeats nothing of the batch") {
        for (const auto& shape : shapes) die_at("consumer.committed@" + shape);
        finish();
        // One batch was committed and not sent.
        CHECK(undelivered() > 0);
        CHECK(undelivered() <= 50);
    }

    // P15: (c) and (d)
    TEST_CASE_FIXTURE(Bench, "around a delivery loses that one or none but repeats none") {
        die_at("consumer.delivering@probe.outward:2");
        die_at("consumer.delivered@probe.outward:2");
        finish();
        CHECK(undelivered() > 0);
    }

    // P15
    TEST_CASE_FIXTURE(Bench, "after it has handed over hands over again and no less") {
        die_at("consumer.handed_over@probe.relay");
        finish();
        CHECK(repeated("relayed") > 0);
    }

    // P15, P12
    TEST_CASE_FIXTURE(Bench, "at any COMMIT leaves it done or undone as a whole") {
        const int commits = is_long() ? 40 : 12;
        for (int nth = 1; nth <= commits; ++nth) {
            die_at("db.committing:" + std::to_string(nth));
            die_at("db.commit_sent:" + std::to_string(nth));
        }
        finish();
    }

    // P15
    TEST_CASE_FIXTURE(Bench, "while it keeps its leases leaves them to the next") {
        for (const char* point : {"keeper.acquired", "keeper.renewed:2"}) die_at(point);
        for (const std::string point : {"keeper.flushing", "keeper.flushed"}) {
            const auto doomed = start_at("kill " + point);
            // After a death each move is written at once, until the consumer has been at the head.
            REQUIRE(
                eventually([&] { return has_caught_up(*doomed) || !doomed->is_running(); }, 60s));
            append(3, "probe.echoed");
            expect_death(*doomed, point);
        }
        for (const std::string point : {"keeper.releasing", "keeper.released"}) {
            const auto doomed = start_at("kill " + point);
            feed();
            REQUIRE(eventually([&] { return owned_by(*doomed) && all_at_head(); }, 60s));
            doomed->signal(SIGTERM);
            expect_death(*doomed, point);
        }
        finish();
    }

    // P17
    TEST_CASE_FIXTURE(Bench, "while it is cautious is followed by one that is") {
        die_at("consumer.planned@probe.projection");
        die_at("consumer.attempt_counted@probe.projection");
        die_at("consumer.advanced@probe.projection");
        finish();
    }
}

TEST_SUITE("a process that freezes") {
    // P13
    TEST_CASE_FIXTURE(Bench, "beyond its lease within a commit keeps that batch to itself") {
        for (const auto& shape : shapes) {
            // A relay writes no effects, so its moves are collected and written by the keeper.
            if (shape == "probe.relay") continue;
            CAPTURE(shape);
            const auto frozen = start_at("stop consumer.advanced@" + shape);
            REQUIRE(eventually([&] { return owned_by(*frozen); }, 60s));
            feed();
            REQUIRE(eventually([&] { return is_stopped(*frozen); }, 60s));
            const auto next = start();
            // Not of what is just being committed: its rows are locked.
            REQUIRE(eventually([&] { return owned("true", *next) > 0; }, 60s));
            CHECK(owned("name = '" + shape + "'", *next) == 0);
            thaw(*frozen, *next);
        }
        check_guarantees();
        CHECK(undelivered() == 0);
    }

    // P13
    TEST_CASE_FIXTURE(Bench, "before it writes finds that another has done its work") {
        for (const auto& shape : shapes) {
            CAPTURE(shape);
            const auto frozen = start_at("stop consumer.planned@" + shape);
            REQUIRE(eventually([&] { return owned_by(*frozen); }, 60s));
            feed();
            REQUIRE(eventually([&] { return is_stopped(*frozen); }, 60s));
            const auto next = start();
            REQUIRE(eventually([&] { return owned("name = '" + shape + "'", *next) == 1; }, 60s));
            thaw(*frozen, *next);
        }
        check_guarantees();
        CHECK(undelivered() == 0);
    }
}

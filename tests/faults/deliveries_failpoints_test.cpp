// Each boundary of a commit and of a send of a queue, and a worker that dies or freezes just there.

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <tests/faults/frozen.hpp>
#include <tests/pg/delivery_bench.hpp>
#include <tests/support/http_receiver.hpp>
#include <tests/support/process.hpp>
#include <tests/support/wait.hpp>

using namespace std::chrono_literals;
using namespace radd::testing;

namespace {

constexpr int lanes = 4;
constexpr int deliveries = 24;

/// The `nth` passage: something was done before, and most is left to do.
std::string at(const std::string& point, int nth = 5) {
    return point + (point.starts_with("db.") ? ":" : "@probe.out:") + std::to_string(nth);
}

/// Deliveries of four lanes to a receiver in this process, which counts what comes.
struct MortalQueue : QueueBench {
    MortalQueue() {
        database.execute(
            "CREATE TABLE told (delivery_id bigint, attempt bigint,"
            " PRIMARY KEY (delivery_id, attempt))");
        fill();
    }
    void fill() {
        for (int i = 0; i < deliveries; ++i)
            enqueue("lane " + std::to_string(i % lanes), 1, body(first_ + i));
    }
    /// Another queue full, with bodies that none had before.
    void refill() {
        database.execute("TRUNCATE radd.deliveries, told");
        first_ += deliveries;
        fill();
    }
    [[nodiscard]] std::unique_ptr<Process> start(int concurrency,
                                                 const std::string& failpoint = "",
                                                 const std::string& mode = "") const {
        std::vector<std::string> arguments{RADD_BINARY_DIR "/tests/deliveries_worker",
                                           database.url(),
                                           sink.url(),
                                           std::to_string(concurrency)};
        if (!mode.empty()) arguments.push_back(mode);
        return std::make_unique<Process>(
            arguments, std::map<std::string, std::string>{{"RADD_FAILPOINT", failpoint}});
    }
    static void end(Process& worker) {
        worker.signal(SIGTERM);
        CHECK_MESSAGE(worker.wait() == 0, worker.errors());
    }

    /// How often the delivery with this place in the queue has come.
    [[nodiscard]] std::int64_t came(int place) const {
        return std::ranges::count(sink.received(), body(first_ + place), &Received::body);
    }
    /// How many came more than once; none of them more than twice.
    [[nodiscard]] int came_twice() const {
        int twice = 0;
        for (int i = 0; i < deliveries; ++i) {
            CAPTURE(i);
            CHECK(came(i) >= 1);
            CHECK(came(i) <= 2);
            twice += came(i) > 1 ? 1 : 0;
        }
        return twice;
    }
    /// How many were sent by somebody who did not record it.
    [[nodiscard]] int unrecorded() {
        int sent = 0;
        for (int i = 0; i < deliveries; ++i) sent += came(i) > 0 ? 1 : 0;
        return sent - number("state = 'delivered'");
    }
    [[nodiscard]] std::string claimed_ids() {
        return database.value(
            "SELECT coalesce(string_agg(id::text, ',' ORDER BY id), '') FROM radd.deliveries "
            "WHERE state = 'pending' AND claimed_until IS NOT NULL");
    }
    [[nodiscard]] bool told_each_result_once() {
        return database.value("SELECT count(*) FROM told") ==
               std::to_string(number("state = 'delivered'"));
    }

    /// Until its connections have ended too: what the server had of it is then done or undone.
    void expect_death(Process& doomed) {
        REQUIRE_MESSAGE(doomed.wait(60s) == 128 + SIGKILL, doomed.errors());
        REQUIRE(eventually([&] {
            return database.value(
                       "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                       "AND application_name = 'deliveries_worker'") == "0";
        }));
        CHECK(told_each_result_once());
    }
    void die_at(const std::string& failpoint, int concurrency) {
        const auto doomed = start(concurrency, "kill " + failpoint);
        expect_death(*doomed);
        // Some had been recorded when it died, and most had not even been sent.
        CHECK(number("state = 'delivered'") >= 1);
        CHECK(number("state = 'pending' AND attempts = 0") >= deliveries / 4);
    }
    /// The next worker delivers what nobody has claimed, past what the dead one had, and that when
    /// its claim has passed.
    void finish(int concurrency) {
        const auto left = claimed_ids();
        const int claimed = number("state = 'pending' AND claimed_until IS NOT NULL");
        const auto next = start(concurrency);
        REQUIRE(
            eventually([&] { return number("state = 'delivered'") == deliveries - claimed; }, 60s));
        CHECK(claimed_ids() == left);

        pass(spec.timeout + radd::delivery::QueueRunner::claim_margin);
        REQUIRE(eventually([&] { return number("state = 'delivered'") == deliveries; }, 60s));
        end(*next);
        CHECK(number("attempts = 2") == claimed);
        CHECK(number("attempts > 2 OR attempts < 1") == 0);
        CHECK(told_each_result_once());
    }

    HttpReceiver sink;

private:
    static std::string body(int n) { return R"({"n": )" + std::to_string(n) + "}"; }
    int first_ = 0;
};

}  // namespace

TEST_SUITE("a queue whose process dies") {
    // P15
    TEST_CASE_FIXTURE(MortalQueue, "before a send or after its record sends nothing twice") {
        for (const auto& [point, claimed] : {std::pair{"delivery.claiming", 0},
                                             std::pair{"delivery.claimed", 1},
                                             std::pair{"delivery.attempting", 1},
                                             std::pair{"delivery.recorded", 0}}) {
            CAPTURE(point);
            die_at(at(point), 1);
            CHECK(number("state = 'pending' AND claimed_until IS NOT NULL") == claimed);
            CHECK(unrecorded() == 0);
            finish(1);
            CHECK(came_twice() == 0);
            refill();
        }
    }

    // P15: (e)
    TEST_CASE_FIXTURE(MortalQueue,
                      "between a send and its record sends that one twice and no other") {
        for (const char* point : {"delivery.attempted", "delivery.recording", "db.committing"}) {
            CAPTURE(point);
            die_at(at(point), 1);
            CHECK(number("state = 'pending' AND claimed_until IS NOT NULL") == 1);
            CHECK(number("state = 'delivered'") == 4);
            CHECK(unrecorded() == 1);
            finish(1);
            CHECK(came_twice() == 1);
            refill();
        }
    }

    // P15
    TEST_CASE_FIXTURE(MortalQueue, "at the COMMIT of a record has recorded it or sends it again") {
        die_at(at("db.commit_sent"), 1);
        const int in_doubt = unrecorded();
        CHECK(number("state = 'pending' AND claimed_until IS NOT NULL") == in_doubt);
        CHECK(in_doubt + number("state = 'delivered'") == 5);
        finish(1);
        CHECK(came_twice() == in_doubt);
    }

    // P15
    TEST_CASE_FIXTURE(MortalQueue, "with attempts in all lanes repeats at most those under way") {
        constexpr int at_once = 8;
        for (const std::string point : {"delivery.claiming",
                                        "delivery.claimed",
                                        "delivery.attempting",
                                        "delivery.attempted",
                                        "delivery.recording",
                                        "db.committing",
                                        "db.commit_sent",
                                        "delivery.recorded"}) {
            CAPTURE(point);
            const auto doomed = start(at_once, "kill " + at(point, 3));
            expect_death(*doomed);
            const int under_way = number("state = 'pending' AND claimed_until IS NOT NULL");
            CHECK(under_way <= at_once);
            finish(at_once);
            CHECK(came_twice() <= under_way);
            refill();
        }
    }

    // P15
    TEST_CASE_FIXTURE(MortalQueue,
                      "while it gives back has given back all or leaves it to its claim") {
        expect_death(*start(8, "kill delivery.giving_back@probe.out", "give_back"));
        CHECK(number("attempts = 1 AND claimed_until IS NOT NULL") == lanes);
        finish(8);
        CHECK(came_twice() == 0);

        refill();
        expect_death(*start(8, "kill delivery.given_back@probe.out", "give_back"));
        CHECK(number("attempts = 0 AND claimed_until IS NULL") == deliveries);
        finish(8);
        CHECK(came_twice() == 0);
    }

    // P15
    TEST_CASE_FIXTURE(MortalQueue,
                      "in each attempt that its schedule has sends no more than these") {
        database.execute("DELETE FROM radd.deliveries WHERE payload::text <> '{\"n\": 0}'");
        for (int attempt = 1; attempt <= 4; ++attempt) {
            CAPTURE(attempt);
            expect_death(*start(1, "kill delivery.attempted@probe.out"));
            CHECK(state() == "pending after " + std::to_string(attempt));
            CHECK(came(0) == attempt);
            pass(spec.timeout + radd::delivery::QueueRunner::claim_margin);
        }
        const auto last = start(1);
        REQUIRE(eventually([&] { return state() == "dead after 4"; }, 60s));
        end(*last);
        CHECK(came(0) == 4);
    }

    // P13, P15
    TEST_CASE_FIXTURE(MortalQueue, "or freezes beyond its claim finds that another has recorded") {
        const auto frozen = start(1, "stop " + at("delivery.attempted"));
        REQUIRE(eventually([&] { return is_stopped(*frozen); }, 60s));
        CHECK(unrecorded() == 1);
        finish(1);

        frozen->signal(SIGCONT);
        end(*frozen);
        CHECK(came_twice() == 1);
        CHECK(number("state = 'delivered' AND attempts = 2") == 1);
        CHECK(told_each_result_once());
    }
}

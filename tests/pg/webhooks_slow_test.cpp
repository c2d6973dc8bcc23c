// Receivers that do not answer, beside others that do.

#include <algorithm>
#include <chrono>
#include <functional>

#include <doctest/doctest.h>

#include <tests/pg/webhooks_bench.hpp>
#include <tests/support/gate.hpp>
#include <tests/support/wait.hpp>

namespace radd::testing {
namespace {

using namespace std::chrono_literals;

/// Of a look for what is due, after which a delivery is begun.
constexpr auto poll = delivery::QueueRunner::poll_idle;
constexpr int rounds = 25;

struct SlowBench : WebhookBench {
    struct Told {
        std::chrono::milliseconds worst;
        std::chrono::milliseconds p99;
        int to_quick;
        int begun_to_slow;
    };

    /// An event each 100 ms, to all of these: how long it took from when one was queued for a quick
    /// receiver until that had it.
    Told tell(int slow_ones, int quick_ones) {
        Gate gate;
        HttpReceiver slow{[&](const Received&) {
            gate.pass();
            return HttpReceiver::answer_of(204);
        }};
        HttpReceiver quick;
        database.execute("DELETE FROM radd.deliveries; DELETE FROM webhooks.endpoints");
        std::int64_t first_quick = 0;
        for (int i = 0; i < slow_ones; ++i) endpoint(slow.url());
        for (int i = 0; i < quick_ones; ++i) {
            const auto id = endpoint(quick.url());
            if (i == 0) first_quick = id;
        }
        const auto worker = hook_runner();
        worker->start();
        constexpr auto apart = 100ms;
        const auto begin = std::chrono::steady_clock::now();
        for (int i = 0; i < rounds; ++i) {
            let_pass(begin + i * apart - std::chrono::steady_clock::now());
            happen();
        }
        const std::string to_quick = "lane::int >= " + std::to_string(first_quick);
        CHECK(eventually(
            [&] { return number(to_quick + " AND state = 'delivered'") == rounds * quick_ones; }));
        const auto took = [&](const std::string& of_all) {
            return std::chrono::milliseconds{std::stoll(database.value(
                "SELECT ceil(extract(epoch FROM " + of_all +
                ") * 1000)::bigint FROM (SELECT finished_at - created_at AS took FROM "
                "radd.deliveries WHERE state = 'delivered' AND " +
                to_quick + ") AS delivered"))};
        };
        const Told told{.worst = took("max(took)"),
                        .p99 = took("percentile_cont(0.99) WITHIN GROUP (ORDER BY took)"),
                        .to_quick = static_cast<int>(quick.count()),
                        .begun_to_slow = number("attempts > 0 AND NOT " + to_quick)};
        gate.open();
        worker->request_stop();
        CHECK(worker->stop(std::chrono::steady_clock::now() + 30s) == 0);
        return told;
    }
};

/// What is compared was measured one after the other, and another process may have had the machine
/// in one of these times alone, or for as long as an attempt may last. So it may take three times.
void meets(const std::function<bool()>& measured) {
    bool is_met = false;
    for (int times = 0; times < 3 && !is_met; ++times) is_met = measured();
    CHECK(is_met);
}

TEST_SUITE("webhook receivers that do not answer") {
    TEST_CASE_FIXTURE(SlowBench, "delay nobody else by more than a poll") {
        meets([&] {
            // On a machine that has other things to do nobody is quick: then what counts is that
            // those who are slow make it no worse.
            const auto alone = tell(0, 20).worst;
            const auto one_slow = tell(1, 19);
            const auto half_slow = tell(10, 10);

            MESSAGE("worst in ms: alone ",
                    alone.count(),
                    ", one slow of 20 ",
                    one_slow.worst.count(),
                    ", ten slow of 20 ",
                    half_slow.worst.count());
            return one_slow.worst <= std::max<std::chrono::milliseconds>(2s + poll, 2 * alone) &&
                   one_slow.to_quick == rounds * 19 && one_slow.begun_to_slow == 1 &&
                   half_slow.worst <= std::max<std::chrono::milliseconds>(5s, 2 * alone) &&
                   half_slow.to_quick == rounds * 10 && half_slow.begun_to_slow == 10;
        });
    }

    TEST_CASE_FIXTURE(SlowBench, "make five others wait at most one look longer or twice as long") {
        meets([&] {
            const auto alone = tell(0, 5);
            const auto most_slow = tell(50, 5);

            MESSAGE("p99 in ms: alone ",
                    alone.p99.count(),
                    ", fifty slow beside them ",
                    most_slow.p99.count());
            // Who is in doubt may have to wait for a look, which alone nobody has to.
            return most_slow.p99 <= std::max(2 * alone.p99, alone.p99 + poll) &&
                   most_slow.worst <= std::max<std::chrono::milliseconds>(5s, 2 * alone.worst) &&
                   most_slow.to_quick == rounds * 5 && most_slow.begun_to_slow <= 54;
        });
    }
}

}  // namespace
}  // namespace radd::testing

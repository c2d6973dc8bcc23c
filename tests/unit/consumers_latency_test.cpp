#include <chrono>
#include <numeric>

#include <doctest/doctest.h>

#include <host/consumers/latency.hpp>

using namespace std::chrono_literals;
using radd::consumers::Latency;

TEST_SUITE("latency") {
    TEST_CASE("a bound belongs to its bucket and what is longer to the next") {
        Latency latency;
        latency.observe(100us);
        latency.observe(100us + 1ns);
        latency.observe(1h);

        const auto counts = latency.counts();

        CHECK(counts.buckets[0] == 1);
        CHECK(counts.buckets[1] == 1);
        CHECK(counts.buckets.back() == 1);
        CHECK(counts.sum == 1h + 200us + 1ns);
    }

    TEST_CASE("a clock that stood still is no trouble") {
        Latency latency;
        latency.observe(0ns);
        latency.observe(-5ns);

        CHECK(latency.counts().buckets[0] == 2);
        CHECK(latency.counts().sum == 0ns);
    }
}

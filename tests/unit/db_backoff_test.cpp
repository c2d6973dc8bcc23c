// P11: a database that stays away, and a counter at its end, never make a delay odd.

#include <chrono>
#include <cstdint>
#include <limits>

#include <doctest/doctest.h>

#include <host/db/backoff.hpp>

using namespace std::chrono_literals;
using radd::db::Backoff;

namespace {

struct Fixed final : radd::Random {
    explicit Fixed(std::uint64_t value) : value_{value} {}
    std::uint64_t bits() override { return value_; }

private:
    std::uint64_t value_;
};

constexpr auto highest = std::numeric_limits<std::uint64_t>::max();

}  // namespace

TEST_SUITE("backoff") {
    TEST_CASE("it doubles up to its cap") {
        Fixed none{0};
        const Backoff backoff{none, 100ms, 60s};

        CHECK(backoff.after(1) == 100ms);
        CHECK(backoff.after(2) == 200ms);
        CHECK(backoff.after(5) == 1600ms);
        CHECK(backoff.after(10) == 51200ms);
        CHECK(backoff.after(11) == 60s);
    }

    TEST_CASE("chance stretches a delay by less than a half and never past the cap") {
        Fixed most{highest};
        const Backoff backoff{most, 100ms, 60s};

        CHECK(backoff.after(1) == 149ms);
        CHECK(backoff.after(10) == 59999ms);
        CHECK(backoff.after(11) == 60s);
    }

    // P11
    TEST_CASE("a hundred failures stay between the first rung and the cap") {
        for (const std::uint64_t chance : {std::uint64_t{0}, highest}) {
            Fixed random{chance};
            const Backoff backoff{random, 250ms, 60s};
            for (std::int64_t failures = 1; failures <= 100; ++failures) {
                CHECK(backoff.after(failures) >= 250ms);
                CHECK(backoff.after(failures) <= 60s);
            }
        }
    }

    // P11
    TEST_CASE("no count of failures overflows") {
        Fixed most{highest};
        const Backoff backoff{most, 100ms, 60s};
        const Backoff endless{most, 1ms, std::chrono::milliseconds::max()};

        CHECK(backoff.after(2147483647) == 60s);
        CHECK(backoff.after(std::numeric_limits<std::int64_t>::max()) == 60s);
        CHECK(backoff.after(0) == 149ms);
        CHECK(backoff.after(-1) == 149ms);
        CHECK(endless.after(std::numeric_limits<std::int64_t>::max()) ==
              std::chrono::milliseconds::max());
    }

    TEST_CASE("a first rung of nothing or above the cap is made sense of") {
        Fixed none{0};

        CHECK(Backoff{none, 0ms, 60s}.after(1) == 1ms);
        CHECK(Backoff{none, 2min, 60s}.after(7) == 2min);
    }
}

#include <array>

#include <doctest/doctest.h>

#include <host/delivery/lanes.hpp>
#include <host/delivery/schedule.hpp>
#include <radd/testing/services.hpp>

namespace radd::delivery {
namespace {

using namespace std::chrono_literals;

std::int32_t may(const Lanes::Room& room, const std::string& lane) {
    for (std::size_t i = 0; i < room.lanes.size(); ++i) {
        if (room.lanes[i] == lane) return room.may[i];
    }
    return room.unknown_lane;
}

TEST_SUITE("delivery lane limits") {
    const LaneLimits limits{
        .concurrency = 8, .lane_concurrency = 3, .breaker_after = 2, .breaker_for = 10s};
    const Lanes::Time start{1h};

    TEST_CASE("a lane earns its concurrency with a quick answer and loses it with a slow one") {
        Lanes lanes{limits};
        CHECK(may(lanes.room(Lanes::Kind::all, start), "a") == 1);
        lanes.begin("a");
        CHECK(may(lanes.room(Lanes::Kind::all, start), "a") == 0);
        lanes.end("a", true, Lanes::slow_after, start);
        CHECK(may(lanes.room(Lanes::Kind::all, start), "a") == 3);
        lanes.begin("a");
        lanes.end("a", true, Lanes::slow_after + 1ms, start);
        CHECK(may(lanes.room(Lanes::Kind::all, start), "a") == 1);
        CHECK(lanes.in_flight() == 0);
        CHECK(lanes.doubtful_in_flight() == 0);
    }

    TEST_CASE("lanes in doubt leave a quarter to those that answer well") {
        Lanes lanes{limits};
        lanes.begin("good");
        lanes.end("good", true, 1ms, start);
        for (int i = 0; i < 6; ++i) lanes.begin(std::to_string(i));

        CHECK(lanes.room(Lanes::Kind::doubtful, start).in_all == 0);
        const auto room = lanes.room(Lanes::Kind::answering, start);
        CHECK(room.in_all == 2);
        CHECK(may(room, "good") == 3);
        CHECK(may(room, "unheard of") == 0);
    }

    TEST_CASE(
        "a breaker opens after failures in a row and lets one attempt through when it is over") {
        Lanes lanes{limits};
        for (int i = 0; i < 2; ++i) {
            CHECK(may(lanes.room(Lanes::Kind::all, start), "a") == 1);
            lanes.begin("a");
            lanes.end("a", false, 1ms, start);
        }
        CHECK(may(lanes.room(Lanes::Kind::all, start), "a") == 0);
        CHECK(lanes.resting(start) == 1);
        CHECK(may(lanes.room(Lanes::Kind::all, start + 10s - 1ns), "a") == 0);
        CHECK(may(lanes.room(Lanes::Kind::all, start + 10s), "a") == 1);
        lanes.begin("a");
        lanes.end("a", false, 1ms, start + 10s);
        CHECK(may(lanes.room(Lanes::Kind::all, start + 10s), "a") == 0);
        lanes.begin("a");
        lanes.end("a", true, 1ms, start + 20s);
        CHECK(may(lanes.room(Lanes::Kind::all, start + 20s), "a") == 3);
    }

    TEST_CASE("lanes without end are not remembered without end") {
        Lanes lanes{limits};
        for (std::size_t i = 0; i <= Lanes::lanes_max; ++i) {
            const auto lane = std::to_string(i);
            lanes.begin(lane);
            lanes.end(lane, true, 1ms, start);
        }
        CHECK(lanes.room(Lanes::Kind::all, start).lanes.empty());
    }
}

TEST_SUITE("delivery schedule") {
    TEST_CASE("terminal results end whatever the schedule says") {
        testing::FakeRandom random;
        const std::array schedule{5s};
        CHECK(decide(AttemptResult::delivered(), 9, schedule, 0, random).state == "delivered");
        CHECK(decide(AttemptResult::dead("gone"), 1, schedule, 0, random).state == "dead");
        CHECK(decide(AttemptResult::cancelled("off"), 1, schedule, 0, random).state == "cancelled");
        CHECK(decide(AttemptResult::unreachable("x"), 1, schedule, 0, random).wait == 5s);
        CHECK(decide(AttemptResult::unreachable("x"), 2, schedule, 0, random).state == "dead");
        CHECK(decide(AttemptResult::failed("x"), 2'000'000'000, schedule, 0, random).is_dead());
        CHECK(decide(AttemptResult::failed("x"), 1, {}, 0, random).is_dead());
    }

    TEST_CASE("jitter comes from the source that was passed in") {
        testing::FakeRandom random;
        const std::array schedule{100s};
        random.queue(0);
        CHECK(decide(AttemptResult::failed("x"), 1, schedule, 0.1, random).wait == 100s);
        random.queue(~std::uint64_t{0} / 2);
        CHECK(decide(AttemptResult::failed("x"), 1, schedule, 0.1, random).wait >= 104s);
        random.queue(~std::uint64_t{0});
        CHECK(decide(AttemptResult::failed("x"), 1, schedule, 0.1, random).wait < 110s);
    }
}

}  // namespace
}  // namespace radd::delivery

#include <array>

#include <doctest/doctest.h>

#include <host/delivery/lanes.hpp>
#include <host/delivery/schedule.hpp>
#include <host/plugins/validate.hpp>
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

TEST_SUITE("delivery queue spec") {
    DeliveryQueueSpec fine() {
        return {.name = "probe.out",
                .schedule = [](Services&) { return std::vector<std::chrono::seconds>{}; },
                .make = [](Services&) { return std::unique_ptr<DeliveryHandler>{}; }};
    }
    std::string problem_of(const DeliveryQueueSpec& spec) {
        const auto problems =
            loader::check_manifest({.id = "probe", .version = "1.0.0", .delivery_queues = {spec}});
        return problems.empty() ? "" : problems[0].code + " " + problems[0].message;
    }

    TEST_CASE("a spec at its limits is accepted and one past them is refused by name") {
        auto spec = fine();
        spec.concurrency = spec.lane_concurrency = 256;
        spec.breaker_after = 1000;
        spec.timeout = 10min;
        spec.jitter = 1;
        CHECK(problem_of(spec).empty());

        const auto refused = [](auto change) {
            auto wrong = fine();
            change(wrong);
            return problem_of(wrong);
        };
        const std::string start = "E21 delivery queue 'probe.out': ";
        CHECK(refused([](auto& one) { one.concurrency = 257; }) ==
              start + "concurrency 257 is outside 1..256");
        CHECK(refused([](auto& one) { one.lane_concurrency = 17; }) ==
              start + "lane_concurrency 17 is outside 1..16");
        CHECK(refused([](auto& one) { one.breaker_after = 0; }) ==
              start + "breaker_after 0 is outside 1..1000");
        CHECK(refused([](auto& one) { one.timeout = 10min + 1ms; }) ==
              start + "timeout in ms 600001 is outside 1..600000");
        CHECK(refused([](auto& one) { one.jitter = -0.1; }) == start + "jitter is outside 0..1");
        CHECK(refused([](auto& one) { one.make = {}; }).starts_with("E35 delivery queue"));
        CHECK(refused([](auto& one) { one.schedule = {}; }).starts_with("E35 delivery queue"));
        CHECK(refused([](auto& one) { one.name = "other.out"; }).starts_with("E21 delivery queue"));
    }
}

}  // namespace
}  // namespace radd::delivery

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <host/consumers/task.hpp>

using namespace std::chrono_literals;
using radd::consumers::TaskRunner;

namespace {

class Lines final : public radd::Log {
public:
    void write(radd::LogLevel, std::string_view message) noexcept override {
        lines.emplace_back(message);
    }
    std::vector<std::string> lines;
};

class Scripted final : public radd::PeriodicTask {
public:
    [[nodiscard]] std::chrono::milliseconds interval() const override { return every(); }
    [[nodiscard]] bool enabled() const override { return on; }
    bool tick() override {
        ++ticks;
        return work();
    }
    std::function<std::chrono::milliseconds()> every = [] { return 1s; };
    std::function<bool()> work = [] { return false; };
    bool on = true;
    int ticks = 0;
};

class Standing final : public radd::Clock {
public:
    [[nodiscard]] radd::Timestamp now() const override { return {}; }
    [[nodiscard]] std::chrono::steady_clock::time_point steady_now() const override { return at; }
    std::chrono::steady_clock::time_point at{1h};
};

struct Bench {
    Lines log;
    Standing clock;
    Scripted task;
    TaskRunner runner{{.declaration = {.name = "probe.clock",
                                       .plugin = "probe",
                                       .plugin_version = "1.0.0",
                                       .task = true},
                       .task = &task},
                      clock,
                      log};

    static bool always() { return true; }
};

}  // namespace

TEST_SUITE("periodic task") {
    TEST_CASE_FIXTURE(Bench, "each of its ticks has the whole deadline") {
        std::vector<bool> found;
        task.work = [&] {
            clock.at += runner.deadline();
            found.push_back(runner.overdue(clock.at));
            found.push_back(runner.overdue(clock.at + 1ms));
            return task.ticks < 2;
        };
        runner.tick(always);
        CHECK(found == std::vector<bool>{false, true, false, true});
        CHECK_FALSE(runner.overdue(clock.at + 2 * runner.deadline()));

        task.work = []() -> bool { throw 42; };
        runner.tick(always);
        CHECK_FALSE(runner.busy_since());
    }

    TEST_CASE_FIXTURE(Bench, "a disabled one lets its tick pass") {
        task.on = false;
        runner.tick(always);
        CHECK(task.ticks == 0);

        task.on = true;
        runner.tick(always);
        CHECK(task.ticks == 1);
    }

    TEST_CASE_FIXTURE(Bench, "one with more to do ticks again until it is done or told to stop") {
        task.work = [&] { return task.ticks < 3; };
        runner.tick(always);
        CHECK(task.ticks == 3);

        task.work = [] { return true; };
        runner.tick([&] { return task.ticks < 5; });
        CHECK(task.ticks == 5);
    }

    TEST_CASE_FIXTURE(Bench, "a throw is logged and its interval still holds") {
        task.work = []() -> bool { throw std::runtime_error{"no\nluck"}; };

        runner.tick(always);

        REQUIRE(log.lines.size() == 1);
        CHECK(log.lines[0] == "task probe.clock: no luck; the next tick comes after its interval");
        CHECK(runner.interval() == 1s);
    }

    TEST_CASE_FIXTURE(Bench, "no interval makes it spin") {
        task.every = [] { return 0ms; };
        CHECK(runner.interval() == radd::PeriodicTask::interval_min);
        task.every = [] { return -5ms; };
        CHECK(runner.interval() == radd::PeriodicTask::interval_min);
        task.every = [] { return std::chrono::milliseconds::max(); };
        CHECK(runner.interval() == TaskRunner::interval_max);
        task.every = []() -> std::chrono::milliseconds { throw 42; };
        CHECK(runner.interval() == TaskRunner::interval_fallback);
    }
}

// The shapes that know backlog from news and that pass the stream on, without a database.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <items/events.hpp>
#include <radd/testing/fixture_host.hpp>

using items::ItemEntity;
using items::ItemEvent;
using radd::testing::an_event;
using radd::testing::FixtureHost;
using Ids = std::vector<std::string>;

namespace {

struct Told {
    Ids backlog;
    Ids news;
    Ids relayed;
    std::string broken;
    bool away = false;
};

class Watchers final : public radd::BootstrapConsumer {
public:
    explicit Watchers(Told& told) : told_{told} {}
    void bootstrap(radd::Transaction&, const radd::Event& event) override {
        told_.backlog.push_back(event.entity_id);
    }
    void project(radd::Transaction&, const radd::Event& event) override {
        told_.news.push_back(event.entity_id);
    }

private:
    Told& told_;
};

class Relay final : public radd::RelayConsumer {
public:
    explicit Relay(Told& told) : told_{told} {}
    void relay(std::span<const radd::Event> events) override {
        if (told_.away) throw radd::Unavailable{"away"};
        for (const auto& event : events) {
            if (event.entity_id == told_.broken) throw radd::Error{"too odd for it"};
            told_.relayed.push_back(event.entity_id);
        }
    }

private:
    Told& told_;
};

struct Bench {
    Told told;
    FixtureHost host{
        {.id = "probe",
         .version = "1.0.0",
         .consumers = {{.name = "probe.watchers",
                        .make = [this](auto&) { return std::make_unique<Watchers>(told); }},
                       {.name = "probe.relay",
                        .make = [this](auto&) { return std::make_unique<Relay>(told); }}}}};

    std::int64_t update(int item) {
        return host.append(an_event{ItemEvent::updated}.about(ItemEntity::item, item));
    }
};

}  // namespace

TEST_SUITE("fixture host with more shapes") {
    TEST_CASE_FIXTURE(Bench, "backlog is told from news and a relay begins at the head") {
        update(1);
        host.start();
        update(2);
        host.run();
        host.stop();
        host.start();
        update(3);

        host.run();

        CHECK(told.backlog == Ids{"1"});
        CHECK(told.news == Ids{"2", "3"});
        CHECK(told.relayed == Ids{"2", "3"});
    }

    TEST_CASE_FIXTURE(Bench,
                      "a relay loses nothing while it is away and skips what it cannot take") {
        host.start();
        update(1);
        const auto odd = update(2);
        update(3);
        told.away = true;
        CHECK(host.step("probe.relay") == FixtureHost::Step::abandoned);
        told.away = false;
        told.broken = "2";

        host.run();

        CHECK(told.relayed == Ids{"1", "3"});
        REQUIRE(host.skipped().size() == 1);
        told.broken.clear();
        CHECK(host.retry("probe.relay", odd));
        CHECK(told.relayed == Ids{"1", "3", "2"});
    }
}

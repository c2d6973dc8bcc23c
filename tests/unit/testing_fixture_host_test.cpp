#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <items/events.hpp>
#include <radd/testing/fixture_host.hpp>

using items::ItemEntity;
using items::ItemEvent;
using radd::testing::an_event;
using radd::testing::FixtureHost;
using Step = radd::testing::FixtureHost::Step;
using Ids = std::vector<std::string>;

namespace {

constexpr radd::Sql statement = "SELECT 1 AS one";

/// What the probes below do with an event, and what they did; outlives every restart.
struct Script {
    std::function<void(radd::Transaction&, const radd::Event&)> on_plan = [](radd::Transaction&,
                                                                             const radd::Event&) {};
    std::function<void(const std::string&)> on_deliver = [](const std::string&) {};
    Ids planned;
    Ids delivered;
    Ids projected;
    Ids handled;
};

class Outward final : public radd::HeadSeededConsumer<std::string> {
public:
    explicit Outward(Script& script) : script_{script} {}
    std::optional<std::string> plan(radd::Transaction& tx, const radd::Event& event) override {
        script_.planned.push_back(event.entity_id);
        script_.on_plan(tx, event);
        return event.entity_id;
    }
    void deliver(const std::string& id) override {
        script_.on_deliver(id);
        script_.delivered.push_back(id);
    }

private:
    Script& script_;
};

class Index final : public radd::ProjectionConsumer {
public:
    explicit Index(Script& script) : script_{script} {}
    void project(radd::Transaction&, const radd::Event& event) override {
        script_.projected.push_back(event.entity_id);
    }

private:
    Script& script_;
};

class Single final : public radd::PerEventConsumer {
public:
    explicit Single(Script& script) : script_{script} {}
    void handle(radd::Transaction&, const radd::Event& event) override {
        script_.handled.push_back(event.entity_id);
    }

private:
    Script& script_;
};

struct Bench {
    Script script;
    FixtureHost host{
        {.id = "probe",
         .version = "1.0.0",
         .consumers = {{.name = "probe.out",
                        .listens_to = {ItemEvent::updated},
                        .batch = 3,
                        .make = [this](auto&) { return std::make_unique<Outward>(script); }},
                       {.name = "probe.index",
                        .make = [this](auto&) { return std::make_unique<Index>(script); }},
                       {.name = "probe.single",
                        .make = [this](auto&) { return std::make_unique<Single>(script); }}}}};

    std::int64_t update(int item) {
        return host.append(an_event{ItemEvent::updated}.about(ItemEntity::item, item));
    }
};

}  // namespace

TEST_SUITE("fixture host") {
    TEST_CASE_FIXTURE(Bench, "each shape starts where it says") {
        update(1);
        host.start();
        update(2);

        host.run();

        CHECK(script.delivered == Ids{"2"});
        CHECK(script.projected == Ids{"1", "2"});
        CHECK(script.handled == Ids{"2"});
    }

    TEST_CASE("cascades are swept alone and silent parents as well and again by a retry") {
        Ids swept;
        Ids told;
        bool broken = true;
        const auto cascade = [&](const char* name) {
            return radd::CascadeSpec{
                .name = name,
                .parent_event = ItemEvent::deleted,
                .sweep =
                    [&, name](radd::Transaction& tx, std::string_view id) {
                        if (broken && std::string{name} == "probe.second")
                            throw std::runtime_error{"broken"};
                        tx.execute(statement);
                        swept.push_back(name + std::string{id});
                    },
                .after_commit = [&, name](std::string_view) { told.emplace_back(name); }};
        };
        FixtureHost host{
            {.id = "probe",
             .version = "1.0.0",
             .cascades = {
                 cascade("probe.first"), cascade("probe.second"), cascade("probe.third")}}};
        host.tx().when("SELECT 1", [](const auto&) { return radd::Rows{1}; });
        host.append(an_event{ItemEvent::deleted}.about(ItemEntity::item, 1));
        host.start();
        const auto id =
            host.append(an_event{ItemEvent::deleted}.about(ItemEntity::item, 2).silent());
        host.append(an_event{ItemEvent::updated}.about(ItemEntity::item, 3));

        host.run();

        CHECK(swept == Ids{"probe.first2", "probe.third2"});
        CHECK(told == Ids{"probe.first", "probe.third"});
        REQUIRE(host.lost().size() == 1);
        CHECK(host.lost()[0].error == "probe.second: broken");
        CHECK(host.lag("events.cascade.probe") == 0);

        broken = false;
        CHECK(host.retry("events.cascade.probe", id));
        CHECK(swept.size() == 5);
        CHECK(host.lost().empty());
    }

    TEST_CASE_FIXTURE(Bench, "silent events and other types are passed and not offered") {
        host.start();
        host.append(an_event{ItemEvent::updated}.about(ItemEntity::item, 1).silent());
        host.append(an_event{ItemEvent::created}.about(ItemEntity::item, 2));

        host.run();

        CHECK(script.planned.empty());
        CHECK(script.projected == Ids{"1", "2"});
        CHECK(script.handled == Ids{"2"});
        CHECK(host.lag("probe.out") == 0);
    }

    TEST_CASE_FIXTURE(Bench, "a step is one batch and the cursor is the last row of it") {
        host.start();
        for (int item = 1; item <= 4; ++item) update(item);
        host.append_hole();

        CHECK(host.step("probe.out") == Step::committed);
        CHECK(host.cursor("probe.out") == 3);
        CHECK(host.lag("probe.out") == 1);
        CHECK(host.step("probe.out") == Step::committed);
        CHECK(host.cursor("probe.out") == 4);
        CHECK(host.step("probe.out") == Step::idle);

        CHECK(host.step("probe.single") == Step::committed);
        CHECK(host.cursor("probe.single") == 1);
    }

    TEST_CASE_FIXTURE(Bench, "an id without a row is passed") {
        host.start();
        update(1);
        host.append_hole();
        CHECK(update(2) == 3);

        host.run();

        CHECK(script.delivered == Ids{"1", "2"});
        CHECK(host.cursor("probe.out") == 3);
    }

    TEST_CASE_FIXTURE(Bench, "plans are delivered after the whole batch was planned") {
        host.start();
        update(1);
        update(2);
        script.on_deliver = [&](const std::string&) {
            CHECK(script.planned == Ids{"1", "2"});
            CHECK(host.cursor("probe.out") == 2);
        };

        host.run();

        CHECK(script.delivered == Ids{"1", "2"});
    }

    TEST_CASE_FIXTURE(Bench, "an event that throws is skipped with its events and no other is") {
        host.start();
        script.on_plan = [](radd::Transaction& tx, const radd::Event& event) {
            tx.emit({.type = ItemEvent::created,
                     .entity = ItemEntity::item,
                     .entity_id = "from " + event.entity_id});
            if (event.entity_id == "2") throw std::runtime_error{"no"};
        };
        update(1);
        update(2);

        host.run();

        CHECK(script.delivered == Ids{"1"});
        CHECK(host.lag("probe.out") == 0);
        REQUIRE(host.skipped().size() == 1);
        CHECK(host.skipped().front().consumer == "probe.out");
        CHECK(host.skipped().front().event_id == 2);
        CHECK(host.skipped().front().error == "no");
        REQUIRE(host.stream().size() == 3);
        CHECK(host.stream().back().entity_id == "from 1");
    }

    TEST_CASE_FIXTURE(Bench, "anything can be thrown") {
        host.start();
        script.on_plan = [](radd::Transaction&, const radd::Event&) { throw 7; };
        update(1);

        host.run();

        CHECK(host.skipped().size() == 1);
    }

    TEST_CASE_FIXTURE(Bench, "an error that was swallowed counts as a throw") {
        host.start();
        host.tx().fail(radd::SqlError{"23505", "duplicate key"});
        script.on_plan = [](radd::Transaction& tx, const radd::Event&) {
            CHECK_THROWS_AS(tx.query(statement), radd::SqlError);
        };
        update(1);

        host.run();

        CHECK(host.skipped().size() == 1);
        CHECK(script.delivered.empty());
    }

    TEST_CASE_FIXTURE(Bench, "contention is tried three times more and then skipped") {
        host.start();
        int failures = FixtureHost::contention_retries_max;
        script.on_plan = [&](radd::Transaction&, const radd::Event&) {
            if (failures-- > 0) throw radd::Contention{"40001", "serialization"};
        };
        update(1);
        host.step("probe.out");
        CHECK(script.planned == Ids{"1", "1", "1", "1"});
        CHECK(script.delivered == Ids{"1"});

        failures = FixtureHost::contention_retries_max + 1;
        update(2);
        host.step("probe.out");
        CHECK(script.delivered == Ids{"1"});
        CHECK(host.skipped().size() == 1);
    }

    TEST_CASE_FIXTURE(Bench, "an abandoned batch leaves nothing and is planned again") {
        host.start();
        bool away = true;
        script.on_plan = [&](radd::Transaction& tx, const radd::Event& event) {
            tx.emit({.type = ItemEvent::created, .entity = ItemEntity::item, .entity_id = "x"});
            if (event.entity_id == "1") throw std::runtime_error{"no"};
            if (event.entity_id == "3" && away) throw radd::Unavailable{"away"};
        };
        for (int item = 1; item <= 3; ++item) update(item);

        CHECK(host.step("probe.out") == Step::abandoned);
        CHECK(host.cursor("probe.out") == 0);
        CHECK(script.delivered.empty());
        CHECK(host.skipped().empty());
        CHECK(host.stream().size() == 3);

        away = false;
        CHECK(host.step("probe.out") == Step::committed);
        CHECK(script.delivered == Ids{"2", "3"});
        CHECK(host.skipped().size() == 1);
        CHECK(host.stream().size() == 5);
    }

    TEST_CASE_FIXTURE(Bench, "a delivery that throws is lost and loses no other") {
        host.start();
        script.on_deliver = [](const std::string& id) {
            if (id == "1") throw radd::Unavailable{"away"};
        };
        update(1);
        update(2);

        host.run();
        host.run();

        CHECK(script.delivered == Ids{"2"});
        REQUIRE(host.lost().size() == 1);
        CHECK(host.lost().front().event_id == 1);
    }

    // P15
    TEST_CASE_FIXTURE(Bench, "a death before the commit delivers once afterwards") {
        host.start();
        update(1);

        host.die("probe.out", FixtureHost::Death::before_commit);
        CHECK(script.delivered.empty());
        CHECK(host.cursor("probe.out") == 0);

        host.run();
        CHECK(script.delivered == Ids{"1"});
    }

    // P15
    TEST_CASE_FIXTURE(Bench, "a death before the delivery delivers never") {
        host.start();
        update(1);

        host.die("probe.out", FixtureHost::Death::before_delivery);
        CHECK(host.cursor("probe.out") == 1);

        host.run();
        CHECK(script.delivered.empty());
    }

    TEST_CASE_FIXTURE(Bench, "a skipped event is planned again outside the cursor") {
        host.start();
        bool broken = true;
        script.on_plan = [&](radd::Transaction&, const radd::Event& event) {
            if (broken && event.entity_id == "1") throw std::runtime_error{"no"};
        };
        const auto id = update(1);
        update(2);
        host.run();

        CHECK_FALSE(host.retry("probe.out", id));
        CHECK(host.skipped().size() == 1);
        broken = false;
        CHECK(host.retry("probe.out", id));

        CHECK(script.delivered == Ids{"2", "1"});
        CHECK(host.skipped().empty());
        CHECK(host.lag("probe.out") == 0);
    }

    TEST_CASE_FIXTURE(Bench, "a lost event is planned and delivered again") {
        host.start();
        bool plans = true;
        bool delivers = false;
        script.on_plan = [&](radd::Transaction&, const radd::Event&) {
            if (!plans) throw std::runtime_error{"no plan"};
        };
        script.on_deliver = [&](const std::string&) {
            if (!delivers) throw std::runtime_error{"no delivery"};
        };
        const auto id = update(1);
        host.run();
        REQUIRE(host.lost().size() == 1);

        CHECK(host.retry("probe.out", id));
        REQUIRE(host.lost().size() == 1);
        plans = false;
        CHECK_FALSE(host.retry("probe.out", id));
        REQUIRE(host.lost().size() == 1);
        CHECK(host.lost().front().error == "no plan");
        CHECK(host.skipped().empty());

        plans = delivers = true;
        CHECK(host.retry("probe.out", id));
        CHECK(script.delivered == Ids{"1"});
        CHECK(host.lost().empty());
        CHECK_THROWS_AS(host.retry("probe.out", id), std::out_of_range);
    }

    TEST_CASE_FIXTURE(Bench, "a statement without an answer ends the test and not the event") {
        host.start();
        script.on_plan = [](radd::Transaction& tx, const radd::Event&) { tx.query(statement); };
        update(1);

        CHECK_THROWS_AS(host.run(), radd::testing::UnscriptedStatement);
    }
}

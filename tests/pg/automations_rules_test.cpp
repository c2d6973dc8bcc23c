// Rules as they are kept, planned, run and limited.

#include <chrono>
#include <string>

#include <doctest/doctest.h>

#include <host/plugins/validate.hpp>
#include <plugins/automations/runner.hpp>
#include <tests/pg/automations_bench.hpp>

namespace radd::testing {
namespace {

using namespace std::chrono_literals;

constexpr const char* thanks_when_done =
    R"({"trigger":{"events":["item.updated"]},
        "when":{"all":[{"field":"changes.state.to.category","is":"done"},
                       {"field":"entity.title","contains":"Print"}]},
        "then":[{"action":"items.add_comment",
                 "arguments":{"body":"{{entity.key}} is done, was {{changes.state.from.name}}"}},
                {"action":"items.set_field","arguments":{"field":"priority","value":"low"}}]})";

constexpr const char* labels =
    R"({"trigger":{"events":["item.updated"]},
        "then":[{"action":"items.add_label","arguments":{"label":"seen"}}]})";

/// Its connection dies after the work and before the commit, once.
class Dying final : public PerEventConsumer {
public:
    explicit Dying(Consumer& inner) : inner_{inner} {}
    void handle(Transaction& tx, const Event& event) override {
        inner_.offer(tx, event);
        if (died++ == 0) tx.execute("SELECT pg_terminate_backend(pg_backend_pid())");
    }
    int died = 0;

private:
    Consumer& inner_;
};

std::string refusal(AutomationBench& bench, const std::string& definition) {
    try {
        (void)bench.rule("refused", definition);
    } catch (const InvalidInput& wrong) {
        return wrong.what();
    }
    return "(kept)";
}

TEST_SUITE("automation") {
    TEST_CASE("the plugin is one that a host accepts") {
        const auto problems = loader::check_manifest(linked_manifest());
        CHECK_MESSAGE(problems.empty(), (problems.empty() ? "" : problems.front().message));
    }

    TEST_CASE_FIXTURE(AutomationBench, "a dry run shows the plan that the real run applies") {
        const auto id = rule("thanks", thanks_when_done);
        edit({.state = "Done"});
        catch_up();
        const auto before = number("SELECT count(*) FROM radd.events");

        const auto shown = dry_run(id, last_event("item.updated"));
        CHECK(number("SELECT count(*) FROM radd.events") == before);
        CHECK(number("SELECT count(*) FROM automations.runs") == 0);
        REQUIRE(settle_rules());

        CHECK(shown.at("would") == "apply");
        CHECK(json::parse(database.value("SELECT plan FROM automations.runs")) == shown.at("plan"));
        CHECK(shown.at("plan")[0].at("summary") == "comment on DEMO-1: DEMO-1 is done, was To Do");
        CHECK(database.value("SELECT body FROM items.comments") == "DEMO-1 is done, was To Do");
        CHECK(the_item().priority == "low");
        CHECK(database.value("SELECT automated_cause FROM radd.events WHERE event_type = "
                             "'comment.created'") == "automations/" + std::to_string(id));
        CHECK(dry_run(id, last_event("comment.created")).at("reason") ==
              "it does not listen to comment.created");
    }

    // P15
    TEST_CASE_FIXTURE(AutomationBench, "a process that dies before the commit repeats no action") {
        (void)rule("thanks", thanks_when_done);
        settle(*running);
        Dying dying{*consumer};
        const auto fragile = runner(dying, "automations.fragile");
        edit({.state = "Done"});
        catch_up();

        CHECK(fragile->tick() == consumers::Tick::unavailable);
        CHECK(number("SELECT count(*) FROM items.comments") == 0);
        REQUIRE(eventually([&] {
            (void)fragile->tick();
            return number("SELECT count(*) FROM items.comments") == 1;
        }));
        settle(*fragile);
        CHECK(dying.died >= 2);

        CHECK(number("SELECT count(*) FROM items.comments") == 1);
        CHECK(events("comment.created") == 1);
        CHECK(number("SELECT count(*) FROM automations.runs WHERE outcome = 'applied'") == 1);
    }

    TEST_CASE_FIXTURE(AutomationBench, "one rule that fails undoes its own work alone") {
        const auto wrong = rule("wrong",
                                R"({"trigger":{"events":["item.updated"]},
                     "then":[{"action":"items.add_comment","arguments":{"body":"kept by nobody"}},
                             {"action":"items.set_field","arguments":
                              {"field":"title","value":")" +
                                    std::string(items::title_length_max + 1, 'x') + R"("}}]})");
        const auto label = rule("label", labels);
        edit({.priority = std::optional<std::string>{"1"}});
        REQUIRE(settle_rules());

        CHECK(runs(wrong, "failed") == 1);
        CHECK(detail(wrong, "failed").find("title") == 0);
        CHECK(number("SELECT count(*) FROM items.comments") == 0);
        CHECK(runs(label, "applied") == 1);
        CHECK(events("automation.run_failed") == 1);
        CHECK(number("SELECT count(*) FROM radd.skipped_events") == 0);
    }

    TEST_CASE_FIXTURE(AutomationBench, "what cannot run is refused with the nearest name") {
        CHECK(
            refusal(
                *this,
                R"({"trigger":{"events":["item.udpated"]},"then":[{"action":"items.add_label","arguments":{"label":"a"}}]})") ==
            "rule: event 'item.udpated' is declared by no loaded plugin; did you mean "
            "'item.updated'?");
        CHECK(
            refusal(
                *this,
                R"({"trigger":{"events":["automation.run_failed"]},"then":[{"action":"items.add_label","arguments":{"label":"a"}}]})")
                .find("starts no automation") != std::string::npos);
        CHECK(
            refusal(
                *this,
                R"({"trigger":{"events":["item.updated"]},"then":[{"action":"items.add_labels"}]})")
                .find("did you mean 'items.add_label'?") != std::string::npos);
        CHECK(
            refusal(
                *this,
                R"({"trigger":{"events":["item.updated"]},"then":[{"action":"items.add_label"}]})")
                .find("arguments of 'items.add_label'") != std::string::npos);
        CHECK(
            refusal(
                *this,
                R"({"trigger":{"events":["person.created"]},"then":[{"action":"items.add_label","arguments":{"label":"a"}}]})")
                .find("'person.created' is about no item") != std::string::npos);
        CHECK(
            refusal(
                *this,
                R"({"trigger":{"daily":"09:00","zone":"Europe/Berlni"},"then":[{"action":"items.add_label","subject_id":"1","arguments":{"label":"a"}}]})") ==
            "trigger.zone: there is no 'Europe/Berlni'; write it like Europe/Berlin");
        CHECK(number("SELECT count(*) FROM automations.rules") == 0);
    }

    TEST_CASE("a rule that comes with a plugin is judged with its time zone") {
        const auto judged = [](const std::string& zone) {
            return linked_manifest().judge_automation(
                {.name = "nightly",
                 .rule = json{{"trigger", {{"daily", "03:00"}, {"zone", zone}}},
                              {"then", {{{"action", "items.create_item"}}}}}});
        };
        const auto faults = judged("Europe/Berlni");
        REQUIRE(faults.size() == 1);
        CHECK(faults.front().path == "trigger.zone");
        CHECK(faults.front().problem == "there is no 'Europe/Berlni'; write it like Europe/Berlin");
        CHECK(judged("Europe/Berlin").empty());
    }

    // P17
    TEST_CASE_FIXTURE(AutomationBench,
                      "a rule on a removed type is kept and runs when it is back") {
        const auto id = rule("label", labels);
        outbox::Catalog without;
        for (const auto& spec : item_refs) without.add(spec, "items");
        const host::DeclaredCatalog poorer{
            without, [this](const std::string&) -> Services& { return services; }};
        services.lent.declared = &poorer;

        const auto kept = automations::to_json(rule(id));
        CHECK(kept.at("state") == "unavailable");
        CHECK(kept.at("problems")[0] == "event 'item.updated' is declared by no loaded plugin");

        declare_again();
        CHECK(automations::to_json(rule(id)).at("state") == "on");
        edit({.title = "Copier"});
        REQUIRE(settle_rules());
        CHECK(runs(id, "applied") == 1);
    }

    TEST_CASE_FIXTURE(AutomationBench, "a rule past its budget is disabled and says why") {
        services.lent.fakes.values.set("runs_per_hour_max", "2");
        start_runner("automations.frugal");
        const auto id = rule("thanks",
                             R"({"trigger":{"events":["item.updated"]},
            "then":[{"action":"items.add_comment","arguments":{"body":"again"}}]})");
        for (int i = 0; i < 4; ++i) edit({.title = "Title " + std::to_string(i)});
        REQUIRE(settle_rules());

        CHECK(runs(id, "applied") == 2);
        CHECK(runs(id, "stopped") == 1);
        CHECK_FALSE(rule(id).draft.enabled);
        CHECK(rule(id).disabled_reason == "it ran 2 times within an hour; more are not allowed");
        CHECK(events("automation.rule_disabled") == 1);

        auto draft = rule(id).draft;
        draft.enabled = true;
        db.transact([&](Transaction& tx) { CHECK(rules.update(tx, id, draft, person)); });
        edit({.title = "Once more"});
        REQUIRE(settle_rules());
        CHECK(runs(id, "applied") == 3);
    }

    TEST_CASE_FIXTURE(AutomationBench, "the clock starts a rule once for each time that has come") {
        const auto id = rule("nightly",
                             R"({"trigger":{"daily":"03:00","zone":"Europe/Berlin"},
            "then":[{"action":"items.create_item","arguments":{"project":"DEMO","title":"Backup"}}]})");
        automations::Schedule clock{services};
        CHECK_FALSE(clock.tick());
        const std::string berlin =
            "SELECT to_char(next_run_at AT TIME ZONE 'Europe/Berlin', 'HH24:MI') FROM "
            "automations.rules";
        CHECK(database.value(berlin) == "03:00");

        database.execute("UPDATE automations.rules SET next_run_at = now() - interval '3 days'");
        CHECK(clock.tick());
        CHECK_FALSE(clock.tick());

        CHECK(runs(id, "applied") == 1);
        CHECK(database.value("SELECT title FROM items.items ORDER BY id DESC LIMIT 1") == "Backup");
        CHECK(database.value(berlin) == "03:00");
        CHECK(database.value("SELECT next_run_at > now() AND next_run_at < now() + interval '25 h' "
                             "FROM automations.rules") == "true");
    }

    TEST_CASE_FIXTURE(AutomationBench, "a rule about a deleted item is disabled") {
        const auto id =
            rule("tick",
                 R"({"trigger":{"every":"1h"},"then":[{"action":"items.add_label","subject_id":")" +
                     std::to_string(item) + R"(","arguments":{"label":"hourly"}}]})");
        db.transact([&](Transaction& tx) {
            directory.delete_item(tx, item, {});
            plugin.cascades.at(0).sweep(tx, std::to_string(item));
            plugin.cascades.at(0).sweep(tx, std::to_string(item));
        });
        CHECK(rule(id).disabled_reason == "item " + std::to_string(item) + " is deleted");
        CHECK(events("automation.rule_disabled") == 1);
    }

    // P44
    TEST_CASE_FIXTURE(AutomationBench, "rules that name a deleted project are disabled") {
        const auto id = std::to_string(project);
        const auto creating = [&](const std::string& key) {
            return R"({"trigger":{"events":["item.created"]},"then":[{"action":"items.create_item",)"
                   R"("arguments":{"project":")" +
                   key + R"(","title":"Backup"}}]})";
        };
        const std::string label =
            R"("then":[{"action":"items.add_label","arguments":{"label":"seen"}}]})";
        const std::string when = R"({"trigger":{"events":["item.updated"]},)";
        const auto heard = rule("heard", when + R"("project_id":)" + id + "," + label);
        const auto filled = rule("filled", creating("DEMO"));
        const auto other = rule("other", creating("OTHER"));
        const auto all = rule("all", when + label);
        db.transact([&](Transaction& tx) {
            (void)directory.delete_project(tx, project, {.with_items = true}, {});
        });
        const auto sweep = [&] {
            db.transact([&](Transaction& tx) {
                for (const auto& cascade : plugin.cascades) {
                    if (cascade.parent_event == EventType{items::ProjectEvent::deleted})
                        cascade.sweep(tx, id);
                }
            });
        };
        const std::string reason = "project DEMO (id " + id + ") is deleted";

        SUBCASE("its key is nobody's") {
            sweep();
            CHECK(rule(filled).disabled_reason == reason);
            CHECK(events("automation.rule_disabled") == 2);
            sweep();
            CHECK(events("automation.rule_disabled") == 2);
        }
        SUBCASE("its key is another project's by now") {
            db.transact([&](Transaction& tx) {
                return directory.create_project(tx, {.key = "DEMO", .name = "Again"}, {});
            });
            sweep();
            CHECK(rule(filled).draft.enabled);
            CHECK(events("automation.rule_disabled") == 1);
        }
        CHECK(rule(heard).disabled_reason == reason);
        CHECK(rule(other).draft.enabled);
        CHECK(rule(all).draft.enabled);
    }

    TEST_CASE_FIXTURE(AutomationBench, "the rules that plugins bring follow their plugin") {
        const AutomationSpec spec{.name = "label", .rule = labels, .place = "manifests/x.yaml:3:1"};
        const AutomationSpec broken{.name = "broken", .rule = R"({"trigger":{"evens":[]}})"};
        stream.catalog.add(spec, "chores");
        stream.catalog.add(broken, "chores");
        declare_again();
        const auto start = [&] { db.transact([&](Transaction& tx) { rules.bring_in(tx); }); };
        start();
        start();
        CHECK(number("SELECT count(*) FROM automations.rules") == 1);
        CHECK(services.lent.fakes.lines.contains("rule chores.broken: trigger.evens"));

        auto brought =
            db.transact([&](Transaction& tx) { return *rules.find(tx, "chores.label"); });
        brought.draft.chain = true;
        CHECK_THROWS_AS(db.transact([&](Transaction& tx) {
            (void)rules.update(tx, brought.id, brought.draft, person);
        }),
                        InvalidInput);
        edit({.title = "Copier"});
        REQUIRE(settle_rules());
        CHECK(runs(brought.id, "applied") == 1);

        const AutomationSpec other{.name = "other", .rule = labels};
        outbox::Catalog later;
        later.add(other, "chores");
        const host::DeclaredCatalog newer{
            later, [this](const std::string&) -> Services& { return services; }};
        services.lent.declared = &newer;
        start();
        CHECK(rule(brought.id).disabled_reason == "no loaded plugin brings it any more");
        declare_again();
        start();
        CHECK(rule(brought.id).draft.enabled);
    }

    TEST_CASE_FIXTURE(AutomationBench,
                      "a host without its plugin leaves a rule to one that has it") {
        constexpr const char* hourly =
            R"({"trigger":{"every":"1h"},"then":[{"action":"items.create_item",
                "arguments":{"project":"DEMO","title":"Backup"}}]})";
        outbox::Catalog items_alone;
        for (const auto& spec : item_types) items_alone.add(spec, "items");
        for (const auto& spec : item_refs) items_alone.add(spec, "items");
        for (const auto& spec : item_actions) items_alone.add(spec, "items");
        const host::DeclaredCatalog poorer{
            items_alone, [this](const std::string&) -> Services& { return services; }};
        const AutomationSpec by_event{.name = "label", .rule = labels};
        const AutomationSpec by_time{.name = "nightly", .rule = hourly};
        stream.catalog.add(by_event, "chores");
        stream.catalog.add(by_time, "chores");
        declare_again();
        const auto start = [&] { db.transact([&](Transaction& tx) { rules.bring_in(tx); }); };
        start();
        const auto label =
            db.transact([&](Transaction& tx) { return rules.find(tx, "chores.label")->id; });
        database.execute("UPDATE automations.rules SET next_run_at = now() WHERE name LIKE '%y'");
        automations::Schedule clock{services};

        services.lent.declared = &poorer;
        start();
        edit({.title = "Copier"});
        REQUIRE(settle_rules());
        CHECK_FALSE(clock.tick());

        const auto seen = automations::to_json(rule(label));
        CHECK(seen.at("enabled") == true);
        CHECK(seen.at("state") == "unavailable");
        CHECK(seen.at("problems")[0] ==
              "plugin 'chores' does not bring it to this host, which does not run it");
        CHECK(
            services.lent.fakes.lines.contains("rule chores.label: plugin 'chores' is not loaded"));
        CHECK(number("SELECT count(*) FROM automations.runs") == 0);
        CHECK(events("automation.rule_disabled") == 0);

        declare_again();
        edit({.title = "Printer"});
        REQUIRE(settle_rules());
        CHECK(clock.tick());
        CHECK(automations::to_json(rule(label)).at("state") == "on");
        CHECK(runs(label, "applied") == 1);
    }

    TEST_CASE_FIXTURE(AutomationBench, "the run log goes back as far as it is told to") {
        const auto id = rule("label", labels);
        database.execute(
            "INSERT INTO automations.runs (rule_id, outcome, depth, took_ms, at) SELECT " +
            std::to_string(id) +
            ", 'idle', 1, 0, now() - n * interval '1 day' FROM generate_series(1, 40) n");
        automations::Retention retention{services};
        CHECK_FALSE(retention.tick());
        CHECK(number("SELECT count(*) FROM automations.runs") == 29);
    }
}

}  // namespace
}  // namespace radd::testing

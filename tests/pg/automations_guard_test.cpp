// Rules that start each other, and those that must not be held back.

#include <string>

#include <doctest/doctest.h>

#include <plugins/automations/chain.hpp>
#include <tests/pg/automations_bench.hpp>

namespace radd::testing {
namespace {

std::string sets_priority(const std::string& to, bool chain = false) {
    return R"({"trigger":{"events":["item.updated"]},"chain":)" +
           std::string{chain ? "true" : "false"} +
           R"(,"then":[{"action":"items.set_field","arguments":{"field":"priority","value":")" +
           to + R"("}}]})";
}

constexpr const char* comments_on_comments =
    R"({"trigger":{"events":["comment.created"]},
        "then":[{"action":"items.add_comment","arguments":{"body":"Thank you"}}]})";

constexpr const char* labels_everything =
    R"({"trigger":{"events":["item.created","item.updated","comment.created"]},
        "then":[{"action":"items.add_label","arguments":{"label":"seen"}}]})";

TEST_SUITE("loop guard") {
    // P36
    TEST_CASE_FIXTURE(AutomationBench, "what rules do starts no rule") {
        const auto low = rule("low", sets_priority("low"));
        const auto high = rule("high", sets_priority("high"));
        const auto thanks = rule("thanks", comments_on_comments);
        const auto label = rule("label", labels_everything);

        edit({.title = "Copier"});
        comment("It burns");
        REQUIRE(settle_rules());

        CHECK(runs(low, "applied") == 1);
        CHECK(runs(high, "applied") == 1);
        CHECK(runs(thanks, "applied") == 1);
        CHECK(runs(label, "applied") == 1);
        CHECK(runs(label, "idle") == 1);  // The label is there by the time of the comment.
        CHECK(events("comment.created") == 2);
        CHECK(the_item().priority == "high");
        CHECK(runs(low, "stopped") == 3);  // low, high and the label, each told once.
        CHECK(detail(low, "stopped").find("did it") != std::string::npos);
        CHECK(cursor(runner_name) == number("SELECT max(id) FROM radd.events"));
    }

    TEST_CASE_FIXTURE(AutomationBench, "two rules that answer each other stop and say so") {
        const auto low = rule("low", sets_priority("low", true));
        const auto high = rule("high", sets_priority("high", true));

        edit({.title = "Copier"});
        REQUIRE(settle_rules());
        const auto first = events("item.updated");
        edit({.title = "Printer"});
        REQUIRE(settle_rules());

        CHECK(detail(low, "stopped").find("this rule had a part in it: automations/") == 0);
        CHECK(detail(high, "stopped").find("this rule had a part in it: automations/") == 0);
        CHECK(events("item.updated") <= 2 * first);
        CHECK(rule(low).draft.enabled);
    }

    TEST_CASE_FIXTURE(AutomationBench, "a ring of three stops where it would close") {
        const auto step = [&](const std::string& from, const std::string& to) {
            return rule(from + " to " + to,
                        R"({"trigger":{"events":["item.updated"]},"chain":true,
                "when":{"field":"changes.priority.to","is":")" +
                            from + R"("},"then":[{"action":"items.set_field",
                "arguments":{"field":"priority","value":")" +
                            to + R"("}}]})");
        };
        const auto first = step("low", "medium");
        const auto second = step("medium", "high");
        const auto third = step("high", "low");

        edit({.priority = std::optional<std::string>{"low"}});
        REQUIRE(settle_rules());

        for (const auto id : {first, second, third}) CHECK(runs(id, "applied") == 1);
        CHECK(runs(first, "stopped") == 1);
        CHECK(detail(first, "stopped").find("this rule had a part in it: automations/") == 0);
        CHECK(the_item().priority == "low");
        CHECK(events("item.updated") == 4);
        CHECK(rule(first).draft.enabled);
    }

    // P36
    TEST_CASE_FIXTURE(AutomationBench, "the same act is followed by as many events each time") {
        // Without the event that makes the person who comments for rules, once and for all.
        constexpr const char* so_far =
            "SELECT count(*) FROM radd.events WHERE entity_type IN ('item', 'comment')";
        std::int64_t expected = 0;
        SUBCASE("rules that start no rule") {
            rule("low", sets_priority("low"));
            rule("high", sets_priority("high"));
            rule("thanks", comments_on_comments);
            rule("label", labels_everything);
            // The act's three, a label, both priorities and the thanks.
            expected = 3 + 1 + 2 + 1;
        }
        SUBCASE("two that answer each other") {
            rule("low", sets_priority("low", true));
            rule("high", sets_priority("high", true));
            expected = 3 + 3;  // high, low, and low again where high was.
        }
        for (int repeat = 0; repeat < 4; ++repeat) {
            CAPTURE(repeat);
            const auto before = number(so_far);
            item = db.transact([&](Transaction& tx) {
                return directory
                    .create_item(tx, {.project_id = project, .title = "Printer"}, {.actor = person})
                    .id;
            });
            edit({.title = "Copier"});
            comment("It burns");
            REQUIRE(settle_rules());
            CHECK(number(so_far) - before == expected);
        }
    }

    TEST_CASE_FIXTURE(AutomationBench, "a chain ends at its depth and one that has not opted in") {
        std::vector<std::int64_t> chain;
        for (std::size_t i = 0; i <= automations::depth_max; ++i) {
            const auto before = std::to_string(i);
            const auto after = std::to_string(i + 1);
            chain.push_back(rule("step " + before,
                                 R"({"trigger":{"events":["item.updated"]},"chain":true,
                "when":{"field":"changes.priority.to","is":")" +
                                     before + R"("},"then":[{"action":"items.set_field",
                "arguments":{"field":"priority","value":")" +
                                     after + R"("}}]})"));
        }
        const auto shy = rule("shy",
                              R"({"trigger":{"events":["item.updated"]},
                "when":{"field":"changes.priority.to","is":"3"},
                "then":[{"action":"items.add_comment","arguments":{"body":"three"}}]})");

        edit({.priority = std::optional<std::string>{"0"}});
        REQUIRE(settle_rules());

        CHECK(the_item().priority == std::to_string(automations::depth_max));
        CHECK(runs(chain.back(), "stopped") == 1);
        CHECK(detail(chain.back(), "stopped").find("5 rules led to it") == 0);
        CHECK(number("SELECT max(depth) FROM automations.runs WHERE outcome = 'applied'") ==
              static_cast<std::int64_t>(automations::depth_max));
        CHECK(detail(shy, "stopped") == "rule " + std::to_string(chain[2]) + " did it");
    }

    // P37
    TEST_CASE_FIXTURE(AutomationBench, "a missing actor is not the system and may start a rule") {
        const auto label = rule("label", labels_everything);

        db.transact([&](Transaction& tx) { directory.add_comment(tx, item, "by mail", {}, {}); });
        REQUIRE(settle_rules());
        CHECK(runs(label, "applied") == 1);

        db.transact([&](Transaction& tx) {
            directory.update_item(
                tx, item, {.title = "Scanner"}, {.actor = std::string{system_actor}});
        });
        REQUIRE(settle_rules());
        CHECK(detail(label, "stopped") == "the system did it");
    }

    // P37
    TEST_CASE_FIXTURE(AutomationBench, "a rule that fails leaves no mark on what comes after it") {
        const auto wrong = rule("wrong",
                                R"({"trigger":{"events":["item.updated"]},
            "then":[{"action":"items.set_field","arguments":{"field":"title","value":"{{event.actor_id}}"}},
                    {"action":"items.set_field","arguments":{"field":"title","value":"{{payload.none}}"}}]})");
        const auto label = rule("label", labels_everything);

        edit({.priority = std::optional<std::string>{"1"}});
        REQUIRE(settle_rules());
        CHECK(runs(wrong, "failed") == 1);
        CHECK(runs(label, "applied") == 1);
        CHECK_FALSE(Automated::cause());

        edit({.labels = std::vector<std::string>{}});  // The same thread, a person again.
        REQUIRE(settle_rules());
        CHECK(runs(label, "applied") == 2);
    }

    TEST_CASE_FIXTURE(AutomationBench, "a bulk import starts nothing and the cursor passes it") {
        const auto label = rule("label", labels_everything);
        {
            const Quiet quiet;
            edit({.title = "Copier"});
        }
        REQUIRE(settle_rules());

        CHECK(number("SELECT count(*) FROM automations.runs") == 0);
        flush(*running);
        CHECK(cursor(runner_name) == number("SELECT max(id) FROM radd.events"));
        CHECK(dry_run(label, last_event("item.updated")).at("would") == "stop");
    }
}

}  // namespace
}  // namespace radd::testing

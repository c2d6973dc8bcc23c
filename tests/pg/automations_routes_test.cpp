// Rules over HTTP: what a program may ask for, and what it is told when it asks wrongly.

#include <optional>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <radd/testing/routes.hpp>
#include <tests/pg/automations_bench.hpp>

namespace radd::testing {
namespace {

const json thanks = json::parse(R"({"name":"thanks","trigger":{"events":["item.updated"]},
    "when":{"field":"changes.title.to","contains":"Cop"},
    "then":[{"action":"items.add_label","arguments":{"label":"seen"}}]})");

struct RoutesBench : AutomationBench {
    HttpResponse call(HttpMethod method,
                      const std::string& path,
                      const json& body = nullptr,
                      std::optional<Role> role = Role::admin) {
        std::optional<Principal> who;
        if (role) who = Principal{.id = person, .name = "Ada", .role = *role};
        return web.call(
            method, "/api/v1/automations" + path, body.is_null() ? "" : body.dump(), who);
    }
    json got(const std::string& path) {
        const auto answer = call(HttpMethod::get, path);
        REQUIRE_MESSAGE(answer.status == 200, answer.body);
        return json::parse(answer.body);
    }
    /// The rule that is made; `with` is put over it.
    json made(const json& with = json::object()) {
        json body = thanks;
        body.update(with);
        const auto answer = call(HttpMethod::post, "", body);
        REQUIRE_MESSAGE(answer.status == 201, answer.body);
        return json::parse(answer.body);
    }
    /// "field: message" of the first that a 422 names; else the status.
    std::string refused(HttpMethod method, const std::string& path, const json& body) {
        const auto answer = call(method, path, body);
        if (answer.status != 422) return std::to_string(answer.status) + ": " + answer.body;
        const auto first = json::parse(answer.body).at("errors").at(0);
        return first.at("field").get<std::string>() + ": " + first.at("problem").get<std::string>();
    }
    std::string made_refused(const json& with) {
        json body = thanks;
        body.update(with);
        return refused(HttpMethod::post, "", body);
    }
    json dry(const json& body) {
        const auto answer = call(HttpMethod::post, "/dry-run", body);
        REQUIRE_MESSAGE(answer.status == 200, answer.body);
        return json::parse(answer.body);
    }

    RouteCaller web{plugin.routes, services};
};

std::string header(const HttpResponse& answer, std::string_view name) {
    for (const auto& [known, value] : answer.headers) {
        if (known == name) return value;
    }
    return {};
}

bool has(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

TEST_SUITE("automation routes") {
    TEST_CASE_FIXTURE(RoutesBench, "a rule is made and shown and changed and deleted") {
        const auto answer = call(HttpMethod::post, "", thanks);
        REQUIRE_MESSAGE(answer.status == 201, answer.body);
        const auto rule = json::parse(answer.body);
        const auto path = "/" + rule.at("id").dump();
        CHECK(header(answer, "Location") == "/api/v1/automations" + path);
        CHECK(rule.at("state") == "on");
        CHECK(rule.at("when") == thanks.at("when"));
        CHECK(got(path) == rule);
        CHECK(got("").at("rules") == json::array({rule}));

        const auto changed = call(HttpMethod::patch, path, {{"name", "hello"}, {"chain", true}});
        REQUIRE_MESSAGE(changed.status == 200, changed.body);
        CHECK(got(path).at("name") == "hello");
        CHECK(got(path).at("chain") == true);
        for (const char* kept : {"trigger", "when", "then", "enabled"}) {
            CAPTURE(kept);
            CHECK(got(path).at(kept) == rule.at(kept));
        }

        CHECK(call(HttpMethod::del, path).status == 204);
        CHECK(got("").at("rules").empty());
        CHECK(events("automation.rule_created") == 1);
        CHECK(events("automation.rule_updated") == 1);
        CHECK(events("automation.rule_deleted") == 1);
        CHECK(number("SELECT count(*) FROM radd.events WHERE entity_type = 'automation_rule' AND "
                     "actor_id = "
                     "'" +
                     person + "'") == 3);
    }

    TEST_CASE_FIXTURE(RoutesBench, "what is switched off does not run until it is switched on") {
        const auto id = made().at("id").get<std::int64_t>();
        const auto path = "/" + std::to_string(id);
        REQUIRE(call(HttpMethod::patch, path, {{"enabled", false}}).status == 200);
        CHECK(got(path).at("state") == "off");
        CHECK(got(path).at("disabled_reason") == "switched off");
        edit({.title = "Copier"});
        REQUIRE(settle_rules());
        CHECK(got("/runs").at("runs").empty());

        REQUIRE(call(HttpMethod::patch, path, {{"enabled", true}}).status == 200);
        CHECK(got(path).at("disabled_reason").is_null());
        edit({.title = "Copy machine"});
        REQUIRE(settle_rules());
        CHECK(runs(id, "applied") == 1);
    }

    TEST_CASE_FIXTURE(RoutesBench, "the log tells what ran and on which event and why not") {
        const auto label = made().at("id");
        const auto wrong = made({{"name", "wrong"}, {"then", json::parse(R"([
            {"action":"items.set_field","arguments":{"field":"state","value":"{{entity.key}}"}}])")}})
                               .at("id");
        for (const char* title : {"Copier", "Copy machine"}) edit({.title = title});
        REQUIRE(settle_rules());

        const auto all = got("/runs").at("runs");
        const auto of_label = got("/runs?rule_id=" + label.dump()).at("runs");
        const auto of_wrong = got("/runs?rule_id=" + wrong.dump()).at("runs");
        CHECK(all.size() == of_label.size() + of_wrong.size());
        REQUIRE(of_wrong.size() == 2);
        CHECK(of_wrong[0].at("outcome") == "failed");
        CHECK(has(of_wrong[0].at("detail").get<std::string>(), "DEMO-1"));
        CHECK(of_wrong[0].at("event_id") == last_event("item.updated") - 1);
        const auto first = of_label.back();
        CHECK(first.at("rule") == "thanks");
        CHECK(first.at("outcome") == "applied");
        CHECK(first.at("depth") == 1);
        CHECK(first.at("plan")[0].at("action") == "items.add_label");

        const auto earlier = got("/runs?before=" + all[0].at("id").dump()).at("runs");
        CHECK(earlier.size() == all.size() - 1);
        CHECK(earlier[0] == all[1]);
        CHECK(got("/runs?before=1").at("runs").empty());
    }

    TEST_CASE_FIXTURE(RoutesBench, "a dry run tells what a rule would do and writes nothing") {
        const auto id = made().at("id");
        edit({.title = "Copier"});
        catch_up();
        const auto event = last_event("item.updated");
        const auto before = number("SELECT count(*) FROM radd.events");

        const auto kept = dry({{"rule_id", id}, {"event_id", event}});
        CHECK(kept.at("would") == "apply");
        CHECK(kept.at("plan")[0].at("has_effect") == true);
        json draft{{"trigger", thanks.at("trigger")}, {"then", thanks.at("then")}};
        CHECK(dry({{"rule", draft}, {"event_id", event}}) == kept);
        draft["when"] = {{"field", "changes.title.to"}, {"is", "Fax"}};
        const auto passed = dry({{"rule", draft}, {"event_id", event}});
        CHECK(passed.at("would") == "pass");
        CHECK(passed.at("reason") == "its conditions do not hold");
        CHECK(dry({{"rule_id", id}}).at("reason") == "the clock does not start it");
        draft = {{"trigger", thanks.at("trigger")},
                 {"then", {{{"action", "items.add_labels"}, {"arguments", json::object()}}}}};
        const auto fails = dry({{"rule", draft}, {"event_id", event}});
        CHECK(fails.at("would") == "fail");
        CHECK(has(fails.at("reason").get<std::string>(), "did you mean 'items.add_label'?"));

        CHECK(number("SELECT count(*) FROM radd.events") == before);
        CHECK(number("SELECT count(*) FROM automations.runs") == 0);
        CHECK(number("SELECT count(*) FROM automations.rules") == 1);
        const auto no_event =
            refused(HttpMethod::post, "/dry-run", {{"rule_id", id}, {"event_id", 1'000'000}});
        CHECK(no_event == "event_id: there is no event 1000000");
        CHECK(refused(HttpMethod::post, "/dry-run", {{"rule_id", 99}}) ==
              "rule_id: there is no such rule");
        for (const json& both : {json{{"event_id", event}},
                                 json{{"rule_id", id}, {"rule", draft}, {"event_id", event}}})
            CHECK(refused(HttpMethod::post, "/dry-run", both) ==
                  "rule: give either a rule or a rule_id");
    }

    TEST_CASE_FIXTURE(RoutesBench, "what is no rule is refused by its place") {
        CHECK(has(made_refused({{"colour", "red"}}), "colour"));
        CHECK(has(made_refused({{"trigger", {{"evens", {"item.updated"}}}}}), "trigger.evens"));
        CHECK(has(made_refused({{"trigger", {{"events", json::array()}}}}), "trigger.events"));
        CHECK(has(made_refused({{"trigger", {{"every", "59s"}}}}), "trigger.every"));
        CHECK(has(made_refused({{"trigger", {{"events", {"item.updtaed"}}}}}),
                  "did you mean 'item.updated'?"));
        const auto none = made_refused({{"trigger", {{"events", {"automation.rule_updated"}}}}});
        CHECK(has(none, "event 'automation.rule_updated' starts no automation"));
        CHECK(has(made_refused({{"when", {{"field", "payload.x"}, {"like", 1}}}}), "when"));
        CHECK(has(made_refused({{"then", json::array()}}), "then"));
        CHECK(has(made_refused({{"name", " "}}), "name"));
        CHECK(has(made_refused({{"name", std::string(201, 'x')}}), "name"));
        for (const char* missing : {"name", "trigger", "then"}) {
            json body = thanks;
            body.erase(missing);
            CHECK(has(refused(HttpMethod::post, "", body), missing));
        }
        CHECK(call(HttpMethod::get, "/runs?rule_id=x").status == 422);
        CHECK(number("SELECT count(*) FROM automations.rules") == 0);

        const auto path = "/" + made().at("id").dump();
        (void)made({{"name", "other"}});
        CHECK(has(made_refused(json::object()), "name: 'thanks' is another rule's"));
        CHECK(refused(HttpMethod::patch, path, {{"name", "other"}}) ==
              "name: 'other' is another rule's");
        CHECK(has(refused(HttpMethod::patch, path, {{"colour", "red"}}), "colour"));
        CHECK(got(path).at("name") == "thanks");
    }

    TEST_CASE_FIXTURE(RoutesBench, "what is not there is not found and who may not is told so") {
        for (const char* path : {"/9", "/x", "/99999999999999999999"}) {
            CAPTURE(path);
            CHECK(call(HttpMethod::get, path).status == 404);
            CHECK(call(HttpMethod::patch, path, {{"enabled", false}}).status == 404);
            CHECK(call(HttpMethod::del, path).status == 404);
        }
        for (const auto& route : plugin.routes) {
            auto path = route.path.substr(std::string_view{"/api/v1/automations"}.size());
            if (const auto at = path.find("{id}"); at != std::string::npos)
                path.replace(at, 4, made().at("id").dump());
            CAPTURE(path);
            CHECK(call(route.method, path, json::object(), std::nullopt).status == 401);
            CHECK(call(route.method, path, json::object(), Role::member).status == 403);
            database.execute("DELETE FROM automations.rules");
        }
    }

    TEST_CASE_FIXTURE(RoutesBench, "a rule of a plugin can be switched and nothing else") {
        json text = thanks;
        text.erase("name");
        const AutomationSpec spec{.name = "thanks", .rule = text};
        stream.catalog.add(spec, "chores");
        declare_again();
        db.transact([&](Transaction& tx) { rules.bring_in(tx); });
        const auto path = "/" + got("").at("rules")[0].at("id").dump();
        CHECK(got(path).at("plugin") == "chores");

        for (const json& change : {json{{"name", "mine"}}, json{{"chain", true}}})
            CHECK(refused(HttpMethod::patch, path, change) ==
                  "rule: is of plugin 'chores'; change it there");
        CHECK(refused(HttpMethod::del, path, nullptr) ==
              "rule: is of plugin 'chores'; switch it off");
        CHECK(call(HttpMethod::patch, path, {{"enabled", false}}).status == 200);
        CHECK(got(path).at("state") == "off");
    }
}

}  // namespace
}  // namespace radd::testing

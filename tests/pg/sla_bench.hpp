#pragma once

/// Items and their clocks in a database of their own, with the plugin sla linked.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <host/db/migrate.hpp>
#include <host/outbox/transaction.hpp>
#include <items/events.hpp>
#include <plugins/items/catalog.hpp>
#include <plugins/items/directory.hpp>
#include <plugins/sla/clocks.hpp>
#include <plugins/sla/policies.hpp>
#include <radd/scopes.hpp>
#include <radd/testing/fixture_host.hpp>
#include <tests/support/lent_services.hpp>
#include <tests/support/test_database.hpp>
#include <tests/support/wait.hpp>

namespace radd::testing {
std::vector<Migration> items_migrations();  // Embedded by the build.
}

namespace sla_pg {

using namespace std::chrono_literals;

constexpr radd::Sql read_events = R"sql(
    SELECT id, event_type, entity_type, entity_id, payload, changes, silent,
           (extract(epoch FROM occurred_at) * 1000000)::bigint AS occurred_us,
           (extract(epoch FROM recorded_at) * 1000000)::bigint AS recorded_us
      FROM radd.events WHERE id > $1 ORDER BY id)sql";

struct Bench {
    Bench() {
        radd::db::migrate(database.session(),
                          {{"core", radd::db::core_migrations()},
                           {"items", radd::testing::items_migrations()},
                           {"sla", plugin.migrations}});
        for (const auto& spec : item_types) catalog.add(spec, "items");
        for (const auto& spec : item_refs) catalog.add(spec, "items");
        for (const auto& spec : plugin.event_types) catalog.add(spec, "sla");
        services.fakes.values = radd::testing::FakeSettings{plugin.settings};
        follower = plugin.consumers.at(0).make(services);
        db.transact([&](radd::Transaction& tx) {
            project = directory.create_project(tx, {.key = "DEMO", .name = "Demo"}, {}).id;
            ada = directory.create_person(tx, {.name = "Ada", .email = "ada@example.org"}, {}).id;
            bob = directory.create_person(tx, {.name = "Bob", .email = "bob@example.org"}, {}).id;
            directory.ensure_state(tx, {.name = "Waiting", .category = items::Category::doing});
            always = sla::create_calendar(
                tx,
                {.name = "Always",
                 .rules = sla::rules_of("Etc/UTC", round_the_clock(), radd::json::array())});
        });
        now = radd::Timestamp{std::chrono::microseconds{
            std::stoll(database.value("SELECT (extract(epoch FROM now()) * 1000000)::bigint"))}};
    }

    static radd::json round_the_clock() {
        auto hours = radd::json::array();
        for (const char* day : {"mon", "tue", "wed", "thu", "fri", "sat", "sun"})
            hours.push_back({{"day", day}, {"from", "00:00"}, {"to", "24:00"}});
        return hours;
    }

    /// A response within an hour and a resolution within four, the last quarter of each soon due.
    sla::PolicyDraft a_draft(const std::string& name = "Standard") const {
        return {.project = "DEMO",
                .name = name,
                .calendar_id = always,
                .pause_states = {"Waiting"},
                .targets = {{sla::Target::first_response, {.within = 60min, .due_soon = 15min}},
                            {sla::Target::resolution, {.within = 240min, .due_soon = 60min}}}};
    }
    /// In force for a year, as if it had been there when the items of a test were made.
    std::int64_t policy(const sla::PolicyDraft& draft) {
        const auto id =
            db.transact([&](radd::Transaction& tx) { return sla::create_policy(tx, draft); });
        database.execute(
            "UPDATE sla.policies SET created_at = created_at - interval '1 year';"
            "DELETE FROM sla.refreshes");
        return id;
    }

    items::Item an_item(std::chrono::minutes ago, items::NewItem item = {}) {
        item.project_id = project;
        if (item.title.empty()) item.title = "Printer";
        if (!item.reporter) item.reporter = ada;
        return db.transact([&](radd::Transaction& tx) {
            return directory.create_item(tx, item, {.actor = ada, .at = now - ago});
        });
    }
    void move(const items::Item& item, const std::string& state, std::chrono::minutes ago) {
        update(item, {.state = state}, ago);
    }
    void update(const items::Item& item,
                const items::ItemPatch& patch,
                std::chrono::minutes ago = 0min) {
        db.transact([&](radd::Transaction& tx) {
            directory.update_item(tx, item.id, patch, {.actor = bob, .at = now - ago});
        });
    }
    void comment(const items::Item& item,
                 const std::optional<items::PersonId>& author,
                 std::chrono::minutes ago) {
        db.transact([&](radd::Transaction& tx) {
            directory.add_comment(tx, item.id, "Hello", {.actor = author, .at = now - ago}, {});
        });
    }

    /// Hands what has happened since to the follower, as the host does.
    void follow() {
        db.transact([&](radd::Transaction& tx) {
            for (const auto& row : tx.query(read_events, cursor)) {
                const auto at = [&row](const char* column) {
                    return radd::Timestamp{std::chrono::microseconds{row.integer(column)}};
                };
                radd::Event event;
                event.id = cursor = row.integer("id");
                event.type = row.text("event_type");
                event.entity_type = row.text("entity_type");
                event.entity_id = row.text("entity_id");
                event.payload_text = row.text("payload");
                event.changes_text = row.optional_text("changes");
                event.silent = row.boolean("silent");
                event.occurred_at = at("occurred_us");
                event.recorded_at = at("recorded_us");
                const auto& wanted = plugin.consumers.at(0).listens_to;
                if (std::ranges::any_of(wanted, [&](auto type) { return event.is(type); }))
                    follower->offer(tx, event);
            }
        });
    }
    void refresh() {
        while (sla::refresh(db, services.fakes.lines)) {}
    }
    sla::Told tell() {
        return db.transact([](radd::Transaction& tx) { return sla::tell(tx, {}); });
    }

    /// Of an item: "resolution running, first_response met".
    std::string states(const items::Item& item) {
        std::string all;
        db.transact([&](radd::Transaction& tx) {
            for (const auto& clock : sla::list_of_item(tx, item.id))
                all += (all.empty() ? "" : ", ") + clock.target + " " + clock.state;
        });
        return all;
    }
    /// Minutes from now until one of its clocks is due, rounded.
    std::string due_in(const items::Item& item, const std::string& target) {
        return database.value(
            "SELECT round(extract(epoch FROM due_at - 'epoch'::timestamptz - interval '1 "
            "microsecond' * " +
            std::to_string(now.time_since_epoch().count()) +
            ") / 60)::int FROM sla.clocks WHERE followed AND target = '" + target +
            "' AND item_id = " + std::to_string(item.id) + " ORDER BY life DESC LIMIT 1");
    }
    /// What was told, in order: "due_soon first_response, breached resolution".
    std::string told() {
        return database.value(
            "SELECT coalesce(string_agg(substr(event_type, 5) || ' ' || (payload->>'target'), "
            "', ' ORDER BY id), '') FROM radd.events WHERE event_type LIKE 'sla.%'");
    }

    /// Whether one session comes to wait for another's lock.
    [[nodiscard]] bool one_waits() {
        return radd::testing::eventually([&] {
            return database.value(
                       "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                       "AND wait_event_type = 'Lock'") == "1";
        });
    }

    radd::HttpResponse call(radd::HttpMethod method,
                            std::string_view target,
                            const radd::json& body = nullptr) {
        return web.call(method,
                        target,
                        body.is_null() ? "" : body.dump(),
                        radd::Principal{.id = bob, .name = "Bob", .role = radd::Role::admin});
    }

    radd::testing::TestDatabase database;
    radd::testing::FakeLog log;
    const radd::Manifest plugin = radd::testing::linked_manifest();
    const std::vector<radd::EventTypeSpec> item_types = items::event_types();
    const std::vector<radd::EntityRefSpec> item_refs = items::entity_refs();
    radd::outbox::Catalog catalog;
    radd::outbox::EmitPolicy policy_of_emit{
        .undeclared_subject_is_error = true, .check_payload_schema = true, .strict = true};
    radd::db::Pool pool{database.options(), 8};
    radd::outbox::OutboxDatabase db{pool, catalog, policy_of_emit, log, "test", [] {}};
    radd::testing::LentServices services{db};
    radd::testing::RouteCaller web{plugin.routes, services};
    items::SqlDirectory directory;
    std::unique_ptr<radd::Consumer> follower;
    std::int64_t cursor = 0;
    items::ProjectId project = 0;
    items::PersonId ada;  // Reports.
    items::PersonId bob;  // Helps.
    std::int64_t always = 0;
    radd::Timestamp now{};
};

}  // namespace sla_pg

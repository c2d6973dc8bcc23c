#pragma once

/// Items, the index over them, and the consumer that keeps it, over real tables.

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <host/db/migrate.hpp>
#include <host/outbox/transaction.hpp>
#include <items/events.hpp>
#include <plugins/items/catalog.hpp>
#include <plugins/items/directory.hpp>
#include <plugins/search/index.hpp>
#include <plugins/search/query.hpp>
#include <radd/percent.hpp>
#include <radd/testing/fixture_host.hpp>
#include <tests/support/lent_services.hpp>
#include <tests/support/test_database.hpp>

namespace radd::testing {
std::vector<Migration> items_migrations();  // Embedded by the build.
}

namespace search_test {

inline constexpr radd::Sql read_events = R"sql(
    SELECT id, event_type, entity_type, entity_id, payload, silent FROM radd.events
     WHERE id > $1 ORDER BY id)sql";

/// Items, the index over them, and the consumer that keeps it.
struct Bench {
    Bench() {
        radd::db::migrate(database.session(),
                          {{"core", radd::db::core_migrations()},
                           {"items", radd::testing::items_migrations()},
                           {"search", plugin.migrations}});
        for (const auto& spec : item_types) catalog.add(spec, "items");
        for (const auto& spec : item_refs) catalog.add(spec, "items");
        services.fakes.values = radd::testing::FakeSettings{plugin.settings};
        indexer = plugin.consumers.at(0).make(services);
        project = a_project("DEMO");
    }

    items::ProjectId a_project(const std::string& key) {
        return db.transact([&](radd::Transaction& tx) {
            return directory.create_project(tx, {.key = key, .name = key}, {}).id;
        });
    }
    items::Item an_item(const std::string& title, const std::string& description = "") {
        return db.transact([&](radd::Transaction& tx) {
            return directory.create_item(
                tx, {.project_id = project, .title = title, .description = description}, {});
        });
    }
    void comment(const items::Item& item, const std::string& body) {
        db.transact(
            [&](radd::Transaction& tx) { directory.add_comment(tx, item.id, body, {}, {}); });
    }

    /// Hands what has happened since to the indexer, as the host does.
    void index() {
        db.transact([&](radd::Transaction& tx) {
            for (const auto& row : tx.query(read_events, cursor)) offer(tx, row);
        });
    }
    void offer(radd::Transaction& tx, const radd::Row& row) {
        radd::Event event;
        event.id = cursor = row.integer("id");
        event.type = row.text("event_type");
        event.entity_type = row.text("entity_type");
        event.entity_id = row.text("entity_id");
        event.payload_text = row.text("payload");
        event.silent = row.boolean("silent");
        indexer->offer(tx, event);
    }
    void settle() { database.execute("SELECT radd.settle()"); }

    radd::HttpResponse get(const std::string& target) {
        return web.call(
            radd::HttpMethod::get,
            target,
            {},
            radd::Principal{.id = "00000000-0000-4000-8000-000000000009", .name = "Ada"});
    }
    radd::json asked(const std::string& text, const std::string& more = "") {
        const auto answer = get("/api/v1/search?q=" + radd::percent_encoded(text) + more);
        REQUIRE_MESSAGE(answer.status == 200, answer.body);
        return radd::json::parse(answer.body);
    }
    /// Keys in their order: "DEMO-2 DEMO-1".
    std::string found(const std::string& text, const std::string& more = "") {
        std::string keys;
        const auto page = asked(text, more);
        for (const auto& hit : page.at("hits"))
            keys += (keys.empty() ? "" : " ") + hit.at("item").at("key").get<std::string>();
        return keys;
    }

    radd::testing::TestDatabase database;
    radd::testing::FakeLog log;
    const radd::Manifest plugin = radd::testing::linked_manifest();
    const std::vector<radd::EventTypeSpec> item_types = items::event_types();
    const std::vector<radd::EntityRefSpec> item_refs = items::entity_refs();
    radd::outbox::Catalog catalog;
    radd::outbox::EmitPolicy policy{.undeclared_subject_is_error = true, .strict = true};
    radd::db::Pool pool{database.options(), 4};
    radd::outbox::OutboxDatabase db{pool, catalog, policy, log, "test", [] {}};
    radd::testing::LentServices services{db};
    radd::testing::RouteCaller web{plugin.routes, services};
    items::SqlDirectory directory;
    std::unique_ptr<radd::Consumer> indexer;
    std::int64_t cursor = 0;
    items::ProjectId project = 0;
};

}  // namespace search_test

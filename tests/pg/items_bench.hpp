#pragma once

/// The directory of items, over real tables and a real outbox.

#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <host/db/migrate.hpp>
#include <host/db/pool.hpp>
#include <host/outbox/transaction.hpp>
#include <plugins/items/catalog.hpp>
#include <plugins/items/directory.hpp>
#include <radd/services.hpp>
#include <tests/support/test_database.hpp>
#include <tests/support/wait.hpp>

namespace radd::testing {

/// migrations/items and migrations/importer, embedded in the test.
[[nodiscard]] std::vector<Migration> items_migrations();
[[nodiscard]] std::vector<Migration> importer_migrations();

class SilentLog final : public Log {
public:
    void write(LogLevel, std::string_view) noexcept override {}
};

struct ItemsBench {
    ItemsBench() {
        db::migrate(database.session(),
                    {{.owner = "core", .migrations = db::core_migrations()},
                     {.owner = "items", .migrations = items_migrations()},
                     {.owner = "importer", .migrations = importer_migrations()}});
        for (const auto& spec : types) catalog.add(spec, "items");
        for (const auto& spec : entities) catalog.add(spec, "items");
    }

    /// Runs `work` with a transaction and commits it.
    template <typename Work>
    auto commit(Work&& work) {
        return db.transact([&](Transaction& tx) { return work(tx); });
    }

    items::Project a_project(const std::string& key = "DEMO") {
        return commit([&](Transaction& tx) {
            return directory.create_project(tx, {.key = key, .name = "Demo"}, {});
        });
    }
    items::Person a_person(const std::string& name, const std::string& email) {
        return commit([&](Transaction& tx) {
            return directory.create_person(tx, {.name = name, .email = email}, {});
        });
    }
    items::Item an_item(const items::NewItem& item) {
        return commit([&](Transaction& tx) { return directory.create_item(tx, item, {}); });
    }
    std::vector<Change> update(items::ItemId id, const items::ItemPatch& patch) {
        return commit([&](Transaction& tx) { return directory.update_item(tx, id, patch, {}); });
    }
    std::optional<items::Item> find(const std::string& key) {
        return commit([&](Transaction& tx) { return directory.find_item(tx, key); });
    }

    /// The field for which `work` was refused; empty if it was not.
    template <typename Work>
    std::string refused(Work&& work) {
        try {
            db.transact([&](Transaction& tx) { (void)work(tx); });
        } catch (const InvalidInput& error) {
            return error.field();
        }
        return {};
    }

    /// `first` in one session, and `second` on a thread of its own, which begins while `first` is
    /// open and waits for a lock of it. Returns when both are over.
    template <typename First, typename Second>
    void overlapping(First&& first, Second&& second) {
        std::jthread later;
        commit([&](Transaction& tx) {
            first(tx);
            later = std::jthread{second};
            REQUIRE(eventually([&] {
                return database.value(
                           "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = "
                           "'Lock' AND datname = current_database()") == "1";
            }));
        });
    }

    /// Event types since the last call, in order: "item.created item.updated ".
    std::string new_events() {
        const auto after = std::to_string(seen);
        const auto types_of = database.value(
            "SELECT coalesce(string_agg(event_type || ' ', '' ORDER BY id), '') FROM radd.events "
            "WHERE id > " +
            after);
        seen = std::stoll(database.value("SELECT coalesce(max(id), 0) FROM radd.events"));
        return types_of;
    }
    /// An expression over the last event.
    std::string last(const std::string& expression) {
        return database.value("SELECT (" + expression +
                              ")::text FROM radd.events ORDER BY id DESC LIMIT 1");
    }

    TestDatabase database;
    SilentLog log;
    items::SqlDirectory directory;
    std::vector<EventTypeSpec> types = items::event_types();
    std::vector<EntityRefSpec> entities = items::entity_refs();
    outbox::Catalog catalog;
    db::Pool pool{database.options(), 4};
    outbox::OutboxDatabase db{
        pool,
        catalog,
        {.undeclared_subject_is_error = true, .check_payload_schema = true, .strict = true},
        log,
        "test",
        [] {}};
    long long seen = 0;
};

}  // namespace radd::testing

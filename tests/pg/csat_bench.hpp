#pragma once

/// Items and surveys in a database of their own, with the plugin csat linked.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <csat/events.hpp>
#include <host/db/migrate.hpp>
#include <host/outbox/transaction.hpp>
#include <items/events.hpp>
#include <plugins/csat/sender.hpp>
#include <plugins/csat/surveys.hpp>
#include <plugins/items/catalog.hpp>
#include <plugins/items/directory.hpp>
#include <radd/testing/fixture_host.hpp>
#include <tests/support/test_database.hpp>

namespace radd::testing {
std::vector<Migration> items_migrations();  // Embedded by the build.
}

namespace csat_pg {

/// Items and surveys in a database of their own, with one project that wants surveys.
struct Bench {
    Bench() {
        radd::db::migrate(database.session(),
                          {{"core", radd::db::core_migrations()},
                           {"items", radd::testing::items_migrations()},
                           {"csat", csat.migrations}});
        for (const auto& spec : item_types) catalog.add(spec, "items");
        for (const auto& spec : item_refs) catalog.add(spec, "items");
        for (const auto& spec : csat.event_types) catalog.add(spec, "csat");
        db.transact([&](radd::Transaction& tx) {
            project = directory.create_project(tx, {.key = "DEMO", .name = "Demo"}, {}).id;
            reporter =
                directory.create_person(tx, {.name = "Ada", .email = "ada@example.org"}, {}).id;
            csat::set_enabled(tx, "DEMO", true);
        });
    }

    items::Item an_item(const std::optional<items::PersonId>& reported_by,
                        const std::optional<items::Contact>& contact = {}) {
        return db.transact([&](radd::Transaction& tx) {
            return directory.create_item(tx,
                                         {.project_id = project,
                                          .title = "Printer",
                                          .description = "It burns",
                                          .reporter = reported_by,
                                          .contact = contact},
                                         {});
        });
    }

    std::optional<csat::Request> request(const items::Item& item,
                                         const std::string& token = "token") {
        return db.transact([&](radd::Transaction& tx) {
            return csat::request(tx, std::to_string(item.id), token);
        });
    }

    csat::Answer answer(const std::string& token, std::int64_t score) {
        return db.transact(
            [&](radd::Transaction& tx) { return csat::answer(tx, token, score, std::nullopt); });
    }

    radd::outbox::OutboxTransaction transaction() {
        return radd::outbox::OutboxTransaction{pool, catalog, policy, log, "test"};
    }

    void mark_unsent(const items::Item& item, const std::string& token) {
        db.transact(
            [&](radd::Transaction& tx) { csat::mark_unsent(tx, std::to_string(item.id), token); });
    }

    radd::Event a_resolution(const items::Item& item) const {
        return radd::testing::an_event{items::ItemEvent::updated}
            .about(items::ItemEntity::item, item.id)
            .in_project(project)
            .changed("state",
                     {{"name", "To Do"}, {"category", "todo"}},
                     {{"name", "Done"}, {"category", "done"}});
    }

    /// As the host does: plan, commit, deliver. False if there was nothing to deliver.
    bool run(csat::Sender& sender, const radd::Event& event) {
        auto tx = transaction();
        const auto invitation = sender.plan(tx, event);
        tx.commit();
        if (invitation) sender.deliver(*invitation);
        return invitation.has_value();
    }

    std::string surveys() { return database.value("SELECT count(*) FROM csat.surveys"); }

    radd::testing::TestDatabase database;
    radd::testing::FakeLog log;
    const radd::Manifest csat = radd::testing::linked_manifest();
    const std::vector<radd::EventTypeSpec> item_types = items::event_types();
    const std::vector<radd::EntityRefSpec> item_refs = items::entity_refs();
    radd::outbox::Catalog catalog;
    radd::outbox::EmitPolicy policy{.undeclared_subject_is_error = true, .strict = true};
    radd::db::Pool pool{database.options(), 4};
    radd::outbox::OutboxDatabase db{pool, catalog, policy, log, "test", [] {}};
    items::SqlDirectory directory;
    items::ProjectId project = 0;
    items::PersonId reporter;
};

inline std::string token_in(const radd::Mail& mail) {
    const auto at = mail.text.find("/csat/") + 6;
    return mail.text.substr(at, mail.text.find('\n', at) - at);
}

}  // namespace csat_pg

#pragma once

/// Items, people with accounts, and the plugin notify with a database and a queue that are real.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <items/events.hpp>
#include <plugins/items/catalog.hpp>
#include <plugins/items/directory.hpp>
#include <plugins/notify/notices.hpp>
#include <plugins/notify/post.hpp>
#include <radd/testing/fixture_host.hpp>
#include <tests/pg/delivery_bench.hpp>
#include <tests/support/lent_services.hpp>

namespace radd::testing {
std::vector<Migration> items_migrations();  // Embedded by the build.

inline constexpr Sql events_after = R"sql(
    SELECT id, event_type, entity_type, entity_id, actor_id, payload, changes::text AS changes,
           project_id, silent, automated_cause
      FROM radd.events WHERE id > $1 ORDER BY id)sql";

inline Event event_of(const Row& row) {
    Event event;
    event.id = row.integer("id");
    event.type = row.text("event_type");
    event.entity_type = row.text("entity_type");
    event.entity_id = row.text("entity_id");
    event.actor_id = row.optional_text("actor_id");
    event.payload_text = row.text("payload");
    event.changes_text = row.optional_text("changes");
    event.project_id = row.optional_integer("project_id");
    event.silent = row.boolean("silent");
    event.automated_cause = row.optional_text("automated_cause");
    return event;
}

struct NotifyBench : QueueBench {
    NotifyBench() {
        db::Session session{database.options()};
        db::migrate(session,
                    {{"core", db::core_migrations()},
                     {"items", items_migrations()},
                     {"notify", plugin.migrations}});
        for (const auto& type : item_types) catalog.add(type, "items");
        for (const auto& ref : item_refs) catalog.add(ref, "items");
        lent.fakes.values = FakeSettings{plugin.settings};
        lent.offer<items::Directory>(directory);
        lent.offer<Mailer>(mailer);
        lent.offer(std::string{notify::queue_name}, mails);
        spec = plugin.delivery_queues.at(0);
        project = transactions.transact([&](Transaction& tx) {
            return directory.create_project(tx, {.key = "DEMO", .name = "Demo"}, {}).id;
        });
        ada = a_person("Ada Lovelace");
        bob = a_person("Bob");
        cid = a_person("Cid");
    }

    /// With an account, and an address made of the first word of the name.
    items::PersonId a_person(const std::string& name, bool with_account = true) {
        const auto id = transactions.transact([&](Transaction& tx) {
            const auto word = name.substr(0, name.find(' '));
            return directory.create_person(tx, {.name = name, .email = word + "@example.org"}, {})
                .id;
        });
        if (with_account)
            database.execute("INSERT INTO radd.accounts (id, name, role) VALUES ('" + id + "', '" +
                             name + "', 'member')");
        return id;
    }
    items::Item an_item(const items::NewItem& item, const items::Act& act = {}) {
        auto wanted = item;
        wanted.project_id = project;
        return transactions.transact(
            [&](Transaction& tx) { return directory.create_item(tx, wanted, act); });
    }
    items::Item a_printer(const std::optional<items::PersonId>& reporter) {
        return an_item({.project_id = project, .title = "Printer", .reporter = reporter},
                       {.actor = reporter});
    }
    std::int64_t comment(const items::Item& item,
                         const std::string& body,
                         const std::optional<items::PersonId>& by) {
        return transactions.transact([&](Transaction& tx) {
            return directory.add_comment(tx, item.id, body, {.actor = by}, {}).id;
        });
    }
    void change(const items::Item& item,
                const items::ItemPatch& patch,
                const std::optional<items::PersonId>& by = {}) {
        transactions.transact([&](Transaction& tx) {
            return directory.update_item(tx, item.id, patch, {.actor = by});
        });
    }
    void remove(const items::Item& item) {
        transactions.transact([&](Transaction& tx) { directory.delete_item(tx, item.id, {}); });
    }

    /// Hands over what has happened since, as the host does: silent events are passed.
    void follow(bool is_backlog = false) {
        if (!teller) teller = plugin.consumers.at(0).make(lent);
        transactions.transact([&](Transaction& tx) {
            for (const auto row : tx.query(events_after, cursor)) {
                const Event event = event_of(row);
                cursor = event.id;
                if (event.silent) continue;
                is_backlog ? teller->offer_backlog(tx, event) : teller->offer(tx, event);
            }
        });
    }

    /// "Bob: commented, moved", in order of the notices.
    std::string told(const std::string& name) {
        return database.value(
            "SELECT coalesce(string_agg(replace(n.kind, 'notify.', ''), ' ' ORDER BY n.id), '') "
            "FROM notify.notices n JOIN items.people p ON p.id = n.person_id WHERE p.name = '" +
            name + "'");
    }
    std::string count(const std::string& from) {
        return database.value("SELECT count(*) FROM " + from);
    }
    void prefer(const items::PersonId& who, std::string_view kind, const std::string& ways) {
        database.execute("INSERT INTO notify.preferences VALUES ('" + who + "', '" +
                         std::string{kind} + "', " + ways + ")");
    }

    [[nodiscard]] std::unique_ptr<delivery::QueueRunner> mail_runner() {
        if (!post) post = spec.make(lent);
        return std::make_unique<delivery::QueueRunner>(
            delivery::QueueSetup{
                .spec = spec, .services = &lent, .queue = &mails, .handler = post.get()},
            delivery::RunnerParts{pool, transactions, clock, random, log});
    }
    /// Sends what is due; how many attempts that took.
    int send() { return settle(*mail_runner()); }

    Manifest plugin = linked_manifest();
    const std::vector<EventTypeSpec> item_types = items::event_types();
    const std::vector<EntityRefSpec> item_refs = items::entity_refs();
    items::SqlDirectory directory;
    FakeMailer mailer;
    delivery::StoredQueue mails{std::string{notify::queue_name}};
    LentServices lent{transactions};
    RouteCaller web{plugin.routes, lent};
    std::unique_ptr<Consumer> teller;
    std::unique_ptr<DeliveryHandler> post;
    std::int64_t cursor = 0;
    items::ProjectId project = 0;
    items::PersonId ada;
    items::PersonId bob;
    items::PersonId cid;
};

}  // namespace radd::testing

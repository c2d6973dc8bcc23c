#pragma once

/// Rules over items in a database of their own, run by the host's runner.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <automations/events.hpp>
#include <host/declared_catalog.hpp>
#include <host/outbox/stored_events.hpp>
#include <items/events.hpp>
#include <plugins/automations/dry_run.hpp>
#include <plugins/automations/rules.hpp>
#include <plugins/items/actions.hpp>
#include <plugins/items/catalog.hpp>
#include <plugins/items/directory.hpp>
#include <radd/scopes.hpp>
#include <radd/testing/fixture_host.hpp>
#include <tests/pg/consumers_bench.hpp>
#include <tests/support/lent_services.hpp>

namespace radd::testing {

std::vector<Migration> items_migrations();  // Embedded by the build.

/// Lends the stream that is in the database, too.
class AutomationServices final : public Services {
public:
    AutomationServices(Database& database, EventLog& log) : lent{database}, log_{log} {}

    LentServices lent;

    [[nodiscard]] const Settings& settings() const override { return lent.settings(); }
    [[nodiscard]] Log& log() override { return lent.log(); }
    [[nodiscard]] Clock& clock() override { return lent.clock(); }
    [[nodiscard]] Random& random() override { return lent.random(); }
    [[nodiscard]] Database& database() override { return lent.database(); }
    [[nodiscard]] DeliveryQueue& deliveries(std::string_view queue) override {
        return lent.deliveries(queue);
    }
    [[nodiscard]] const std::vector<std::chrono::seconds>& retry_schedule() const override {
        return lent.retry_schedule();
    }
    [[nodiscard]] const std::vector<NotificationKindSpec>& notification_kinds() const override {
        return lent.notification_kinds();
    }
    [[nodiscard]] HttpClient& http_client() override { return lent.http_client(); }
    [[nodiscard]] Secrets& secrets() override { return lent.secrets(); }
    [[nodiscard]] EventLog& event_log() override { return log_; }
    [[nodiscard]] const Catalog& catalog() const override { return lent.catalog(); }
    [[nodiscard]] const std::string& public_url() const override { return lent.public_url(); }
    [[nodiscard]] bool stop_requested() const noexcept override { return false; }

private:
    [[nodiscard]] Service& find(std::string_view name) override {
        if (name == items::Directory::service_name) return lent.get<items::Directory>();
        throw ConfigError{"service '" + std::string{name} + "' is not lent here"};
    }

    EventLog& log_;
};

/// One project with one item, and a person who works on it.
struct AutomationBench : Bench {
    static constexpr const char* runner_name = "automations.runner";

    AutomationBench() {
        db::migrate(database.session(),
                    {{"core", db::core_migrations()},
                     {"items", items_migrations()},
                     {"automations", plugin.migrations}});
        for (const auto& spec : item_types) stream.catalog.add(spec, "items");
        for (const auto& spec : item_refs) stream.catalog.add(spec, "items");
        for (const auto& spec : item_actions) stream.catalog.add(spec, "items");
        for (const auto& spec : plugin.event_types) stream.catalog.add(spec, "automations");
        for (const auto& spec : plugin.entity_refs) stream.catalog.add(spec, "automations");
        declare_again();
        services.lent.offer<items::Directory>(directory);
        services.lent.fakes.values = FakeSettings{plugin.settings};
        db.transact([&](Transaction& tx) {
            for (const auto& [name, category] : states)
                directory.ensure_state(tx, {.name = name, .category = category});
            project = directory.create_project(tx, {.key = "DEMO", .name = "Demo"}, {}).id;
            person =
                directory.create_person(tx, {.name = "Ada", .email = "ada@example.org"}, {}).id;
            item = directory.create_item(tx, {.project_id = project, .title = "Printer"}, {}).id;
        });
        catch_up();
        start_runner();
    }

    /// The catalogue as it is now: a host that was started again.
    void declare_again() {
        declared = std::make_unique<host::DeclaredCatalog>(
            stream.catalog, [this](const std::string&) -> Services& { return services; });
        services.lent.declared = declared.get();
    }
    void start_runner(const std::string& name = runner_name) {
        consumer = plugin.consumers.at(0).make(services);
        running = runner(*consumer, name);
    }

    std::int64_t rule(const std::string& name, const std::string& definition) {
        automations::RuleDraft draft{.name = name};
        automations::read_definition(json::parse(definition), draft);
        return db.transact([&](Transaction& tx) { return rules.create(tx, draft, person); });
    }
    automations::Rule rule(std::int64_t id) {
        return *db.transact([&](Transaction& tx) { return rules.find(tx, id); });
    }

    /// By the person, as over HTTP.
    void edit(const items::ItemPatch& patch) {
        db.transact(
            [&](Transaction& tx) { directory.update_item(tx, item, patch, {.actor = person}); });
    }
    void comment(const std::string& body) {
        db.transact(
            [&](Transaction& tx) { directory.add_comment(tx, item, body, {.actor = person}, {}); });
    }
    items::Item the_item() {
        return *db.transact([&](Transaction& tx) { return directory.find_item(tx, item); });
    }

    void catch_up() {
        stream.tail->wake();
        const auto last = number("SELECT coalesce(max(id), 0) FROM radd.events");
        REQUIRE(eventually([&] { return stream.tail->position() >= last; }));
    }
    /// Lets rules run until nothing is left. False: they go on and on.
    bool settle_rules() {
        constexpr int rounds_max = 50;
        for (int round = 0; round < rounds_max; ++round) {
            catch_up();
            if (settle(*running) == 0) return true;
        }
        return false;
    }

    std::int64_t events(const std::string& type) {
        return number("SELECT count(*) FROM radd.events WHERE event_type = '" + type + "'");
    }
    std::int64_t runs(std::int64_t id, const std::string& outcome) {
        return number("SELECT count(*) FROM automations.runs WHERE rule_id = " +
                      std::to_string(id) + " AND outcome = '" + outcome + "'");
    }
    std::string detail(std::int64_t id, const std::string& outcome) {
        return database.value(
            "SELECT detail FROM automations.runs WHERE rule_id = " + std::to_string(id) +
            " AND outcome = '" + outcome + "' ORDER BY id DESC LIMIT 1");
    }
    std::int64_t last_event(const std::string& type) {
        return number("SELECT max(id) FROM radd.events WHERE event_type = '" + type + "'");
    }
    json dry_run(std::int64_t id, std::optional<std::int64_t> event_id) {
        return automations::dry_run(services, rule(id), event_id);
    }

    const std::vector<std::pair<const char*, items::Category>> states{
        {"To Do", items::Category::todo}, {"Done", items::Category::done}};
    const Manifest plugin = linked_manifest();
    const std::vector<EventTypeSpec> item_types = items::event_types();
    const std::vector<EntityRefSpec> item_refs = items::entity_refs();
    std::vector<ActionSpec> item_actions = items::actions();
    outbox::EmitPolicy policy{.undeclared_subject_is_error = true, .strict = true};
    outbox::OutboxDatabase db{*stream.pool, stream.catalog, policy, stream.log, "test", [] {}};
    outbox::StoredEvents event_log{*stream.pool, stream.catalog};
    AutomationServices services{db, event_log};
    std::unique_ptr<host::DeclaredCatalog> declared;
    items::SqlDirectory directory;
    automations::Rules rules{services};
    std::unique_ptr<Consumer> consumer;
    std::unique_ptr<consumers::ConsumerRunner> running;
    items::ProjectId project = 0;
    items::ItemId item = 0;
    items::PersonId person;
};

}  // namespace radd::testing

#pragma once

/// Entities declared in YAML beside the items of code, over real tables and a real outbox.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <host/config/manifest_file.hpp>
#include <host/entities/expand.hpp>
#include <host/entities/manifest_yaml.hpp>
#include <host/entities/table_plan.hpp>
#include <radd/testing/routes.hpp>
#include <tests/pg/items_bench.hpp>
#include <tests/support/lent_services.hpp>

namespace radd::testing {

/// What one start of a host makes of manifests. Destroyed after whatever it has made.
struct DeclaredPlugins {
    std::shared_ptr<entities::Model> model = std::make_shared<entities::Model>();
    std::vector<std::unique_ptr<Manifest>> manifests;
    outbox::Catalog catalog;
};

/// The entities of a test: declare() is a start of the host with these manifests.
struct EntitiesBench : ItemsBench {
    /// Reads `entities` as the block of plugin `id`, makes what follows from it and brings the
    /// tables up to date. @throws entities::ChangesRefused.
    void declare(const std::string& blocks, const std::string& id = "plans") {
        auto next = std::make_unique<DeclaredPlugins>();
        auto manifest = std::make_unique<Manifest>(manifest_of(blocks, id));
        start(std::move(next), std::move(manifest));
    }
    /// The same from a value, as code declares it.
    void declare(std::vector<EntitySpec> specs, const std::string& id = "plans") {
        auto manifest = std::make_unique<Manifest>(Manifest{.id = id, .version = "1.0.0"});
        manifest->entities = std::move(specs);
        start(std::make_unique<DeclaredPlugins>(), std::move(manifest));
    }

    static Manifest manifest_of(const std::string& blocks, const std::string& id) {
        config::Problems problems;
        const auto file = config::parse_plugin_file(
            "kind: plugin\nversion: 1\nid: " + id + "\n" + blocks, id + ".yaml", problems);
        Manifest manifest;
        if (file) manifest = entities::manifest_of(*file, problems);
        std::string text;
        for (const auto& problem : problems) text += config::to_text(problem) + "\n";
        if (!text.empty()) throw ConfigError{text};
        return manifest;
    }

    /// What the plan refuses, a line each; empty if it is accepted, which then is done.
    std::string refusal(const std::string& blocks) {
        try {
            declare(blocks);
        } catch (const entities::ChangesRefused& refused) {
            return refused.what();
        }
        return {};
    }

    HttpResponse call(HttpMethod method,
                      std::string_view target,
                      const std::string& body = {},
                      std::vector<HttpField> headers = {}) {
        LentServices services{*database_of};
        RouteCaller web{manifest().routes, services};
        return web.call(method, target, body, a_member(), std::move(headers));
    }
    HttpResponse get(std::string_view target) { return call(HttpMethod::get, target); }
    HttpResponse post(std::string_view target, const json& body) {
        return call(HttpMethod::post, target, body.dump());
    }
    HttpResponse patch(std::string_view target, const json& body) {
        return call(HttpMethod::patch, target, body.dump());
    }
    HttpResponse del(std::string_view target) { return call(HttpMethod::del, target); }

    static json parsed(const HttpResponse& response) { return json::parse(response.body); }
    /// "422 name: has 300 characters; …"
    static std::string refused(const HttpResponse& response) {
        if (response.status < 400) return std::to_string(response.status);
        return std::to_string(response.status) + ' ' +
               parsed(response).at("detail").get<std::string>();
    }

    /// Runs the sweeps of `event` about `id`, as the consumer of its cascades does.
    void sweep(std::string_view event, const std::string& id) {
        database_of->transact([&](Transaction& tx) {
            for (const CascadeSpec& cascade : manifest().cascades) {
                if (cascade.parent_event.name() == event) cascade.sweep(tx, id);
            }
        });
    }

    /// Names of the migrations of `id`'s entities, applied or not: "0001_create_tasks ".
    std::string migrations(db::MigrationState state, const std::string& id = "plans") {
        std::string names;
        for (const auto& status :
             db::planned_status(database.session(),
                                entities::table_migrations(*plugins->model, id, id + ".yaml"))) {
            if (status.state == state) names += status.name + ' ';
        }
        return names;
    }

    [[nodiscard]] const Manifest& manifest() const { return *plugins->manifests.back(); }

    std::unique_ptr<DeclaredPlugins> plugins;
    std::unique_ptr<outbox::OutboxDatabase> database_of;

private:
    void start(std::unique_ptr<DeclaredPlugins> next, std::unique_ptr<Manifest> manifest) {
        next->model->add(manifest->id, manifest->entities);
        entities::Surroundings around;
        for (const auto& spec : types) around.events.emplace(spec.type.name());
        for (const auto& spec : this->entities) {
            around.describers.emplace(spec.entity_type.name(), "items");
            next->model->describe(spec.entity_type.name(), spec.ref);
        }
        for (const auto& entity : next->model->entities())
            around.describers.emplace(entity->spec.key, entity->schema);
        entities::expand(next->model, around, *manifest);
        db::migrate_planned(
            database.session(),
            entities::table_migrations(*next->model, manifest->id, manifest->id + ".yaml"));

        for (const auto& spec : types) next->catalog.add(spec, "items");
        for (const auto& spec : this->entities) next->catalog.add(spec, "items");
        for (const auto& spec : manifest->event_types) next->catalog.add(spec, manifest->id);
        for (const auto& spec : manifest->entity_refs) next->catalog.add(spec, manifest->id);
        next->manifests.push_back(std::move(manifest));
        database_of.reset();
        plugins = std::move(next);
        database_of = std::make_unique<outbox::OutboxDatabase>(
            pool,
            plugins->catalog,
            outbox::EmitPolicy{
                .undeclared_subject_is_error = true, .check_payload_schema = true, .strict = true},
            log,
            "test",
            [] {});
    }
};

}  // namespace radd::testing

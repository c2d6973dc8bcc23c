// What the plugins that ship declare, next to the contracts in their headers.

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <csat/events.hpp>
#include <host/plugins/plugin_set.hpp>
#include <host/plugins/report.hpp>
#include <items/events.hpp>

using namespace radd;

namespace {

std::vector<std::string_view> names_of(const std::vector<EntityType>& entities) {
    std::vector<std::string_view> names;
    for (const EntityType& entity : entities) names.push_back(entity.name());
    return names;
}

std::vector<std::string_view> names_of(const Few<std::string_view>& entities) {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < entities.size(); ++i) names.push_back(entities[i]);
    return names;
}

const EventTypeSpec* find_spec(const loader::PluginSet& set, std::string_view type) {
    for (const auto& plugin : set.plugins()) {
        for (const EventTypeSpec& spec : plugin->manifest.event_types) {
            if (spec.type.name() == type) return &spec;
        }
    }
    return nullptr;
}

/// How many contracts of `E` the specs of `set` were held to.
template <EventEnum E>
int check_contracts(const loader::PluginSet& set) {
    int checked = 0;
    for (const std::string_view type : detail::event_table<E>) {
        const ContractFacts* facts = detail::contracts<E>.find(type);
        if (facts == nullptr) continue;
        CAPTURE(std::string{type});
        const EventTypeSpec* spec = find_spec(set, type);
        REQUIRE(spec != nullptr);
        REQUIRE(spec->entity_type.has_value());
        CHECK(spec->entity_type->name() == facts->entity_type);
        CHECK(names_of(spec->subjects) == names_of(facts->subjects));
        CHECK(spec->has_changes == facts->has_changes);
        CHECK(spec->payload_schema.has_value() == (facts->payload_version > 0));
        ++checked;
    }
    return checked;
}

}  // namespace

TEST_SUITE("spec of a shipped plugin") {
    TEST_CASE("says what the contract of its event says") {
        loader::LoadOptions options{.plugins_dir =
                                        std::filesystem::path{RADD_BINARY_DIR} / "plugins"};
        for (const std::string id : {"items", "mail", "csat"})
            options.manifests.push_back({.file = id + ".yaml", .id = id, .library = id + ".so"});

        const auto set = loader::load(options);

        REQUIRE(loader::problems_text(set.problems()).empty());
        CHECK(check_contracts<items::ItemEvent>(set) == 3);
        CHECK(check_contracts<items::CommentEvent>(set) == 3);
        CHECK(check_contracts<items::ProjectEvent>(set) == 3);
        CHECK(check_contracts<items::PersonEvent>(set) == 2);
        CHECK(check_contracts<csat::CsatEvent>(set) == 2);
    }
}

// The catalogue of the plugins that ship, as programs read it.

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <host/api/asyncapi.hpp>
#include <host/api/catalog_json.hpp>
#include <host/plugins/report.hpp>

using namespace radd;
using nlohmann::json;

namespace {

/// A library is mapped once and never unloaded.
const loader::PluginSet& shipped() {
    static const loader::PluginSet set = [] {
        loader::LoadOptions options{.plugins_dir =
                                        std::filesystem::path{RADD_BINARY_DIR} / "plugins"};
        for (const std::string id : {"csat", "items", "mail"})
            options.manifests.push_back({.file = id + ".yaml", .id = id, .library = id + ".so"});
        return loader::load(options);
    }();
    REQUIRE_MESSAGE(set.may_start(), loader::problems_text(set.problems()));
    return set;
}

/// Every `$ref` in it must lead somewhere within the document.
void follow_refs(const json& document, const json& part, int& followed) {
    if (part.is_object() && part.contains("$ref")) {
        const auto ref = part["$ref"].get<std::string>();
        REQUIRE(ref.starts_with("#/"));
        CHECK_MESSAGE(document.contains(json::json_pointer{ref.substr(1)}), ref);
        ++followed;
    }
    if (!part.is_structured()) return;
    for (const auto& member : part) follow_refs(document, member, followed);
}

}  // namespace

TEST_SUITE("catalogue") {
    TEST_CASE("tells every event type with its plugin and what emit demands") {
        const auto types = json::parse(api::event_types_json(shipped())).at("event_types");

        std::set<std::string> names;
        for (const auto& type : types) names.insert(type.at("type").get<std::string>());
        CHECK(names.size() == types.size());
        for (const auto& plugin : shipped().plugins()) {
            for (const auto& spec : plugin->manifest.event_types)
                CHECK(names.contains(std::string{spec.type.name()}));
        }
        for (const auto& type : types) {
            CHECK(type.at("label") != "");
            CHECK((type.at("plugin") == "csat" || type.at("plugin") == "items"));
            CHECK(type.at("subjects").is_array());
        }
    }

    TEST_CASE("tells every action with what it is done to and what it is told") {
        const auto told = json::parse(api::actions_json(shipped()));
        for (const auto& action : told.at("actions")) {
            CHECK(action.at("label") != "");
            CHECK(action.at("arguments").at("type") == "object");
            CHECK(action.contains("subject"));
        }
        const auto whole = json::parse(api::catalog_json(shipped()));
        CHECK(whole.at("actions") == json::parse(api::actions_json(shipped())).at("actions"));
        CHECK(whole.at("event_types").size() > 10);
    }

    TEST_CASE("as AsyncAPI it is whole in itself") {
        const auto document = json::parse(api::asyncapi_document(shipped()));

        CHECK(document.at("asyncapi") == "3.0.0");
        int followed = 0;
        follow_refs(document, document, followed);
        CHECK(followed > 20);
        CHECK(document.at("channels").size() == document.at("components").at("messages").size());
        CHECK(document.at("channels").size() == document.at("operations").size());
    }

    TEST_CASE("as AsyncAPI it describes the event and the refs in its payload") {
        const auto document = json::parse(api::asyncapi_document(shipped()));

        const auto& message = document.at("components").at("messages").at("csat.requested");
        CHECK(message.at("title") == "CSAT survey sent");
        const auto& event = message.at("payload").at("properties");
        CHECK(event.at("event_type").at("const") == "csat.requested");
        CHECK(event.contains("recorded_at"));
        const auto& schemas = document.at("components").at("schemas");
        const auto& payload = schemas.at("csat.requested.payload").at("properties");
        CHECK(payload.at("item").at("$ref") == "#/components/schemas/item.ref");
        CHECK(schemas.at("item.ref").at("title") == "Item");
    }
}

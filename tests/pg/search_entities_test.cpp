// Entities that the index does not know by name.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plugins/search/entities.hpp>
#include <tests/pg/search_bench.hpp>

namespace {

/// People who describe themselves to a search.
struct Bench : search_test::Bench {
    Bench() {
        owner.entity_refs.push_back(
            {.entity_type = items::ItemEntity::person,
             .label = "Person",
             .ref = {},
             .url = "/people/{id}",
             .document = [this](radd::Transaction&, std::span<const std::string> ids) {
                 std::vector<std::optional<radd::SearchDocument>> found;
                 for (const auto& id : ids) {
                     ++asked_for;
                     const auto one = kept.find(id);
                     found.push_back(one == kept.end() ? std::nullopt : std::optional{one->second});
                 }
                 return found;
             }});
        services.fakes.declared.add(owner, services);
    }
    std::string a_person(const std::string& name) {
        return db.transact([&](radd::Transaction& tx) {
            return directory.create_person(tx, {.name = name}, {}).id;
        });
    }
    radd::json entities(const std::string& text, const std::string& more = "") {
        return asked(text, more).at("entities");
    }

    radd::Manifest owner{.id = "people", .version = "1.0.0"};
    std::map<std::string, radd::SearchDocument> kept;
    int asked_for = 0;
};

}  // namespace

TEST_SUITE("search of other entities") {
    TEST_CASE_FIXTURE(Bench, "what describes itself is found beside items") {
        const auto ada = a_person("Ada");
        kept[ada] = {.title = "Ada", .text = "Looks after every printer"};
        an_item("Printer");
        index();

        CHECK(found("printer") == "DEMO-1");
        const auto hits = entities("printer");
        REQUIRE(hits.size() == 1);
        CHECK(hits.at(0).at("entity") == radd::json{{"type", "person"},
                                                    {"id", ada},
                                                    {"label", "Person"},
                                                    {"title", "Ada"},
                                                    {"url", "/people/" + ada}});
        CHECK(hits.at(0).at("snippet").at(1) == radd::json{{"text", "printer"}, {"hit", true}});
        CHECK(entities("printer", "&project=DEMO").empty());
        CHECK(entities("ada").size() == 1);
    }

    TEST_CASE_FIXTURE(Bench, "what is gone is not found and leaves with its event or a rebuild") {
        const auto ada = a_person("Ada");
        const auto bob = a_person("Bob");
        kept[ada] = {.title = "Ada"};
        kept[bob] = {.title = "Bob"};
        index();
        const auto rows = "SELECT count(*) FROM search.entity_documents";
        CHECK(database.value(rows) == "2");

        kept.erase(ada);
        CHECK(entities("ada").empty());
        kept[bob] = {.title = "Robert"};
        const search::EntityIndex again{"simple", services.catalog()};
        std::string type;
        std::string id;
        CHECK(db.transact([&](radd::Transaction& tx) { return again.rebuild(tx, type, id); }) == 2);

        CHECK(database.value(rows) == "1");
        CHECK(entities("bob").empty());
        CHECK(entities("robert").size() == 1);
    }

    TEST_CASE_FIXTURE(Bench, "a replay indexes what the index has not") {
        const auto ada = a_person("Ada");
        kept[ada] = {.title = "Ada"};
        index();
        asked_for = 0;

        cursor = 0;
        index();

        CHECK(asked_for == 0);
    }

    TEST_CASE_FIXTURE(Bench, "what its plugin does not describe to a search is passed") {
        owner.entity_refs.front().document = {};
        a_person("Ada");

        index();

        CHECK(database.value("SELECT count(*) FROM search.entity_documents") == "0");
        CHECK(entities("ada").empty());
    }
}

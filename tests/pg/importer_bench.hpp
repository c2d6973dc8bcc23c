#pragma once

/// Imports over real tables, and issues to import.

#include <fstream>
#include <iterator>
#include <string>

#include <plugins/importer/import.hpp>
#include <plugins/importer/zone.hpp>
#include <radd/scopes.hpp>
#include <tests/pg/items_bench.hpp>

namespace radd::testing {

/// One issue of a search result, as Jira writes it; the test sets what matters to it.
inline json a_jira_issue(int number, const std::string& title = "Deploy") {
    return {{"id", std::to_string(10'000 + number)},
            {"key", "OPS-" + std::to_string(number)},
            {"fields",
             {{"summary", title},
              {"project", {{"key", "OPS"}, {"name", "Operations"}}},
              {"issuetype", {{"name", "Bug"}}},
              {"status", {{"name", "Open"}, {"statusCategory", {{"key", "new"}}}}},
              {"created", "2024-03-12T09:15:00.000+0000"},
              {"updated", "2024-03-12T09:15:00.000+0000"}}}};
}

inline json a_jira_user(const std::string& name) {
    return {{"name", name}, {"displayName", "Person " + name}};
}

inline json a_history_entry(const std::string& id,
                            const std::string& author,
                            const std::string& created,
                            const json& item) {
    return {{"id", id},
            {"author", a_jira_user(author)},
            {"created", created},
            {"items", json::array({item})}};
}

/// tests/data/jira/sample.json: twelve issues, some of them before their parents.
inline json sample_export() {
    std::ifstream in{RADD_SOURCE_DIR "/tests/data/jira/sample.json"};
    return json::parse(std::string{std::istreambuf_iterator<char>{in}, {}});
}

struct ImportBench : ItemsBench {
    importer::Report import(const json& issues,
                            const importer::ImportOptions& options = {},
                            const std::string& zone = "UTC") {
        const auto file =
            importer::parse_export(issues.dump(), {}, importer::database_zone(db, zone));
        const Quiet quiet;
        return importer::Import{directory, file, options}.run(db);
    }

    /// How many events satisfy the condition.
    std::string count(const std::string& condition) {
        return database.value("SELECT count(*)::text FROM radd.events WHERE " + condition);
    }
};

}  // namespace radd::testing

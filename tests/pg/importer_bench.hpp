#pragma once

/// Imports over real tables, and issues to import.

#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include <plugins/importer/catalog.hpp>
#include <plugins/importer/import.hpp>
#include <plugins/importer/jira_file.hpp>
#include <plugins/importer/rollback.hpp>
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

/// Loses its connection at the end of one transaction, counted from 1.
class FailingDatabase final : public Database {
public:
    FailingDatabase(Database& real, int fails_at) : real_{real}, fails_at_{fails_at} {}

private:
    void do_transact(const std::function<void(Transaction&)>& work) override {
        const bool fails = ++transactions_ == fails_at_;
        real_.transact([&](Transaction& tx) {
            work(tx);
            if (fails) throw Unavailable{"the connection is gone"};
        });
    }

    Database& real_;
    int fails_at_;
    int transactions_ = 0;
};

struct ImportBench : ItemsBench {
    ImportBench() {
        for (const auto& spec : import_types) catalog.add(spec, "importer");
        for (const auto& spec : import_entities) catalog.add(spec, "importer");
    }

    importer::Report import(const json& issues,
                            const importer::ImportOptions& options = {},
                            const std::string& zone = "UTC") {
        const auto file =
            importer::parse_export(issues.dump(), {}, importer::database_zone(db, zone));
        importer::ExportSource source{file};
        return import_from(source, options);
    }

    importer::Report import_from(importer::IssueSource& source,
                                 const importer::ImportOptions& options = {}) {
        const Quiet quiet;
        return importer::Import{directory, source, options}.run(db);
    }

    importer::RollbackReport roll_back(importer::ImportId id,
                                       const importer::RollbackOptions& options = {}) {
        const Quiet quiet;
        return importer::Rollback{directory, options}.run(db, id);
    }

    /// How many events satisfy the condition, those about imports left aside.
    std::string count(const std::string& condition) {
        return database.value(
            "SELECT count(*)::text FROM radd.events WHERE event_type NOT LIKE 'import.%' AND (" +
            condition + ")");
    }
    /// An expression over the last event that is not about an import.
    std::string last(const std::string& expression) {
        return database.value("SELECT (" + expression +
                              ")::text FROM radd.events WHERE event_type NOT LIKE 'import.%' "
                              "ORDER BY id DESC LIMIT 1");
    }

    std::vector<EventTypeSpec> import_types = importer::event_types();
    std::vector<EntityRefSpec> import_entities = importer::entity_refs();
};

}  // namespace radd::testing

#include "catalog.hpp"

#include <charconv>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "journal_sql.hpp"
#include <importer/events.hpp>

namespace importer {
namespace {

bool is_number(const std::string& text) {
    std::int64_t id = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    return error == std::errc{} && end == text.data() + text.size();
}

std::vector<std::optional<radd::JsonText>> refs(radd::Transaction& tx,
                                                std::span<const std::string> ids) {
    std::vector<std::string> asked;
    for (const auto& id : ids) {
        if (is_number(id)) asked.push_back(id);
    }
    std::map<std::string, std::string> found;
    for (const auto& row : tx.query(sql::select_import_refs, radd::text_array(asked)))
        found.emplace(row.text("id"), row.text("ref"));

    std::vector<std::optional<radd::JsonText>> result;
    for (const auto& id : ids) {
        const auto ref = found.find(id);
        if (ref == found.end())
            result.emplace_back();
        else
            result.emplace_back(radd::JsonText{ref->second});
    }
    return result;
}

}  // namespace

std::vector<radd::EventTypeSpec> event_types() {
    return {{.type = ImportEvent::finished,
             .label = "Import finished",
             .group = "Imports",
             .entity_type = radd::EntityType{ImportEntity::file_import}},
            {.type = ImportEvent::rolled_back,
             .label = "Import taken back",
             .group = "Imports",
             .entity_type = radd::EntityType{ImportEntity::file_import}}};
}

std::vector<radd::EntityRefSpec> entity_refs() {
    return {{.entity_type = ImportEntity::file_import, .label = "Import", .ref = refs}};
}

}  // namespace importer

#include "journal.hpp"

#include <array>
#include <charconv>
#include <utility>

#include "journal_sql.hpp"
#include <importer/events.hpp>
#include <radd/error.hpp>

namespace importer {
namespace {

radd::json or_null(const auto& value) {
    return value ? radd::json(*value) : radd::json();
}
radd::json id_or_null(const auto& named) {
    return named ? radd::json(named->id) : radd::json();
}

std::optional<std::string> optional_text(const radd::json& value) {
    return value.is_null() ? std::nullopt : std::optional{value.get<std::string>()};
}

radd::json counts_of(const Report& report) {
    return {{"issues", report.issues},
            {"created", report.created},
            {"updated", report.updated},
            {"unchanged", report.unchanged},
            {"rejected", report.rejected.total()},
            {"warnings", report.warnings.total()},
            {"people", report.people},
            {"comments", report.comments},
            {"events", report.events}};
}

radd::json record(const Write& write) {
    return {{"kind", write.kind},
            {"entity_id", write.entity_id},
            {"item_id", or_null(write.item)},
            {"before", or_null(write.before)},
            {"after", write.after}};
}

}  // namespace

radd::json field_values(const items::Item& item) {
    auto contact = radd::json();
    if (item.contact)
        contact = {{"email", item.contact->email}, {"name", or_null(item.contact->name)}};
    return {{"title", item.title},
            {"description", item.description},
            {"type", item.type},
            {"state", item.state.name},
            {"priority", or_null(item.priority)},
            {"reporter", id_or_null(item.reporter)},
            {"assignee", id_or_null(item.assignee)},
            {"contact", contact},
            {"labels", item.labels},
            {"parent", id_or_null(item.parent)}};
}

radd::json field_values(const items::Person& person) {
    return {{"name", person.name}, {"email", or_null(person.email)}};
}

items::ItemPatch patch_of(const radd::json& values) {
    items::ItemPatch patch;
    for (const auto& [field, value] : values.items()) {
        if (field == "title") patch.title = value.get<std::string>();
        if (field == "description") patch.description = value.get<std::string>();
        if (field == "type") patch.type = value.get<std::string>();
        if (field == "state") patch.state = value.get<std::string>();
        if (field == "priority") patch.priority = optional_text(value);
        if (field == "reporter") patch.reporter = optional_text(value);
        if (field == "assignee") patch.assignee = optional_text(value);
        if (field == "labels") patch.labels = value.get<std::vector<std::string>>();
        if (field == "parent")
            patch.parent =
                value.is_null() ? std::nullopt : std::optional{value.get<items::ItemId>()};
    }
    return patch;
}

std::string digest(const radd::json& value) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : value.dump()) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), hash, 16).ptr;
    return {digits.data(), end};
}

radd::json digests(const radd::json& values) {
    auto result = radd::json::object();
    for (const auto& [field, value] : values.items()) result[field] = digest(value);
    return result;
}

Journal Journal::begin(radd::Transaction& tx, const ImportName& name) {
    const auto row =
        tx.query_one(sql::insert_import, name.kind, name.file, name.source, name.quiet);
    return {row->integer("id"), name};
}

void Journal::add(radd::Transaction& tx, std::span<const Write> writes, const Report& so_far) {
    if (tx.execute(sql::advance_import, id_, counts_of(so_far).dump()) == 0)
        throw radd::InvalidInput{
            "import",
            std::to_string(id_) + " is being taken back; what is there of it goes as well"};
    if (writes.empty()) return;
    auto rows = radd::json::array();
    for (const auto& write : writes) rows.push_back(record(write));
    tx.execute(sql::insert_writes, id_, rows.dump());
}

void Journal::set_parent(radd::Transaction& tx, items::ItemId item, items::ItemId parent) {
    tx.execute(sql::set_parent_of_made, id_, item, digest(parent));
}

void Journal::finish(radd::Transaction& tx, const Report& report) {
    const auto counts = counts_of(report);
    const char* state = report.stopped ? "stopped" : "finished";
    if (tx.execute(sql::finish_import, id_, state, counts.dump()) == 0 || report.stopped) return;
    tx.emit(radd::NewEvent{.type = ImportEvent::finished,
                           .entity = ImportEntity::file_import,
                           .entity_id = id_,
                           .payload = radd::json{{"kind", name_.kind},
                                                 {"file", name_.file},
                                                 {"source", name_.source},
                                                 {"quiet", name_.quiet},
                                                 {"counts", counts}},
                           .silent = false});
}

}  // namespace importer

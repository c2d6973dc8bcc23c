#include "csv_columns.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <radd/error.hpp>

namespace importer {
namespace {

struct NamedField {
    std::string_view name;
    CsvField field;
};

// As --map spells them.
constexpr std::array ours{
    NamedField{"key", CsvField::key},
    NamedField{"id", CsvField::id},
    NamedField{"title", CsvField::title},
    NamedField{"description", CsvField::description},
    NamedField{"type", CsvField::type},
    NamedField{"state", CsvField::state},
    NamedField{"category", CsvField::category},
    NamedField{"priority", CsvField::priority},
    NamedField{"reporter", CsvField::reporter},
    NamedField{"reporter_id", CsvField::reporter_id},
    NamedField{"assignee", CsvField::assignee},
    NamedField{"assignee_id", CsvField::assignee_id},
    NamedField{"creator", CsvField::creator},
    NamedField{"creator_id", CsvField::creator_id},
    NamedField{"labels", CsvField::labels},
    NamedField{"comment", CsvField::comment},
    NamedField{"parent_id", CsvField::parent_id},
    NamedField{"parent_key", CsvField::parent_key},
    NamedField{"project_name", CsvField::project_name},
    NamedField{"created", CsvField::created},
    NamedField{"updated", CsvField::updated},
    NamedField{"resolved", CsvField::resolved},
    NamedField{"ignore", CsvField::ignore},
};

// As Jira's exports call them, of the cloud and of its servers.
constexpr std::array theirs{
    NamedField{"issue key", CsvField::key},
    NamedField{"issue id", CsvField::id},
    NamedField{"summary", CsvField::title},
    NamedField{"description", CsvField::description},
    NamedField{"issue type", CsvField::type},
    NamedField{"status", CsvField::state},
    NamedField{"status category", CsvField::category},
    NamedField{"priority", CsvField::priority},
    NamedField{"reporter", CsvField::reporter},
    NamedField{"reporter id", CsvField::reporter_id},
    NamedField{"assignee", CsvField::assignee},
    NamedField{"assignee id", CsvField::assignee_id},
    NamedField{"creator", CsvField::creator},
    NamedField{"creator id", CsvField::creator_id},
    NamedField{"labels", CsvField::labels},
    NamedField{"comment", CsvField::comment},
    NamedField{"comments", CsvField::comment},
    NamedField{"parent", CsvField::parent_id},
    NamedField{"parent id", CsvField::parent_id},
    NamedField{"parent key", CsvField::parent_key},
    NamedField{"project name", CsvField::project_name},
    NamedField{"created", CsvField::created},
    NamedField{"updated", CsvField::updated},
    NamedField{"resolved", CsvField::resolved},
    // The key says the same.
    NamedField{"project key", CsvField::ignore},
};

template <typename Table>
std::optional<CsvField> find(const Table& table, std::string_view name) {
    const auto found = std::ranges::find(table, name, &NamedField::name);
    return found == table.end() ? std::nullopt : std::optional{found->field};
}

bool takes_many(CsvField field) {
    return field == CsvField::none || field == CsvField::ignore || field == CsvField::labels ||
           field == CsvField::comment;
}

std::string name_of(CsvField field) {
    return std::string{std::ranges::find(ours, field, &NamedField::field)->name};
}

}  // namespace

std::string folded(std::string_view name) {
    const auto first = name.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    std::string text{name.substr(first, name.find_last_not_of(" \t\r\n") + 1 - first)};
    std::ranges::transform(
        text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

std::optional<CsvField> csv_field_named(std::string_view name) {
    return find(ours, folded(name));
}

std::string csv_field_names() {
    std::string names;
    for (const auto& named : ours) names.append(names.empty() ? "" : ", ").append(named.name);
    return names;
}

CsvColumns::CsvColumns(const std::vector<std::string>& header,
                       const std::map<std::string, CsvField>& mapped)
    : names_{header} {
    std::map<std::string, CsvField> wanted;
    for (const auto& [name, field] : mapped) wanted[folded(name)] = field;

    for (std::size_t column = 0; column < names_.size(); ++column) {
        const auto name = folded(names_[column]);
        const auto chosen = wanted.find(name);
        const auto field =
            chosen != wanted.end() ? chosen->second : find(theirs, name).value_or(CsvField::none);
        auto& columns = columns_[field];
        if (!takes_many(field) && !columns.empty() && folded(names_[columns.front()]) != name)
            throw radd::InvalidInput{
                "file",
                "columns '" + names_[columns.front()] + "' and '" + names_[column] + "' are both " +
                    name_of(field) + "; give one of them --map '" + names_[column] + "=ignore'"};
        fields_.push_back(field);
        columns.push_back(column);
    }
    for (const auto& [name, field] : mapped) {
        const auto is_there = [&](const auto& column) { return folded(column) == folded(name); };
        if (std::ranges::none_of(names_, is_there))
            throw radd::InvalidInput{"map", "the file has no column '" + name + "'"};
    }
    if (!has(CsvField::key) && !has(CsvField::id))
        throw radd::InvalidInput{
            "file",
            "its first row names no column 'Issue key'; name yours by --map COLUMN=key, or "
            "another --delimiter if that is why"};
}

bool CsvColumns::has(CsvField field) const {
    return columns_.contains(field);
}

const std::vector<std::size_t>& CsvColumns::of(CsvField field) const {
    static const std::vector<std::size_t> none;
    const auto found = columns_.find(field);
    return found == columns_.end() ? none : found->second;
}

GivenFields CsvColumns::given() const {
    return {.title = has(CsvField::title),
            .description = has(CsvField::description),
            .type = has(CsvField::type),
            .state = has(CsvField::state),
            .priority = has(CsvField::priority),
            .reporter = has(CsvField::reporter) || has(CsvField::reporter_id),
            .assignee = has(CsvField::assignee) || has(CsvField::assignee_id),
            .labels = has(CsvField::labels),
            .parent = has(CsvField::parent_id) || has(CsvField::parent_key)};
}

}  // namespace importer

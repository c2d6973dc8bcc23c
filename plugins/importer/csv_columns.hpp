#pragma once

/// What the columns of a CSV file mean.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "issue_source.hpp"

namespace importer {

enum class CsvField : std::uint8_t {
    none,  ///< Nothing of ours; told once for the column.
    ignore,
    key,
    id,
    title,
    description,
    type,
    state,
    category,
    priority,
    reporter,
    reporter_id,
    assignee,
    assignee_id,
    creator,
    creator_id,
    labels,   ///< Each cell is one.
    comment,  ///< Each cell is one: "time;author;text", where the text may hold semicolons.
    parent_id,
    parent_key,
    project_name,
    created,
    updated,
    resolved,
};

/// As `--map` spells it: "title", "reporter_id". Empty: there is none of this name.
[[nodiscard]] std::optional<CsvField> csv_field_named(std::string_view name);

/// The names of all fields, for a message: "key, id, title, …".
[[nodiscard]] std::string csv_field_names();

/// The header of a file, read. Jira repeats the name of a column that has several values; a map
/// from name to cell would keep the last of them.
class CsvColumns {
public:
    CsvColumns() = default;

    /// `mapped`: what columns give by their names, before what Jira calls them; upper and lower
    /// case are alike in both.
    /// @throws radd::InvalidInput naming "file" if neither a key nor an id is there or two columns
    ///         of different names claim one field, or "map" if it names a column that is not there.
    CsvColumns(const std::vector<std::string>& header,
               const std::map<std::string, CsvField>& mapped);

    [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }
    [[nodiscard]] const std::string& name(std::size_t column) const { return names_[column]; }
    [[nodiscard]] CsvField field(std::size_t column) const { return fields_[column]; }
    [[nodiscard]] bool has(CsvField field) const;
    [[nodiscard]] const std::vector<std::size_t>& of(CsvField field) const;
    [[nodiscard]] GivenFields given() const;

private:
    std::vector<std::string> names_;
    std::vector<CsvField> fields_;
    std::map<CsvField, std::vector<std::size_t>> columns_;
};

/// Without spaces at its ends, and ASCII in lower case.
[[nodiscard]] std::string folded(std::string_view name);

}  // namespace importer

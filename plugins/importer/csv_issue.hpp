#pragma once

/// One row of a CSV file as an issue.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "csv_columns.hpp"
#include "csv_reader.hpp"
#include "csv_times.hpp"

namespace importer {

/// What a file does not say of its issues.
struct CsvDefaults {
    std::string project{};      ///< Of issues without a key. Empty: there may be none.
    radd::Timestamp created{};  ///< Where no column says when, and no comment is older.
};

/// Reads one row after another, with what they have in common at hand.
class CsvIssueReader {
public:
    CsvIssueReader(CsvColumns columns, CsvDefaults defaults, CsvTimes& times);

    /// Users and statuses it mentions are added to `shared`; what could not be taken over as it
    /// is, is added to `warnings`. A parent that is given by its key has no id yet.
    /// @throws radd::InvalidInput naming the column, or "row", if the issue as a whole cannot be
    ///         imported. The value that is at fault stands in the message.
    [[nodiscard]] Issue read(const CsvRow& row, Shared& shared, Problems& warnings);

    /// The row's key as far as it can be read, for the report.
    [[nodiscard]] std::string key_for_report(const CsvRow& row) const;

private:
    class Row;

    CsvColumns columns_;
    CsvDefaults defaults_;
    CsvTimes& times_;
};

}  // namespace importer

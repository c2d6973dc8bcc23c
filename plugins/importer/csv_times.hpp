#pragma once

/// Times in a CSV file, whose columns need not agree on a zone or a way of writing.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "jira_time.hpp"
#include "report.hpp"

namespace importer {

struct TimeFormat {
    Zone zone;
    DateOrder order = DateOrder::none;
};

/// How times are to be read, by the names of columns.
struct TimeFormats {
    TimeFormat usual;
    std::map<std::string, Zone> zones{};  ///< By folded() names.
    std::map<std::string, DateOrder> orders{};

    [[nodiscard]] TimeFormat of(const std::string& column) const;
};

/// Reads times and counts, for each column, those that somebody should look at: that cannot be
/// read, that the clocks jumped over, that they showed twice.
class CsvTimes {
public:
    explicit CsvTimes(TimeFormats formats) : formats_{std::move(formats)} {}

    /// Empty if it cannot be read. `line`: for the report.
    [[nodiscard]] std::optional<radd::Timestamp> read(const std::string& column,
                                                      std::string_view text,
                                                      std::int64_t line);

    /// One for each column with a doubtful time.
    void warn(Problems& warnings) const;

private:
    struct Count {
        std::int64_t read = 0;
        std::int64_t unreadable = 0;
        std::int64_t skipped = 0;
        std::int64_t repeated = 0;
        std::string first{};  ///< Of the doubtful ones.
        std::int64_t first_line = 0;
    };

    TimeFormats formats_;
    std::map<std::string, TimeFormat> by_column_;
    std::map<std::string, Count> counts_;
};

/// A value as a message quotes it: cut where it is long.
[[nodiscard]] std::string in_quotes(std::string_view value);

}  // namespace importer

#pragma once

/// The command lines of an import, read.

#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "csv_columns.hpp"
#include "jira_time.hpp"

namespace importer {

/// The command line cannot be understood; what() says why.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

enum class FileKind : std::uint8_t { jira, csv };

/// "jira", "csv": as the commands are called and imports are listed.
[[nodiscard]] std::string_view name_of(FileKind kind);

struct Arguments {
    std::string file{};
    bool dry_run = false;
    bool loud = false;
    bool strict = false;
    std::string zone{};  ///< Empty: as set in the manifest.
    std::string source = "jira";
    std::vector<std::string> projects{};

    // Of CSV files alone. Columns by their folded() names.
    std::map<std::string, std::string> column_zones{};
    DateOrder dates = DateOrder::none;
    std::map<std::string, DateOrder> column_dates{};
    std::map<std::string, CsvField> mapped{};  ///< By the names as they were given.
    std::optional<char> delimiter{};
};

/// @throws UsageError for an unknown option or one of the other kind, a value that is missing or
///         cannot be, or not one file.
[[nodiscard]] Arguments parse_arguments(FileKind kind, std::span<const std::string> words);

}  // namespace importer

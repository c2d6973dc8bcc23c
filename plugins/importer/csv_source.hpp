#pragma once

/// The issues of a CSV file.

#include <cstdint>
#include <functional>
#include <istream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "csv_issue.hpp"

namespace importer {

struct CsvOptions {
    std::vector<std::string> projects{};       ///< Only these keys; all if empty.
    std::map<std::string, CsvField> mapped{};  ///< What columns give, before their names.
    std::optional<char> delimiter{};           ///< Empty: what the first row has most of.
    TimeFormats times;
    radd::Timestamp now{};  ///< See CsvDefaults::created.
};

/// Reads the file twice: whole when it is made, to know what its issues share, and again as next()
/// is asked. Between the two it keeps no issue, but an entry for each: its id and its line.
class CsvSource final : public IssueSource {
public:
    /// The file from its beginning, as often as it is called.
    using Open = std::function<std::unique_ptr<std::istream>()>;

    /// `read`: called with the bytes read so far, some hundred times in the first reading.
    /// @throws radd::InvalidInput naming "file" if its first row cannot be read or says nothing of
    ///         ours, or "map" as CsvColumns does.
    CsvSource(
        Open open,
        CsvOptions options,
        const std::function<void(std::uint64_t bytes)>& read = [](auto) {});

    [[nodiscard]] const Outline& outline() const override { return outline_; }
    /// @throws radd::InvalidInput naming "file" if it has become another since.
    [[nodiscard]] std::vector<Issue> next(std::size_t count_max) override;

private:
    void open_file();
    void read_header();
    void scan(const std::function<void(std::uint64_t)>& read);
    void scan_row(const CsvRow& row);
    void tell_unused();
    void resolve(Issue& issue) const;

    Open open_;
    CsvOptions options_;
    CsvTimes times_;
    std::unique_ptr<std::istream> in_;
    std::unique_ptr<CsvReader> reader_;
    CsvColumns columns_{};
    std::unique_ptr<CsvIssueReader> issues_;
    Outline outline_{};
    std::unordered_map<std::string, std::int64_t> lines_;       // By id: where it stands first.
    std::unordered_map<std::string, std::string> ids_;          // By key, where they differ.
    std::unordered_map<std::string, std::string> parent_keys_;  // By id, until all ids are known.
    std::vector<std::int64_t> unused_;                          // Values, by column.
};

/// Opens files by their path. @throws radd::InvalidInput naming "file" if it cannot be read or is
///         no file, in UTF-16, or has changed since the first time.
[[nodiscard]] CsvSource::Open file_opener(const std::string& path);

}  // namespace importer

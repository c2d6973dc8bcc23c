#include "csv_source.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include "jira_file.hpp"
#include <radd/error.hpp>

namespace importer {
namespace {

constexpr std::size_t head_bytes = 64 * 1024;
constexpr std::uint64_t bytes_between_reports = 256 * 1024;

CsvDefaults defaults_of(const CsvOptions& options) {
    return {.project = options.projects.size() == 1 ? options.projects.front() : std::string{},
            .created = options.now};
}

/// What the file begins with, without moving on in it.
std::string head_of(std::istream& in) {
    std::string head(head_bytes, '\0');
    in.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<std::size_t>(in.gcount()));
    in.clear();
    in.seekg(0);
    return head;
}

}  // namespace

CsvSource::CsvSource(Open open,
                     CsvOptions options,
                     const std::function<void(std::uint64_t bytes)>& read)
    : open_{std::move(open)}, options_{std::move(options)}, times_{options_.times} {
    open_file();
    if (reader_) scan(read);
    if (reader_) open_file();
}

/// Leaves no reader where there is not even a header.
void CsvSource::open_file() {
    in_ = open_();
    const auto head = head_of(*in_);
    if (head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF"))
        throw radd::InvalidInput{"file", "is in UTF-16; save it as UTF-8"};
    if (head.starts_with(byte_order_mark))
        in_->seekg(static_cast<std::streamoff>(byte_order_mark.size()));
    reader_ =
        std::make_unique<CsvReader>(*in_, options_.delimiter.value_or(detect_delimiter(head)));
    read_header();
}

void CsvSource::read_header() {
    const auto header = reader_->next();
    if (!header) {
        reader_.reset();
        return;
    }
    if (!header->problem.empty())
        throw radd::InvalidInput{"file", "its first row cannot be read: " + header->problem};
    if (issues_) return;
    columns_ = CsvColumns{header->cells, options_.mapped};
    issues_ = std::make_unique<CsvIssueReader>(columns_, defaults_of(options_), times_);
    unused_.resize(columns_.size());
    outline_.given = columns_.given();
}

void CsvSource::scan(const std::function<void(std::uint64_t)>& read) {
    std::uint64_t reported = 0;
    while (const auto row = reader_->next()) {
        scan_row(*row);
        if (reader_->bytes_read() < reported + bytes_between_reports) continue;
        reported = reader_->bytes_read();
        read(reported);
    }
    for (const auto& [id, key] : parent_keys_) {
        const auto found = ids_.find(key);
        outline_.parents[id] = found == ids_.end() ? key : found->second;
    }
    parent_keys_.clear();
    tell_unused();
    if (!columns_.has(CsvField::created) && outline_.issues_sound > 0)
        outline_.warnings.push_back(
            {.key = "",
             .field = "created",
             .text = "no column says when an issue was created; new ones are created now, or with "
                     "their first comment"});
    times_.warn(outline_.warnings);
    warn_of_guesses(outline_);
}

void CsvSource::scan_row(const CsvRow& row) {
    const auto key = issues_->key_for_report(row);
    if (columns_.has(CsvField::key) && row.problem.empty() && row.cells.size() == columns_.size() &&
        key.find('-') != std::string::npos && !is_wanted(key, options_.projects))
        return;
    ++outline_.issues_total;
    const auto reject = [&](Problem problem) {
        problem.line = row.line;
        outline_.rejected.push_back(std::move(problem));
    };
    Problems warnings;
    try {
        auto issue = issues_->read(row, outline_.shared, warnings);
        const auto [first, is_new] = lines_.try_emplace(issue.id, row.line);
        if (!is_new) {
            reject({.key = key,
                    .field = "id",
                    .text = "'" + issue.id + "' stands in line " + std::to_string(first->second) +
                            " already"});
            return;
        }
        outline_.warnings.append(warnings);
        if (!issue.key.empty() && issue.key != issue.id) ids_.try_emplace(issue.key, issue.id);
        if (issue.parent && !issue.parent->id.empty()) {
            outline_.parents[issue.id] = issue.parent->id;
        } else if (issue.parent) {
            parent_keys_.emplace(issue.id, issue.parent->key);
        }
        outline_.projects.try_emplace(issue.project_key, issue.project_name);
        ++outline_.issues_sound;
    } catch (const radd::InvalidInput& error) {
        reject(rejection(key, error));
        return;
    }
    for (std::size_t at = 0; at < row.cells.size(); ++at) {
        if (columns_.field(at) == CsvField::none && !row.cells[at].empty()) ++unused_[at];
    }
}

void CsvSource::tell_unused() {
    std::map<std::string, std::int64_t> values;
    for (std::size_t at = 0; at < unused_.size(); ++at) {
        if (unused_[at] > 0) values[columns_.name(at)] += unused_[at];
    }
    for (const auto& [name, count] : values)
        outline_.warnings.push_back(
            {.key = "",
             .field = name,
             .text = std::to_string(count) + (count == 1 ? " value" : " values") +
                     " of this column are left out; --map '" + name +
                     "=FIELD' takes them over, --map '" + name + "=ignore' says you know"});
}

void CsvSource::resolve(Issue& issue) const {
    if (!issue.parent || !issue.parent->id.empty()) return;
    const auto found = ids_.find(issue.parent->key);
    issue.parent->id = found == ids_.end() ? issue.parent->key : found->second;
}

std::vector<Issue> CsvSource::next(std::size_t count_max) {
    std::vector<Issue> issues;
    Problems told_before;
    Shared known_before;
    while (reader_ && issues.size() < count_max) {
        const auto row = reader_->next();
        if (!row) break;
        try {
            auto issue = issues_->read(*row, known_before, told_before);
            const auto first = lines_.find(issue.id);
            const bool is_asked = first != lines_.end() && first->second == row->line;
            if (!is_asked) continue;
            resolve(issue);
            issues.push_back(std::move(issue));
        } catch (const radd::InvalidInput&) {
            // Rejected when the file was read for the first time.
        }
    }
    return issues;
}

CsvSource::Open file_opener(const std::string& path) {
    struct Stamp {
        std::uint64_t size;
        std::filesystem::file_time_type changed;

        bool operator==(const Stamp&) const = default;
    };
    return [path, seen = std::optional<Stamp>{}]() mutable -> std::unique_ptr<std::istream> {
        std::error_code error;
        if (std::filesystem::is_directory(path, error))
            throw radd::InvalidInput{"file", "'" + path + "' is a folder"};
        Stamp now{.size = std::filesystem::file_size(path, error), .changed = {}};
        if (!error) now.changed = std::filesystem::last_write_time(path, error);
        if (error) throw radd::InvalidInput{"file", "'" + path + "': " + error.message()};
        if (seen && *seen != now)
            throw radd::InvalidInput{"file", "'" + path + "' was written while it was read"};
        seen = now;
        auto in = std::make_unique<std::ifstream>(path, std::ios::binary);
        if (!*in) throw radd::InvalidInput{"file", "'" + path + "' cannot be read"};
        return in;
    };
}

}  // namespace importer

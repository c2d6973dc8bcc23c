#include "csv_issue.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <items/service.hpp>
#include <radd/error.hpp>
#include <radd/terminal_text.hpp>

namespace importer {
namespace {

constexpr std::string_view spaces = " \t\r\n";

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(spaces);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(spaces) + 1 - first);
}

[[noreturn]] void refuse(const std::string& column, std::string_view value, const char* why) {
    throw radd::InvalidInput{column, in_quotes(value) + " " + why};
}

void check_cell(const std::string& column, std::string_view cell) {
    for (std::size_t at = 0; at < cell.size();) {
        const auto length = radd::terminal::sequence_length(cell.substr(at));
        if (length == 0) refuse(column, cell.substr(0, at), "goes on with a byte that is no UTF-8");
        if (cell[at] == '\0') refuse(column, cell.substr(0, at), "goes on with a NUL; remove it");
        at += length;
    }
}

/// "12/Mar/24 9:15 AM;u1;Roll out at 9;30" in its three parts. Empty: there are not three.
struct CommentCell {
    std::string_view time;
    std::string_view author;
    std::string_view body;
};
std::optional<CommentCell> split_comment(std::string_view cell) {
    const auto first = cell.find(';');
    if (first == std::string_view::npos) return std::nullopt;
    const auto second = cell.find(';', first + 1);
    if (second == std::string_view::npos) return std::nullopt;
    return CommentCell{.time = trimmed(cell.substr(0, first)),
                       .author = trimmed(cell.substr(first + 1, second - first - 1)),
                       .body = trimmed(cell.substr(second + 1))};
}

}  // namespace

/// The row at hand.
class CsvIssueReader::Row {
public:
    Row(CsvIssueReader& reader, const CsvRow& row, Shared& shared, Problems& warnings)
        : columns_{reader.columns_},
          defaults_{reader.defaults_},
          times_{reader.times_},
          row_{row},
          shared_{shared},
          warnings_{warnings} {}

    void check() const;
    void read_names(Issue& issue);
    void read_texts(Issue& issue);
    void read_people(Issue& issue);
    void read_comments(Issue& issue);
    void read_times(Issue& issue);

private:
    void warn(std::string column, std::string text) {
        warnings_.push_back(
            {.key = key_, .field = std::move(column), .text = std::move(text), .line = row_.line});
    }

    /// The first cell of the field that is not blank, without spaces at its ends.
    std::string text(CsvField field);
    std::string short_text(CsvField field);
    [[nodiscard]] std::string column(CsvField field) const {
        return columns_.name(columns_.of(field).front());
    }
    std::optional<std::string> user(CsvField name_field, CsvField id_field);
    std::string known_user(const std::string& id, const std::string& name, const std::string& at);
    std::optional<radd::Timestamp> time(CsvField field);

    const CsvColumns& columns_;
    const CsvDefaults& defaults_;
    CsvTimes& times_;
    const CsvRow& row_;
    Shared& shared_;
    Problems& warnings_;
    std::string key_{};
};

void CsvIssueReader::Row::check() const {
    if (!row_.problem.empty()) throw radd::InvalidInput{"row", row_.problem};
    if (row_.cells.size() != columns_.size())
        throw radd::InvalidInput{"row",
                                 "has " + std::to_string(row_.cells.size()) +
                                     " cells, the first row has " +
                                     std::to_string(columns_.size())};
    for (std::size_t at = 0; at < row_.cells.size(); ++at) {
        const auto field = columns_.field(at);
        if (field != CsvField::none && field != CsvField::ignore)
            check_cell(columns_.name(at), row_.cells[at]);
    }
}

std::string CsvIssueReader::Row::text(CsvField field) {
    std::string_view found;
    for (const auto at : columns_.of(field)) {
        const auto cell = trimmed(row_.cells[at]);
        if (cell.empty() || cell == found) continue;
        if (!found.empty()) {
            warn(columns_.name(at), in_quotes(cell) + " is a second value; the first is taken");
            break;
        }
        found = cell;
    }
    return std::string{found};
}

std::string CsvIssueReader::Row::short_text(CsvField field) {
    auto value = text(field);
    if (value.size() > items::name_length_max) refuse(column(field), value, "is too long");
    return value;
}

void CsvIssueReader::Row::read_names(Issue& issue) {
    issue.line = row_.line;
    const auto key = text(CsvField::key);
    issue.id = text(CsvField::id);
    if (!key.empty()) {
        try {
            read_key(key, issue);
        } catch (const radd::InvalidInput&) {
            refuse(column(CsvField::key), key, "is not of the form OPS-12");
        }
    } else if (!issue.id.empty() && !defaults_.project.empty()) {
        issue.project_key = defaults_.project;
    } else if (columns_.has(CsvField::key) || issue.id.empty()) {
        const auto wanted = columns_.has(CsvField::key) ? CsvField::key : CsvField::id;
        throw radd::InvalidInput{column(wanted), "is empty"};
    } else {
        throw radd::InvalidInput{column(CsvField::id),
                                 "is not enough: without keys, one --project must say where to"};
    }
    // A key changes when an issue moves; it is only the second best.
    if (issue.id.empty()) issue.id = issue.key;
    key_ = issue.key.empty() ? issue.id : issue.key;

    issue.project_name = text(CsvField::project_name);
    if (issue.project_name.empty() || issue.project_name.size() > items::name_length_max)
        issue.project_name = issue.project_key;

    ParentRef parent{.id = text(CsvField::parent_id), .key = text(CsvField::parent_key)};
    // Some exports write the key where others write the id.
    if (parent.key.empty()) parent.key = parent.id;
    if (parent.id.find('-') != std::string::npos) parent.id.clear();
    if (!parent.key.empty()) issue.parent = std::move(parent);
}

void CsvIssueReader::Row::read_texts(Issue& issue) {
    issue.title = text(CsvField::title);
    if (issue.title.empty()) {
        issue.title = key_;
        if (columns_.has(CsvField::title))
            warn(column(CsvField::title), "is empty; imported under its key");
    }
    issue.description = text(CsvField::description);
    issue.type = short_text(CsvField::type);
    if (issue.type.empty()) issue.type = "Task";
    issue.status = short_text(CsvField::state);
    if (!issue.status.empty())
        shared_.statuses.learn(issue.status, category_of_jira(text(CsvField::category)));
    else if (columns_.has(CsvField::state))
        throw radd::InvalidInput{column(CsvField::state), "is empty"};
    if (auto priority = short_text(CsvField::priority); !priority.empty())
        issue.priority = std::move(priority);
    for (const auto at : columns_.of(CsvField::labels)) {
        if (const auto label = trimmed(row_.cells[at]); !label.empty())
            issue.labels.emplace_back(label);
    }
}

std::string CsvIssueReader::Row::known_user(const std::string& id,
                                            const std::string& name,
                                            const std::string& at) {
    if (std::max(id.size(), name.size()) > items::name_length_max) {
        warn(at, in_quotes(name) + " is too long for a name; an unknown person stands for it");
        shared_.users.try_emplace(unknown_user, User{.id = unknown_user, .name = unknown_name});
        return unknown_user;
    }
    User user{.id = id, .name = name, .is_complete = false};
    // A name that is only the id, once more, is worth less than one that another row has for it.
    if (name == id)
        shared_.users.try_emplace(id, std::move(user));
    else
        shared_.users.insert_or_assign(id, std::move(user));
    return id;
}

std::optional<std::string> CsvIssueReader::Row::user(CsvField name_field, CsvField id_field) {
    const auto name = text(name_field);
    const auto id = text(id_field);
    if (name.empty() && id.empty()) return std::nullopt;
    const auto at = column(name.empty() ? id_field : name_field);
    return known_user(id.empty() ? name : id, name.empty() ? id : name, at);
}

void CsvIssueReader::Row::read_people(Issue& issue) {
    issue.reporter = user(CsvField::reporter, CsvField::reporter_id);
    issue.assignee = user(CsvField::assignee, CsvField::assignee_id);
    issue.creator = user(CsvField::creator, CsvField::creator_id);
}

void CsvIssueReader::Row::read_comments(Issue& issue) {
    std::map<std::int64_t, int> at_once;
    for (const auto at : columns_.of(CsvField::comment)) {
        const std::string& cell = row_.cells[at];
        const std::string& name = columns_.name(at);
        if (trimmed(cell).empty()) continue;
        const auto parts = split_comment(cell);
        if (!parts || parts->body.empty()) {
            warn(name, in_quotes(cell) + " is not 'time;author;text'; left out");
            continue;
        }
        const auto when = times_.read(name, parts->time, row_.line);
        if (!when) {
            warn(name, in_quotes(parts->time) + " is no time that can be read; comment left out");
            continue;
        }
        const std::string author{parts->author};
        const auto instant = when->time_since_epoch().count();
        issue.comments.push_back({.id = issue.id + "/" + std::to_string(instant) + "/" +
                                        std::to_string(at_once[instant]++),
                                  .author = known_user(author.empty() ? unknown_user : author,
                                                       author.empty() ? unknown_name : author,
                                                       name),
                                  .at = *when,
                                  .body = std::string{parts->body},
                                  .has_own_id = false});
    }
}

std::optional<radd::Timestamp> CsvIssueReader::Row::time(CsvField field) {
    const auto written = text(field);
    if (written.empty()) return std::nullopt;
    return times_.read(column(field), written, row_.line);
}

void CsvIssueReader::Row::read_times(Issue& issue) {
    const auto created = time(CsvField::created);
    if (created) {
        issue.created = *created;
    } else if (columns_.has(CsvField::created)) {
        const auto written = text(CsvField::created);
        if (written.empty()) throw radd::InvalidInput{column(CsvField::created), "is empty"};
        refuse(column(CsvField::created), written, "is no time that can be read");
    } else {
        issue.created = defaults_.created;
        for (const auto& comment : issue.comments)
            issue.created = std::min(issue.created, comment.at);
    }
    issue.updated = time(CsvField::updated).value_or(issue.created);
    issue.resolved = time(CsvField::resolved);
}

CsvIssueReader::CsvIssueReader(CsvColumns columns, CsvDefaults defaults, CsvTimes& times)
    : columns_{std::move(columns)}, defaults_{std::move(defaults)}, times_{times} {}

Issue CsvIssueReader::read(const CsvRow& row, Shared& shared, Problems& warnings) {
    Row reader{*this, row, shared, warnings};
    Issue issue;
    reader.check();
    reader.read_names(issue);
    reader.read_texts(issue);
    reader.read_people(issue);
    reader.read_comments(issue);
    reader.read_times(issue);
    return issue;
}

std::string CsvIssueReader::key_for_report(const CsvRow& row) const {
    for (const auto field : {CsvField::key, CsvField::id}) {
        for (const auto at : columns_.of(field)) {
            if (at >= row.cells.size()) continue;
            const auto cell = trimmed(row.cells[at]);
            const bool is_sound = cell.size() <= items::source_length_max &&
                                  cell.find('\0') == std::string_view::npos && !cell.empty();
            if (is_sound) return std::string{cell};
        }
    }
    return "row";
}

}  // namespace importer

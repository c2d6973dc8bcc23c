#pragma once

/// Any bytes as a Jira export: each issue of it is there, or was left out by the name of a field,
/// and what is there can be written.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <plugins/importer/jira_file.hpp>
#include <plugins/importer/past_changes.hpp>
#include <radd/error.hpp>
#include <tests/fuzz/invariant.hpp>

namespace fuzz {

/// UTC, but for two hours a day: one is skipped, one comes twice.
inline importer::Instant doubtful_zone(importer::WallTime wall) {
    const auto hour = std::chrono::floor<std::chrono::hours>(wall.time_since_epoch()).count() % 24;
    const auto note = hour == 2   ? importer::WallNote::skipped
                      : hour == 3 ? importer::WallNote::repeated
                                  : importer::WallNote::exact;
    return {.at = radd::Timestamp{wall.time_since_epoch()}, .note = note};
}

inline void check_text(const std::string& text) {
    require(text.find('\0') == std::string::npos, "a text has no NUL");
    try {
        (void)radd::json(text).dump();
    } catch (const radd::json::exception&) {
        throw Broken{"does not hold: a text is UTF-8"};
    }
}

inline void check_time(radd::Timestamp at) {
    // Two years more, because an offset may move the first and the last day out of theirs.
    const auto year = std::chrono::year_month_day{std::chrono::floor<std::chrono::days>(at)}.year();
    require(year >= std::chrono::year{importer::year_min - 1} &&
                year <= std::chrono::year{importer::year_max + 1},
            "a time is one that somebody meant");
}

inline void check_user(const importer::Export& file, const std::optional<std::string>& id) {
    require(!id || file.shared.users.contains(*id), "who is named is described");
}

inline void check_issue(const importer::Export& file, const importer::Issue& issue) {
    require(!issue.id.empty() && !issue.status.empty(), "an issue has what it is found by");
    require(issue.number > 0 && issue.key.starts_with(issue.project_key + "-"),
            "a key is a project and a number");
    for (const auto& text :
         {issue.id, issue.key, issue.project_name, issue.title, issue.description, issue.status})
        check_text(text);
    check_time(issue.created);
    check_time(issue.updated);
    if (issue.resolved) check_time(*issue.resolved);
    for (const auto& id : {issue.reporter, issue.assignee, issue.creator}) check_user(file, id);
    for (const auto& comment : issue.comments) {
        check_text(comment.body);
        check_time(comment.at);
        check_user(file, comment.author);
    }
    for (const auto& entry : issue.history) {
        check_time(entry.at);
        check_user(file, entry.author);
        const auto person = [](const std::string& id, const std::string& name) {
            return radd::json{{"id", id}, {"name", name}};
        };
        const auto changes = importer::past_changes(entry, file.shared.statuses, person);
        require(changes.size() == entry.changes.size(), "a change of the past is one of ours");
    }
}

inline void check_jira(std::string_view input) {
    importer::Export file;
    try {
        file = importer::parse_export(std::string{input}, {}, doubtful_zone);
    } catch (const radd::InvalidInput& error) {
        require(error.field() == "file", "what is no export is refused as a file");
        return;
    }
    const auto known = file.issues.size() + file.rejected.total();
    require(static_cast<std::size_t>(file.issues_total) == known, "no issue is lost");
    for (const auto& problem : file.rejected.kept()) {
        require(!problem.key.empty() && !problem.field.empty() && !problem.text.empty(),
                "a rejected issue is told with its field");
        check_text(problem.key + problem.field + problem.text);
    }
    for (const auto& problem : file.warnings.kept()) {
        require(!problem.field.empty() && !problem.text.empty(), "a warning names a field");
        check_text(problem.key + problem.field + problem.text);
    }
    for (const auto& [id, user] : file.shared.users) {
        require(id == user.id && !user.name.empty(), "somebody has an id and a name");
        check_text(id + user.name + user.email.value_or(""));
    }
    for (const auto& issue : file.issues) check_issue(file, issue);
}

}  // namespace fuzz

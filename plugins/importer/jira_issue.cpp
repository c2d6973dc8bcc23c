#include "jira_issue.hpp"

#include <algorithm>
#include <charconv>
#include <functional>

#include "json_reader.hpp"
#include <items/service.hpp>
#include <radd/error.hpp>

namespace importer {
namespace {

bool is_blank(std::string_view text) {
    return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

/// Reads the parts of one issue, with what they have in common at hand.
class IssueReader {
public:
    IssueReader(const Zone& zone, Shared& shared, std::vector<Problem>& warnings, std::string key)
        : zone_{zone}, shared_{shared}, warnings_{warnings}, key_{std::move(key)} {}

    void read_fields(const radd::json& fields, Issue& issue);
    void read_comments(const radd::json& block, Issue& issue);
    void read_history(const radd::json& changelog, Issue& issue);

private:
    void warn(std::string field, std::string text) {
        warnings_.push_back({.key = key_, .field = std::move(field), .text = std::move(text)});
    }

    /// Empty and a warning if it cannot be read.
    std::optional<radd::Timestamp> time(const radd::json& value, const std::string& field);

    /// The user's id, or that of the unknown one. Remembers whom the file describes.
    std::string user(const radd::json& value, const std::string& field);
    std::string unknown() {
        shared_.users.try_emplace(unknown_user, User{.id = unknown_user, .name = unknown_name});
        return unknown_user;
    }
    std::optional<std::string> optional_user(const radd::json& value, const std::string& field) {
        return value.is_null() ? std::nullopt : std::optional{user(value, field)};
    }

    /// `{"name": …}`, or null.
    static std::optional<std::string> name_in(const radd::json& value, const std::string& field) {
        return value.is_null() ? std::nullopt : optional_text(member(value, "name", field), field);
    }

    void read_times(const radd::json& fields, Issue& issue);
    void read_status(const radd::json& status, Issue& issue);

    const Zone& zone_;
    Shared& shared_;
    std::vector<Problem>& warnings_;
    std::string key_;
};

std::optional<radd::Timestamp> IssueReader::time(const radd::json& value,
                                                 const std::string& field) {
    const auto text = optional_text(value, field);
    if (!text) return std::nullopt;
    const auto parsed = parse_jira_time(*text);
    if (!parsed) {
        warn(field, "'" + *text + "' is no time that can be read; left out");
        return std::nullopt;
    }
    const auto instant = instant_of(*parsed, zone_);
    if (instant.note == WallNote::skipped)
        warn(field, "'" + *text + "' does not exist in the zone, the clocks jumped over it; moved");
    if (instant.note == WallNote::repeated)
        warn(field, "'" + *text + "' happened twice in the zone; the later one is taken");
    return instant.at;
}

std::string IssueReader::user(const radd::json& value, const std::string& field) {
    if (value.is_null()) return unknown();
    std::string id;
    for (const char* name : {"accountId", "key", "name"}) {
        if (id.empty()) id = text_or_empty(member(value, name, field), field);
    }
    User user{.id = id, .name = text_or_empty(member(value, "displayName", field), field)};
    // Somebody without a name or an id is somebody whom Jira has forgotten.
    if (is_blank(id) || is_blank(user.name)) return unknown();
    if (std::max(id.size(), user.name.size()) > items::name_length_max) {
        warn(field, "the user's name is too long; an unknown person stands for it");
        return unknown();
    }
    auto email = text_or_empty(member(value, "emailAddress", field), field);
    if (!email.empty()) user.email = std::move(email);
    shared_.users.insert_or_assign(id, std::move(user));
    return id;
}

void IssueReader::read_times(const radd::json& fields, Issue& issue) {
    const auto& created = member(fields, "created", "created");
    const auto at = time(created, "created");
    if (!at)
        throw radd::InvalidInput{
            "created",
            created.is_null() ? "is missing; export all fields" : "is no time that can be read"};
    issue.created = *at;
    // An upper bound that the file itself gives; the present would be an invention.
    issue.updated = time(member(fields, "updated", "updated"), "updated").value_or(*at);
    issue.resolved = time(member(fields, "resolutiondate", "resolutiondate"), "resolutiondate");
    if (!issue.resolved)
        issue.resolved =
            time(member(fields, "statuscategorychangedate", "statuscategorychangedate"),
                 "statuscategorychangedate");
}

void IssueReader::read_status(const radd::json& status, Issue& issue) {
    issue.status = name_in(status, "status").value_or("");
    if (is_blank(issue.status)) throw radd::InvalidInput{"status", "is missing; export all fields"};
    if (issue.status.size() > items::name_length_max)
        throw radd::InvalidInput{"status", "has a name that is too long"};
    const auto& category = member(status, "statusCategory", "status");
    const auto key = category.is_null()
                         ? std::string{}
                         : text_or_empty(member(category, "key", "status"), "status");
    shared_.statuses.learn(issue.status, category_of_jira(key));
}

void IssueReader::read_fields(const radd::json& fields, Issue& issue) {
    const auto& project = member(fields, "project", "project");
    if (!project.is_null()) issue.project_name = name_in(project, "project").value_or("");
    if (is_blank(issue.project_name) || issue.project_name.size() > items::name_length_max)
        issue.project_name = issue.project_key;
    issue.title = text_or_empty(member(fields, "summary", "summary"), "summary");
    if (is_blank(issue.title)) {
        // Real exports have such issues, and what hangs on them is worth more than a title.
        issue.title = issue.key;
        warn("summary", "is empty; imported under its key");
    }
    issue.description = document_text(member(fields, "description", "description"), "description");
    issue.type = name_in(member(fields, "issuetype", "issuetype"), "issuetype").value_or("Task");
    issue.priority = name_in(member(fields, "priority", "priority"), "priority");
    issue.reporter = optional_user(member(fields, "reporter", "reporter"), "reporter");
    issue.assignee = optional_user(member(fields, "assignee", "assignee"), "assignee");
    issue.creator = optional_user(member(fields, "creator", "creator"), "creator");
    for (const auto& label : list(member(fields, "labels", "labels"), "labels"))
        issue.labels.push_back(text_or_empty(label, "labels"));
    const auto& parent = member(fields, "parent", "parent");
    if (!parent.is_null())
        issue.parent = ParentRef{.id = text_or_empty(member(parent, "id", "parent"), "parent"),
                                 .key = text_or_empty(member(parent, "key", "parent"), "parent")};
    read_status(member(fields, "status", "status"), issue);
    read_times(fields, issue);
    read_comments(member(fields, "comment", "comment"), issue);
}

void IssueReader::read_comments(const radd::json& block, Issue& issue) {
    if (block.is_null()) return;
    std::size_t position = 0;
    for (const auto& entry : list(member(block, "comments", "comment"), "comment")) {
        auto id = text_or_empty(member(entry, "id", "comment"), "comment");
        if (id.empty()) id = issue.id + "/" + std::to_string(position);
        ++position;
        const auto body = document_text(member(entry, "body", "comment"), "comment");
        const auto at = time(member(entry, "created", "comment"), "comment " + id);
        if (!at || is_blank(body)) {
            warn("comment " + id, at ? "is empty; left out" : "has no time; left out");
            continue;
        }
        issue.comments.push_back({.id = std::move(id),
                                  .author = user(member(entry, "author", "comment"), "comment"),
                                  .at = *at,
                                  .body = body});
    }
    const auto& total = member(block, "total", "comment");
    if (total.is_number_integer() &&
        total.get<std::int64_t>() > static_cast<std::int64_t>(position))
        warn("comment",
             "the file holds " + std::to_string(position) + " of " + total.dump() +
                 "; export them all");
}

void IssueReader::read_history(const radd::json& changelog, Issue& issue) {
    const std::string field = "changelog";
    if (changelog.is_null()) return;
    std::size_t position = 0;
    for (const auto& entry : list(member(changelog, "histories", field), field)) {
        auto id = text_or_empty(member(entry, "id", field), field);
        const auto written = text_or_empty(member(entry, "created", field), field);
        if (id.empty()) id = issue.id + "/" + written + "/" + std::to_string(position);
        ++position;
        const auto at = time(member(entry, "created", field), field + " " + id);
        if (!at) {
            if (written.empty()) warn(field + " " + id, "has no time; left out");
            continue;
        }
        HistoryEntry history{
            .id = std::move(id), .author = user(member(entry, "author", field), field), .at = *at};
        for (const auto& change : list(member(entry, "items", field), field)) {
            const auto part = [&](const char* name) {
                return text_or_empty(member(change, name, field), field);
            };
            history.changes.push_back({.field = part("field"),
                                       .from_id = part("from"),
                                       .from = part("fromString"),
                                       .to_id = part("to"),
                                       .to = part("toString")});
        }
        issue.history.push_back(std::move(history));
    }
}

bool is_project_key(std::string_view text) {
    const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
    const auto is_allowed = [&](char c) {
        return is_upper(c) || (c >= '0' && c <= '9') || c == '_';
    };
    return !text.empty() && text.size() <= items::project_key_length_max &&
           is_upper(text.front()) && std::ranges::all_of(text, is_allowed);
}

}  // namespace

void read_key(const std::string& key, Issue& issue) {
    if (key.empty()) throw radd::InvalidInput{"key", "is missing"};

    issue.key = key;
    const auto dash = std::min(issue.key.rfind('-'), issue.key.size());
    const auto digits = std::string_view{issue.key}.substr(std::min(dash + 1, issue.key.size()));
    issue.project_key = issue.key.substr(0, dash);
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, issue.number);
    if (!is_project_key(issue.project_key) || error != std::errc{} || stop != end ||
        issue.number < 1)
        throw radd::InvalidInput{"key", "'" + issue.key + "' is not of the form OPS-12"};
}

Issue parse_issue(const radd::json& document,
                  const Zone& zone,
                  Shared& shared,
                  std::vector<Problem>& warnings) {
    Issue issue;
    read_key(text_or_empty(member(document, "key", "issue"), "key"), issue);
    issue.id = text_or_empty(member(document, "id", "id"), "id");
    // A key changes when an issue moves; it is only the second best.
    if (issue.id.empty()) issue.id = issue.key;

    IssueReader reader{zone, shared, warnings, issue.key};
    reader.read_fields(member(document, "fields", "issue"), issue);
    reader.read_history(member(document, "changelog", "changelog"), issue);
    return issue;
}

std::string key_for_report(const radd::json& document, std::size_t position) {
    const auto nameless = "issue " + std::to_string(position + 1) + " of the file";
    if (!document.is_object() || !document.contains("key")) return nameless;
    const auto& key = document["key"];
    const bool readable = key.is_string() && !key.get_ref<const std::string&>().empty() &&
                          key.get_ref<const std::string&>().find('\0') == std::string::npos;
    return readable ? key.get<std::string>() : nameless;
}

}  // namespace importer

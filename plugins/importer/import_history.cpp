// What happened to an issue where it comes from: its change log and its comments.

#include <algorithm>
#include <chrono>
#include <set>
#include <tuple>
#include <utility>

#include "all_comments.hpp"
#include "import.hpp"
#include "past_changes.hpp"
#include "sql.hpp"

namespace importer {
namespace {

/// Something that happened to an issue: exactly one of both is set.
struct Step {
    radd::Timestamp at;
    const HistoryEntry* entry = nullptr;
    const IssueComment* comment = nullptr;
};

/// Oldest first; what happened at one instant in the order of ids, which are decimal numbers.
bool happened_before(const Step& a, const Step& b) {
    const auto place = [](const Step& step) {
        const auto& id = step.entry != nullptr ? step.entry->id : step.comment->id;
        return std::tuple{step.at, step.comment != nullptr, id.size(), id};
    };
    return place(a) < place(b);
}

std::vector<Step> steps_of(const Issue& issue, const std::set<std::string>& new_entries) {
    std::vector<Step> steps;
    for (const auto& entry : issue.history) {
        if (new_entries.contains(entry.id)) steps.push_back({.at = entry.at, .entry = &entry});
    }
    for (const auto& comment : issue.comments)
        steps.push_back({.at = comment.at, .comment = &comment});
    std::ranges::stable_sort(steps, happened_before);
    return steps;
}

std::set<std::string> new_entries(radd::Transaction& tx,
                                  const std::string& source,
                                  const Issue& issue,
                                  items::ItemId item) {
    std::set<std::string> added;
    if (issue.history.empty()) return added;
    std::vector<std::string> ids;
    for (const auto& entry : issue.history) ids.push_back(entry.id);
    for (const auto& row : tx.query(sql::insert_changes, source, radd::text_array(ids), item))
        added.insert(row.text("source_id"));
    return added;
}

}  // namespace

void Import::tell_history(radd::Transaction& tx, Imported& imported, Part& part) {
    const Issue& issue = *imported.issue;
    const auto value = [this](const std::string& id, const std::string& name) {
        return person_value(id, name);
    };
    for (const auto& step : steps_of(issue, new_entries(tx, options_.source, issue, imported.id))) {
        if (step.comment != nullptr) {
            tell_comment(tx, imported, *step.comment, part);
            continue;
        }
        auto changes = past_changes(*step.entry, outline_.shared.statuses, value);
        for (const auto& change : changes) imported.told.push_back(change.field);
        directory_.record_change(tx,
                                 imported.id,
                                 std::move(changes),
                                 {.actor = person(step.entry->author), .at = step.at});
        imported.changed = true;
        ++part.events;
    }
}

void Import::tell_comment(radd::Transaction& tx,
                          Imported& imported,
                          const IssueComment& comment,
                          Part& part) {
    const items::Act act{.actor = person(comment.author), .at = comment.at};
    const auto existing = find_comment(tx, imported, comment);
    Write write{.kind = "comment",
                .entity_id = {},
                .item = imported.id,
                .after = digests(radd::json{{"body", comment.body}})};
    if (existing) {
        const items::Act edit{.at = imported.issue->updated};
        if (!directory_.update_comment(tx, existing->id, comment.body, edit)) return;
        write.entity_id = std::to_string(existing->id);
        write.before = radd::json{{"body", existing->body}};
    } else {
        const auto added =
            directory_.add_comment(tx, imported.id, comment.body, act, source_id(comment.id));
        write.entity_id = std::to_string(added.id);
    }
    part.writes.push_back(std::move(write));
    imported.changed = true;
    ++part.comments;
    ++part.events;
}

/// By its id; where it has none of its own, also one of the same text and minute, which may have
/// come with another form of export.
std::optional<items::Comment> Import::find_comment(radd::Transaction& tx,
                                                   Imported& imported,
                                                   const IssueComment& comment) {
    auto found = directory_.find_comment(tx, source_id(comment.id));
    if (found || comment.has_own_id || imported.created) return found;
    if (!imported.comments) imported.comments = all_comments(tx, directory_, imported.id);
    const auto minute = [](radd::Timestamp at) {
        return std::chrono::floor<std::chrono::minutes>(at);
    };
    const auto same = std::ranges::find_if(*imported.comments, [&](const items::Comment& there) {
        return there.body == comment.body && minute(there.created_at) == minute(comment.at);
    });
    if (same == imported.comments->end()) return std::nullopt;
    return *same;
}

radd::json Import::person_value(const std::string& id, const std::string& name) const {
    if (id.empty() && name.empty()) return {};
    const auto known = people_.find(id);
    if (known != people_.end()) return {{"id", known->second.id}, {"name", known->second.name}};
    // One placeholder stands for all whom the file does not describe, under the name it gives.
    return {{"id", people_.at(unknown_user).id},
            {"name", name.empty() ? std::string{unknown_name} : name}};
}

}  // namespace importer

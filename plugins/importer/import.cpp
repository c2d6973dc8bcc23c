#include "import.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "sql.hpp"
#include <radd/error.hpp>

namespace importer {
namespace {

constexpr int attempts_max = 3;

/// Ends a dry run: thrown to have everything rolled back, caught where it was thrown for.
struct DryRunDone {};

/// The whole chunk again, as a consumer would do it: somebody may be editing the same items.
void transact_with_retries(radd::Database& database,
                           const std::function<void(radd::Transaction&)>& work) {
    for (int attempt = 1;; ++attempt) {
        try {
            return database.transact(work);
        } catch (const radd::Contention&) {
            if (attempt == attempts_max) throw;
        }
    }
}

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

bool is_moved_from(const Issue& issue, const std::string& key) {
    return std::ranges::any_of(issue.history, [&key](const HistoryEntry& entry) {
        return std::ranges::find(entry.changes, key, &FieldChange::from) != entry.changes.end();
    });
}

/// Ids begin at the same number in every Jira. What looks like another project's item would be
/// overwritten by a stranger, unless the change log says that it moved.
void check_same_issue(const Issue& issue, const items::Item& item) {
    if (item.project.key == issue.project_key || is_moved_from(issue, item.key)) return;
    throw radd::InvalidInput{"id",
                             "'" + issue.id + "' is " + item.key +
                                 " here; if the file is of another Jira, give it a --source"};
}

Problem warning(const Issue& issue, std::string field, std::string text) {
    return {.key = issue.key, .field = std::move(field), .text = std::move(text)};
}

}  // namespace

Import::Import(items::Directory& directory, const Export& file, ImportOptions options)
    : directory_{directory},
      file_{file},
      options_{std::move(options)},
      rings_{ids_on_rings(file.issues)} {}

Report Import::run(radd::Database& database) {
    report_ = {.issues = file_.issues_total,
               .rejected = file_.rejected,
               .warnings = file_.warnings,
               .dry_run = options_.dry_run};
    if (!options_.dry_run) {
        import_all([&database](const Work& work) { transact_with_retries(database, work); });
        return report_;
    }
    try {
        database.transact([this](radd::Transaction& tx) {
            import_all([&tx](const Work& work) { work(tx); });
            throw DryRunDone{};
        });
    } catch (const DryRunDone&) {}
    return report_;
}

void Import::import_all(const Transactor& transact) {
    transact_part(transact,
                  [this](radd::Transaction& tx, Report& part) { import_shared(tx, part); });

    const auto total = file_.issues.size();
    for (std::size_t done = 0; done < total && !report_.stopped; done += chunk_issues) {
        const auto count = std::min(chunk_issues, total - done);
        import_chunk(transact, done, count);
        options_.progress(done + count, total);
        report_.stopped = options_.stop_requested() && done + count < total;
    }
    for (std::size_t done = 0; done < imported_.size(); done += chunk_issues)
        import_parents(transact, done, std::min(chunk_issues, imported_.size() - done));
}

void Import::transact_part(const Transactor& transact, const PartWork& work) {
    Report part;
    transact([&](radd::Transaction& tx) {
        part = {};
        tx.query(sql::lock_imports);
        work(tx, part);
    });
    report_.add(part);
}

void Import::import_shared(radd::Transaction& tx, Report& part) {
    for (const auto& [id, user] : file_.shared.users) import_person(tx, user, part);

    for (const auto& [status, entry] : file_.shared.statuses.entries()) {
        const auto state =
            directory_.ensure_state(tx, {.name = status, .category = entry.category});
        if (state.category != entry.category)
            part.warnings.push_back(
                {.key = "",
                 .field = "status",
                 .text = "'" + status + "' is " + std::string{items::name_of(state.category)} +
                         " here and " + std::string{items::name_of(entry.category)} +
                         " in the file; it stays as it is here"});
    }
    for (const auto& issue : file_.issues) {
        if (projects_.contains(issue.project_key)) continue;
        if (const auto found = directory_.find_project(tx, issue.project_key)) {
            projects_[issue.project_key] = found->id;
            continue;
        }
        projects_[issue.project_key] =
            directory_
                .create_project(tx, {.key = issue.project_key, .name = issue.project_name}, {})
                .id;
        ++part.events;
    }
}

void Import::import_person(radd::Transaction& tx, const User& user, Report& part) {
    try {
        write_person(tx, user, part);
    } catch (const radd::InvalidInput& error) {
        if (error.field() != "email") throw;
        part.warnings.push_back({.key = "",
                                 .field = "emailAddress",
                                 .text = user.name + "'s cannot be one; imported without it"});
        write_person(tx, {.id = user.id, .name = user.name}, part);
    }
}

void Import::write_person(radd::Transaction& tx, const User& user, Report& part) {
    auto& person = people_[user.id];
    if (const auto found = directory_.find_person(tx, source_id(user.id))) {
        person = {.id = found->id, .name = user.name, .email = user.email};
        if (directory_.update_person(tx, person, {})) ++part.events;
        return;
    }
    person = directory_.create_person(
        tx, {.name = user.name, .email = user.email, .source = source_id(user.id)}, {});
    ++part.people;
    ++part.events;
}

void Import::import_chunk(const Transactor& transact, std::size_t first, std::size_t count) {
    std::vector<Imported> chunk;
    transact_part(transact, [&](radd::Transaction& tx, Report& part) {
        chunk.clear();
        for (std::size_t at = first; at < first + count; ++at) {
            const Issue& issue = file_.issues[at];
            const auto refuse = [&](Problem problem) {
                part.rejected.push_back(std::move(problem));
            };
            try {
                Report of_issue;
                chunk.push_back(tx.in_savepoint([&] { return import_issue(tx, issue, of_issue); }));
                part.add(of_issue);
            } catch (const radd::InvalidInput& error) {
                refuse(rejection(issue.key, error));
            } catch (const radd::Contention&) {
                throw;
            } catch (const radd::SqlError& error) {
                refuse({.key = issue.key, .field = "", .text = error.what()});
            }
        }
    });
    imported_.insert(imported_.end(), chunk.begin(), chunk.end());
}

Import::Imported Import::import_issue(radd::Transaction& tx, const Issue& issue, Report& part) {
    const auto existing = directory_.find_item(tx, source_id(issue.id));
    if (existing) check_same_issue(issue, *existing);
    const auto key = existing ? existing->key : std::string{};
    Imported imported = existing ? update(tx, issue, *existing, part) : create(tx, issue, part);
    if (existing && key != issue.key)
        part.warnings.push_back(warning(issue, "key", "is called " + key + " here"));
    return imported;
}

Import::Imported Import::create(radd::Transaction& tx, const Issue& issue, Report& part) {
    const auto actor = person(issue.creator ? issue.creator : issue.reporter);
    const auto item = directory_.create_item(tx,
                                             {.project_id = projects_.at(issue.project_key),
                                              .title = issue.title,
                                              .description = issue.description,
                                              .type = issue.type,
                                              .state = issue.status,
                                              .priority = issue.priority,
                                              .reporter = person(issue.reporter),
                                              .assignee = person(issue.assignee),
                                              .labels = issue.labels,
                                              .source = source_id(issue.id),
                                              .number = issue.number,
                                              .updated_at = issue.updated,
                                              .resolved_at = issue.resolved},
                                             {.actor = actor, .at = issue.created});
    ++part.created;
    ++part.events;
    if (item.key != issue.key)
        part.warnings.push_back(warning(issue, "key", "is taken; imported as " + item.key));
    Imported imported{.issue = &issue, .id = item.id, .created = true, .changed = true};
    tell_history(tx, imported, part);
    return imported;
}

Import::Imported Import::update(radd::Transaction& tx,
                                const Issue& issue,
                                const items::Item& item,
                                Report& part) {
    Imported imported{.issue = &issue, .id = item.id};
    if (item.parent) imported.parent = item.parent->id;
    tell_history(tx, imported, part);

    const auto events_of = [&imported](const std::vector<radd::Change>& changes) {
        return std::ranges::any_of(changes, [&](const radd::Change& change) {
            return std::ranges::find(imported.told, change.field) == imported.told.end();
        });
    };
    const auto changes = directory_.update_item(tx,
                                                item.id,
                                                {.title = issue.title,
                                                 .description = issue.description,
                                                 .type = issue.type,
                                                 .state = issue.status,
                                                 .priority = issue.priority,
                                                 .reporter = person(issue.reporter),
                                                 .assignee = person(issue.assignee),
                                                 .labels = issue.labels,
                                                 .told = imported.told},
                                                {.at = issue.updated});
    if (events_of(changes)) ++part.events;
    imported.changed = imported.changed || !changes.empty();
    ++(imported.changed ? part.updated : part.unchanged);
    return imported;
}

void Import::tell_history(radd::Transaction& tx, Imported& imported, Report& part) {
    const Issue& issue = *imported.issue;
    const auto value = [this](const std::string& id, const std::string& name) {
        return person_value(id, name);
    };
    for (const auto& step : steps_of(issue, new_entries(tx, options_.source, issue, imported.id))) {
        if (step.comment != nullptr) {
            tell_comment(tx, imported, *step.comment, part);
            continue;
        }
        auto changes = past_changes(*step.entry, file_.shared.statuses, value);
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
                          Report& part) {
    const items::Act act{.actor = person(comment.author), .at = comment.at};
    const auto existing = directory_.find_comment(tx, source_id(comment.id));
    if (existing) {
        const items::Act edit{.at = imported.issue->updated};
        if (!directory_.update_comment(tx, existing->id, comment.body, edit)) return;
    } else {
        (void)directory_.add_comment(tx, imported.id, comment.body, act, source_id(comment.id));
    }
    imported.changed = true;
    ++part.comments;
    ++part.events;
}

std::optional<items::PersonId> Import::person(const std::optional<std::string>& id) const {
    if (!id) return std::nullopt;
    return people_.at(*id).id;
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

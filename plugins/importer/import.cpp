#include "import.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "sql.hpp"
#include <radd/error.hpp>
#include <radd/scopes.hpp>

namespace importer {
namespace {

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

[[noreturn]] void end_strictly(const Problem& problem) {
    const auto at = problem.line == 0 ? std::string{} : " in line " + std::to_string(problem.line);
    throw radd::InvalidInput{
        "strict", problem.key + at + " cannot be imported: " + problem.field + ": " + problem.text};
}

Problem warning(const Issue& issue, std::string field, std::string text) {
    return {
        .key = issue.key, .field = std::move(field), .text = std::move(text), .line = issue.line};
}

}  // namespace

Import::Import(items::Directory& directory, IssueSource& source, ImportOptions options)
    : directory_{directory},
      source_{source},
      outline_{source.outline()},
      options_{std::move(options)},
      rings_{ids_on_rings(outline_.parents)} {}

Report Import::run(radd::Database& database) {
    report_ = {.issues = outline_.issues_total,
               .rejected = outline_.rejected,
               .warnings = outline_.warnings,
               .dry_run = options_.dry_run};
    if (options_.strict && !report_.rejected.empty()) end_strictly(report_.rejected.kept().front());
    try {
        run_transactions(database, options_.dry_run, [this](const Transactor& transact) {
            import_all(transact);
        });
    } catch (const radd::InvalidInput&) {
        report_.stopped = true;
        if (!options_.dry_run && journal_)
            database.transact([this](radd::Transaction& tx) { journal_->finish(tx, report_); });
        throw;
    }
    if (!options_.dry_run) report_.import = journal_->id();
    return report_;
}

void Import::import_all(const Transactor& transact) {
    transact_part(transact, [this](radd::Transaction& tx, Part& part) { import_shared(tx, part); });

    const auto total = outline_.issues_sound;
    for (std::size_t done = 0; done < total && !report_.stopped;) {
        const auto chunk = source_.next(chunk_issues);
        if (chunk.empty()) break;
        import_chunk(transact, chunk);
        done += chunk.size();
        options_.progress(done, total);
        report_.stopped = options_.stop_requested() && done < total;
    }
    for (std::size_t done = 0; done < children_.size(); done += chunk_issues)
        import_parents(transact, done, std::min(chunk_issues, children_.size() - done));
    transact([this](radd::Transaction& tx) { journal_->finish(tx, report_); });
}

void Import::Part::add(Part&& other) {
    Report::add(other);
    std::ranges::move(other.writes, std::back_inserter(writes));
}

void Import::transact_part(const Transactor& transact, const PartWork& work) {
    Part part;
    auto journal = journal_;
    transact([&](radd::Transaction& tx) {
        part = {};
        tx.query(sql::lock_imports);
        if (!journal_)
            journal = Journal::begin(tx,
                                     {.kind = options_.kind,
                                      .file = options_.file,
                                      .source = options_.source,
                                      .quiet = radd::Quiet::active()});
        work(tx, part);
        Report so_far = report_;
        so_far.add(part);
        journal->add(tx, part.writes, so_far);
    });
    journal_ = std::move(journal);
    report_.add(part);
}

void Import::import_shared(radd::Transaction& tx, Part& part) {
    for (const auto& [id, user] : outline_.shared.users) import_person(tx, user, part);

    for (const auto& [status, entry] : outline_.shared.statuses.entries()) {
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
    for (const auto& [key, name] : outline_.projects) {
        if (const auto found = directory_.find_project(tx, key)) {
            projects_[key] = found->id;
            continue;
        }
        const auto id = directory_.create_project(tx, {.key = key, .name = name}, {}).id;
        projects_[key] = id;
        part.writes.push_back({.kind = "project",
                               .entity_id = std::to_string(id),
                               .after = digests(radd::json{{"name", name}})});
        ++part.events;
    }
}

void Import::import_person(radd::Transaction& tx, const User& user, Part& part) {
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

void Import::write_person(radd::Transaction& tx, const User& user, Part& part) {
    auto& person = people_[user.id];
    if (const auto found = directory_.find_person(tx, source_id(user.id))) {
        people_of_source_.insert(found->id);
        if (!user.is_complete) {
            person = *found;
            return;
        }
        person = {.id = found->id, .name = user.name, .email = user.email};
        if (!directory_.update_person(tx, person, {})) return;
        part.writes.push_back({.kind = "person",
                               .entity_id = person.id,
                               .before = field_values(*found),
                               .after = digests(field_values(person))});
        ++part.events;
        return;
    }
    if (auto known = known_person(tx, user, part)) {
        person = *std::move(known);
        return;
    }
    person = directory_.create_person(
        tx, {.name = user.name, .email = user.email, .source = source_id(user.id)}, {});
    people_of_source_.insert(person.id);
    part.writes.push_back(
        {.kind = "person", .entity_id = person.id, .after = digests(field_values(person))});
    ++part.people;
    ++part.events;
}

// Two users of one source who share an address stay two: who they are there is known, and to part
// them again nobody could.
std::optional<items::Person> Import::known_person(radd::Transaction& tx,
                                                  const User& user,
                                                  Part& part) {
    if (const auto match = tx.query_one(sql::select_match, options_.source, user.id)) {
        if (auto person = directory_.find_person(tx, match->text("person_id"))) return person;
    }
    if (!user.email) return std::nullopt;
    try {
        auto person = directory_.find_person(tx, *user.email);
        if (!person || people_of_source_.contains(person->id)) return std::nullopt;
        tx.execute(sql::insert_match, options_.source, user.id, person->id);
        return person;
    } catch (const radd::InvalidInput& several) {
        part.warnings.push_back(
            {.key = "",
             .field = "emailAddress",
             .text = user.name + "'s is that of several people here; imported as another"});
        return std::nullopt;
    }
}

void Import::import_chunk(const Transactor& transact, const std::vector<Issue>& issues) {
    std::vector<Child> children;
    transact_part(transact, [&](radd::Transaction& tx, Part& part) {
        children.clear();
        for (const Issue& issue : issues) {
            const auto refuse = [&](Problem problem) {
                problem.line = issue.line;
                if (options_.strict) end_strictly(problem);
                part.rejected.push_back(std::move(problem));
            };
            try {
                Part of_issue;
                const auto imported =
                    tx.in_savepoint([&] { return import_issue(tx, issue, of_issue); });
                part.add(std::move(of_issue));
                remember_child(imported, children);
            } catch (const radd::InvalidInput& error) {
                refuse(rejection(issue.key, error));
            } catch (const radd::Contention&) {
                throw;
            } catch (const radd::SqlError& error) {
                refuse({.key = issue.key, .field = "", .text = error.what()});
            }
        }
    });
    std::ranges::move(children, std::back_inserter(children_));
}

void Import::remember_child(const Imported& imported, std::vector<Child>& children) const {
    const Issue& issue = *imported.issue;
    if (!outline_.given.parent || (!issue.parent && !imported.parent)) return;
    items::Act act{.at = issue.updated};
    if (imported.created) act = {.actor = person(issue.creator), .at = issue.created};
    children.push_back(
        {.key = issue.key,
         .id = issue.id,
         .wanted = issue.parent,
         .item = imported.id,
         .parent = imported.parent,
         .created = imported.created,
         .changed = imported.changed,
         .is_told = std::ranges::find(imported.told, "parent") != imported.told.end(),
         .act = std::move(act)});
}

Import::Imported Import::import_issue(radd::Transaction& tx, const Issue& issue, Part& part) {
    const auto existing = directory_.find_item(tx, source_id(issue.id));
    if (existing) check_same_issue(issue, *existing);
    const auto key = existing ? existing->key : std::string{};
    Imported imported = existing ? update(tx, issue, *existing, part) : create(tx, issue, part);
    if (existing && key != issue.key && !issue.key.empty())
        part.warnings.push_back(warning(issue, "key", "is called " + key + " here"));
    return imported;
}

Import::Imported Import::create(radd::Transaction& tx, const Issue& issue, Part& part) {
    const auto actor = person(issue.creator ? issue.creator : issue.reporter);
    const auto wanted = issue.number == 0 ? std::nullopt : std::optional{issue.number};
    const auto state = issue.status.empty() ? std::nullopt : std::optional{issue.status};
    const auto item = directory_.create_item(tx,
                                             {.project_id = projects_.at(issue.project_key),
                                              .title = issue.title,
                                              .description = issue.description,
                                              .type = issue.type,
                                              .state = state,
                                              .priority = issue.priority,
                                              .reporter = person(issue.reporter),
                                              .assignee = person(issue.assignee),
                                              .labels = issue.labels,
                                              .source = source_id(issue.id),
                                              .number = wanted,
                                              .updated_at = issue.updated,
                                              .resolved_at = issue.resolved},
                                             {.actor = actor, .at = issue.created});
    part.writes.push_back({.kind = "item",
                           .entity_id = std::to_string(item.id),
                           .item = item.id,
                           .after = digests(field_values(item))});
    ++part.created;
    ++part.events;
    if (!issue.key.empty() && item.key != issue.key)
        part.warnings.push_back(warning(issue, "key", "is taken; imported as " + item.key));
    Imported imported{.issue = &issue, .id = item.id, .created = true, .changed = true};
    tell_history(tx, imported, part);
    return imported;
}

Import::Imported Import::update(radd::Transaction& tx,
                                const Issue& issue,
                                const items::Item& item,
                                Part& part) {
    Imported imported{.issue = &issue, .id = item.id};
    if (item.parent) imported.parent = item.parent->id;
    tell_history(tx, imported, part);

    const auto events_of = [&imported](const std::vector<radd::Change>& changes) {
        return std::ranges::any_of(changes, [&](const radd::Change& change) {
            return std::ranges::find(imported.told, change.field) == imported.told.end();
        });
    };
    const auto changes =
        directory_.update_item(tx, item.id, patch_of(imported), {.at = issue.updated});
    if (!changes.empty()) part.writes.push_back(change_of(tx, item));
    if (events_of(changes)) ++part.events;
    imported.changed = imported.changed || !changes.empty();
    ++(imported.changed ? part.updated : part.unchanged);
    return imported;
}

Write Import::change_of(radd::Transaction& tx, const items::Item& before) {
    const auto from = field_values(before);
    const auto to = field_values(*directory_.find_item(tx, before.id));
    Write write{.kind = "item",
                .entity_id = std::to_string(before.id),
                .item = before.id,
                .before = radd::json::object(),
                .after = radd::json::object()};
    for (const auto& [field, value] : from.items()) {
        if (to.at(field) == value) continue;
        (*write.before)[field] = value;
        write.after[field] = digest(to.at(field));
    }
    return write;
}

items::ItemPatch Import::patch_of(const Imported& imported) const {
    const Issue& issue = *imported.issue;
    const auto& given = outline_.given;
    items::ItemPatch patch{.told = imported.told};
    if (given.title) patch.title = issue.title;
    if (given.description) patch.description = issue.description;
    if (given.type) patch.type = issue.type;
    if (given.state) patch.state = issue.status;
    if (given.priority) patch.priority = issue.priority;
    if (given.reporter) patch.reporter = person(issue.reporter);
    if (given.assignee) patch.assignee = person(issue.assignee);
    if (given.labels) patch.labels = issue.labels;
    return patch;
}

std::optional<items::PersonId> Import::person(const std::optional<std::string>& id) const {
    if (!id) return std::nullopt;
    return people_.at(*id).id;
}

}  // namespace importer

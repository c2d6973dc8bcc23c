// Projects, people and states.

#include <string>

#include "directory.hpp"
#include "rows.hpp"
#include "sql.hpp"
#include "text.hpp"

namespace items {
namespace {

constexpr Length name_length{.min = 1, .max = name_length_max};

void check_person(const std::string& name, const std::optional<std::string>& email) {
    check_text("name", name, name_length);
    if (email) check_email("email", *email);
}

void check_source(const std::optional<SourceId>& source) {
    if (!source) return;
    check_text("source", source->source, {.min = 1, .max = source_length_max});
    check_text("source_id", source->id, {.min = 1, .max = source_length_max});
}

void emit_person(radd::Transaction& tx,
                 radd::EventType type,
                 const PersonId& id,
                 std::optional<std::vector<radd::Change>> changes,
                 const Act& act) {
    tx.emit(radd::NewEvent{.type = type,
                           .entity = ItemEntity::person,
                           .entity_id = id,
                           .actor_id = act.actor,
                           .changes = std::move(changes),
                           .occurred_at = act.at});
}

void emit_project(radd::Transaction& tx,
                  radd::EventType type,
                  ProjectId id,
                  std::optional<std::vector<radd::Change>> changes,
                  const Act& act) {
    tx.emit(radd::NewEvent{.type = type,
                           .entity = ItemEntity::project,
                           .entity_id = id,
                           .actor_id = act.actor,
                           .changes = std::move(changes),
                           .occurred_at = act.at,
                           .project_id = id});
}

}  // namespace

Project SqlDirectory::create_project(radd::Transaction& tx,
                                     const NewProject& project,
                                     const Act& act) {
    check_project_key("key", project.key);
    check_text("name", project.name, name_length);

    const auto row = tx.query_one(sql::insert_project, project.key, project.name);
    if (!row)
        throw radd::InvalidInput{"key", "'" + project.key + "' is another project's; choose one"};
    const ProjectId id = row->integer("id");
    emit_project(tx, ProjectEvent::created, id, std::nullopt, act);
    return {.id = id, .key = project.key, .name = project.name};
}

bool SqlDirectory::rename_project(radd::Transaction& tx,
                                  ProjectId id,
                                  std::string_view name,
                                  const Act& act) {
    check_text("name", name, name_length);

    const auto row = tx.query_one(sql::lock_project, id);
    if (!row) throw radd::InvalidInput{"project", std::to_string(id) + " does not exist"};
    const std::string before = row->text("name");
    if (before == name) return false;
    tx.execute(sql::rename_project, id, name);
    emit_project(tx,
                 ProjectEvent::updated,
                 id,
                 std::vector{radd::change("name", before, std::string{name})},
                 act);
    return true;
}

std::optional<Project> SqlDirectory::find_project(radd::Transaction& tx, std::string_view key) {
    const auto row = tx.query_one(sql::select_project_by_key, key);
    if (!row) return std::nullopt;
    return project_of(*row);
}

Person SqlDirectory::create_person(radd::Transaction& tx, const NewPerson& person, const Act& act) {
    check_person(person.name, person.email);
    check_source(person.source);

    std::optional<std::string> source;
    std::optional<std::string> source_id;
    if (person.source) {
        source = person.source->source;
        source_id = person.source->id;
    }
    const auto row = tx.query_one(sql::insert_person, person.name, person.email, source, source_id);
    if (!row)
        throw radd::InvalidInput{"source_id", "'" + *source_id + "' was imported before; find it"};
    const PersonId id = row->text("id");
    emit_person(tx, PersonEvent::created, id, std::nullopt, act);
    return {.id = id, .name = person.name, .email = person.email};
}

bool SqlDirectory::update_person(radd::Transaction& tx, const Person& person, const Act& act) {
    check_person(person.name, person.email);
    if (!is_uuid(person.id)) throw radd::InvalidInput{"id", "'" + person.id + "' is no uuid"};

    const auto row = tx.query_one(sql::lock_person, person.id);
    if (!row) throw radd::InvalidInput{"id", "person " + person.id + " does not exist"};
    const Person before = person_of(*row);
    std::vector<radd::Change> changes;
    if (before.name != person.name)
        changes.push_back(radd::change("name", before.name, person.name));
    // Addresses stay out of the stream, which others may read.
    if (before.email != person.email) changes.push_back(radd::hidden_change("email"));
    if (changes.empty()) return false;

    tx.execute(sql::update_person, person.id, person.name, person.email);
    emit_person(tx, PersonEvent::updated, person.id, std::move(changes), act);
    return true;
}

std::optional<Person> SqlDirectory::find_person(radd::Transaction& tx,
                                                std::string_view id_or_email) {
    if (is_uuid(id_or_email)) {
        const auto row = tx.query_one(sql::select_person, id_or_email);
        return row ? std::optional{person_of(*row)} : std::nullopt;
    }
    const auto found = tx.query(sql::select_people_by_email, id_or_email);
    if (found.empty()) return std::nullopt;
    if (found.size() > 1)
        throw radd::InvalidInput{
            "person",
            "several have the address '" + std::string{id_or_email} + "'; name one by its id"};
    return person_of(found[0]);
}

std::optional<Person> SqlDirectory::find_person(radd::Transaction& tx, const SourceId& source) {
    const auto row = tx.query_one(sql::select_person_by_source, source.source, source.id);
    if (!row) return std::nullopt;
    return person_of(*row);
}

State SqlDirectory::ensure_state(radd::Transaction& tx, const State& state) {
    check_text("state", state.name, name_length);

    tx.execute(sql::insert_state, state.name, name_of(state.category));
    return state_of(*tx.query_one(sql::select_state_by_exact_name, state.name));
}

std::optional<State> SqlDirectory::find_state(radd::Transaction& tx, std::string_view name) {
    const auto row = tx.query_one(sql::select_state, name);
    if (!row) return std::nullopt;
    return state_of(*row);
}

}  // namespace items

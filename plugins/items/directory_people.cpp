// People and states.

#include <algorithm>
#include <string>

#include "directory.hpp"
#include "refusals.hpp"
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

template <PersonEvent event>
void emit_person(radd::Transaction& tx,
                 const PersonId& id,
                 const Act& act,
                 radd::ChangesOf<event> changes = {}) {
    tx.emit(radd::NewEventOf<event>{.entity_id = id,
                                    .actor_id = act.actor,
                                    .changes = std::move(changes),
                                    .occurred_at = act.at});
}

}  // namespace

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
    emit_person<PersonEvent::created>(tx, id, act);
    return {.id = id, .name = person.name, .email = person.email};
}

Person SqlDirectory::ensure_person(radd::Transaction& tx,
                                   const PersonId& id,
                                   std::string_view name) {
    if (!is_uuid(id)) throw radd::InvalidInput{"id", "'" + id + "' is no uuid"};

    // The look before the insert costs nothing where a person acts often, and takes no lock.
    if (auto known = find_person(tx, id)) return *std::move(known);
    check_text("name", name, name_length);
    if (const auto row = tx.query_one(sql::insert_known_person, id, name))
        emit_person<PersonEvent::created>(tx, row->text("id"), {.actor = id});
    return *find_person(tx, id);
}

bool SqlDirectory::update_person(radd::Transaction& tx, const Person& person, const Act& act) {
    return update_person(tx, person.id, {.name = person.name, .email = person.email}, act);
}

bool SqlDirectory::update_person(radd::Transaction& tx,
                                 const PersonId& id,
                                 const PersonPatch& patch,
                                 const Act& act) {
    if (patch.name) check_text("name", *patch.name, name_length);
    if (patch.email && *patch.email) check_email("email", **patch.email);
    if (!is_uuid(id)) throw radd::InvalidInput{"id", "'" + id + "' is no uuid"};

    const auto row = tx.query_one(sql::lock_person, id);
    if (!row) throw Missing{"id", "person " + id + " does not exist"};
    const Person before = person_of(*row);
    const std::string name = patch.name.value_or(before.name);
    const auto email = patch.email.value_or(before.email);
    std::vector<radd::Change> changes;
    if (before.name != name) changes.push_back(radd::change("name", before.name, name));
    // Addresses stay out of the stream, which others may read.
    if (before.email != email) changes.push_back(radd::hidden_change("email"));
    if (changes.empty()) return false;

    tx.execute(sql::update_person, id, name, email);
    emit_person<PersonEvent::updated>(tx, id, act, std::move(changes));
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

std::vector<Person> SqlDirectory::list_people(radd::Transaction& tx, const Page<PersonId>& page) {
    const auto limit = std::min(page.limit, list_rows_max);
    if (page.after) (void)person_named(tx, "after", *page.after);
    std::vector<Person> people;
    for (const auto& row : page.after ? tx.query(sql::list_people_after, *page.after, limit)
                                      : tx.query(sql::list_people, limit))
        people.push_back(person_of(row));
    return people;
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

std::vector<State> SqlDirectory::list_states(radd::Transaction& tx) {
    std::vector<State> states;
    for (const auto& row : tx.query(sql::list_states, list_rows_max))
        states.push_back(state_of(row));
    return states;
}

}  // namespace items

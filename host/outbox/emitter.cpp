#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <host/outbox/emitter.hpp>
#include <host/outbox/event_time.hpp>
#include <host/outbox/json_check.hpp>
#include <host/outbox/schema_check.hpp>
#include <radd/scopes.hpp>

namespace radd::outbox {
namespace {

// A ref stands one level below the payload it is written into.
constexpr std::size_t ref_depth_max = payload_depth_max - 1;

using SubjectIds = std::map<std::string_view, std::string>;  // By entity type.
using Refs =
    std::map<std::string_view, std::map<std::string, std::string>>;  // JSON, by type and id.

bool is_uuid(std::string_view text) {
    if (text.size() != 36) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        const char c = text[i];
        const bool is_hex =
            (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        if (is_dash ? c != '-' : !is_hex) return false;
    }
    return true;
}

void check_entity_id(std::string_view field, const EntityId& id) {
    if (id.text().empty()) throw InvalidInput{std::string{field}, "is empty; name the entity"};
    check_text(field, id.text(), entity_id_bytes_max);
}

void check_scalars(const NewEvent& event) {
    check_entity_id("entity_id", event.entity_id);
    if (event.actor_id && !is_uuid(*event.actor_id))
        throw InvalidInput{"actor_id", "is no uuid; leave it empty if nobody is known"};
    const auto& cause = event.automated_cause ? event.automated_cause : Automated::cause();
    if (cause) check_text("automated_cause", *cause, automated_cause_bytes_max);
    if (event.traceparent) check_text("traceparent", *event.traceparent, traceparent_bytes_max);
    if (event.occurred_at &&
        (*event.occurred_at < earliest_time() || *event.occurred_at > latest_time()))
        throw InvalidInput{"occurred_at", "is outside the years 1 to 9999"};
}

const EventTypeSpec& declared_spec(const Catalog& catalog, const NewEvent& event) {
    const auto* type = catalog.type(event.type.name());
    if (!type) {
        throw ConfigError{"event type " + std::string{event.type.name()} +
                          ": no loaded plugin declares it; add it to event_types of the manifest "
                          "of its owner, and that plugin to plugins_dir"};
    }
    const auto& about = type->spec->entity_type;
    if (about && !(*about == event.entity)) {
        throw InvalidInput{"entity",
                           "is " + std::string{event.entity.name()} + ", but " +
                               std::string{event.type.name()} + " is declared to be about " +
                               std::string{about->name()}};
    }
    return *type->spec;
}

/// The JSON of one half of a change, checked.
void append_value(std::string& out,
                  const std::string& field,
                  std::string_view key,
                  const JsonText& value,
                  bool must_be_array) {
    const std::string place = field + "." + std::string{key};
    const JsonFacts facts = check_json(place, value.text());
    if (must_be_array && facts.kind != JsonKind::array)
        throw InvalidInput{place, "is no JSON array"};
    out.append(",\"").append(key).append("\":").append(value.text());
}

void append_change(std::string& out, const std::string& place, const Change& change) {
    const bool is_pair = change.from.has_value() && change.to.has_value();
    const bool is_list = change.added.has_value() && change.removed.has_value();
    const bool has_pair_part = change.from.has_value() || change.to.has_value();
    const bool has_list_part = change.added.has_value() || change.removed.has_value();
    if (has_pair_part != is_pair || has_list_part != is_list || (is_pair && is_list)) {
        throw InvalidInput{place,
                           "has neither {from, to} nor {added, removed} nor the field alone; use "
                           "change(), list_change() or hidden_change()"};
    }
    if (change.field.empty()) throw InvalidInput{place + ".field", "is empty"};
    check_text(place + ".field", change.field, entity_id_bytes_max);

    out += "{\"field\":";
    append_quoted(out, change.field);
    if (is_pair) {
        append_value(out, place, "from", *change.from, false);
        append_value(out, place, "to", *change.to, false);
    }
    if (is_list) {
        append_value(out, place, "added", *change.added, true);
        append_value(out, place, "removed", *change.removed, true);
    }
    out += '}';
}

std::optional<std::string> changes_text(const NewEvent& event, const EventTypeSpec& spec) {
    if (!event.changes) {
        if (!spec.has_changes) return std::nullopt;
        throw InvalidInput{"changes",
                           "is missing, and " + std::string{spec.type.name()} +
                               " is declared with has_changes; an empty list says that nothing "
                               "visible changed"};
    }
    if (event.changes->size() > changes_max) {
        throw InvalidInput{"changes",
                           "has " + std::to_string(event.changes->size()) +
                               " entries, the limit is " + std::to_string(changes_max)};
    }
    std::string out = "[";
    for (const Change& change : *event.changes) {
        const auto index = static_cast<std::size_t>(&change - event.changes->data());
        if (index > 0) out += ',';
        append_change(out, "changes[" + std::to_string(index) + "]", change);
    }
    out += ']';
    if (out.size() > changes_bytes_max) {
        throw InvalidInput{"changes",
                           "has " + std::to_string(out.size()) + " bytes, the limit is " +
                               std::to_string(changes_bytes_max) + "; hide long values"};
    }
    return out;
}

void add_subject(SubjectIds& ids, std::string_view entity, const EntityId& id) {
    const auto [known, is_new] = ids.emplace(entity, id.text());
    if (!is_new && known->second != id.text()) {
        throw InvalidInput{"subjects",
                           "name two entities of type " + std::string{entity} +
                               ", and the payload has one place for it; put the other id into "
                               "the payload under a name of its own"};
    }
}

SubjectIds subjects_of(const NewEvent& event, const Catalog& catalog) {
    SubjectIds ids;
    const auto* own = catalog.entity(event.entity.name());
    if (own && own->spec->ref) add_subject(ids, event.entity.name(), event.entity_id);
    for (const Subject& subject : event.subjects) {
        check_entity_id("subjects", subject.id);
        add_subject(ids, subject.entity.name(), subject.id);
    }
    return ids;
}

JsonFacts check_payload(const NewEvent& event) {
    const std::string& payload = event.payload.text();
    if (payload.size() > payload_bytes_max) {
        throw InvalidInput{"payload",
                           "has " + std::to_string(payload.size()) + " bytes, the limit is " +
                               std::to_string(payload_bytes_max)};
    }
    JsonFacts facts = check_json("payload", payload);
    if (facts.kind != JsonKind::object) throw InvalidInput{"payload", "is no JSON object"};
    return facts;
}

std::string ref_text(const Catalog::Entity& entity, const std::optional<JsonText>& ref) {
    if (!ref) return "null";
    try {
        check_json(
            "ref of " + std::string{entity.spec->entity_type.name()}, ref->text(), ref_depth_max);
    } catch (const InvalidInput& error) {
        throw SchemaError{"plugin " + entity.plugin + ": " + error.what()};
    }
    return ref->text();
}

/// Writes the refs into the object's text in front of its own keys. The text is never parsed and
/// printed again: a double between would change 9007199254740993 and 1.10.
std::string splice(const std::string& object,
                   bool is_empty,
                   const SubjectIds& ids,
                   const Refs& refs) {
    if (ids.empty()) return object;
    const auto open = object.find('{') + 1;
    std::string merged = object.substr(0, open);
    for (const auto& [entity, id] : ids) {
        if (merged.size() > open) merged += ',';
        append_quoted(merged, entity);
        merged.append(":").append(refs.at(entity).at(id));
    }
    if (!is_empty) merged += ',';
    merged.append(object, open, std::string::npos);
    if (merged.size() > payload_with_refs_bytes_max) {
        throw InvalidInput{"payload",
                           "has " + std::to_string(merged.size()) +
                               " bytes with the refs of its subjects, the limit is " +
                               std::to_string(payload_with_refs_bytes_max)};
    }
    return merged;
}

/// One call of emit(): what is known about each event before its refs are read.
struct Draft {
    const NewEvent* event;
    const EventTypeSpec* spec;
    JsonFacts facts;
    std::optional<std::string> changes;
    SubjectIds subjects;
};

void check_collisions(const Draft& draft) {
    for (const auto& key : draft.facts.keys) {
        if (!draft.subjects.contains(key)) continue;
        throw InvalidInput{
            "payload",
            "has a key '" + key + "', which is where the ref of that subject goes; rename it"};
    }
}

void read_refs(Transaction& tx,
               const Catalog::Entity& entity,
               std::map<std::string, std::string>& refs) {
    std::vector<std::string> ids;
    ids.reserve(refs.size());
    for (const auto& [id, text] : refs) ids.push_back(id);
    const auto found = entity.spec->ref(tx, ids);
    if (found.size() != ids.size()) {
        throw SchemaError{"plugin " + entity.plugin + ": ref of " +
                          std::string{entity.spec->entity_type.name()} + " returned " +
                          std::to_string(found.size()) + " values for " +
                          std::to_string(ids.size()) + " ids; return one for each, in order"};
    }
    for (std::size_t i = 0; i < ids.size(); ++i) refs[ids[i]] = ref_text(entity, found[i]);
}

void describe_undeclared(std::string_view entity,
                         std::map<std::string, std::string>& refs,
                         const EmitPolicy& policy,
                         Log& log) {
    const std::string problem = "no loaded plugin describes the entity type " +
                                std::string{entity} +
                                "; load its owner, or take it out of the subjects";
    if (policy.undeclared_subject_is_error) throw InvalidInput{"subjects", problem};
    log.warn("emit: subjects: " + problem + "; its id is written alone");
    for (auto& [id, text] : refs) {
        text = "{\"id\":";
        append_quoted(text, id);
        text += '}';
    }
}

EventRow row_of(Draft& draft, std::string payload) {
    const NewEvent& event = *draft.event;
    auto cause = event.automated_cause ? event.automated_cause : Automated::cause();
    if (cause && cause->empty()) cause.reset();
    return {.type = std::string{draft.spec->type.name()},
            .entity = std::string{event.entity.name()},
            .entity_id = event.entity_id.text(),
            .actor_id = event.actor_id,
            .payload = std::move(payload),
            .changes = std::move(draft.changes),
            .project_id = event.project_id,
            .silent = event.silent.value_or(Quiet::active()),
            .automated_cause = std::move(cause),
            .traceparent = event.traceparent,
            .occurred_at =
                event.occurred_at ? std::optional{time_text(*event.occurred_at)} : std::nullopt};
}

void check_schema(const Draft& draft, const EmitPolicy& policy, Log& log) {
    const auto violation = schema_violation(*draft.spec, draft.event->payload.text());
    if (!violation) return;
    if (policy.strict) throw InvalidInput{"payload", *violation};
    log.warn("emit: " + std::string{draft.spec->type.name()} +
             ": the payload breaks its schema: " + *violation + "; the event is kept");
}

}  // namespace

std::vector<EventRow> Emitter::prepare(Transaction& tx, std::span<const NewEvent> events) {
    std::vector<Draft> drafts;
    drafts.reserve(events.size());
    Refs refs;
    for (const NewEvent& event : events) {
        const EventTypeSpec& spec = declared_spec(*catalog_, event);
        check_scalars(event);
        Draft draft{.event = &event,
                    .spec = &spec,
                    .facts = check_payload(event),
                    .changes = changes_text(event, spec),
                    .subjects = subjects_of(event, *catalog_)};
        check_collisions(draft);
        if (policy_.check_payload_schema) check_schema(draft, policy_, *log_);
        for (const auto& [entity, id] : draft.subjects) refs[entity][id];
        drafts.push_back(std::move(draft));
    }
    for (auto& [entity, by_id] : refs) {
        const auto* declared = catalog_->entity(entity);
        if (declared && declared->spec->ref) {
            read_refs(tx, *declared, by_id);
        } else {
            describe_undeclared(entity, by_id, policy_, *log_);
        }
    }
    std::vector<EventRow> rows;
    rows.reserve(drafts.size());
    for (Draft& draft : drafts) {
        rows.push_back(row_of(
            draft,
            splice(draft.event->payload.text(), draft.facts.keys.empty(), draft.subjects, refs)));
    }
    return rows;
}

}  // namespace radd::outbox

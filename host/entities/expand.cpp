#include <algorithm>
#include <utility>

#include <host/entities/expand.hpp>
#include <host/entities/routes.hpp>
#include <host/entities/store.hpp>
#include <host/entities/stored_names.hpp>

namespace radd::entities {
namespace {

using Ids = std::span<const std::string>;

/// Subjects that every event of the entity has; a reference that may be null is one of some.
std::vector<EntityType> certain_subjects(const Surroundings& around, const Entity& entity) {
    std::vector<EntityType> subjects;
    for (const std::size_t index : subject_fields(entity)) {
        const FieldSpec& field = entity.spec.fields[index];
        if (!field.nullable && around.describers.contains(field.references))
            subjects.push_back(detail::StoredNames::entity(field.references));
    }
    return subjects;
}

void add_event_types(const Surroundings& around, const Entity& entity, Manifest& manifest) {
    const auto subjects = certain_subjects(around, entity);
    const bool is_of_item = std::ranges::any_of(
        subjects, [](const EntityType& subject) { return subject.name() == "item"; });
    const auto add = [&](EventType type, const std::string& what, bool has_changes) {
        manifest.event_types.push_back({.type = type,
                                        .label = entity.spec.label + ' ' + what,
                                        .group = entity.spec.label,
                                        .item_scoped = is_of_item,
                                        .has_changes = has_changes,
                                        .entity_type = entity.type,
                                        .subjects = subjects});
    };
    add(entity.created, "created", false);
    add(entity.updated, "changed", true);
    add(entity.deleted, "deleted", false);
}

void add_ref(const std::shared_ptr<const Model>& model, const Entity& entity, Manifest& manifest) {
    EntityRefSpec spec{.entity_type = entity.type,
                       .label = entity.spec.label,
                       .ref = [model, &entity](Transaction& tx, Ids ids) {
                           return refs_of(*model, entity, tx, ids);
                       }};
    // `model` is kept by the one function and by the other, as long as the manifest.
    if (!entity.spec.searchable.empty())
        spec.document = [model, &entity](Transaction& tx, Ids ids) {
            return documents_of(entity, tx, ids);
        };
    manifest.entity_refs.push_back(std::move(spec));
}

/// Of what code deletes the host hears from its event; what is declared it deletes itself.
void add_sweeps(const std::shared_ptr<const Model>& model,
                const Surroundings& around,
                const Entity& entity,
                Manifest& manifest) {
    for (std::size_t i = 0; i < entity.spec.fields.size(); ++i) {
        const FieldSpec& field = entity.spec.fields[i];
        if (field.type != FieldType::reference || field.on_delete == OnDelete::keep) continue;
        const std::string event = field.references + ".deleted";
        if (model->find(field.references) != nullptr || !around.events.contains(event)) continue;
        manifest.cascades.push_back(
            {.name = manifest.id + '.' + entity.spec.key + '_' + field.name,
             .parent_event = detail::StoredNames::event(event),
             .sweep = [model, referrer = Referrer{.entity = &entity, .field = i}](
                          Transaction& tx, std::string_view parent_id) {
                 Store{*model, tx, std::string{system_actor}}.sweep(referrer, parent_id);
             }});
    }
}

/// What is referred to must be there before: its table, and whoever can say whether a row is.
void add_dependencies(const Surroundings& around, const Entity& entity, Manifest& manifest) {
    for (const FieldSpec& field : entity.spec.fields) {
        if (field.type != FieldType::reference) continue;
        const auto describer = around.describers.find(field.references);
        if (describer == around.describers.end() || describer->second == manifest.id) continue;
        auto& needed = manifest.depends_on;
        if (std::ranges::find(needed, describer->second) == needed.end())
            needed.push_back(describer->second);
    }
}

}  // namespace

void expand(const std::shared_ptr<const Model>& model,
            const Surroundings& around,
            Manifest& manifest) {
    for (const auto& entity : model->entities()) {
        if (entity->schema != manifest.id) continue;
        add_event_types(around, *entity, manifest);
        add_ref(model, *entity, manifest);
        for (RouteSpec& route : routes_of(model, *entity))
            manifest.routes.push_back(std::move(route));
        add_sweeps(model, around, *entity, manifest);
        add_dependencies(around, *entity, manifest);
    }
}

std::vector<LostReference> lost_references(const Model& model,
                                           const Surroundings& around,
                                           const std::string& plugin) {
    std::vector<LostReference> lost;
    for (const auto& entity : model.entities()) {
        if (entity->schema != plugin) continue;
        for (const FieldSpec& field : entity->spec.fields) {
            if (field.type == FieldType::reference && !around.describers.contains(field.references))
                lost.push_back(
                    {.field = entity->spec.key + '.' + field.name, .entity = field.references});
        }
    }
    return lost;
}

}  // namespace radd::entities

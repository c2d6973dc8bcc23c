#include <algorithm>
#include <utility>

#include <host/entities/model.hpp>
#include <host/entities/stored_names.hpp>

namespace radd::entities {

using detail::StoredNames;

Entity::Entity(std::string plugin, EntitySpec declared)
    : schema{std::move(plugin)},
      spec{std::move(declared)},
      table{spec.table.empty() ? spec.plural : spec.table},
      type{StoredNames::entity(spec.key)},
      created{StoredNames::event(spec.key + ".created")},
      updated{StoredNames::event(spec.key + ".updated")},
      deleted{StoredNames::event(spec.key + ".deleted")} {}

const FieldSpec* Entity::field(std::string_view name) const {
    const auto found = std::ranges::find(spec.fields, name, &FieldSpec::name);
    return found == spec.fields.end() ? nullptr : &*found;
}

void Model::add(const std::string& plugin, const std::vector<EntitySpec>& specs) {
    for (const EntitySpec& spec : specs)
        entities_.push_back(std::make_unique<Entity>(plugin, spec));
}

void Model::remove(const std::string& plugin) {
    std::erase_if(entities_, [&](const auto& entity) { return entity->schema == plugin; });
}

void Model::describe(std::string_view entity, RefOf ref) {
    described_.insert_or_assign(std::string{entity}, std::move(ref));
}

const Entity* Model::find(std::string_view key) const {
    const auto found = std::ranges::find_if(
        entities_, [&](const auto& entity) { return entity->spec.key == key; });
    return found == entities_.end() ? nullptr : found->get();
}

std::vector<Referrer> Model::referrers(std::string_view key) const {
    std::vector<Referrer> found;
    for (const auto& entity : entities_) {
        for (std::size_t i = 0; i < entity->spec.fields.size(); ++i) {
            const FieldSpec& field = entity->spec.fields[i];
            if (field.type == FieldType::reference && field.references == key)
                found.push_back({.entity = entity.get(), .field = i});
        }
    }
    return found;
}

const Model::RefOf* Model::ref_of(std::string_view key) const {
    const auto found = described_.find(key);
    return found == described_.end() ? nullptr : &found->second;
}

}  // namespace radd::entities

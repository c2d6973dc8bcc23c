#pragma once

/// All entities that loaded plugins have declared, and how they refer to each other.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <radd/manifest.hpp>

namespace radd::entities {

/// One declared entity. Its table is `<schema>.<table>`.
struct Entity {
    Entity(std::string plugin, EntitySpec declared);

    std::string schema;  ///< The plugin's id.
    EntitySpec spec;
    std::string table;
    EntityType type;
    EventType created;
    EventType updated;
    EventType deleted;

    [[nodiscard]] const FieldSpec* field(std::string_view name) const;
};

/// A field that refers to some entity.
struct Referrer {
    const Entity* entity;
    std::size_t field;  ///< Index in its spec.
};

/// Filled while plugins are loaded and fixed from then on. [any-thread]
class Model {
public:
    using RefOf = std::function<std::vector<std::optional<JsonText>>(Transaction&,
                                                                     std::span<const std::string>)>;

    /// Adds the entities of `manifest`, each of which was found to be in order. [boot-thread]
    void add(const std::string& plugin, const std::vector<EntitySpec>& specs);
    /// Takes away those of a plugin that was refused after all. [boot-thread]
    void remove(const std::string& plugin);
    /// How code describes an entity; `ref` is kept. [boot-thread]
    void describe(std::string_view entity, RefOf ref);

    /// In order of being added, which is by plugin and then as declared.
    [[nodiscard]] const std::vector<std::unique_ptr<Entity>>& entities() const { return entities_; }
    /// Null: no plugin declares it; code may describe it all the same.
    [[nodiscard]] const Entity* find(std::string_view key) const;
    /// Fields of declared entities that refer to `key`.
    [[nodiscard]] std::vector<Referrer> referrers(std::string_view key) const;
    /// Null if no loaded plugin describes it.
    [[nodiscard]] const RefOf* ref_of(std::string_view key) const;

    /// Whether a table stands behind the reference, so that PostgreSQL itself watches over it.
    [[nodiscard]] bool is_foreign_key(const FieldSpec& field) const {
        return field.type == FieldType::reference && find(field.references) != nullptr;
    }

private:
    std::vector<std::unique_ptr<Entity>> entities_;
    std::map<std::string, RefOf, std::less<>> described_;
};

}  // namespace radd::entities

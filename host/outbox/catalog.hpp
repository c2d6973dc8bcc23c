#pragma once

/// The event types and entities that loaded plugins have declared, as emitting needs them.

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <radd/manifest.hpp>

namespace radd::outbox {

/// Filled before anything runs and fixed from then on. [any-thread]
class Catalog {
public:
    struct Type {
        const EventTypeSpec* spec;
        std::string plugin;
    };
    struct Entity {
        const EntityRefSpec* spec;
        std::string plugin;
    };

    /// The specs must outlive the catalogue.
    void add(const EventTypeSpec& spec, std::string plugin);
    void add(const EntityRefSpec& spec, std::string plugin);

    /// Null if no loaded plugin declares it, by this name or an alias.
    [[nodiscard]] const Type* type(std::string_view name) const;
    [[nodiscard]] const Entity* entity(std::string_view name) const;

    [[nodiscard]] const std::map<std::string, Type, std::less<>>& types() const { return types_; }
    [[nodiscard]] const std::map<std::string, Entity, std::less<>>& entities() const {
        return entities_;
    }

private:
    std::map<std::string, Type, std::less<>> types_;
    std::map<std::string, Type, std::less<>> aliases_;
    std::map<std::string, Entity, std::less<>> entities_;
};

}  // namespace radd::outbox

#pragma once

/// What loaded plugins have declared: event types and entities, as emitting needs them, actions and
/// rules.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

    struct Action {
        const ActionSpec* spec;
        std::string plugin;
    };

    struct Automation {
        const AutomationSpec* spec;
        std::string plugin;
    };

    /// The specs must outlive the catalogue.
    void add(const EventTypeSpec& spec, std::string plugin);
    void add(const EntityRefSpec& spec, std::string plugin);
    void add(const ActionSpec& spec, std::string plugin);
    void add(const AutomationSpec& spec, std::string plugin);

    /// Null if no loaded plugin declares it, by this name or an alias.
    [[nodiscard]] const Type* type(std::string_view name) const;
    [[nodiscard]] const Entity* entity(std::string_view name) const;
    [[nodiscard]] const Action* action(std::string_view name) const;

    /// Whether a person of this role may read events stored under this name. What no loaded plugin
    /// declares is for administrators: the plugin that is away may have said so.
    [[nodiscard]] bool may_read(Role reader, std::string_view event_type) const;
    /// Names of the types for which `which` holds, old ones included.
    [[nodiscard]] std::vector<std::string> names(
        const std::function<bool(const EventTypeSpec&)>& which) const;

    [[nodiscard]] const std::map<std::string, Type, std::less<>>& types() const { return types_; }
    [[nodiscard]] const std::map<std::string, Entity, std::less<>>& entities() const {
        return entities_;
    }
    [[nodiscard]] const std::map<std::string, Action, std::less<>>& actions() const {
        return actions_;
    }
    /// By plugin and name.
    [[nodiscard]] const std::map<std::pair<std::string, std::string>, Automation>& automations()
        const {
        return automations_;
    }

private:
    std::map<std::string, Type, std::less<>> types_;
    std::map<std::string, Type, std::less<>> aliases_;
    std::map<std::string, Entity, std::less<>> entities_;
    std::map<std::string, Action, std::less<>> actions_;
    std::map<std::pair<std::string, std::string>, Automation> automations_;
};

}  // namespace radd::outbox

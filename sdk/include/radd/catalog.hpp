#pragma once

/// What the loaded plugins have declared, for a plugin that acts on whatever there is.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <radd/action.hpp>
#include <radd/manifest.hpp>

namespace radd {

/// Event types, entities, actions and rules of all loaded plugins. Fixed for the life of the
/// process; the specs live as long. [any-thread]
class RADD_EXPORT Catalog {
public:
    template <typename Spec>
    struct Entry {
        const Spec* spec;
        std::string plugin;  ///< Who declares it.
    };

    Catalog() = default;
    Catalog(const Catalog&) = delete;
    Catalog& operator=(const Catalog&) = delete;
    virtual ~Catalog();

    /// Each list is in order of name; that of automations in order of plugin and name.
    [[nodiscard]] virtual std::vector<Entry<EventTypeSpec>> event_types() const = 0;
    [[nodiscard]] virtual std::vector<Entry<EntityRefSpec>> entities() const = 0;
    [[nodiscard]] virtual std::vector<Entry<ActionSpec>> actions() const = 0;
    [[nodiscard]] virtual std::vector<Entry<AutomationSpec>> automations() const = 0;

    /// Null if no loaded plugin declares it. An event type is found by its aliases as well.
    [[nodiscard]] virtual const EventTypeSpec* event_type(std::string_view name) const = 0;
    [[nodiscard]] virtual const EntityRefSpec* entity(std::string_view name) const = 0;
    [[nodiscard]] virtual const ActionSpec* action(std::string_view name) const = 0;

    /// Why `arguments` do not fit `action`, each fault with its place; empty if they do.
    /// @throws InvalidInput if no loaded plugin declares the action.
    [[nodiscard]] virtual std::string arguments_fault(std::string_view action,
                                                      const JsonText& arguments) const = 0;

    /// Plans `action` with its owner's services, and writes nothing.
    /// @throws InvalidInput if no loaded plugin declares it, the arguments do not fit, or the plan
    ///         is past its limits; otherwise as ActionSpec::plan says.
    [[nodiscard]] virtual ActionPlan plan(Transaction& tx,
                                          std::string_view action,
                                          const ActionCall& call) const = 0;

    /// Does what plan() has said, unless that has no effect. As ActionSpec::apply says.
    virtual void apply(Transaction& tx, std::string_view action, const ActionPlan& plan) const = 0;
};

}  // namespace radd

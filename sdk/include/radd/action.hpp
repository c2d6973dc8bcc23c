#pragma once

/// What an automation may do: declared by the plugin that owns what it is done to.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include <radd/event.hpp>
#include <radd/json_text.hpp>
#include <radd/services.hpp>
#include <radd/transaction.hpp>
#include <radd/vocabulary.hpp>

namespace radd {

/// Longest text of a plan, as JSON. @throws InvalidInput past it, from Catalog::plan().
inline constexpr std::size_t action_plan_bytes_max = std::size_t{64} * 1024;

/// One action of a rule, about to be planned.
struct ActionCall {
    const Event* event = nullptr;  ///< What started the rule; null: the clock did.
    std::string subject_id{};      ///< Of ActionSpec::subject; empty if it names none.
    JsonText arguments{};          ///< An object that fits ActionSpec::arguments.
};

/// What an action would do. It is shown to people, kept in the run log, and all that apply() gets.
struct ActionPlan {
    std::string summary;     ///< For people: "set state of DEMO-1 to Done". No secrets.
    JsonText details{};      ///< An object with everything that apply() needs. No secrets.
    bool has_effect = true;  ///< False: all is as wished already, so there is nothing to apply.
};

/// An action in two halves, so that what a dry run shows is what a real run does: both call the
/// same plan(), and only the real one goes on to apply().
struct ActionSpec {
    std::string name;                     ///< "items.set_field": `<plugin>.<what>`, kept for ever.
    std::string label;                    ///< For people: "Set a field".
    std::optional<EntityType> subject{};  ///< What it is done to; described by a loaded plugin.
    JsonText arguments{};                 ///< JSON Schema (draft 7) of an object.

    /// Looks, decides, and writes nothing. All actions of a rule are planned before the first is
    /// applied. [any-thread]
    /// @throws InvalidInput naming the argument that cannot be followed; otherwise as query().
    std::function<ActionPlan(Transaction& tx, Services& host, const ActionCall& call)> plan;

    /// Does what the plan says, through the services that a person's request takes, in the
    /// transaction of the event. It runs under an Automated scope: what it emits carries its cause,
    /// and its actor is system_actor. What leaves the instance goes through a DeliveryQueue.
    /// A throw undoes the whole rule's work on this event and no other rule's. [loop-thread]
    std::function<void(Transaction& tx, Services& host, const ActionPlan& plan)> apply;
};

/// A rule that comes with a plugin, from its code or from `automations:` in its YAML manifest.
struct AutomationSpec {
    std::string name;     ///< Unique in its plugin, kept for ever.
    JsonText rule;        ///< As the API of plugins/automations takes one, without the name.
    std::string place{};  ///< "manifests/billing.yaml:12:5", if it stands in a file.
};

/// Why an AutomationSpec is no rule, whatever else is loaded.
struct AutomationFault {
    std::string path{};   ///< Where in AutomationSpec::rule: "then.0.action"; empty: as a whole.
    std::string problem;  ///< For people, with the value and what would be right.
};

}  // namespace radd

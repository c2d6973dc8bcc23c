#pragma once

/// What becomes of rules.

#include <array>
#include <cstdint>

#include <radd/vocabulary.hpp>

namespace automations {

enum class AutomationEntity : std::uint8_t { rule };

consteval auto entity_names(AutomationEntity) {
    return std::array{radd::Named{AutomationEntity::rule, "automation_rule"}};
}

enum class AutomationEvent : std::uint8_t {
    rule_created,
    rule_updated,
    rule_deleted,
    rule_disabled,  ///< By its budget or because what it names is gone: `reason`.
    run_failed,     ///< `error`, and the `event_id` that it ran for, if one did.
};

consteval auto event_names(AutomationEvent) {
    return std::array{
        radd::Named{AutomationEvent::rule_created, "automation.rule_created"},
        radd::Named{AutomationEvent::rule_updated, "automation.rule_updated"},
        radd::Named{AutomationEvent::rule_deleted, "automation.rule_deleted"},
        radd::Named{AutomationEvent::rule_disabled, "automation.rule_disabled"},
        radd::Named{AutomationEvent::run_failed, "automation.run_failed"},
    };
}

}  // namespace automations

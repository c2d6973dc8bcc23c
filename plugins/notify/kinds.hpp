#pragma once

/// The kinds of notices: what this plugin knows by itself, and what others declare.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <radd/notification.hpp>
#include <radd/services.hpp>

namespace notify {

struct Kind {
    std::string name;
    std::string label;
    radd::NotificationDefaults defaults{};
};

namespace kind {
inline constexpr std::string_view created = "notify.created";
inline constexpr std::string_view assigned = "notify.assigned";
inline constexpr std::string_view mentioned = "notify.mentioned";
inline constexpr std::string_view commented = "notify.commented";
inline constexpr std::string_view moved = "notify.moved";
inline constexpr std::string_view changed = "notify.changed";
inline constexpr std::string_view told_by_rule = "notify.told_by_rule";
}  // namespace kind

/// All kinds of this host. Fixed for the life of the process. [any-thread]
class Kinds {
public:
    explicit Kinds(const radd::Services& host);

    /// In the order in which people see them.
    [[nodiscard]] const std::vector<Kind>& all() const noexcept { return all_; }
    /// Null if no loaded plugin has it: its plugin was switched off.
    [[nodiscard]] const Kind* find(std::string_view name) const noexcept;
    /// What others declare about events of this type.
    [[nodiscard]] std::vector<const radd::NotificationKindSpec*> of_event(
        std::string_view event_type) const;

private:
    std::span<const radd::NotificationKindSpec> declared_;
    std::vector<Kind> all_;
};

}  // namespace notify

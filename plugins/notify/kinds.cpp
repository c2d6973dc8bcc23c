#include "kinds.hpp"

#include <algorithm>

namespace notify {
namespace {

// What is meant for one person is mailed; what merely happens waits for the digest.
std::vector<Kind> own() {
    const radd::NotificationDefaults at_once{.inbox = true, .mail = true, .digest = true};
    const radd::NotificationDefaults later{.inbox = true, .mail = false, .digest = true};
    return {
        {.name = std::string{kind::assigned}, .label = "Assigned to you", .defaults = at_once},
        {.name = std::string{kind::mentioned}, .label = "You are mentioned", .defaults = at_once},
        {.name = std::string{kind::commented}, .label = "New comment", .defaults = at_once},
        {.name = std::string{kind::told_by_rule},
         .label = "Told by an automation",
         .defaults = at_once},
        {.name = std::string{kind::moved}, .label = "State changed", .defaults = later},
        {.name = std::string{kind::changed}, .label = "Something else changed", .defaults = later},
        {.name = std::string{kind::created}, .label = "New item", .defaults = later},
    };
}

}  // namespace

Kinds::Kinds(const radd::Services& host) : declared_{host.notification_kinds()}, all_{own()} {
    for (const auto& spec : declared_)
        all_.push_back({.name = spec.name, .label = spec.label, .defaults = spec.defaults});
}

const Kind* Kinds::find(std::string_view name) const noexcept {
    const auto found = std::ranges::find(all_, name, &Kind::name);
    return found == all_.end() ? nullptr : &*found;
}

std::vector<const radd::NotificationKindSpec*> Kinds::of_event(std::string_view event_type) const {
    std::vector<const radd::NotificationKindSpec*> found;
    for (const auto& spec : declared_) {
        if (spec.event_type.name() == event_type) found.push_back(&spec);
    }
    return found;
}

}  // namespace notify

#pragma once

/// What people may be told of: declared by the plugin whose event it is, told by plugin `notify`,
/// switched on and off by each person.

#include <cstdint>
#include <string>

#include <radd/event.hpp>

namespace radd {

/// Who is told, of those who may read the item; never whoever caused the event.
enum class Audience : std::uint8_t {
    watchers,  ///< Whom the item concerns: reporter, assignee, who commented, was named, watches.
    assignee,
    reporter,
};

/// By which ways, as long as the person has not said otherwise.
struct NotificationDefaults {
    bool inbox = true;
    bool mail = false;   ///< At once.
    bool digest = true;  ///< With what else came in on that day, unless it was mailed.
};

/// One kind of notice. Without plugin `notify` nobody is told, and that is no error.
struct NotificationKindSpec {
    std::string name;   ///< "sla.breached": `<plugin>.<what>`, kept for ever: preferences name it.
    std::string label;  ///< For people, and what a notice says of the item: "SLA breached".
    EventType event_type;  ///< Declared by a loaded plugin (E36), about an item or with one as
                           ///< subject; one without an item tells nobody.
    Audience audience = Audience::watchers;
    NotificationDefaults defaults{};
};

}  // namespace radd

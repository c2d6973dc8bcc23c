#pragma once

/// What a person wants to be told of, by which ways, and when.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "kinds.hpp"
#include "watches.hpp"
#include <radd/clock.hpp>
#include <radd/services.hpp>

namespace notify {

struct Preferences {
    std::map<std::string, radd::NotificationDefaults> kinds{};  ///< Where they differ from it.
    std::optional<std::string> email{};  ///< Without one there are no mails and no digests.
    std::string digest_zone;             ///< IANA
    std::int64_t digest_hour = 0;
    std::optional<radd::Timestamp> next_digest_at{};
    std::optional<std::string> last_digest_on{};  ///< A date in their zone.
};

/// What of it to change.
struct PreferencesPatch {
    std::map<std::string, radd::NotificationDefaults> kinds{};
    std::optional<std::string> digest_zone{};
    std::optional<std::int64_t> digest_hour{};
};

/// Also of who has never said anything. `host` has the defaults.
[[nodiscard]] Preferences preferences_of(radd::Transaction& tx,
                                         const radd::Services& host,
                                         const PersonId& person);

/// A kind that no loaded plugin has is refused. The next digest comes at the new hour, and not on a
/// day that had one.
/// @throws radd::InvalidInput naming the field.
void change_preferences(radd::Transaction& tx,
                        radd::Services& host,
                        const PersonId& person,
                        const PreferencesPatch& patch);

}  // namespace notify

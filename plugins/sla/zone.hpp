#pragma once

/// A time zone by its IANA name, from the system's zone files.

#include <chrono>
#include <string>

#include <radd/event.hpp>

namespace date {
class time_zone;
}

namespace sla {

using WallTime = std::chrono::local_time<std::chrono::minutes>;

/// [any-thread] Zone files are read once: a change of them takes effect with the next start.
class Zone {
public:
    [[nodiscard]] static bool is_known(const std::string& name);

    /// @throws radd::InvalidInput naming "zone" if there is no such zone.
    explicit Zone(const std::string& name);

    /// The instant at which clocks there show `wall`. Where they show it twice, the first time;
    /// where they jump over it, the moment of the jump.
    [[nodiscard]] radd::Timestamp instant_of(WallTime wall) const;
    [[nodiscard]] std::chrono::local_days day_of(radd::Timestamp instant) const;

private:
    [[nodiscard]] std::chrono::days later(std::chrono::days since_1970) const;

    const date::time_zone* zone_;  // The library's, which never gives one up.
    bool lists_more_ = false;      // Its file has transitions after 2037.
};

}  // namespace sla

#pragma once

/// Whether a room can be posted to, tried at once.

#include <cstdint>
#include <optional>
#include <string>

#include <radd/services.hpp>

namespace chat {

struct Trial {
    bool posted = false;
    std::string detail{};  ///< What the service has answered, or why it was not asked.
};

/// Posts one message, by nobody's queue. Waits for the answer, Poster::timeout at most. Empty:
/// there is no such room.
[[nodiscard]] std::optional<Trial> try_room(radd::Services& host, std::int64_t id);

}  // namespace chat

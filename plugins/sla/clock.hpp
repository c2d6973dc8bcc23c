#pragma once

/// How far an item's time has run: arithmetic, without a database and without a present.

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calendar.hpp"
#include <radd/event.hpp>

namespace sla {

/// What is promised.
enum class Target : std::uint8_t {
    first_response,  ///< Somebody other than the reporter comments, or the item is done.
    resolution,      ///< The item is done.
};

inline constexpr std::array targets_all{Target::first_response, Target::resolution};

/// As it is stored and as events spell it.
[[nodiscard]] constexpr std::string_view name_of(Target target) noexcept {
    return target == Target::first_response ? "first_response" : "resolution";
}

/// In working time.
struct Promise {
    std::chrono::minutes within{};
    std::optional<std::chrono::minutes> due_soon{};  ///< So long before it is due.
};

struct State {
    std::string name;
    bool done = false;
};

struct StateChange {
    std::int64_t event_id = 0;
    radd::Timestamp at{};
    State from{};
    State to{};
};

/// What happened to an item as far as its clocks care.
struct History {
    radd::Timestamp created_at{};
    State now{};                         ///< Its state where no change is known.
    std::vector<StateChange> changes{};  ///< In order of time, then of events.
};

/// From its creation, or from when it was reopened, until it is done.
struct Life {
    struct Stretch {
        radd::Timestamp begin;
        std::optional<radd::Timestamp> end{};  ///< Empty: it goes on.
    };
    std::int64_t id = 0;  ///< The event that reopened the item; 0 until one has.
    radd::Timestamp began_at{};
    std::optional<radd::Timestamp> done_at{};
    bool paused = false;             ///< In a pause state now.
    std::vector<Stretch> counted{};  ///< Without pauses, in order.
};

/// The last life in `history`. Empty: the item was done when it was first seen, and still is.
[[nodiscard]] std::optional<Life> last_life(const History& history,
                                            const std::vector<std::string>& pause_states);

struct Clock {
    std::optional<radd::Timestamp> due_at{};
    std::optional<radd::Timestamp> due_soon_at{};
    std::optional<radd::Timestamp> met_at{};
    std::optional<std::chrono::milliseconds> remaining{};  ///< While it is paused.

    friend bool operator==(const Clock&, const Clock&) = default;
};

/// `met_at` is when the promise was kept, if it was. A life that has ended is computed as if its
/// last stretch had gone on, so that one sees how near it was.
[[nodiscard]] Clock clock_of(const Life& life,
                             const Promise& promise,
                             const Calendar& calendar,
                             std::optional<radd::Timestamp> met_at);

}  // namespace sla

#pragma once

/// Which lane may begin how many attempts: what keeps one slow receiver from delaying the others.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace radd::delivery {

struct LaneLimits {
    std::int32_t concurrency = 16;      ///< Of all lanes together.
    std::int32_t lane_concurrency = 4;  ///< Of one that answers well.
    std::int32_t breaker_after = 5;
    std::chrono::milliseconds breaker_for{std::chrono::seconds{30}};
};

/// What this process has learned about the lanes of one queue. A lane answers well after an
/// attempt that was answered within `slow_after`, whatever the answer; until then, and when it is
/// slow or away, it has one attempt at a time, and all such lanes together leave a quarter of the
/// attempts to those that answer well. One thread at a time.
class Lanes {
public:
    using Time = std::chrono::steady_clock::time_point;
    static constexpr std::chrono::milliseconds slow_after{1000};
    static constexpr std::size_t lanes_max = 10'000;  ///< Past it, what is idle is forgotten.

    explicit Lanes(LaneLimits limits) : limits_{limits} {}

    void begin(const std::string& lane);
    /// `reachable`: the receiver was there, whatever it answered.
    void end(const std::string& lane, bool reachable, std::chrono::milliseconds took, Time now);

    enum class Kind : std::uint8_t { all, answering, doubtful };

    /// What may be claimed now, of lanes of that kind.
    struct Room {
        std::int32_t in_all = 0;
        std::int32_t unknown_lane = 0;  ///< For each lane not named below.
        std::vector<std::string> lanes{};
        std::vector<std::int32_t> may{};
    };
    [[nodiscard]] Room room(Kind kind, Time now) const;

    [[nodiscard]] std::int32_t in_flight() const noexcept { return in_flight_; }
    [[nodiscard]] std::int32_t doubtful_in_flight() const noexcept { return doubtful_in_flight_; }
    [[nodiscard]] std::size_t resting(Time now) const;

private:
    struct Lane {
        std::int32_t in_flight = 0;
        std::int32_t unreachable = 0;  ///< In a row.
        Time rests_until{};
        bool answers_well = false;
        std::int32_t begun_in_doubt = 0;
    };
    void forget_idle(Time now);

    LaneLimits limits_;
    std::map<std::string, Lane> lanes_;
    std::int32_t in_flight_ = 0;
    std::int32_t doubtful_in_flight_ = 0;
};

}  // namespace radd::delivery

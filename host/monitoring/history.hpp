#pragma once

/// The last half hour of every consumer, sampled, for plots.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <host/consumers/overview.hpp>

namespace radd::monitoring {

/// Not synchronised. Lives in memory: a restart of the process begins it anew.
class History {
public:
    static constexpr std::int64_t interval_s = 2;
    static constexpr std::size_t samples_max = 900;  ///< 30 min.
    /// More names than that are not kept; an installation has dozens.
    static constexpr std::size_t consumers_max = 1000;

    /// Appends what was so at `unix_s`; the oldest sample makes room.
    void add(std::int64_t unix_s,
             std::int64_t stream_head,
             const std::vector<consumers::ConsumerStatus>& consumers);
    /// The same for a moment at which nobody could tell.
    void add_unknown(std::int64_t unix_s);

    /// `{"interval_s", "at": […], "stream_head": […], "consumers": {name: {"lag": […],
    /// "last_event_id": […], "state": […]}}}`: all lists as long as `at`, with null for what is not
    /// known. Without tasks. Only samples later than `after`, if given.
    [[nodiscard]] std::string json(std::optional<std::int64_t> after) const;

    [[nodiscard]] std::size_t size() const noexcept { return samples_.size(); }

private:
    struct Point {
        std::int64_t lag = -1;  ///< -1: not known.
        std::int64_t last_event_id = 0;
        std::size_t state = 0;  ///< In states_.
    };
    struct Sample {
        std::int64_t at;
        std::optional<std::int64_t> stream_head{};
        std::vector<Point> points{};  ///< By the place of the name in names_; may be shorter.
    };
    void push(Sample sample);

    std::vector<std::string> names_;
    std::vector<std::string> states_;
    std::deque<Sample> samples_;
};

}  // namespace radd::monitoring

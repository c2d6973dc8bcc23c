#pragma once

/// Whether consumers keep up, judged by the database's clock.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <host/db/session.hpp>
#include <host/outbox/tail.hpp>

namespace radd::consumers {

/// A lagging cursor that has not moved for longer is stalled.
inline constexpr std::int64_t stalled_after_seconds = 120;

/// Every state there is, the worst last.
inline constexpr std::array<std::string_view, 9> consumer_states{"ok",
                                                                 "catching_up",
                                                                 "paused",
                                                                 "retired",
                                                                 "not_loaded",
                                                                 "waiting",
                                                                 "unowned",
                                                                 "stalled",
                                                                 "beyond_head"};

/// One line of the overview.
struct ConsumerStatus {
    static constexpr std::int64_t skipped_counted_max = 10'000;

    std::string name;
    std::string plugin;
    bool task = false;
    std::int64_t last_event_id;
    std::int64_t stream_head;
    std::int64_t lag;          ///< Events between cursor and head.
    bool approximate = false;  ///< Above 10 000 it is the distance of the ids.
    std::int64_t seconds_since_update;
    std::string state;  ///< One of consumer_states.
    std::optional<std::string> owner;
    std::optional<outbox::StreamHolder> waiting_on;
    std::int64_t skipped;  ///< Open records; past skipped_counted_max, there are so many at least.
    std::optional<std::int64_t> oldest_age_s;      ///< Of the first event that is not handled.
    std::optional<std::int64_t> overdue_event_id;  ///< Its handler has outlived its deadline.
    std::optional<std::string> paused_until;       ///< While paused: a UTC instant, or infinity.
    std::optional<std::string> pause_reason;       ///< While paused.
    std::int64_t handled_count;
};

/// What only the caller can know.
struct OverviewContext {
    std::int64_t head = 0;  ///< Tail::position(), or radd.head().
    std::optional<outbox::StreamHolder> waiting_on{};
    /// Names declared by the plugins that are loaded here. Empty optional: nobody knows, and what
    /// the last start has noted decides.
    std::optional<std::vector<std::string>> loaded{};
};

/// One statement. @throws Unavailable, SqlError as Session::query().
[[nodiscard]] std::vector<ConsumerStatus> consumer_overview(db::Session& session,
                                                            const OverviewContext& context);

}  // namespace radd::consumers

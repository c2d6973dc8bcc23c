#pragma once

/// Reading rows of radd.events in order, in chunks that are bounded whatever is in them.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include <host/db/session.hpp>
#include <radd/event.hpp>

namespace radd::outbox {

/// Immutable. Owned by the tail's buffer and by whoever is handling it, whichever is longer.
using SharedEvent = std::shared_ptr<const Event>;

/// What a row must be selected as to become an Event: read_event() takes columns by their place.
inline constexpr std::string_view event_columns =
    "id, event_type, entity_type, entity_id, actor_id, payload, changes, project_id, silent, "
    "automated_cause, traceparent, occurred_at, recorded_at";

/// Takes whatever SQL could insert: a time out of range is clamped, an odd payload stays text.
[[nodiscard]] SharedEvent read_event(const db::RowView& row);

/// What one event takes in memory, about.
[[nodiscard]] std::size_t bytes_of(const Event& event) noexcept;

/// Reads by windows of ids and not by LIMIT: a plan made right after a bulk import, without
/// statistics, would sort the whole backlog for every chunk, and no window is worth sorting.
/// [any-thread]
class EventReader {
public:
    EventReader(std::size_t rows_max, std::size_t bytes_max)
        : rows_max_{rows_max}, bytes_max_{bytes_max} {}

    /// Every row with after < id <= covered that one statement saw, in order.
    struct Chunk {
        std::vector<SharedEvent> events{};
        std::int64_t covered = 0;
    };

    /// As far towards `through` as the limits allow; at least one row if there is any, and at most
    /// one beyond `bytes_max`. @throws as Session::read().
    [[nodiscard]] Chunk read(db::Session& session,
                             std::int64_t after,
                             std::int64_t through,
                             std::size_t rows = std::numeric_limits<std::size_t>::max());

private:
    [[nodiscard]] Chunk read_window(db::Session& session, std::int64_t after, std::int64_t through);
    void adapt(std::size_t window, std::size_t bytes);

    static constexpr std::size_t window_start = 64;

    std::size_t rows_max_;
    std::size_t bytes_max_;
    std::atomic<std::size_t> window_{window_start};  ///< Ids per statement, by what rows weighed.
};

}  // namespace radd::outbox

#pragma once

/// Questions to the outbox that people ask: one event, or some of them by what they are about.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <host/db/session.hpp>
#include <host/outbox/event_reader.hpp>

namespace radd::outbox {

/// Who is behind an event. Each event is of one of them.
enum class EventSource : std::uint8_t {
    people,       ///< A person did it, and no automation in their name.
    automations,  ///< A rule did it, whoever had written the rule.
    system,       ///< The host, a plugin of its own accord, or somebody who is no person here.
};

/// All that is set must hold. What is not final yet is shown as soon as it is visible.
struct EventFilter {
    static constexpr std::int64_t limit_max = 10000;

    std::vector<std::string> types{};      ///< Any of these stored names; empty: all.
    std::vector<std::string> not_types{};  ///< None of these.
    /// Nothing but these, whatever else is asked for: what the reader may see. A look at each row.
    std::optional<std::vector<std::string>> readable_types{};
    std::optional<std::string> entity_type{};
    std::optional<std::string> entity_id{};  ///< Together with entity_type, this uses an index.
    std::optional<std::string> actor_id{};
    std::optional<std::int64_t> project_id{};
    std::optional<EventSource> source{};
    std::optional<std::string> changed{};  ///< A field that stands in its changes.
    /// Stands somewhere in its payload or changes, in upper or lower case, as JSON writes it.
    std::optional<std::string> text{};
    std::optional<bool> silent{};      ///< Only what bulk imports wrote, or only the rest.
    std::optional<Timestamp> since{};  ///< occurred_at at or after.
    std::optional<Timestamp> until{};  ///< occurred_at before.

    std::optional<std::int64_t> after_id{};
    std::optional<std::int64_t> before_id{};
    bool newest_first = true;  ///< Which end of the range `limit` keeps, and the order.
    std::int64_t limit = 50;
    std::size_t bytes_max = std::numeric_limits<std::size_t>::max();  ///< About; one row at least.
    /// Where no index leads to what is asked for, query_page() looks at so many ids at most; its
    /// page may then be short or empty, and `next` goes on.
    std::int64_t scan_ids_max = std::numeric_limits<std::int64_t>::max();
    /// The same for a search by text, which has to read each payload.
    std::int64_t read_ids_max = std::numeric_limits<std::int64_t>::max();
};

inline constexpr std::size_t search_text_bytes_max = 1000;

/// The next page continues with before_id (newest first) or after_id (oldest first) set to the
/// last id of this one.
/// @throws InvalidInput if the limit is not in 1 … limit_max, actor_id is no uuid, or text is empty
///         or longer than search_text_bytes_max; as Session::query().
[[nodiscard]] std::vector<SharedEvent> query_events(db::Session& session,
                                                    const EventFilter& filter);

/// The same, and where the next page begins. One statement, and a cheap second one where
/// scan_ids_max counts. An entity given by type and id, or one type and nothing else, has an index.
struct EventPage {
    std::vector<SharedEvent> events{};
    std::optional<std::int64_t> next{};  ///< before_id (newest first) or after_id of the next page.
};
[[nodiscard]] EventPage query_page(db::Session& session, const EventFilter& filter);

/// What PostgreSQL reads as a time, in UTC where no zone is given. One statement.
/// @throws InvalidInput naming `field` if it is none, or outside the years 1 to 9999 (P20).
[[nodiscard]] Timestamp parse_time(db::Session& session,
                                   const std::string& field,
                                   const std::string& text);

/// Null if there is no such row.
[[nodiscard]] SharedEvent find_event(db::Session& session, std::int64_t id);

/// Where the stream stands, for people and health checks. One look, nothing is written.
struct StreamPosition {
    std::int64_t last_drawn = 0;  ///< Of the id sequence.
    std::int64_t settled = 0;     ///< As last published.
    std::int64_t head = 0;        ///< The last row at or below `settled`.
    std::int64_t ids_left = 0;    ///< Until inserts fail for want of a partition.
};
[[nodiscard]] StreamPosition stream_position(db::Session& session);

}  // namespace radd::outbox

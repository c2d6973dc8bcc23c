#include <algorithm>
#include <array>

#include <host/outbox/event_reader.hpp>

namespace radd::outbox {
namespace {

// Index: primary key. The window is closed on both sides, so any plan reads only it.
constexpr Sql select_window = R"sql(
    SELECT id, event_type, entity_type, entity_id, actor_id, payload, changes, project_id, silent,
           automated_cause, traceparent, occurred_at, recorded_at
      FROM radd.events WHERE id > $1 AND id <= $2 ORDER BY id)sql";

// Index: primary key.
constexpr Sql select_next_id = R"sql(
    SELECT id FROM radd.events WHERE id > $1 AND id <= $2 ORDER BY id LIMIT 1)sql";

}  // namespace

EventReader::Chunk EventReader::read(db::Session& session,
                                     std::int64_t after,
                                     std::int64_t through,
                                     std::size_t rows) {
    if (after >= through) return {.events = {}, .covered = after};
    const auto ids = static_cast<std::int64_t>(std::clamp(window_.load(), std::size_t{1}, rows));
    const auto end = through - after > ids ? after + ids : through;
    Chunk chunk = read_window(session, after, end);
    if (!chunk.events.empty() || end == through) return chunk;

    // A long hole: an import that was rolled back, a sequence that jumped.
    const Rows next = session.query(select_next_id, end, through);
    if (next.empty()) return {.events = {}, .covered = through};
    const auto before_next = next[0].integer("id") - 1;
    const auto new_end = through - before_next > ids ? before_next + ids : through;
    return read_window(session, before_next, new_end);
}

EventReader::Chunk EventReader::read_window(db::Session& session,
                                            std::int64_t after,
                                            std::int64_t through) {
    Chunk chunk{.events = {}, .covered = through};
    std::size_t bytes = 0;
    const std::array<Param, 2> window{after, through};
    const bool whole = session.read(select_window, window, [&](const db::RowView& row) {
        chunk.events.push_back(read_event(row));
        bytes += bytes_of(*chunk.events.back());
        return bytes <= bytes_max_;
    });
    if (!whole) chunk.covered = chunk.events.back()->id;
    adapt(static_cast<std::size_t>(chunk.covered - after), bytes);
    return chunk;
}

/// Doubles while chunks are light and falls at once when one is heavy, so that a stretch of large
/// payloads costs one heavy chunk and not many.
void EventReader::adapt(std::size_t window, std::size_t bytes) {
    const auto current = window_.load();
    if (bytes > bytes_max_) {
        window_ = std::max<std::size_t>(1, window * bytes_max_ / bytes / 2);
    } else if (window >= current && bytes < bytes_max_ / 4) {
        window_ = std::min(rows_max_, current * 2);
    }
}

}  // namespace radd::outbox

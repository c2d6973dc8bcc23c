#include <limits>

#include <host/outbox/event_queries.hpp>
#include <host/outbox/event_text.hpp>
#include <host/outbox/stored_events.hpp>

namespace radd::outbox {
namespace {

constexpr Sql select_oldest = "SELECT coalesce(min(id), 0) AS oldest FROM radd.events";

}  // namespace

std::vector<Event> StoredEvents::read(std::int64_t after, std::int64_t through, std::int64_t rows) {
    if (rows < 1 || rows > read_rows_max)
        throw InvalidInput{"rows", "is not in 1 to " + std::to_string(read_rows_max)};
    EventFilter filter{
        .after_id = after, .newest_first = false, .limit = rows, .bytes_max = read_bytes_max};
    if (through < std::numeric_limits<std::int64_t>::max()) filter.before_id = through + 1;
    auto session = pool_.lease("event log");
    std::vector<Event> events;
    for (const auto& event : query_events(*session, filter)) events.push_back(*event);
    return events;
}

std::int64_t StoredEvents::oldest() {
    auto session = pool_.lease("event log");
    return session->query(select_oldest)[0].integer("oldest");
}

bool StoredEvents::may_read(Role reader, std::string_view event_type) const {
    return catalog_.may_read(reader, event_type);
}

std::string StoredEvents::json_line(const Event& event) const {
    return outbox::json_line(event);
}

}  // namespace radd::outbox

// A row of radd.events as an event.

#include <host/outbox/event_reader.hpp>
#include <host/outbox/event_time.hpp>

namespace radd::outbox {
namespace {

enum Column : int {  // In the order of event_columns.
    id,
    event_type,
    entity_type,
    entity_id,
    actor_id,
    payload,
    changes,
    project_id,
    silent,
    automated_cause,
    traceparent,
    occurred_at,
    recorded_at
};

void read_text(const db::RowView& row, Column column, std::optional<std::string>& text) {
    if (!row.is_null(column)) text.emplace(row.text(column));
}

}  // namespace

SharedEvent read_event(const db::RowView& row) {
    auto event = std::make_shared<Event>();
    event->id = row.integer(id);
    event->type = row.text(event_type);
    event->entity_type = row.text(entity_type);
    event->entity_id = row.text(entity_id);
    if (!row.is_null(actor_id)) event->actor_id = row.uuid(actor_id);
    event->payload_text = row.json(payload);
    if (!row.is_null(changes)) event->changes_text.emplace(row.json(changes));
    if (!row.is_null(project_id)) event->project_id = row.integer(project_id);
    event->silent = row.boolean(silent);
    read_text(row, automated_cause, event->automated_cause);
    read_text(row, traceparent, event->traceparent);
    event->occurred_at = from_postgres_time(row.time(occurred_at));
    event->recorded_at = from_postgres_time(row.time(recorded_at));
    return event;
}

std::size_t bytes_of(const Event& event) noexcept {
    return sizeof(Event) + event.type.size() + event.entity_type.size() + event.entity_id.size() +
           event.payload_text.size() + (event.changes_text ? event.changes_text->size() : 0);
}

}  // namespace radd::outbox

#include "planner.hpp"

#include "message.hpp"
#include "sql.hpp"
#include <chat/events.hpp>
#include <items/events.hpp>

namespace chat {

Planner::Planner(radd::Services& host) : rooms_{host}, public_url_{host.public_url()} {}

void Planner::offer(radd::Transaction& tx, const radd::Event& event) {
    if (!event.silent) plan(tx, event);
    if (event.is(items::ProjectEvent::deleted)) rooms_.forget_project(tx, event.entity_id);
}

void Planner::plan(radd::Transaction& tx, const radd::Event& event) {
    if (event.about(ChatEntity::room)) return;  // One that fails would be told of it, if it could.
    const auto rooms = tx.query(sql::matching_rooms, event.type, event.project_id);
    if (rooms.empty()) return;
    const auto line = line_of(event, public_url_);
    for (const auto room : rooms) {
        const auto id = room.integer("id");
        rooms_.say(tx, id, line, event.id, std::to_string(event.id) + "/" + room.text("id"));
    }
}

}  // namespace chat

#pragma once

/// Events to offer a consumer, and a readable look at what a plugin emitted.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <radd/event.hpp>

namespace radd::testing {

/// Reads as a sentence, and is an Event:
///
///     an_event(ItemEvent::updated).about(ItemEntity::item, 42).changed("title", "a", "b")
///
/// What is not said is as in a row somebody inserted without thinking of it: no actor, an empty
/// payload, no list of changes, not silent, both times at the epoch.
class an_event {  // NOLINT(readability-identifier-naming): it is read as a phrase.
public:
    explicit an_event(EventType type) { event_.type = type.name(); }

    /// For a row whose type no enumerator names: of a plugin that is gone, or of a typing error.
    [[nodiscard]] static an_event of_unknown_type(std::string stored_name) {
        an_event event;
        event.event_.type = std::move(stored_name);
        return event;
    }

    an_event& with_id(std::int64_t id) { return event_.id = id, *this; }
    an_event& about(EntityType entity, const EntityId& id) {
        event_.entity_type = entity.name();
        event_.entity_id = id.text();
        return *this;
    }
    an_event& by(std::string actor_id) { return event_.actor_id = std::move(actor_id), *this; }
    an_event& in_project(std::int64_t id) { return event_.project_id = id, *this; }
    an_event& with_payload(const JsonText& payload) {
        return event_.payload_text = payload.text(), *this;
    }
    /// Appends a `{field, from, to}` entry.
    an_event& changed(const std::string& field, const json& from, const json& to) {
        changes_.push_back({{"field", field}, {"from", from}, {"to", to}});
        return event_.changes_text = changes_.dump(), *this;
    }
    /// The whole list as stored, however odd.
    an_event& with_changes(const JsonText& changes) {
        return event_.changes_text = changes.text(), *this;
    }
    an_event& silent() { return event_.silent = true, *this; }
    an_event& caused_by(std::string cause) {
        return event_.automated_cause = std::move(cause), *this;
    }
    an_event& occurred(Timestamp at) { return event_.occurred_at = at, *this; }
    an_event& recorded(Timestamp at) { return event_.recorded_at = at, *this; }

    operator Event() const { return event_; }

private:
    an_event() { event_.id = 1; }

    Event event_;
    json changes_ = json::array();
};

/// `event` as consumers would read it back under `id`. Refs are the host's work and are missing:
/// the payload holds the plugin's own data only.
[[nodiscard]] inline Event stored(const NewEvent& event, std::int64_t id) {
    Event row;
    row.id = id;
    row.type = event.type.name();
    row.entity_type = event.entity.name();
    row.entity_id = event.entity_id.text();
    row.actor_id = event.actor_id;
    row.payload_text = event.payload.text();
    row.silent = event.silent.value_or(false);
    row.automated_cause = event.automated_cause;
    row.project_id = event.project_id;
    row.traceparent = event.traceparent;
    row.occurred_at = event.occurred_at.value_or(Timestamp{});
    if (!event.changes) return row;

    json list = json::array();
    for (const Change& change : *event.changes) {
        json entry{{"field", change.field}};
        const auto add = [&entry](const char* key, const std::optional<JsonText>& value) {
            if (value) entry[key] = json::parse(value->text());
        };
        add("from", change.from);
        add("to", change.to);
        add("added", change.added);
        add("removed", change.removed);
        list.push_back(std::move(entry));
    }
    row.changes_text = list.dump();
    return row;
}

}  // namespace radd::testing

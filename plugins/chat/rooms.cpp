#include "rooms.hpp"

#include <algorithm>

#include "sql.hpp"
#include <chat/events.hpp>
#include <radd/http_client.hpp>
#include <radd/percent.hpp>
#include <radd/secrets.hpp>

namespace chat {
namespace {

template <typename T>
std::vector<T> list_of(const std::string& array) {
    return radd::json::parse(array).get<std::vector<T>>();
}

std::string id_array(const std::vector<std::int64_t>& ids) {
    std::string array = "{";
    for (const auto id : ids) array += (array.size() > 1 ? "," : "") + std::to_string(id);
    return array + "}";
}

Room room_of(const radd::Row& row) {
    return {.id = row.integer("id"),
            .draft = {.name = row.text("name"),
                      .event_types = list_of<std::string>(row.text("event_types")),
                      .project_ids = list_of<std::int64_t>(row.text("project_ids")),
                      .enabled = row.boolean("enabled")},
            .url_host = row.text("url_host"),
            .waiting = row.integer("waiting"),
            .disabled_reason = row.optional_text("disabled_reason"),
            .disabled_at = row.optional_text("disabled_at"),
            .created_at = row.text("created_at")};
}

void check_types(const std::vector<std::string>& filter) {
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    };
    for (const std::string& entry : filter) {
        std::string_view word = entry;
        if (word.ends_with(".*")) word.remove_suffix(2);
        const bool dots = word.starts_with('.') || word.ends_with('.') ||
                          word.find("..") != std::string_view::npos;
        if (word.empty() || dots || word.size() > radd::name_bytes_max ||
            !std::ranges::all_of(word, allowed))
            throw radd::InvalidInput{"event_types",
                                     "holds what is no name; write item.updated, or item.* for "
                                     "all that begin so"};
    }
}

/// What may be shown of a URL that vet_url() has taken.
std::string host_in(std::string_view url) {
    const auto begin = url.find("//") + 2;
    return std::string{url.substr(begin, url.find_first_of("/?#", begin) - begin)};
}

void tell(radd::Transaction& tx,
          radd::EventType type,
          std::int64_t id,
          const std::optional<std::string>& actor,
          radd::json payload = radd::json::object()) {
    tx.emit({.type = type,
             .entity = ChatEntity::room,
             .entity_id = id,
             .actor_id = actor,
             .payload = std::move(payload)});
}

}  // namespace

radd::json to_json(const Room& room) {
    const auto or_null = [](const std::optional<std::string>& text) {
        return text ? radd::json(*text) : radd::json();
    };
    return {{"id", room.id},
            {"name", room.draft.name},
            {"url_host", room.url_host},
            {"event_types", room.draft.event_types},
            {"project_ids", room.draft.project_ids},
            {"enabled", room.draft.enabled},
            {"waiting", room.waiting},
            {"disabled_reason", or_null(room.disabled_reason)},
            {"disabled_at", or_null(room.disabled_at)},
            {"created_at", room.created_at}};
}

std::vector<Room> Rooms::list(radd::Transaction& tx) const {
    std::vector<Room> all;
    for (const auto row : tx.query(sql::list_rooms, nullptr)) all.push_back(room_of(row));
    return all;
}

std::optional<Room> Rooms::find_to_change(radd::Transaction& tx, std::int64_t id) const {
    if (!tx.query_one(sql::lock_room, id)) return std::nullopt;
    return find(tx, id);
}

std::optional<Room> Rooms::find(radd::Transaction& tx, std::int64_t id) const {
    const auto row = tx.query_one(sql::list_rooms, id);
    if (!row) return std::nullopt;
    return room_of(*row);
}

std::optional<std::string> Rooms::url(radd::Transaction& tx, std::int64_t id) const {
    const auto row = tx.query_one(sql::room_url, id);
    if (!row) return std::nullopt;
    return host_.secrets().open(purpose(id), row->text("url"));
}

void Rooms::check(const RoomDraft& draft) const {
    const bool named = draft.name.find_first_not_of(' ') != std::string::npos;
    if (!named || draft.name.size() > name_bytes_max || radd::first_invalid_utf8(draft.name) ||
        draft.name.find('\0') != std::string::npos)
        throw radd::InvalidInput{
            "name",
            "must be text of 1 to " + std::to_string(name_bytes_max) + " bytes, and no NUL in it"};
    const auto few = [](const char* field, std::size_t entries) {
        if (entries > filters_max)
            throw radd::InvalidInput{field,
                                     "has more than " + std::to_string(filters_max) + " entries"};
    };
    few("event_types", draft.event_types.size());
    few("project_ids", draft.project_ids.size());
    check_types(draft.event_types);
}

void Rooms::seal(radd::Transaction& tx, std::int64_t id, const std::string& url) {
    host_.http_client().vet_url(url);
    tx.execute(sql::set_url, id, host_.secrets().seal(purpose(id), url), host_in(url));
}

std::int64_t Rooms::create(radd::Transaction& tx,
                           const RoomDraft& draft,
                           const std::string& url,
                           const std::optional<std::string>& actor) {
    check(draft);
    if (list(tx).size() >= rooms_max)
        throw radd::InvalidInput{
            "name", "there are " + std::to_string(rooms_max) + " rooms already; remove one"};
    const auto id = tx.query_one(sql::insert_room,
                                 draft.name,
                                 radd::text_array(draft.event_types),
                                 id_array(draft.project_ids))
                        ->integer("id");
    seal(tx, id, url);
    tell(tx, ChatEvent::room_created, id, actor);
    return id;
}

bool Rooms::update(radd::Transaction& tx,
                   std::int64_t id,
                   const RoomDraft& draft,
                   const std::optional<std::string>& url,
                   const std::optional<std::string>& actor) {
    const auto before = tx.query_one(sql::lock_room, id);
    if (!before) return false;
    check(draft);
    tx.execute(sql::update_room,
               id,
               draft.name,
               radd::text_array(draft.event_types),
               id_array(draft.project_ids),
               draft.enabled);
    if (url) seal(tx, id, *url);
    const bool returns = draft.enabled && !before->boolean("enabled");
    if (!draft.enabled || returns) {
        const auto dropped = drop_waiting(tx, id, "room switched off");
        // The rest goes by Retention.
        if (returns) radd::require_lane_empty(std::max(dropped.deliveries, dropped.lines));
    }
    tell(tx, ChatEvent::room_updated, id, actor);
    return true;
}

bool Rooms::remove(radd::Transaction& tx,
                   std::int64_t id,
                   const std::optional<std::string>& actor) {
    if (!tx.query_one(sql::lock_room, id)) return false;
    host_.deliveries(queue_name).cancel_lane(tx, std::to_string(id), "room deleted");
    // Before the row goes: its event describes it.
    tell(tx, ChatEvent::room_deleted, id, actor);
    tx.execute(sql::delete_room, id);
    return true;
}

Rooms::Dropped Rooms::drop_waiting(radd::Transaction& tx,
                                   std::int64_t id,
                                   const std::string& reason) {
    const auto deliveries =
        host_.deliveries(queue_name).cancel_lane(tx, std::to_string(id), reason);
    return {.deliveries = deliveries,
            .lines = tx.execute(sql::drop_lines_of_room, id, lines_dropped_max)};
}

void Rooms::disable(radd::Transaction& tx, std::int64_t id, const std::string& reason) {
    if (tx.execute(sql::disable_room, id, reason) == 0) return;
    const auto cancelled = drop_waiting(tx, id, "room disabled: " + reason).deliveries;
    tell(tx,
         ChatEvent::room_disabled,
         id,
         std::string{radd::system_actor},
         {{"reason", reason}, {"cancelled", cancelled}});
    host_.log().warn("room " + std::to_string(id) + ": disabled: " + reason + "; " +
                     std::to_string(cancelled) +
                     " messages cancelled; `radd chat enable` switches it on again");
}

void Rooms::forget_project(radd::Transaction& tx, std::string_view project_id) {
    for (const auto row : tx.query(sql::lock_rooms_of_project, project_id)) {
        const auto id = row.integer("id");
        if (row.boolean("is_only")) {
            disable(tx, id, "project " + std::string{project_id} + ", its only one, is deleted");
            continue;
        }
        tx.execute(sql::forget_project, id, project_id);
        tell(tx, ChatEvent::room_updated, id, std::string{radd::system_actor});
    }
}

void Rooms::say(radd::Transaction& tx,
                std::int64_t id,
                const std::string& line,
                std::optional<std::int64_t> event_id,
                std::optional<std::string> key) {
    const auto line_id = tx.query_one(sql::insert_line, id, line)->integer("id");
    const auto queued = host_.deliveries(queue_name)
                            .enqueue(tx,
                                     {.lane = std::to_string(id),
                                      .payload = radd::json{{"line_id", line_id}, {"text", line}},
                                      .event_id = event_id,
                                      .key = std::move(key)});
    // It was said before: by a consumer that was set back.
    if (queued == 0) tx.execute(sql::drop_line, line_id);
}

}  // namespace chat

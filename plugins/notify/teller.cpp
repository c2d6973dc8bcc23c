#include "teller.hpp"

#include <set>
#include <utility>

#include "item_ids.hpp"
#include "watch_sql.hpp"
#include <items/events.hpp>

namespace notify {
namespace {

using items::CommentEvent;
using items::ItemEntity;
using items::ItemEvent;

/// `member` of an object, if it is an object and has one.
const radd::json* member(const radd::json* object, const char* name) {
    if (object == nullptr || !object->is_object()) return nullptr;
    const auto found = object->find(name);
    return found == object->end() ? nullptr : &*found;
}

std::optional<PersonId> person_in(const radd::json* person) {
    const auto* id = member(person, "id");
    if (id == nullptr || !id->is_string()) return std::nullopt;
    auto text = id->get<std::string>();
    return is_person_id(text) ? std::optional{std::move(text)} : std::nullopt;
}

/// As the item was when the event was emitted.
std::optional<PersonId> person_of_item(const radd::Event& event, const char* role) {
    return person_in(member(member(&event.payload(), "item"), role));
}

/// Who it is assigned to by this event.
std::optional<PersonId> newly_assigned(const radd::Event& event) {
    if (event.is(ItemEvent::created)) return person_of_item(event, "assignee");
    if (event.is(ItemEvent::updated)) return person_in(member(event.change_of("assignee"), "to"));
    return std::nullopt;
}

/// The names of changed fields, without who watches: that is told by nobody being told.
std::vector<std::string> changed_fields(const radd::Event& event) {
    std::vector<std::string> fields;
    for (const auto& change : event.changes()) {
        const auto* field = member(&change, "field");
        if (field == nullptr || !field->is_string() || *field == "watchers") continue;
        fields.push_back(field->get<std::string>());
    }
    return fields;
}

/// What it is to those who watch; empty if it is nothing.
std::string_view kind_of(const radd::Event& event) {
    if (event.is(ItemEvent::created)) return kind::created;
    if (event.is(CommentEvent::created)) return kind::commented;
    if (!event.is(ItemEvent::updated)) return {};
    if (event.change_of("state") != nullptr) return kind::moved;
    return changed_fields(event).empty() ? std::string_view{} : kind::changed;
}

radd::json detail_of(const radd::Event& event) {
    auto detail = radd::json::object();
    if (!event.is(ItemEvent::updated)) return detail;
    detail["fields"] = changed_fields(event);
    for (const char* side : {"from", "to"}) {
        const auto* name = member(member(event.change_of("state"), side), "name");
        if (name != nullptr && name->is_string()) detail[side] = *name;
    }
    return detail;
}

std::optional<std::string_view> reason_of(radd::Audience audience) {
    if (audience == radd::Audience::assignee) return "assignee";
    if (audience == radd::Audience::reporter) return "reporter";
    return std::nullopt;
}

std::optional<std::int64_t> comment_of(const radd::Event& event) {
    return event.about(ItemEntity::comment) ? id_in(event.entity_id) : std::nullopt;
}

/// What somebody has written in this event, as it is now.
std::string text_of(radd::Transaction& tx, const radd::Event& event, ItemId item) {
    if (event.is(CommentEvent::created) || event.is(CommentEvent::updated)) {
        const auto row = tx.query_one(sql::select_comment_body, comment_of(event));
        return row ? row->text("body") : std::string{};
    }
    if (!event.is(ItemEvent::created) && event.change_of("description") == nullptr) return {};
    const auto row = tx.query_one(sql::select_description, item);
    return row ? row->text("description") : std::string{};
}

}  // namespace

std::optional<ItemId> item_of(const radd::Event& event) {
    if (event.about(ItemEntity::item)) return id_in(event.entity_id);
    const auto* id = member(member(&event.payload(), "item"), "id");
    if (id == nullptr || !id->is_number_integer()) return std::nullopt;
    return id->get<ItemId>();
}

Teller::Teller(radd::Services& host) : kinds_{host}, notices_{host} {}

void Teller::bootstrap(radd::Transaction& tx, const radd::Event& event) {
    if (const auto item = item_of(event)) (void)watch(tx, event, *item);
}

void Teller::project(radd::Transaction& tx, const radd::Event& event) {
    const auto item = item_of(event);
    if (!item) return;
    const auto named = watch(tx, event, *item);
    if (event.is(ItemEvent::deleted)) return Notices::forget_item(tx, *item);
    notices_.tell(tx,
                  {.event_id = event.id,
                   .item = *item,
                   .comment = comment_of(event),
                   .actor = event.actor_id,
                   .automated = event.automated_cause,
                   .detail = detail_of(event)},
                  recipients(tx, event, *item, named));
}

std::vector<PersonId> Teller::watch(radd::Transaction& tx, const radd::Event& event, ItemId item) {
    if (event.is(ItemEvent::deleted)) {
        forget_item(tx, item);
        return {};
    }
    refresh_watches(tx, item, event.id);
    const auto named = find_named(tx, text_of(tx, event, item));
    const auto first = add_mentions(tx, item, named);
    // Who edits a text would otherwise tell everybody in it again.
    return event.is(CommentEvent::created) ? named : first;
}

std::vector<Recipient> Teller::recipients(radd::Transaction& tx,
                                          const radd::Event& event,
                                          ItemId item,
                                          const std::vector<PersonId>& named) const {
    std::vector<Recipient> found;
    std::set<PersonId> known;
    const auto add = [&](const PersonId& person,
                         std::string_view kind,
                         radd::NotificationDefaults defaults,
                         bool can_mute) {
        if (!known.insert(person).second) return;
        found.push_back({.person = person,
                         .kind = std::string{kind},
                         .defaults = defaults,
                         .can_mute = can_mute});
    };
    // What is meant for somebody comes first: of one event a person is told once.
    for (const auto& person : named)
        add(person, kind::mentioned, kinds_.find(kind::mentioned)->defaults, false);
    if (const auto person = newly_assigned(event))
        add(*person, kind::assigned, kinds_.find(kind::assigned)->defaults, false);
    for (const auto* spec : kinds_.of_event(event.type)) {
        for (const auto& person : watchers_of(tx, item, reason_of(spec->audience)))
            add(person, spec->name, spec->defaults, true);
    }
    const auto kind = kind_of(event);
    if (kind.empty()) return found;
    // Whoever has come to it since has not been told too little of how it began.
    const bool is_new = kind == kind::created;
    if (const auto reporter = person_of_item(event, "reporter"); is_new && reporter)
        add(*reporter, kind, kinds_.find(kind)->defaults, true);
    for (const auto& person :
         watchers_of(tx, item, is_new ? std::optional{"project"} : std::nullopt))
        add(person, kind, kinds_.find(kind)->defaults, true);
    return found;
}

}  // namespace notify

#include "watches.hpp"

#include "mentions.hpp"
#include "watch_sql.hpp"

namespace notify {
namespace {

std::vector<PersonId> people_in(const radd::Rows& rows) {
    std::vector<PersonId> people;
    for (const auto row : rows) people.push_back(row.text("person_id"));
    return people;
}

}  // namespace

void refresh_watches(radd::Transaction& tx, ItemId item, std::int64_t event_id) {
    tx.execute(sql::refresh_watches, item, event_id);
}

std::vector<PersonId> find_named(radd::Transaction& tx, std::string_view text) {
    std::vector<std::string> mentions;
    std::vector<std::string> sizes;
    std::vector<std::string> names;
    const auto found = mentions_in(text);
    for (std::size_t mention = 0; mention < found.size(); ++mention) {
        for (const auto& name : found[mention]) {
            mentions.push_back(std::to_string(mention));
            sizes.push_back(std::to_string(name.size()));
            names.push_back(name);
        }
    }
    if (names.empty()) return {};
    return people_in(tx.query(sql::find_named,
                              radd::text_array(mentions),
                              radd::text_array(sizes),
                              radd::text_array(names)));
}

std::vector<PersonId> add_mentions(radd::Transaction& tx,
                                   ItemId item,
                                   const std::vector<PersonId>& people) {
    if (people.empty()) return {};
    return people_in(tx.query(sql::insert_mentions, item, radd::text_array(people)));
}

std::vector<PersonId> watchers_of(radd::Transaction& tx,
                                  ItemId item,
                                  std::optional<std::string_view> reason) {
    return people_in(tx.query(sql::select_watchers, item, reason));
}

void forget_item(radd::Transaction& tx, ItemId item) {
    tx.execute(sql::delete_watches, item);
    tx.execute(sql::delete_watched_item, item);
    tx.execute(sql::delete_mutes, item);
}

std::vector<std::string> reasons_of(radd::Transaction& tx, ItemId item, const PersonId& person) {
    std::vector<std::string> reasons;
    for (const auto row : tx.query(sql::select_reasons, item, person))
        reasons.push_back(row.text("reason"));
    return reasons;
}

bool is_muted(radd::Transaction& tx, ItemId item, const PersonId& person) {
    return static_cast<bool>(tx.query_one(sql::select_mute, item, person));
}

void set_muted(radd::Transaction& tx, ItemId item, const PersonId& person, bool muted) {
    tx.execute(muted ? sql::insert_mute : sql::delete_mute, item, person);
}

void watch_project(radd::Transaction& tx,
                   std::int64_t project,
                   const PersonId& person,
                   bool watching) {
    tx.execute(watching ? sql::insert_project_watch : sql::delete_project_watch, project, person);
}

std::vector<WatchedProject> watched_projects(radd::Transaction& tx, const PersonId& person) {
    std::vector<WatchedProject> projects;
    for (const auto row : tx.query(sql::list_project_watches, person, project_watches_shown_max))
        projects.push_back(
            {.id = row.integer("id"), .key = row.text("key"), .name = row.text("name")});
    return projects;
}

}  // namespace notify

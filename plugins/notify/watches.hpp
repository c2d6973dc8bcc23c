#pragma once

/// The watch graph: whom an item concerns, and why.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <radd/transaction.hpp>

namespace notify {

/// People as the items plugin knows them; whoever has an account is the person of the same uuid.
using PersonId = std::string;
using ItemId = std::int64_t;

inline constexpr std::size_t project_watches_shown_max = 1000;

/// Takes over what the item says of itself: reporter, assignee, who commented, who watches it.
/// Costs next to nothing if that is known as of `event_id` already.
void refresh_watches(radd::Transaction& tx, ItemId item, std::int64_t event_id);

/// The people whom `text` names with an `@`. A name that nobody has, or several, names nobody.
[[nodiscard]] std::vector<PersonId> find_named(radd::Transaction& tx, std::string_view text);

/// Notes that they were named on the item; those for whom that is new.
std::vector<PersonId> add_mentions(radd::Transaction& tx,
                                   ItemId item,
                                   const std::vector<PersonId>& people);

/// Whom the item concerns, for `reason` alone if one is given: "project" is who watches that.
[[nodiscard]] std::vector<PersonId> watchers_of(radd::Transaction& tx,
                                                ItemId item,
                                                std::optional<std::string_view> reason = {});

/// The item is gone.
void forget_item(radd::Transaction& tx, ItemId item);

/// Why the person hears of the item: the reasons above, and "project".
[[nodiscard]] std::vector<std::string> reasons_of(radd::Transaction& tx,
                                                  ItemId item,
                                                  const PersonId& person);
[[nodiscard]] bool is_muted(radd::Transaction& tx, ItemId item, const PersonId& person);
void set_muted(radd::Transaction& tx, ItemId item, const PersonId& person, bool muted);

void watch_project(radd::Transaction& tx,
                   std::int64_t project,
                   const PersonId& person,
                   bool watching);

struct WatchedProject {
    std::int64_t id;
    std::string key;
    std::string name;
};
/// In order of key, at most project_watches_shown_max.
[[nodiscard]] std::vector<WatchedProject> watched_projects(radd::Transaction& tx,
                                                           const PersonId& person);

}  // namespace notify

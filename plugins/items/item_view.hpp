#pragma once

/// Items as commands print them: for people, safe for a terminal, and as JSON for machines.

#include <iosfwd>
#include <string>
#include <vector>

#include <items/service.hpp>
#include <radd/event.hpp>

namespace items {

[[nodiscard]] radd::json item_json(const Item& item);
[[nodiscard]] radd::json comments_json(const std::vector<Comment>& comments);
/// As events carry them: a list of {field, from, to} and its kin.
[[nodiscard]] radd::json changes_json(const std::vector<radd::Change>& changes);

/// One line of a list.
[[nodiscard]] std::string item_line(const Item& item);
/// "state: To Do -> Done"
[[nodiscard]] std::string change_line(const radd::Change& change);
void print_item(std::ostream& out, const Item& item, const std::vector<Comment>& comments);

/// "2024-03-31T00:30:00.000000Z"
[[nodiscard]] std::string time_text(radd::Timestamp at);

}  // namespace items

#pragma once

/// Items as commands print them for people, safe for a terminal.

#include <iosfwd>
#include <string>
#include <vector>

#include <items/service.hpp>
#include <radd/event.hpp>

namespace items {

/// One line of a list.
[[nodiscard]] std::string item_line(const Item& item);
/// "state: To Do -> Done"
[[nodiscard]] std::string change_line(const radd::Change& change);
void print_item(std::ostream& out, const Item& item, const std::vector<Comment>& comments);

}  // namespace items

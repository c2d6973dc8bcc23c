#pragma once

/// Events as text: a JSON line for machines, cells of a table and a full page for people.

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <radd/event.hpp>

namespace radd::outbox {

/// One JSON object on one line. Payload and changes stand in it as they are stored, so numbers are
/// exact; the id is a number with all its digits. Members that are absent are null.
[[nodiscard]] std::string json_line(const Event& event);

inline constexpr std::size_t table_columns = 6;
using TableCells = std::array<std::string, table_columns>;

/// What the cells of table_row() are.
inline constexpr std::array<std::string_view, table_columns> table_headings{
    "id", "occurred", "type", "entity", "actor", "marks"};

/// One line of a list. Control characters are escaped.
[[nodiscard]] TableCells table_row(const Event& event);

/// Everything about one event, a line per field, JSON indented.
[[nodiscard]] std::string event_page(const Event& event);

}  // namespace radd::outbox

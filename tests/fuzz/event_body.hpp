#pragma once

/// Any bytes as a row of radd.events, whoever has inserted it: there is an event that says what the
/// columns say, or a refusal that names the column.
///
/// The input is the columns of event_columns with U+001F between them. `\N` is NULL, `#` and digits
/// an integer or a time as PostgreSQL sends them, `{` or `[` the beginning of a jsonb; all else is
/// sent as it stands.

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <host/config/utf8.hpp>
#include <host/outbox/event_reader.hpp>
#include <host/outbox/event_text.hpp>
#include <host/outbox/event_time.hpp>
#include <libpq-fe.h>
#include <radd/error.hpp>
#include <tests/fuzz/invariant.hpp>

namespace fuzz {

inline constexpr std::array<const char*, 13> event_column_names{"id",
                                                                "event_type",
                                                                "entity_type",
                                                                "entity_id",
                                                                "actor_id",
                                                                "payload",
                                                                "changes",
                                                                "project_id",
                                                                "silent",
                                                                "automated_cause",
                                                                "traceparent",
                                                                "occurred_at",
                                                                "recorded_at"};
enum EventColumn : std::size_t {
    column_id,
    column_type,
    column_entity_type,
    column_entity_id,
    column_actor,
    column_payload,
    column_changes,
    column_project,
    column_silent,
    column_cause,
    column_trace,
    column_occurred,
    column_recorded
};

/// Columns as PostgreSQL sends them; empty: NULL.
using EventCells = std::array<std::optional<std::string>, event_column_names.size()>;

inline std::string sent_integer(std::int64_t value) {
    std::string bytes;
    for (int shift = 56; shift >= 0; shift -= 8)
        bytes += static_cast<char>(static_cast<std::uint64_t>(value) >> shift & 0xFFU);
    return bytes;
}

inline EventCells cells_from(std::string_view text) {
    EventCells cells;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const bool is_last = i + 1 == cells.size();
        const auto end = is_last ? text.size() : std::min(text.find('\x1F'), text.size());
        const auto field = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (field == "\\N") continue;
        std::int64_t number = 0;
        const auto* const last = field.data() + field.size();
        const bool is_number = field.size() > 1 && field.front() == '#' &&
                               std::from_chars(field.data() + 1, last, number).ptr == last;
        const bool is_json = field.starts_with('{') || field.starts_with('[');
        cells.at(i) = is_number ? sent_integer(number) : (is_json ? "\1" : "") + std::string{field};
    }
    return cells;
}

using EventResult = std::unique_ptr<PGresult, decltype(&PQclear)>;

inline EventResult result_of(const EventCells& cells) {
    EventResult result{PQmakeEmptyPGresult(nullptr, PGRES_SINGLE_TUPLE), &PQclear};
    std::vector<PGresAttDesc> columns;
    for (const char* name : event_column_names) {
        PGresAttDesc column{};
        column.name = const_cast<char*>(name);  // It is copied.
        column.format = 1;
        columns.push_back(column);
    }
    require(PQsetResultAttrs(result.get(), static_cast<int>(columns.size()), columns.data()) == 1,
            "a result has columns");
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const auto& cell = cells.at(i);
        require(PQsetvalue(result.get(),
                           0,
                           static_cast<int>(i),
                           cell ? const_cast<char*>(cell->data()) : nullptr,
                           cell ? static_cast<int>(cell->size()) : -1) == 1,
                "a result has a row");
    }
    return result;
}

/// Whether a row of the table could have it.
inline bool is_lawful(const EventCells& cells, std::size_t column) {
    const auto& cell = cells.at(column);
    switch (column) {
        case column_actor:
            return !cell || cell->size() == 16;
        case column_changes:
            return !cell || cell->starts_with('\1');
        case column_project:
            return !cell || cell->size() == 8;
        case column_cause:
        case column_trace:
            return true;
        case column_payload:
            return cell && cell->starts_with('\1');
        case column_silent:
            return cell && cell->size() == 1;
        case column_id:
        case column_occurred:
        case column_recorded:
            return cell && cell->size() == 8;
        default:
            return cell.has_value();
    }
}

/// Empty: it was refused, for the column that `refused` is then.
inline radd::outbox::SharedEvent event_of(const EventCells& cells, std::string& refused) {
    const auto result = result_of(cells);
    try {
        return radd::outbox::read_event(radd::db::RowView{result.get()});
    } catch (const radd::SchemaError& error) {
        const std::string message = error.what();
        const auto end = message.find("' ");
        require(message.starts_with("column '") && end != std::string::npos,
                "a refusal names the column");
        refused = message.substr(8, end - 8);
        return nullptr;
    }
}

inline std::int64_t received_integer(const std::string& bytes) {
    std::uint64_t value = 0;
    for (const char byte : bytes) value = value << 8U | static_cast<unsigned char>(byte);
    return static_cast<std::int64_t>(value);
}

inline void check_time(radd::Timestamp time, const std::string& sent) {
    require(time >= radd::outbox::earliest_time() && time <= radd::outbox::latest_time(),
            "a time is in the years 1 to 9999");
    constexpr std::int64_t from_1970_to_2000 = 946'684'800'000'000;
    const auto since_2000 = time.time_since_epoch().count() - from_1970_to_2000;
    const auto wanted = received_integer(sent);
    const bool is_clamped = wanted > since_2000 ? time == radd::outbox::latest_time()
                                                : time == radd::outbox::earliest_time();
    require(since_2000 == wanted || is_clamped, "a time is kept or clamped");
}

inline void check_fields(const radd::Event& event, const EventCells& cells) {
    require(event.id == received_integer(*cells[column_id]), "the id is kept");
    require(event.type == *cells[column_type] && event.entity_type == *cells[column_entity_type] &&
                event.entity_id == *cells[column_entity_id],
            "names are kept");
    require(event.payload_text == cells[column_payload]->substr(1), "the payload is kept");
    require(event.changes_text.has_value() == cells[column_changes].has_value() &&
                (!event.changes_text || *event.changes_text == cells[column_changes]->substr(1)),
            "changes are kept");
    require(
        event.project_id.has_value() == cells[column_project].has_value() &&
            (!event.project_id || *event.project_id == received_integer(*cells[column_project])),
        "the project is kept");
    require(
        event.automated_cause == cells[column_cause] && event.traceparent == cells[column_trace],
        "cause and trace are kept");
    require(event.actor_id.has_value() == cells[column_actor].has_value() &&
                (!event.actor_id || event.actor_id->size() == 36),
            "an actor is a uuid");
    require(event.silent == (cells[column_silent]->front() != 0), "silence is kept");
    check_time(event.occurred_at, *cells[column_occurred]);
    check_time(event.recorded_at, *cells[column_recorded]);
}

/// Whatever the JSON is: consumers ask for objects and lists.
inline void check_parsed(const radd::Event& event) {
    const auto payload = radd::json::parse(event.payload_text, nullptr, false);
    require(event.payload() == (payload.is_object() ? payload : radd::json::object()),
            "a payload is the object that is stored, or an empty one");
    require(event.changes().is_array(), "changes are a list");
    for (const char* field : {"", "f"}) {
        const auto* const change = event.change_of(field);
        require(change == nullptr || change->at("field") == field, "a change is of its field");
    }
}

/// PostgreSQL keeps texts in UTF-8 without NUL, which the parser takes for an end, and JSON that is
/// some: of such a row the line is one.
inline void check_line(const radd::Event& event) {
    const auto line = radd::outbox::json_line(event);
    const bool is_stored = line.find('\0') == std::string::npos &&
                           radd::json::accept(event.payload_text) &&
                           radd::json::accept(event.changes_text.value_or("null")) &&
                           !radd::config::first_invalid_utf8(line);
    if (!is_stored) return;
    const auto read = radd::json::parse(line);
    require(read.at("id") == event.id && read.at("event_type") == event.type &&
                read.at("entity_id") == event.entity_id &&
                read.at("automated_cause") ==
                    (event.automated_cause ? radd::json(*event.automated_cause) : radd::json()) &&
                read.at("payload") == radd::json::parse(event.payload_text) &&
                read.at("changes") == radd::json::parse(event.changes_text.value_or("null")),
            "an event as a line says what the row says");
    for (const auto& cell : radd::outbox::table_row(event))
        require(!radd::config::first_control_character(cell) &&
                    cell.find_first_of("\r\n\t") == std::string::npos,
                "a cell is shown in one line");
}

inline void check_event(std::string_view text) {
    const auto cells = cells_from(text);
    std::string refused;
    const auto event = event_of(cells, refused);
    bool is_row = true;
    bool is_at_fault = false;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (is_lawful(cells, i)) continue;
        is_row = false;
        is_at_fault = is_at_fault || refused == event_column_names.at(i);
    }
    require((event != nullptr) == is_row, "what a table can hold is an event, and nothing else");
    require(event != nullptr || is_at_fault, "the column that is named is at fault");
    if (event == nullptr) return;
    check_fields(*event, cells);
    check_parsed(*event);
    check_line(*event);
}

}  // namespace fuzz

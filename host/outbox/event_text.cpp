#include <algorithm>
#include <optional>

#include <host/log/logging.hpp>
#include <host/outbox/event_text.hpp>
#include <host/outbox/event_time.hpp>
#include <host/outbox/json_check.hpp>

namespace radd::outbox {
namespace {

constexpr std::size_t cell_bytes_max = 120;

void append_text(std::string& json, std::string_view key, std::string_view text) {
    json.append(",\"").append(key).append("\":");
    append_quoted(json, text);
}

void append_optional(std::string& json,
                     std::string_view key,
                     const std::optional<std::string>& text) {
    if (text) {
        append_text(json, key, *text);
    } else {
        json.append(",\"").append(key).append("\":null");
    }
}

std::string marks(const Event& event) {
    std::string text = event.silent ? "silent" : "";
    if (event.automated_cause)
        text.append(text.empty() ? "" : ", ").append("by ").append(*event.automated_cause);
    return text;
}

std::string cell(std::string_view text) {
    return log::one_line(text, cell_bytes_max);
}

/// Breaks after the commas and braces of the outermost two levels, which is where people look; the
/// text between is left as it is stored.
std::string indented(std::string_view json) {
    constexpr int levels_max = 2;
    std::string text;
    int level = 0;
    bool is_quoted = false;
    const auto break_line = [&] {
        text.append("\n    ").append(static_cast<std::size_t>(level) * 2, ' ');
    };
    for (std::size_t at = 0; at < json.size(); ++at) {
        const char c = json[at];
        // PostgreSQL puts a blank behind each comma; a new line has its own.
        if (!is_quoted && c == ' ' && text.ends_with(' ')) continue;
        if (is_quoted && c == '\\') {
            text += c;
            if (++at < json.size()) text += json[at];
            continue;
        }
        if (c == '"') is_quoted = !is_quoted;
        const bool closes = !is_quoted && (c == '}' || c == ']');
        if (closes && level-- <= levels_max) break_line();
        text += c;
        if (is_quoted) continue;
        const bool opens = c == '{' || c == '[';
        if (opens) ++level;
        if ((opens || c == ',') && level <= levels_max) break_line();
    }
    return text;
}

void append_field(std::string& page, std::string_view name, std::string_view value) {
    constexpr std::size_t width = 12;
    page.append(name).append(width - std::min(width, name.size()), ' ');
    page.append(value).append("\n");
}

}  // namespace

std::string json_line(const Event& event) {
    std::string json = "{\"id\":" + std::to_string(event.id);
    append_text(json, "event_type", event.type);
    append_text(json, "entity_type", event.entity_type);
    append_text(json, "entity_id", event.entity_id);
    append_optional(json, "actor_id", event.actor_id);
    json.append(",\"payload\":").append(event.payload_text);
    json.append(",\"changes\":").append(event.changes_text.value_or("null"));
    json.append(",\"project_id\":")
        .append(event.project_id ? std::to_string(*event.project_id) : "null");
    json.append(",\"silent\":").append(event.silent ? "true" : "false");
    append_optional(json, "automated_cause", event.automated_cause);
    append_optional(json, "traceparent", event.traceparent);
    append_text(json, "occurred_at", time_text(event.occurred_at));
    append_text(json, "recorded_at", time_text(event.recorded_at));
    return json += '}';
}

TableCells table_row(const Event& event) {
    return {std::to_string(event.id),
            time_text(event.occurred_at),
            cell(event.type),
            cell(event.entity_type + " " + event.entity_id),
            cell(event.actor_id.value_or("")),
            cell(marks(event))};
}

std::string event_page(const Event& event) {
    std::string page;
    append_field(page, "id", std::to_string(event.id));
    append_field(page, "type", cell(event.type));
    append_field(page, "entity", cell(event.entity_type + " " + event.entity_id));
    append_field(page, "actor", cell(event.actor_id.value_or("none")));
    if (event.project_id) append_field(page, "project", std::to_string(*event.project_id));
    append_field(page, "occurred", time_text(event.occurred_at));
    append_field(page, "recorded", time_text(event.recorded_at));
    if (const auto text = marks(event); !text.empty()) append_field(page, "marks", cell(text));
    if (event.traceparent) append_field(page, "trace", cell(*event.traceparent));
    if (event.changes_text) append_field(page, "changes", indented(*event.changes_text));
    append_field(page, "payload", indented(event.payload_text));
    return page;
}

}  // namespace radd::outbox

#include <optional>
#include <string>
#include <string_view>

#include <host/outbox/insert_rows.hpp>
#include <host/outbox/json_check.hpp>

namespace radd::outbox {
namespace {

constexpr Sql insert_one = R"sql(
    INSERT INTO radd.events (event_type, entity_type, entity_id, actor_id, payload, changes,
                             project_id, silent, automated_cause, traceparent, occurred_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, coalesce($11, clock_timestamp())))sql";

// One document is a fifth faster than arrays for unnest(), needs no second escaping of the
// payloads, and is one prepared statement for any number of rows. Its numbers stay exact: jsonb
// keeps digits. Keys are short because each row repeats them.
constexpr Sql insert_many = R"sql(
    INSERT INTO radd.events (event_type, entity_type, entity_id, actor_id, payload, changes,
                             project_id, silent, automated_cause, traceparent, occurred_at)
    SELECT t, e, i, a, p, c, j, s, u, r, coalesce(o, clock_timestamp())
      FROM jsonb_to_recordset($1::jsonb)
        AS row(t text, e text, i text, a uuid, p jsonb, c jsonb, j bigint, s boolean, u text,
               r text, o timestamptz))sql";

void append_member(std::string& json,
                   std::string_view key,
                   const std::optional<std::string>& text) {
    if (!text) return;
    json.append(",\"").append(key).append("\":");
    append_quoted(json, *text);
}

void append_row(std::string& json, const EventRow& row) {
    json += "{\"t\":";
    append_quoted(json, row.type);
    append_member(json, "e", row.entity);
    append_member(json, "i", row.entity_id);
    append_member(json, "a", row.actor_id);
    json.append(",\"p\":").append(row.payload);
    if (row.changes) json.append(",\"c\":").append(*row.changes);
    if (row.project_id) json.append(",\"j\":").append(std::to_string(*row.project_id));
    json.append(",\"s\":").append(row.silent ? "true" : "false");
    append_member(json, "u", row.automated_cause);
    append_member(json, "r", row.traceparent);
    append_member(json, "o", row.occurred_at);
    json += '}';
}

void insert_single(db::Session& session, const EventRow& row) {
    session.query(insert_one,
                  row.type,
                  row.entity,
                  row.entity_id,
                  row.actor_id,
                  row.payload,
                  row.changes,
                  row.project_id,
                  row.silent,
                  row.automated_cause,
                  row.traceparent,
                  row.occurred_at);
}

void insert_document(db::Session& session, std::span<const EventRow> rows) {
    std::string json = "[";
    for (const EventRow& row : rows) {
        if (json.size() > 1) json += ',';
        append_row(json, row);
    }
    json += ']';
    session.query(insert_many, json);
}

}  // namespace

std::size_t size_of(const EventRow& row) noexcept {
    constexpr std::size_t frame = 200;  // Keys, the short columns and the marks.
    return frame + row.payload.size() + (row.changes ? row.changes->size() : 0);
}

std::size_t rows_of_one_insert(std::span<const EventRow> rows) noexcept {
    std::size_t count = 0;
    std::size_t bytes = 0;
    while (count < rows.size() && count < insert_rows_max) {
        bytes += size_of(rows[count]);
        if (count > 0 && bytes > insert_bytes_max) break;
        ++count;
    }
    return count;
}

void insert_rows(db::Session& session, std::span<const EventRow> rows) {
    while (!rows.empty()) {
        const auto count = rows_of_one_insert(rows);
        if (count == 1) {
            insert_single(session, rows.front());
        } else {
            insert_document(session, rows.first(count));
        }
        rows = rows.subspan(count);
    }
}

}  // namespace radd::outbox

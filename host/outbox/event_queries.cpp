#include <array>
#include <span>
#include <string_view>

#include <host/outbox/event_queries.hpp>
#include <host/outbox/event_time.hpp>

namespace radd::outbox {
namespace {

// Index: primary key.
constexpr Sql select_one = R"sql(
    SELECT id, event_type, entity_type, entity_id, actor_id, payload, changes, project_id, silent,
           automated_cause, traceparent, occurred_at, recorded_at
      FROM radd.events WHERE id = $1)sql";

constexpr Sql select_position = R"sql(
    SELECT (SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END
              FROM radd.events_id_seq) AS last_drawn,
           s.settled, radd.head() AS head, radd.ids_left() AS ids_left
      FROM radd.stream s)sql";

/// A WHERE clause and what is bound to it. Only conditions that are set are written, so that
/// PostgreSQL plans for these and not for all that there might be.
class Conditions {
public:
    template <typename Value>
    void add(std::string_view condition, const std::optional<Value>& value) {
        if (!value) return;
        params_.emplace_back(*value);
        text_.append(text_.empty() ? " WHERE " : " AND ")
            .append(condition)
            .append("$")
            .append(std::to_string(params_.size()));
    }
    void close_with(std::string_view text) { text_ += text; }

    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] std::span<const Param> params() const { return params_; }

private:
    std::string text_;
    std::vector<Param> params_;
};

void check(const EventFilter& filter) {
    if (filter.limit < 1 || filter.limit > EventFilter::limit_max) {
        throw InvalidInput{"limit",
                           std::to_string(filter.limit) + " is not in 1 to " +
                               std::to_string(EventFilter::limit_max)};
    }
}

}  // namespace

std::vector<SharedEvent> query_events(db::Session& session, const EventFilter& filter) {
    check(filter);
    // Params borrow their text, so what is made here lives until the query has run.
    const auto types =
        filter.types.empty() ? std::nullopt : std::optional{text_array(filter.types)};
    const auto since = filter.since ? std::optional{time_text(*filter.since)} : std::nullopt;
    const auto until = filter.until ? std::optional{time_text(*filter.until)} : std::nullopt;

    Conditions where;
    where.add("entity_type = ", filter.entity_type);
    where.add("entity_id = ", filter.entity_id);
    where.add("id > ", filter.after_id);
    where.add("id < ", filter.before_id);
    where.add("project_id = ", filter.project_id);
    where.add("occurred_at >= ", since);
    where.add("occurred_at < ", until);
    where.add("actor_id = ", filter.actor_id);
    if (types) {
        where.add("event_type = ANY(", types);
        where.close_with("::text[])");
    }
    const std::string sql = "SELECT " + std::string{event_columns} + " FROM radd.events" +
                            where.text() + " ORDER BY id" + (filter.newest_first ? " DESC" : "") +
                            " LIMIT " + std::to_string(filter.limit);
    std::vector<SharedEvent> events;
    try {
        session.read_text(sql, where.params(), false, [&](const db::RowView& row) {
            events.push_back(read_event(row));
            return true;
        });
    } catch (const SqlError& error) {
        constexpr std::string_view invalid_text = "22P02";
        if (filter.actor_id && error.sqlstate() == invalid_text)
            throw InvalidInput{"actor_id", "is no uuid"};
        throw;
    }
    return events;
}

SharedEvent find_event(db::Session& session, std::int64_t id) {
    SharedEvent found;
    const std::array<Param, 1> wanted{id};
    session.read(select_one, wanted, [&](const db::RowView& row) {
        found = read_event(row);
        return true;
    });
    return found;
}

StreamPosition stream_position(db::Session& session) {
    const Rows rows = session.query(select_position);
    const Row row = rows[0];
    return {.last_drawn = row.integer("last_drawn"),
            .settled = row.integer("settled"),
            .head = row.integer("head"),
            .ids_left = row.integer("ids_left")};
}

}  // namespace radd::outbox

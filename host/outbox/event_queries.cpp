#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <host/outbox/event_queries.hpp>
#include <host/outbox/event_time.hpp>

namespace radd::outbox {
namespace {

// Index: primary key.
constexpr Sql select_one = R"sql(
    SELECT id, event_type, entity_type, entity_id, actor_id, payload, changes, project_id, silent,
           automated_cause, traceparent, occurred_at, recorded_at
      FROM radd.events WHERE id = $1)sql";

constexpr Sql select_time = R"sql(
    SELECT (extract(epoch FROM t) * 1000000)::bigint AS microseconds
      FROM (SELECT $1::timestamptz AS t) given
     WHERE isfinite(t) AND t >= '0001-01-01' AND t < '10000-01-01')sql";

constexpr Sql select_last_drawn = R"sql(
    SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS last_drawn
      FROM radd.events_id_seq)sql";

constexpr Sql select_position = R"sql(
    SELECT (SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END
              FROM radd.events_id_seq) AS last_drawn,
           s.settled, radd.head() AS head, radd.ids_left() AS ids_left
      FROM radd.stream s)sql";

/// A WHERE clause and what is bound to it. Only conditions that are set are written, so that
/// PostgreSQL plans for these and not for all that there might be.
class Conditions {
public:
    /// Borrows the filter's texts.
    explicit Conditions(const EventFilter& filter) {
        if (!filter.types.empty()) types_ = text_array(filter.types);
        if (!filter.not_types.empty()) not_types_ = text_array(filter.not_types);
        if (filter.readable_types) readable_types_ = text_array(*filter.readable_types);
        if (filter.since) since_ = time_text(*filter.since);
        if (filter.until) until_ = time_text(*filter.until);
        add("entity_type = ", filter.entity_type);
        add("entity_id = ", filter.entity_id);
        add("id > ", filter.after_id);
        add("id < ", filter.before_id);
        add("project_id = ", filter.project_id);
        add("occurred_at >= ", since_);
        add("occurred_at < ", until_);
        add("actor_id = ", filter.actor_id);
        // Rows of one type come in the order of its index; of several, or of a list, they do not.
        if (filter.types.size() == 1) {
            add("event_type = ", std::optional{std::string_view{filter.types.front()}});
        } else {
            add("event_type = ANY(", types_, "::text[])");
        }
        add("event_type <> ALL(", not_types_, "::text[])");
        // With a collation that no index has: a list of many types would else be read by the index
        // of types and sorted.
        add("event_type COLLATE \"C\" = ANY(", readable_types_, "::text[])");
        add("silent = ", filter.silent);
        add("changes @> jsonb_build_array(jsonb_build_object('field', ",
            filter.changed,
            "::text))");
        add_source(filter.source);
        add_text(filter.text);
    }
    Conditions(const Conditions&) = delete;
    Conditions& operator=(const Conditions&) = delete;

    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] std::span<const Param> params() const { return params_; }

private:
    template <typename Value>
    void add(std::string_view condition,
             const std::optional<Value>& value,
             std::string_view end = {}) {
        if (!value) return;
        params_.emplace_back(*value);
        text_.append(text_.empty() ? " WHERE " : " AND ")
            .append(condition)
            .append("$")
            .append(std::to_string(params_.size()))
            .append(end);
    }

    void add_literal(std::string_view condition) {
        text_.append(text_.empty() ? " WHERE " : " AND ").append(condition);
    }

    void add_source(std::optional<EventSource> source) {
        if (!source) return;
        add_literal(*source == EventSource::automations ? "automated_cause IS NOT NULL"
                                                        : "automated_cause IS NULL");
        const std::optional system{system_actor};
        if (*source == EventSource::people) add("actor_id <> ", system, "::uuid");
        if (*source == EventSource::system) add("coalesce(actor_id = ", system, "::uuid, true)");
    }

    /// What is looked for is written as JSON writes it, without its quotes, or a quotation mark
    /// in it would never be found. What is ASCII finds its like by bytes, in two thirds of the time
    /// that it takes to know the letters of every language.
    void add_text(const std::optional<std::string>& text) {
        if (!text) return;
        const bool is_ascii =
            std::ranges::all_of(*text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
        const std::string by = is_ascii ? "::text COLLATE \"C\")" : "::text)";
        params_.emplace_back(*text);
        const std::string wanted = "lower(substr(left(to_jsonb($" + std::to_string(params_.size()) +
                                   "::text)::text, -1), 2)" + by;
        add_literal("(strpos(lower(payload" + by + ", " + wanted + ") > 0 OR strpos(lower(changes" +
                    by + ", " + wanted + ") > 0)");
    }

    // Params borrow their text, so what is made here lives as long as they do.
    std::optional<std::string> types_;
    std::optional<std::string> not_types_;
    std::optional<std::string> readable_types_;
    std::optional<std::string> since_;
    std::optional<std::string> until_;
    std::string text_;
    std::vector<Param> params_;
};

bool has_index(const EventFilter& filter) {
    if (filter.entity_type && filter.entity_id) return true;
    const bool other = filter.entity_type || filter.entity_id || filter.actor_id ||
                       filter.project_id || filter.since || filter.until || filter.silent ||
                       filter.source || filter.changed || filter.text ||
                       !filter.not_types.empty() || filter.readable_types;
    return !other && filter.types.size() <= 1;
}

std::int64_t ids_max(const EventFilter& filter) {
    return filter.text ? std::min(filter.read_ids_max, filter.scan_ids_max) : filter.scan_ids_max;
}

/// Narrows the range of ids to what may be looked at, and tells where the next page goes on if
/// this one does not fill; empty if nothing lies beyond.
std::optional<std::int64_t> bound_scan(db::Session& session, EventFilter& filter) {
    constexpr auto unbounded = std::numeric_limits<std::int64_t>::max();
    const auto most = ids_max(filter);
    if (most == unbounded || has_index(filter)) return std::nullopt;
    const auto last = session.query(select_last_drawn)[0].integer("last_drawn");
    const std::int64_t low = std::clamp<std::int64_t>(filter.after_id.value_or(0), 0, last);
    const std::int64_t high =
        std::clamp<std::int64_t>(filter.before_id.value_or(last + 1), 0, last + 1);
    if (high - low <= most) return std::nullopt;
    if (filter.newest_first) {
        filter.after_id = high - 1 - most;
        return *filter.after_id + 1;
    }
    filter.before_id = low + 1 + most;
    return *filter.before_id - 1;
}

void check(const EventFilter& filter) {
    if (filter.limit < 1 || filter.limit > EventFilter::limit_max) {
        throw InvalidInput{"limit",
                           std::to_string(filter.limit) + " is not in 1 to " +
                               std::to_string(EventFilter::limit_max)};
    }
    if (filter.text && (filter.text->empty() || filter.text->size() > search_text_bytes_max))
        throw InvalidInput{"text",
                           "is " + std::to_string(filter.text->size()) +
                               " bytes, allowed are 1 to " + std::to_string(search_text_bytes_max)};
}

}  // namespace

EventPage query_page(db::Session& session, const EventFilter& filter) {
    check(filter);
    EventFilter bounded{filter};
    const auto beyond = bound_scan(session, bounded);
    const Conditions where{bounded};
    const std::string sql = "SELECT " + std::string{event_columns} + " FROM radd.events" +
                            where.text() + " ORDER BY id" + (filter.newest_first ? " DESC" : "") +
                            " LIMIT " + std::to_string(filter.limit + 1);
    EventPage page;
    std::size_t bytes = 0;
    bool more = false;
    try {
        session.read_text(sql, where.params(), false, [&](const db::RowView& row) {
            more = static_cast<std::int64_t>(page.events.size()) == filter.limit;
            if (more) return true;  // It is the last: to stop the server would cost more.
            more = bytes >= filter.bytes_max;
            if (more) return false;
            page.events.push_back(read_event(row));
            bytes += bytes_of(*page.events.back());
            return true;
        });
    } catch (const SqlError& error) {
        constexpr std::string_view invalid_text = "22P02";
        if (filter.actor_id && error.sqlstate() == invalid_text)
            throw InvalidInput{"actor_id", "is no uuid"};
        throw;
    }
    page.next = more ? std::optional{page.events.back()->id} : beyond;
    return page;
}

std::vector<SharedEvent> query_events(db::Session& session, const EventFilter& filter) {
    return query_page(session, filter).events;
}

Timestamp parse_time(db::Session& session, const std::string& field, const std::string& text) {
    Rows rows;
    try {
        rows = session.query(select_time, text);
    } catch (const Unavailable&) {
        throw;
    } catch (const SqlError&) {
        throw InvalidInput{field,
                           "'" + text + "' is no time; write 2026-11-30 or 2026-11-30T12:00:00Z"};
    }
    if (rows.empty()) throw InvalidInput{field, "'" + text + "' is not in the years 1 to 9999"};
    return Timestamp{std::chrono::microseconds{rows[0].integer("microseconds")}};
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

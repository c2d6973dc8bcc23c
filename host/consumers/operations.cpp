#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <host/config/suggest.hpp>
#include <host/consumers/cascade.hpp>
#include <host/consumers/cursors.hpp>
#include <host/consumers/operations.hpp>
#include <host/consumers/operator_sql.hpp>
#include <host/consumers/retention_sql.hpp>
#include <host/consumers/scope.hpp>
#include <host/consumers/sql.hpp>
#include <radd/error.hpp>

namespace radd::consumers {

struct ConsumerOperations::Locked {
    std::int64_t cursor;
    bool task;
    bool retired;
    bool resumes_at_head;
    bool bootstraps;
};

ConsumerOperations::Locked ConsumerOperations::lock(const std::string& name) {
    // Who comes later begins where this one stopped, and takes over what it left open.
    if (name == cascades_before)
        throw InvalidInput{"consumer",
                           "'" + name +
                               "' runs no more and stays as it is: each plugin has its "
                               "own, " +
                               cascade_consumer("<plugin>")};
    const Rows rows = session_->query(sql::lock_consumer, name);
    if (rows.empty()) refuse_unknown(name);
    return {.cursor = rows[0].integer("cursor"),
            .task = rows[0].text("kind") == "task",
            .retired = rows[0].text("state") == "retired",
            .resumes_at_head = rows[0].text("resume_policy") == "head",
            .bootstraps = rows[0].boolean("bootstraps")};
}

void ConsumerOperations::refuse_unknown(const std::string& name) {
    std::vector<std::string> names;
    const Rows rows = session_->query(sql::known_names);
    for (const auto row : rows) names.push_back(row.text("name"));
    const auto nearest = config::nearest(name, names);
    const std::string problem = "no consumer is called '" + name + "'" +
                                (nearest ? "; did you mean '" + std::string{*nearest} + "'?"
                                         : std::string{"; `radd consumers list` shows all"});
    throw UnknownConsumer{"consumer", problem};
}

void ConsumerOperations::require_known(const std::string& name) {
    const Rows rows = session_->query(sql::known_names);
    for (const auto row : rows) {
        if (row.text("name") == name) return;
    }
    refuse_unknown(name);
}

void ConsumerOperations::pause(const std::string& name,
                               std::optional<std::chrono::milliseconds> how_long,
                               const std::string& reason) {
    std::optional<std::int64_t> how_long_ms;
    if (how_long) how_long_ms = how_long->count();
    if (session_->query(sql::pause_consumer, name, how_long_ms, reason).empty())
        refuse_unknown(name);
}

std::optional<Seek> ConsumerOperations::resume(const std::string& name, std::int64_t head) {
    Scope scope{*session_};
    const auto begins_after = keep_floor();
    const Locked before = lock(name);
    session_->query(sql::resume_consumer, name);
    std::optional<Seek> moved;
    const bool comes_back = before.retired && !before.task;
    const bool to_head = before.resumes_at_head && !before.bootstraps;
    if (comes_back && before.resumes_at_head && before.bootstraps)
        session_->query(sql::resume_with_backlog, name, head);
    if (comes_back && to_head && before.cursor < head) {
        moved = move(name, before.cursor, head);
    } else if (comes_back && before.cursor < begins_after) {
        moved = move(name, before.cursor, begins_after);
        // What is between is gone, and cannot be counted.
        moved->approximate = true;
        moved->events = begins_after - before.cursor;
    }
    scope.commit();
    return moved;
}

Seek ConsumerOperations::seek(const std::string& name, SeekTarget target, std::int64_t head) {
    Scope scope{*session_};
    const Seek moved = seek_in_scope(name, target, head);
    scope.commit();
    return moved;
}

Seek ConsumerOperations::preview_seek(const std::string& name,
                                      SeekTarget target,
                                      std::int64_t head) {
    const Scope scope{*session_};  // Never committed: what it would do is what it does.
    return seek_in_scope(name, target, head);
}

Seek ConsumerOperations::seek_in_scope(const std::string& name,
                                       SeekTarget target,
                                       std::int64_t head) {
    const auto begins_after = keep_floor();
    const auto* number = std::get_if<std::int64_t>(&target);
    const std::int64_t to = number != nullptr                          ? *number
                            : std::get<SeekTo>(target) == SeekTo::head ? head
                                                                       : begins_after;
    if (to < begins_after || to > head)
        throw InvalidInput{
            "target",
            std::to_string(to) + " is not in the stream, which " +
                (to < 0 || to > head ? "ends at " + std::to_string(head)
                                     : "begins at event " + std::to_string(begins_after + 1) +
                                           ": what was before is gone with its partition") +
                "; give " + std::to_string(begins_after) + " to " + std::to_string(head) +
                ", head or beginning"};
    const Locked before = lock(name);
    if (before.task)
        throw InvalidInput{"consumer", "'" + name + "' is a periodic task and has no cursor"};
    return move(name, before.cursor, to);
}

std::int64_t ConsumerOperations::keep_floor() {
    session_->query(sql::keep_floor);
    return session_->query(sql::stream_begins_after)[0].integer("begins_after");
}

Seek ConsumerOperations::move(const std::string& name, std::int64_t from, std::int64_t to) {
    Seek moved{.from = from, .to = to, .events = 0};
    moved.events =
        session_->query(sql::count_between, std::min(from, to), std::max(from, to))[0].integer(
            "events");
    if (moved.events > ConsumerStore::count_max) {
        moved.approximate = true;
        moved.events = std::abs(to - from);
    }
    session_->query(sql::seek_consumer, name, to);
    session_->query(sql::settle_replayed, name, to);
    return moved;
}

std::int64_t ConsumerOperations::retry(const std::string& name,
                                       std::optional<std::int64_t> event_id) {
    Scope scope{*session_};
    static_cast<void>(lock(name));
    const auto found = session_->query(sql::request_retry_of, name, event_id).affected();
    if (found > 0) session_->query(sql::raise_retry_round, name);
    scope.commit();
    return found;
}

void ConsumerOperations::retire(const std::string& name) {
    if (session_->query(sql::retire_consumer, name).empty()) refuse_unknown(name);
}

std::vector<SkippedEvent> ConsumerOperations::skipped(
    const std::optional<std::string>& name,
    std::int64_t rows_max,
    const std::optional<std::int64_t>& before_id) {
    std::vector<SkippedEvent> list;
    const Rows rows = session_->query(sql::open_skips, name, rows_max, before_id);
    if (rows.empty() && name) require_known(*name);
    for (const auto row : rows) {
        list.push_back({.id = row.integer("id"),
                        .consumer = row.text("consumer"),
                        .event_id = row.integer("event_id"),
                        .event_type = row.text("event_type"),
                        .phase = row.text("phase"),
                        .error = row.text("error"),
                        .plugin = row.text("plugin"),
                        .plugin_version = row.text("plugin_version"),
                        .attempts = row.integer("attempts"),
                        .skipped_at = row.text("skipped_at"),
                        .retry_requested = row.boolean("retry_requested"),
                        .event_text = row.text("event")});
    }
    return list;
}

}  // namespace radd::consumers

#include <array>

#include <host/consumers/cursors.hpp>
#include <host/consumers/retention_sql.hpp>
#include <host/consumers/scope.hpp>
#include <host/consumers/sql.hpp>

namespace radd::consumers {
namespace {

/// The columns of many rows, each as one array parameter.
struct Columns {
    std::vector<std::string> names;
    std::vector<std::int64_t> epochs;
    std::string abandoned = "{";

    explicit Columns(std::span<const ConsumerStore::Held> held) {
        for (const auto& one : held) {
            names.push_back(one.name);
            epochs.push_back(one.epoch);
            if (abandoned.size() > 1) abandoned += ',';
            abandoned += one.abandoned ? 't' : 'f';
        }
        abandoned += '}';
    }
};

std::int64_t as_signed(std::uint64_t hash) {
    return static_cast<std::int64_t>(hash);
}

}  // namespace

std::string_view to_text(SkipPhase phase) noexcept {
    switch (phase) {
        case SkipPhase::plan:
            return "plan";
        case SkipPhase::deliver:
            return "deliver";
        case SkipPhase::quarantine:
            return "quarantine";
        case SkipPhase::sweep:
            return "sweep";
    }
    return "plan";
}

std::string integer_array(std::span<const std::int64_t> values) {
    std::string array = "{";
    for (const auto value : values) {
        if (array.size() > 1) array += ',';
        array += std::to_string(value);
    }
    return array += '}';
}

Declared ConsumerStore::declare(const Declaration& wanted, std::int64_t head) {
    std::optional<std::int64_t> seed;
    if (!wanted.task && wanted.first_start == FirstStart::head) seed = head;
    std::optional<std::int64_t> backlog;
    if (wanted.bootstraps) backlog = head;
    const char* kind = wanted.task ? "task" : "consumer";
    const char* policy = wanted.resume == Resume::head ? "head" : "cursor";

    Scope scope{*session_};
    session_->query(sql::wait_little);
    session_->query(sql::keep_floor);
    const Rows made = session_->query(sql::insert_consumer,
                                      wanted.name,
                                      wanted.plugin,
                                      wanted.plugin_version,
                                      kind,
                                      policy,
                                      seed,
                                      installation_,
                                      backlog);
    if (!made.empty() && !wanted.succeeds.empty()) {
        session_->query(sql::begin_as_successor, wanted.name, wanted.succeeds);
        session_->query(sql::take_over_skips, wanted.name, wanted.plugin, wanted.succeeds);
    }
    const Rows rows = session_->query(sql::declare_consumer,
                                      wanted.name,
                                      wanted.plugin,
                                      wanted.plugin_version,
                                      kind,
                                      policy,
                                      wanted.paused,
                                      wanted.bootstraps);
    const radd::Row before = rows[0];
    Declared found{.first_start = !made.empty(),
                   .retired = before.text("state") == "retired",
                   .beyond_head = before.text("state") == "beyond_head",
                   .cursor = before.integer("cursor")};
    const bool comes_back = before.boolean("was_disabled") && before.text("state") == "active";
    if (comes_back && !wanted.task && wanted.resume == Resume::head && found.cursor < head) {
        found.passed = session_->query(sql::count_between, found.cursor, head)[0].integer("events");
        session_->query(
            wanted.bootstraps ? sql::resume_with_backlog : sql::resume_at_head, wanted.name, head);
        if (!wanted.bootstraps) found.cursor = head;
    }
    scope.commit();
    return found;
}

std::int64_t ConsumerStore::mark_disabled(std::span<const std::string> declared,
                                          std::span<const std::string> unloaded) {
    return session_
        ->query(sql::mark_disabled, text_array(declared), installation_, text_array(unloaded))
        .affected();
}

std::vector<BeyondHead> ConsumerStore::hold_beyond_head(std::span<const std::string> names) {
    std::vector<BeyondHead> held;
    const Rows rows = session_->query(sql::hold_beyond_head, text_array(names));
    for (const auto row : rows) held.push_back({row.text("name"), row.integer("cursor")});
    return held;
}

std::vector<Acquired> ConsumerStore::acquire(std::span<const std::string> names,
                                             const std::string& owner,
                                             std::chrono::milliseconds lease) {
    std::vector<Acquired> taken;
    const Rows rows =
        session_->query(sql::acquire, text_array(names), owner, lease.count(), installation_);
    for (const auto row : rows) {
        const Receipt receipt{row.integer("handled_count"),
                              static_cast<std::uint64_t>(row.integer("handled_hash"))};
        taken.push_back({.name = row.text("name"),
                         .standing = {row.integer("epoch"), row.integer("cursor"), receipt},
                         .expired = row.boolean("expired"),
                         .attempt_event_id = row.optional_integer("attempt_event_id"),
                         .retry_round = row.integer("retry_round"),
                         .backlog_until = row.optional_integer("backlog_until").value_or(0)});
    }
    return taken;
}

std::map<std::string, std::int64_t> ConsumerStore::renew(std::span<const Held> held,
                                                         std::chrono::milliseconds lease) {
    const Columns columns{held};
    std::map<std::string, std::int64_t> owned;
    const Rows rows = session_->query(
        sql::renew, text_array(columns.names), integer_array(columns.epochs), lease.count());
    for (const auto row : rows) owned.emplace(row.text("name"), row.integer("retry_round"));
    return owned;
}

void ConsumerStore::release(std::span<const Held> held) {
    const Columns columns{held};
    session_->query(
        sql::release, text_array(columns.names), integer_array(columns.epochs), columns.abandoned);
}

std::vector<std::string> ConsumerStore::advance_many(std::span<const Move> moves) {
    std::vector<std::string> names;
    std::array<std::vector<std::int64_t>, 5> numbers;
    for (const Move& move : moves) {
        names.push_back(move.name);
        numbers[0].push_back(move.epoch);
        numbers[1].push_back(move.old_cursor);
        numbers[2].push_back(move.new_cursor);
        numbers[3].push_back(move.receipt.count);
        numbers[4].push_back(as_signed(move.receipt.hash));
    }
    const Rows rows = session_->query(sql::advance_many,
                                      text_array(names),
                                      integer_array(numbers[0]),
                                      integer_array(numbers[1]),
                                      integer_array(numbers[2]),
                                      integer_array(numbers[3]),
                                      integer_array(numbers[4]));
    std::vector<std::string> written;
    for (const auto row : rows) written.push_back(row.text("name"));
    return written;
}

std::optional<ConsumerStore::Row> ConsumerStore::settled_row(const std::string& name) {
    const Rows rows = session_->query(sql::settle_doubt, name);
    if (rows.empty()) return std::nullopt;
    return Row{rows[0].integer("epoch"), rows[0].integer("cursor")};
}

std::map<std::string, ConsumerStore::Row> ConsumerStore::rows(std::span<const std::string> names) {
    std::map<std::string, Row> found;
    const Rows rows = session_->query(sql::select_rows, text_array(names));
    for (const auto row : rows)
        found.emplace(row.text("name"), Row{row.integer("epoch"), row.integer("cursor")});
    return found;
}

std::optional<std::int64_t> ConsumerStore::start_attempt(const std::string& name,
                                                         std::int64_t epoch,
                                                         std::int64_t event_id) {
    const Rows rows = session_->query(sql::start_attempt, name, epoch, event_id);
    if (rows.empty()) return std::nullopt;
    return rows[0].integer("attempt_started");
}

void ConsumerStore::set_overdue(const std::string& name,
                                std::int64_t epoch,
                                std::optional<std::int64_t> event_id) {
    session_->query(sql::set_overdue, name, epoch, event_id);
}

void ConsumerStore::record(const Declaration& consumer, const Skip& skip) {
    session_->query(sql::record_skipped,
                    consumer.name,
                    skip.event_id,
                    to_text(skip.phase),
                    skip.error,
                    consumer.plugin,
                    consumer.plugin_version);
}

bool advance(outbox::OutboxTransaction& tx, const Move& move, std::chrono::milliseconds lease) {
    const std::array<Param, 7> bound{Param{move.name},
                                     Param{move.epoch},
                                     Param{move.old_cursor},
                                     Param{move.new_cursor},
                                     Param{move.receipt.count},
                                     Param{as_signed(move.receipt.hash)},
                                     Param{lease.count()}};
    return tx.host_query(sql::advance, bound).affected() == 1;
}

void record_in(outbox::OutboxTransaction& tx, const Declaration& consumer, const Skip& skip) {
    const std::array<Param, 6> bound{Param{consumer.name},
                                     Param{skip.event_id},
                                     Param{to_text(skip.phase)},
                                     Param{skip.error},
                                     Param{consumer.plugin},
                                     Param{consumer.plugin_version}};
    tx.host_query(sql::record_skipped, bound);
}

}  // namespace radd::consumers

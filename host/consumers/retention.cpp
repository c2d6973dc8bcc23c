#include <algorithm>
#include <string_view>

#include <host/consumers/failure.hpp>
#include <host/consumers/retention.hpp>
#include <host/consumers/retention_sql.hpp>
#include <host/consumers/scope.hpp>
#include <radd/error.hpp>

namespace radd::consumers {
namespace {

/// As radd.ensure_partitions() calls them, or the first migration.
bool is_partition_name(std::string_view name) {
    constexpr std::string_view head = "radd.events_from_";
    if (!name.starts_with(head) || name.size() == head.size()) return false;
    return std::ranges::all_of(name.substr(head.size()),
                               [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

/// The oldest partitions that are old enough, each with the first id above it.
struct Retention::Due {
    struct Partition {
        std::string name;
        std::int64_t upper;
    };
    std::vector<Partition> old{};
    std::vector<RetentionHolder> readers{};
};

Retention::Due Retention::due(std::int64_t keep_days) {
    Due due;
    const Rows partitions = session_->query(sql::select_passed_partitions, keep_days);
    for (const auto row : partitions) {
        if (!row.boolean("is_old")) break;
        due.old.push_back({.name = row.text("name"), .upper = row.integer("upper")});
    }
    const Rows readers = session_->query(sql::select_readers);
    for (const auto row : readers) {
        due.readers.push_back({.name = row.text("name"),
                               .plugin = row.text("plugin"),
                               .cursor = row.integer("cursor"),
                               .state = row.text("state")});
    }
    return due;
}

RetentionStatus Retention::status(std::int64_t keep_days) {
    const Rows rows = session_->query(sql::select_retention);
    RetentionStatus status{.first_kept = rows[0].integer("first_kept"),
                           .dropping = dropping(),
                           .may_drop = rows[0].boolean("may_drop")};
    if (!rows[0].is_null("raised_at")) status.raised_at = rows[0].text("raised_at");
    if (keep_days == 0) return status;
    Due found = due(keep_days);
    if (found.old.empty()) return status;
    status.old_below = found.old.back().upper;
    for (auto& reader : found.readers) {
        if (reader.cursor < status.old_below - 1) status.held_by.push_back(std::move(reader));
    }
    return status;
}

std::int64_t Retention::give_up(std::int64_t keep_days) {
    if (keep_days == 0) return 0;
    session_->query(sql::settle_stream);
    Scope scope{*session_};
    session_->query(sql::limit_wait);
    session_->query(sql::decide_alone);
    const Due found = due(keep_days);
    std::vector<std::string> names;
    std::int64_t floor = 0;
    for (const auto& partition : found.old) {
        const bool passed = std::ranges::all_of(found.readers, [&](const RetentionHolder& reader) {
            return reader.cursor >= partition.upper - 1;
        });
        if (!passed) break;
        names.push_back(partition.name);
        floor = partition.upper;
    }
    if (!names.empty()) session_->query(sql::raise_floor, floor, text_array(names));
    scope.commit();
    return static_cast<std::int64_t>(names.size());
}

std::int64_t Retention::drop(std::size_t most) {
    auto names = dropping();
    names.resize(std::min(names.size(), most));
    for (const auto& name : names) drop_one(name);
    return static_cast<std::int64_t>(names.size());
}

std::vector<std::string> Retention::dropping() {
    std::vector<std::string> names;
    const Rows rows = session_->query(sql::select_dropping);
    for (const auto row : rows) names.push_back(row.text("name"));
    return names;
}

void Retention::drop_one(const std::string& partition) {
    // Written by give_up() from the catalogue, into a table that more roles than the owner's write.
    if (!is_partition_name(partition))
        throw Error{"radd.retention: '" + single_line(partition, 200) +
                    "' is no partition of radd.events; remove it from the column dropping"};
    const std::string detach = "ALTER TABLE radd.events DETACH PARTITION " + partition;
    const Rows found = session_->query(sql::select_attachment, partition);
    const bool is_interrupted = !found.empty() && found[0].boolean("is_interrupted");
    if (!found.empty() && !is_interrupted)
        session_->query_text(detach + " CONCURRENTLY", {}, false);
    Scope scope{*session_};
    session_->query(sql::limit_wait);
    if (is_interrupted) session_->query_text(detach + " FINALIZE", {}, false);
    session_->query_text("DROP TABLE IF EXISTS " + partition, {}, false);
    session_->query(sql::forget_dropped, partition);
    scope.commit();
}

}  // namespace radd::consumers

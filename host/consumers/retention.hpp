#pragma once

/// Dropping old partitions of the stream, below its slowest reader and no younger than asked.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <host/db/session.hpp>

namespace radd::consumers {

/// A consumer that has not passed what is old enough to go.
struct RetentionHolder {
    std::string name;
    std::string plugin;
    std::int64_t cursor;
    std::string state;  ///< running, paused, unowned, not_loaded.
};

/// What retention would do and what keeps it from doing it, at this moment.
struct RetentionStatus {
    std::int64_t first_kept = 0;          ///< Events below are gone. 0: none ever was dropped.
    std::string raised_at{};              ///< When that last changed; empty: never.
    std::vector<std::string> dropping{};  ///< Partitions that are going and not gone yet.
    bool may_drop = true;                 ///< The role of this session owns the stream.
    std::int64_t old_below = 0;           ///< Everything below is old enough; 0 if no partition is.
    std::vector<RetentionHolder> held_by{};  ///< With a cursor below that; the slowest first.
};

/// [thread: the session's] Calls are safe beside other hosts': a decision is made under the lock
/// of the row of radd.retention, and what another host has detached or dropped meanwhile is done.
class Retention {
public:
    static constexpr int server_version_min = 140000;  ///< As DETACH … CONCURRENTLY needs.

    explicit Retention(db::Session& session) : session_{&session} {}

    /// With `keep_days` 0: nothing is old enough. Changes nothing.
    /// @throws Unavailable, SqlError as Session::query().
    [[nodiscard]] RetentionStatus status(std::int64_t keep_days);

    /// Raises the floor over whole partitions that every reader has passed, whose last event was
    /// recorded more than `keep_days` ago, and that lie below the one with the newest event.
    /// Returns how many; they are gone after drop(). @throws as status().
    std::int64_t give_up(std::int64_t keep_days);

    /// Detaches and drops what was given up. Writers and readers of events go on: detaching takes
    /// no lock that they wait for, and waits itself for transactions that began before, at most
    /// `database.statement_timeout`. What could not be had in that time stays for the next call.
    /// At most `most` of them, the oldest first; returns how many.
    /// @throws Contention then, with the rest left as it is; Unavailable, SqlError as
    /// Session::query().
    std::int64_t drop(std::size_t most = std::numeric_limits<std::size_t>::max());

private:
    struct Due;
    [[nodiscard]] Due due(std::int64_t keep_days);
    [[nodiscard]] std::vector<std::string> dropping();
    void drop_one(const std::string& partition);

    db::Session* session_;
};

}  // namespace radd::consumers

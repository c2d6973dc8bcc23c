#pragma once

/// Bringing the schema up to date: core first, then each plugin in start order.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <host/db/session.hpp>
#include <radd/migration.hpp>

namespace radd::db {

/// The files of migrations/core, compiled in.
[[nodiscard]] std::vector<Migration> core_migrations();

/// Migrations of one owner: "core" or a plugin's id.
struct MigrationSet {
    std::string owner;
    std::vector<Migration> migrations;
};

enum class MigrationState : std::uint8_t {
    pending,  ///< Will be applied.
    applied,
    edited,     ///< Applied with other contents: refused.
    missing,    ///< Applied, and no longer known to this build: refused.
    unordered,  ///< Pending, though a later one of its owner is applied: refused.
};

struct MigrationStatus {
    std::string owner;
    std::string name;
    MigrationState state;
    std::string applied_at{};  ///< Empty if it is not.
};

/// Compares what is applied with what is known. Owners whose set is not given are left alone: a
/// plugin that is switched off keeps its tables. Reads only, also when nothing was ever applied.
[[nodiscard]] std::vector<MigrationStatus> migration_status(Session& session,
                                                            const std::vector<MigrationSet>& sets);

/// Applies what is pending, each in its own transaction, one runner at a time over all hosts
/// (a transaction-level advisory lock: others wait). Returns what it applied.
/// @throws ConfigError naming owner and migration if one is edited, missing or unordered, or if
///         its SQL fails (with PostgreSQL's message and the line); what was applied before stays.
std::vector<MigrationStatus> migrate(Session& session, const std::vector<MigrationSet>& sets);

/// A change that nobody has written: found by comparing the tables with what is wanted of them.
struct PlannedMigration {
    std::string
        what;  ///< "milestones_add_due_on"; the number in front is given when it is applied.
    std::string sql;
};

/// Migrations of one owner that are found so. They stand in the same list as the others, with the
/// checksum of what was run.
struct PlannedMigrations {
    std::string owner;  ///< None of a MigrationSet's.
    /// What is still to be done, in order. Runs inside a transaction, whose tables it may only
    /// read; temporary ones may be made.
    std::function<std::vector<PlannedMigration>(Session& session)> plan;
};

/// What was applied, then what is pending. Leaves nothing behind. @throws what `plan` throws.
[[nodiscard]] std::vector<MigrationStatus> planned_status(Session& session,
                                                          const PlannedMigrations& migrations);

/// Plans and applies until nothing is left, each in its own transaction and under the lock of
/// migrate(), so that of two hosts the second finds done what the first did.
/// @throws ConfigError as migrate(), and what `plan` throws; what was applied before stays.
std::vector<MigrationStatus> migrate_planned(Session& session, const PlannedMigrations& migrations);

}  // namespace radd::db

#pragma once

/// Bringing the schema up to date: core first, then each plugin in start order.

#include <cstdint>
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

}  // namespace radd::db

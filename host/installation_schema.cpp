// What the schema of an installation is to be, and bringing it there.

#include <algorithm>
#include <iterator>
#include <utility>

#include <host/entities/table_plan.hpp>
#include <host/installation.hpp>

namespace radd::host {

std::vector<db::MigrationSet> Installation::migration_sets() {
    std::vector<db::MigrationSet> sets{{.owner = "core", .migrations = db::core_migrations()}};
    if (loaded() == nullptr) return sets;
    for (const auto& plugin : loaded()->plugins()) {
        if (!plugin->manifest.migrations.empty())
            sets.push_back({.owner = plugin->id, .migrations = plugin->manifest.migrations});
    }
    return sets;
}

std::vector<db::PlannedMigrations> Installation::entity_migrations() {
    std::vector<db::PlannedMigrations> all;
    if (loaded() == nullptr) return all;
    for (const auto& plugin : loaded()->plugins()) {
        if (!plugin->manifest.entities.empty())
            all.push_back(
                entities::table_migrations(loaded()->entities(), plugin->id, plugin->config.file));
    }
    return all;
}

std::vector<db::MigrationStatus> Installation::apply_migrations() {
    auto lease = connect("migrate").lease("migrate");
    std::vector<db::MigrationStatus> done = db::migrate(*lease, migration_sets());
    config::Problems refused;
    for (const auto& planned : entity_migrations()) {
        try {
            auto applied = db::migrate_planned(*lease, planned);
            std::ranges::move(applied, std::back_inserter(done));
        } catch (const entities::ChangesRefused& failure) {
            refused.insert(refused.end(), failure.problems().begin(), failure.problems().end());
        }
    }
    if (!refused.empty()) throw Refused{std::move(refused)};
    return done;
}

void Installation::migrate() {
    for (const auto& applied : apply_migrations())
        log_->info("migration " + applied.owner + "/" + applied.name + ": applied");
}

std::vector<db::MigrationStatus> Installation::migration_status(config::Problems& problems) {
    auto lease = connect("migration status").lease("migration status");
    auto all = db::migration_status(*lease, migration_sets());
    for (const auto& planned : entity_migrations()) {
        try {
            auto found = db::planned_status(*lease, planned);
            std::ranges::move(found, std::back_inserter(all));
        } catch (const entities::ChangesRefused& failure) {
            problems.insert(problems.end(), failure.problems().begin(), failure.problems().end());
        }
    }
    return all;
}

void Installation::require_migrated() {
    config::Problems problems;
    for (const auto& status : migration_status(problems)) {
        if (status.state == db::MigrationState::applied) continue;
        const bool pending = status.state == db::MigrationState::pending;
        throw ConfigError{"schema: migration " + status.owner + "/" + status.name +
                          (pending
                               ? " is not applied yet; `radd migrate` or `radd serve` does it"
                               : " differs from what was applied; see `radd migrate --status`")};
    }
    if (!problems.empty()) throw Refused{std::move(problems)};
}

}  // namespace radd::host

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <openssl/evp.h>

#include <host/db/migrate.hpp>
#include <radd/error.hpp>

namespace radd::db {
namespace {

// One number for all hosts of a database; "radd" in ASCII.
constexpr Sql lock_runners = "SELECT pg_advisory_xact_lock(1918985316)";

// Not to_regclass(): it looks into the caches of this connection, which do not hear of what
// another runner created while this one waited for the lock.
constexpr Sql ledger_exists = R"sql(
    SELECT EXISTS (SELECT FROM pg_catalog.pg_tables
                   WHERE schemaname = 'radd' AND tablename = 'migrations') AS exists)sql";
constexpr Sql schema_exists =
    "SELECT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = 'radd') AS exists";

constexpr std::string_view create_schema = "CREATE SCHEMA radd";
constexpr std::string_view create_ledger = R"sql(
    CREATE TABLE radd.migrations (
        owner      text NOT NULL,
        name       text NOT NULL,
        checksum   text NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        took_ms    bigint NOT NULL,
        PRIMARY KEY (owner, name)
    );
    COMMENT ON TABLE radd.migrations IS 'Which migration was applied when, and the SHA-256 of its text')sql";

constexpr Sql select_applied =
    "SELECT owner, name, checksum, applied_at::text AS applied_at FROM radd.migrations";

constexpr Sql insert_applied = R"sql(
    INSERT INTO radd.migrations (owner, name, checksum, took_ms)
    VALUES ($1, $2, $3, (extract(epoch FROM clock_timestamp() - now()) * 1000)::bigint)
    RETURNING applied_at::text AS applied_at)sql";

// A script that commits and begins again looks as if it had done neither.
constexpr Sql select_transaction = "SELECT pg_current_xact_id()::text AS id";

struct Applied {
    std::string checksum;
    std::string applied_at;
};
using Ledger = std::map<std::pair<std::string, std::string>, Applied>;

std::string sha256(std::string_view text) {
    constexpr std::string_view hex = "0123456789abcdef";
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
        throw Error{"migrations: OpenSSL has no SHA-256"};
    std::string printed;
    for (unsigned int i = 0; i < size; ++i) {
        printed += hex[digest.at(i) >> 4U];
        printed += hex[digest.at(i) & 15U];
    }
    return printed;
}

Ledger read_ledger(Session& session) {
    Ledger ledger;
    if (!session.query(ledger_exists)[0].boolean("exists")) return ledger;
    for (const Row row : session.query(select_applied)) {
        ledger[{row.text("owner"), row.text("name")}] = {.checksum = row.text("checksum"),
                                                         .applied_at = row.text("applied_at")};
    }
    return ledger;
}

/// Sorted by name, because that is the order in which migrations are applied.
std::map<std::string, std::string_view> by_name(const MigrationSet& set) {
    std::map<std::string, std::string_view> sorted;
    for (const Migration& migration : set.migrations) {
        if (!sorted.emplace(migration.name, migration.sql).second)
            throw ConfigError{"migration " + set.owner + "/" + std::string{migration.name} +
                              ": given twice; rename one"};
    }
    return sorted;
}

void append_status(const MigrationSet& set,
                   const Ledger& ledger,
                   std::vector<MigrationStatus>& statuses) {
    const auto known = by_name(set);
    std::map<std::string, MigrationStatus> found;
    std::string last_applied;
    for (const auto& [key, applied] : ledger) {
        const auto& [owner, name] = key;
        if (owner != set.owner) continue;
        last_applied = std::max(last_applied, name);
        auto state = MigrationState::missing;
        if (const auto here = known.find(name); here != known.end())
            state = sha256(here->second) == applied.checksum ? MigrationState::applied
                                                             : MigrationState::edited;
        found[name] = {
            .owner = owner, .name = name, .state = state, .applied_at = applied.applied_at};
    }
    for (const auto& [name, sql] : known) {
        const auto state =
            name < last_applied ? MigrationState::unordered : MigrationState::pending;
        found.try_emplace(name, MigrationStatus{.owner = set.owner, .name = name, .state = state});
    }
    for (auto& [name, status] : found) statuses.push_back(std::move(status));
}

std::vector<MigrationStatus> compare(const Ledger& ledger, const std::vector<MigrationSet>& sets) {
    std::vector<MigrationStatus> statuses;
    for (const MigrationSet& set : sets) append_status(set, ledger, statuses);
    return statuses;
}

void refuse_unfit(const MigrationStatus& status) {
    const std::string subject = "migration " + status.owner + "/" + status.name + ": ";
    if (status.state == MigrationState::edited) {
        throw ConfigError{subject + "differs from what was applied at " + status.applied_at +
                          "; restore the file and put the change into a new migration"};
    }
    if (status.state == MigrationState::missing) {
        throw ConfigError{subject + "was applied at " + status.applied_at +
                          " by a newer build and is unknown to this one; upgrade " +
                          (status.owner == "core" ? "this host" : "plugin " + status.owner) +
                          " to the build that brought it, or a later one"};
    }
    if (status.state == MigrationState::unordered) {
        throw ConfigError{subject +
                          "is new, but a later one of its owner is applied already; give it the "
                          "next free number"};
    }
}

std::string_view text_of(const MigrationStatus& status, const std::vector<MigrationSet>& sets) {
    for (const MigrationSet& set : sets) {
        if (set.owner != status.owner) continue;
        for (const Migration& migration : set.migrations) {
            if (migration.name == status.name) return migration.sql;
        }
    }
    throw Error{"migration " + status.owner + "/" + status.name + ": its text is gone"};
}

/// A transaction of one runner at a time, rolled back unless it came to its end.
class Step {
public:
    explicit Step(Session& session) : session_{session} {
        session_.begin();
        // A big table takes its time, and others wait here for whoever migrates it.
        session_.run_script("SET LOCAL statement_timeout = 0");
        session_.query(lock_runners);
    }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;
    ~Step() { session_.rollback(); }
    void commit() { session_.commit(); }

private:
    Session& session_;
};

/// A transaction that is always rolled back.
class Reading {
public:
    explicit Reading(Session& session) : session_{session} { session_.begin(); }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;
    ~Reading() { session_.rollback(); }

private:
    Session& session_;
};

void create_missing_ledger(Session& session) {
    if (session.query(ledger_exists)[0].boolean("exists")) return;
    Step step{session};
    if (session.query(ledger_exists)[0].boolean("exists")) return;
    try {
        // IF NOT EXISTS would ask for the right to create also where nothing is created.
        if (!session.query(schema_exists)[0].boolean("exists")) session.run_script(create_schema);
        session.run_script(create_ledger);
    } catch (const Contention&) {
        throw;
    } catch (const SqlError& error) {
        throw ConfigError{
            "migrations: cannot create radd.migrations: " + std::string{error.what()} +
            "; GRANT CREATE ON DATABASE to this role, or have its owner migrate"};
    }
    step.commit();
}

std::string transaction_id(Session& session) {
    return session.query(select_transaction)[0].text("id");
}

void apply(Session& session, MigrationStatus& status, std::string_view sql) {
    const std::string subject = "migration " + status.owner + "/" + status.name + ": ";
    const std::string before = transaction_id(session);
    try {
        session.run_script(sql);
    } catch (const Contention&) {
        throw;  // Somebody held a lock; running it again may do.
    } catch (const SqlError& error) {
        constexpr std::string_view insufficient_privilege = "42501";
        const bool is_denied = error.sqlstate() == insufficient_privilege;
        throw ConfigError{subject + error.what() +
                          "; nothing of it was applied, what came before "
                          "it stays" +
                          (is_denied ? "; run `radd migrate` as the owner of the schema" : "")};
    }
    if (transaction_id(session) != before) {
        throw ConfigError{subject +
                          "ends the transaction it runs in; take its COMMIT or ROLLBACK out, and "
                          "undo by hand what it did"};
    }
    const Rows rows = session.query(insert_applied, status.owner, status.name, sha256(sql));
    status.applied_at = rows[0].text("applied_at");
    status.state = MigrationState::applied;
}

/// Looks anew under the lock: another runner may have applied everything while we waited.
std::optional<MigrationStatus> apply_next(Session& session, const std::vector<MigrationSet>& sets) {
    Step step{session};
    auto statuses = compare(read_ledger(session), sets);
    for (const MigrationStatus& status : statuses) refuse_unfit(status);
    for (MigrationStatus& status : statuses) {
        if (status.state != MigrationState::pending) continue;
        apply(session, status, text_of(status, sets));
        step.commit();
        return std::move(status);
    }
    return std::nullopt;
}

/// "0003_milestones_add_due_on"
std::string numbered(std::size_t number, const std::string& what) {
    constexpr std::size_t digits = 4;
    std::string text = std::to_string(number);
    if (text.size() < digits) text.insert(0, digits - text.size(), '0');
    return text + '_' + what;
}

std::vector<MigrationStatus> applied_of(const std::string& owner, const Ledger& ledger) {
    std::vector<MigrationStatus> statuses;
    for (const auto& [key, applied] : ledger) {
        if (key.first != owner) continue;
        statuses.push_back({.owner = owner,
                            .name = key.second,
                            .state = MigrationState::applied,
                            .applied_at = applied.applied_at});
    }
    return statuses;
}

void refuse_owner_twice(const std::vector<MigrationSet>& sets) {
    std::set<std::string> owners;
    for (const MigrationSet& set : sets) {
        if (!owners.insert(set.owner).second)
            throw ConfigError{"migrations of " + set.owner + ": given twice; load one of them"};
    }
}

}  // namespace

std::vector<MigrationStatus> migration_status(Session& session,
                                              const std::vector<MigrationSet>& sets) {
    refuse_owner_twice(sets);
    return compare(read_ledger(session), sets);
}

std::vector<MigrationStatus> migrate(Session& session, const std::vector<MigrationSet>& sets) {
    refuse_owner_twice(sets);
    create_missing_ledger(session);
    std::vector<MigrationStatus> applied;
    while (auto status = apply_next(session, sets)) applied.push_back(*std::move(status));
    return applied;
}

std::vector<MigrationStatus> planned_status(Session& session, const PlannedMigrations& migrations) {
    auto statuses = applied_of(migrations.owner, read_ledger(session));
    const Reading reading{session};
    std::size_t number = statuses.size();
    for (const PlannedMigration& planned : migrations.plan(session)) {
        statuses.push_back({.owner = migrations.owner,
                            .name = numbered(++number, planned.what),
                            .state = MigrationState::pending});
    }
    return statuses;
}

std::vector<MigrationStatus> migrate_planned(Session& session,
                                             const PlannedMigrations& migrations) {
    create_missing_ledger(session);
    std::vector<MigrationStatus> applied;
    while (true) {
        Step step{session};
        const auto planned = migrations.plan(session);
        if (planned.empty()) return applied;
        const auto number = applied_of(migrations.owner, read_ledger(session)).size() + 1;
        MigrationStatus status{.owner = migrations.owner,
                               .name = numbered(number, planned.front().what),
                               .state = MigrationState::pending};
        apply(session, status, planned.front().sql);
        step.commit();
        applied.push_back(std::move(status));
    }
}

}  // namespace radd::db

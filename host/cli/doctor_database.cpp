// radd doctor: the database, and what it tells of the hosts at work.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <host/cli/doctor.hpp>
#include <host/cli/opened.hpp>
#include <host/db/server_checks.hpp>
#include <host/outbox/event_queries.hpp>

namespace radd::cli {
namespace {

constexpr std::chrono::milliseconds patience{5000};

constexpr Sql select_server = R"sql(
    SELECT current_user AS role, current_setting('server_version') AS version,
           (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms,
           current_setting('max_connections')::bigint
               - current_setting('superuser_reserved_connections')::bigint AS connections)sql";

constexpr Sql select_setting = "SELECT current_setting($1) AS value";

constexpr Sql count_dead = R"sql(
    SELECT queue, count(*) AS dead FROM radd.deliveries WHERE state = 'dead'
     GROUP BY queue ORDER BY queue LIMIT 1000)sql";

constexpr Sql count_admins = R"sql(
    SELECT count(*) AS admins FROM radd.accounts
     WHERE role = 'admin' AND disabled_at IS NULL)sql";

constexpr std::array<std::string_view, 5> settings_asked{"fsync",
                                                         "full_page_writes",
                                                         "synchronous_commit",
                                                         "autovacuum",
                                                         "idle_in_transaction_session_timeout"};

Finding failed(std::string about, const std::exception& failure) {
    return {.about = std::move(about),
            .verdict = Verdict::fail,
            .found = failure.what(),
            .remedy = "as the message says"};
}

Findings server_of(db::Session& session, host::Installation& installation) {
    // Asked before and after: what the question took is not counted as skew.
    const auto before = installation.clock().now();
    const Rows rows = session.query(select_server);
    const auto after = installation.clock().now();
    const Row row = rows[0];

    Findings findings;
    findings.push_back(
        {.about = "database",
         .found = fmt::format("PostgreSQL {}, as role {}", row.text("version"), row.text("role"))});
    const Timestamp told{std::chrono::milliseconds{row.integer("now_ms")}};
    const auto here = before + (after - before) / 2;
    findings.push_back(
        judge_clocks(std::chrono::duration_cast<std::chrono::milliseconds>(told - here)));
    findings.push_back(
        judge_connections(row.integer("connections"), installation.settings().database_pool_size));
    for (const auto name : settings_asked) {
        const Rows answer = session.query(select_setting, name);
        findings.push_back(judge_server_setting(name, answer[0].text("value")));
    }
    return findings;
}

Finding rights_of(db::Session& session) {
    try {
        db::check_server(session);
        return {.about = "rights", .found = "the role may do what the host needs"};
    } catch (const ConfigError& failure) {
        return failed("rights", failure);
    }
}

Finding schema_of(host::Installation& installation) {
    config::Problems problems;
    const auto all = installation.migration_status(problems);
    const auto applied =
        std::ranges::count(all, db::MigrationState::applied, &db::MigrationStatus::state);
    const auto pending =
        std::ranges::count(all, db::MigrationState::pending, &db::MigrationStatus::state);
    Finding finding{.about = "schema",
                    .found = fmt::format("{} applied, {} pending", applied, pending)};
    const bool differs = applied + pending != std::ssize(all);
    if (!problems.empty() || differs) {
        finding.verdict = Verdict::fail;
        finding.found += ", and what is applied is not what this build knows";
        finding.remedy = "`radd migrate --status` lists each";
    } else if (pending > 0) {
        finding.verdict = Verdict::warn;
        finding.remedy = "`radd migrate`, or start the host, which does it";
    }
    return finding;
}

Findings consumers_of(db::Session& session) {
    Findings findings;
    const auto all =
        consumers::consumer_overview(session, {.head = outbox::stream_position(session).head});
    for (const auto& status : all) {
        auto finding = judge_consumer(status);
        if (finding.verdict != Verdict::ok) findings.push_back(std::move(finding));
    }
    if (findings.empty())
        findings.push_back({.about = "consumers", .found = fmt::format("{} keep up", all.size())});
    return findings;
}

Findings work_of(db::Session& session, std::size_t keep_days) {
    Findings findings = consumers_of(session);
    const auto days = static_cast<std::int64_t>(keep_days);
    if (days == 0 || session.server_version() >= consumers::Retention::server_version_min)
        findings.push_back(judge_retention(keep_days, consumers::Retention{session}.status(days)));
    else
        findings.push_back({.about = "retention",
                            .verdict = Verdict::warn,
                            .found = "needs PostgreSQL 14: nothing is dropped",
                            .remedy = "leave retention.events.keep_days out, or upgrade"});
    for (const auto row : session.query(count_dead))
        findings.push_back({.about = "queue " + row.text("queue"),
                            .verdict = Verdict::warn,
                            .found = fmt::format("{} dead letters", row.integer("dead")),
                            .remedy = "`radd deliveries list --state dead` tells why, `radd "
                                      "deliveries replay --dead` sends them again"});
    const auto admins = session.query(count_admins)[0].integer("admins");
    Finding way_in{.about = "administrators", .found = std::to_string(admins)};
    if (admins == 0) {
        way_in.verdict = Verdict::warn;
        way_in.found = "none: nobody can use the pages that change something";
        way_in.remedy = "`radd account create --role admin --name NAME`";
    }
    findings.push_back(std::move(way_in));
    return findings;
}

}  // namespace

Findings examine_database(host::Installation& installation) {
    auto options = running_database(installation, "doctor");
    if (!options)
        return {{.about = "database",
                 .found = "a private PostgreSQL, which runs only while the host does"}};
    options->connect_timeout = options->statement_timeout = patience;
    Findings findings;
    try {
        db::Session session{*options};
        findings = server_of(session, installation);
        findings.push_back(rights_of(session));
        if (findings.back().verdict == Verdict::fail) return findings;
        installation.connect("doctor");
        findings.push_back(schema_of(installation));
        // Whom to ask is known once the schema is the one that this build knows.
        if (findings.back().verdict != Verdict::ok) return findings;
        for (auto& more : work_of(session, installation.settings().retention_events_keep_days))
            findings.push_back(std::move(more));
    } catch (const std::exception& failure) {
        findings.push_back(failed("database", failure));
    }
    return findings;
}

}  // namespace radd::cli

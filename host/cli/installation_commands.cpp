// radd check, plugins, config, inspect, migrate: what an installation is made of.

#include <optional>
#include <ostream>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include <host/cli/commands.hpp>
#include <host/cli/table.hpp>
#include <host/db/roles.hpp>
#include <host/installation.hpp>
#include <host/plugins/build_gate.hpp>
#include <host/plugins/report.hpp>

namespace radd::cli {
namespace {

std::string_view name_of(db::MigrationState state) {
    switch (state) {
        case db::MigrationState::pending:
            return "pending";
        case db::MigrationState::applied:
            return "applied";
        case db::MigrationState::edited:
            return "edited";
        case db::MigrationState::missing:
            return "missing";
        case db::MigrationState::unordered:
            return "unordered";
    }
    return "";
}

void print_migrations(Invocation& invocation, const std::vector<db::MigrationStatus>& all) {
    if (invocation.json) {
        auto list = nlohmann::ordered_json::array();
        for (const auto& status : all) {
            list.push_back({{"owner", status.owner},
                            {"name", status.name},
                            {"state", name_of(status.state)},
                            {"applied_at", status.applied_at}});
        }
        invocation.out << list.dump(2) << '\n';
        return;
    }
    Table table{{{"OWNER"}, {"MIGRATION"}, {"STATE"}, {"APPLIED AT"}}};
    for (const auto& status : all) {
        table.add({status.owner,
                   status.name,
                   std::string{name_of(status.state)},
                   status.applied_at.empty() ? "-" : status.applied_at});
    }
    table.print(invocation.out, invocation.terminal);
}

/// One object whatever is wrong: the settings, a manifest or a plugin.
void print_check(Invocation& invocation,
                 nlohmann::ordered_json found,
                 bool accepted,
                 const config::Problems& problems) {
    found["may_start"] = accepted;
    found["problems"] = nlohmann::ordered_json::parse(config::to_json(problems));
    invocation.out << found.dump(2) << '\n';
}

}  // namespace

int check(Invocation& invocation) {
    std::optional<host::Installation> installation;
    try {
        installation.emplace(invocation.settings);
    } catch (const host::Refused& refused) {
        if (!invocation.json) throw;
        print_check(
            invocation, {{"plugins", nlohmann::ordered_json::array()}}, false, refused.problems());
        return exit_refused;
    }
    const auto& set = installation->load_plugins();
    const auto problems = installation->plugin_problems();
    const bool accepted = set.may_start() && !config::has_errors(problems);
    if (invocation.json) {
        print_check(
            invocation, nlohmann::ordered_json::parse(loader::set_json(set)), accepted, problems);
    } else {
        invocation.out << loader::check_text(set);
        for (const auto& problem : problems) invocation.err << config::to_text(problem) << '\n';
        if (!accepted) invocation.err << "refused: the host would not start\n";
    }
    return accepted ? exit_ok : exit_refused;
}

int plugins(Invocation& invocation) {
    host::Installation installation{invocation.settings};
    const auto& set = installation.load_plugins();
    invocation.out << (invocation.json ? loader::set_json(set) + "\n" : loader::plugins_text(set));
    return exit_ok;
}

int config(Invocation& invocation) {
    const host::Installation installation{invocation.settings};
    invocation.out << (invocation.json ? config::to_json(installation.config()) + "\n"
                                       : config::to_table(installation.config()));
    return exit_ok;
}

int inspect(Invocation& invocation, const std::string& file, bool live) {
    const auto report =
        live ? loader::inspect_live(file, loader::trial_deadline) : loader::inspect(file);
    invocation.out << (invocation.json ? loader::inspection_json(report) + "\n"
                                       : loader::inspection_text(report));
    if (!invocation.json) invocation.err << loader::problems_text(report.problems);
    return config::has_errors(report.problems) ? exit_refused : exit_ok;
}

int migrate(Invocation& invocation, const MigrateOptions& options) {
    if (options.roles_sql) {
        const std::string_view sql = db::role_statements();
        if (invocation.json) {
            invocation.out << nlohmann::ordered_json{{"sql", sql}}.dump(2) << '\n';
        } else {
            invocation.out << sql;
        }
        return exit_ok;
    }
    host::Installation installation{invocation.settings};
    installation.require_plugins();
    auto& pool = installation.connect("migrate");
    if (!options.status && !options.dry_run) {
        const auto applied = installation.apply_migrations();
        if (!applied.empty() || invocation.json) print_migrations(invocation, applied);
        fmt::print(invocation.err, "{} applied\n", applied.size());
        if (options.roles) {
            auto lease = pool.lease("roles");
            db::grant_roles(*lease);
            invocation.err << "radd_emitter, radd_reader, radd_host: have their rights\n";
        }
        return exit_ok;
    }
    config::Problems problems;
    auto all = installation.migration_status(problems);
    bool refused = !problems.empty();
    for (const auto& status : all) {
        refused = refused || (status.state != db::MigrationState::applied &&
                              status.state != db::MigrationState::pending);
    }
    if (options.dry_run) {
        std::erase_if(
            all, [](const auto& status) { return status.state == db::MigrationState::applied; });
    }
    print_migrations(invocation, all);
    for (const auto& problem : problems) invocation.err << config::to_text(problem) << '\n';
    if (refused) invocation.err << "refused: what is applied is not what this build knows\n";
    return refused ? exit_refused : exit_ok;
}

}  // namespace radd::cli

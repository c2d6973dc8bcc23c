#include <charconv>
#include <chrono>
#include <limits>
#include <ostream>
#include <string>

#include "command.hpp"
#include "journal_sql.hpp"
#include "progress.hpp"
#include "rollback.hpp"
#include <items/service.hpp>
#include <radd/error.hpp>
#include <radd/scopes.hpp>
#include <radd/terminal_text.hpp>

namespace importer {
namespace {

constexpr int exit_done = 0;
constexpr int exit_failed = 1;
constexpr int exit_usage = 2;

constexpr std::int64_t listed_max = 100;

constexpr const char* list_help =
    "Show what was imported, the newest first.\n"
    "\n"
    "At most 100; --before ID shows those before it. 'running' is an import that runs or was "
    "ended\n"
    "by force: the file can be imported again, or what there is of it rolled back.";

constexpr const char* rollback_help =
    "Take an import back.\n"
    "\n"
    "Removes the items and comments it made and puts back what it changed. What somebody has\n"
    "changed since stays as it is and is named, and so does whatever that hangs under. People,\n"
    "projects and states stay, and so does what has been told of the past. Quiet, as an import "
    "is.\n"
    "\n"
    "  --dry-run   do everything, report it, and undo it; what it touches is locked until then\n"
    "\n"
    "Can be stopped and run again. Exit code: 0 if all of it is taken back, 1 if something is "
    "left\n"
    "or there is no such import, 2 for wrong usage.";

std::int64_t id_of(const std::string& text) {
    std::int64_t id = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (error != std::errc{} || end != text.data() + text.size() || id < 1)
        throw radd::InvalidInput{"import",
                                 "'" + text + "' is no number; `radd import list` shows them"};
    return id;
}

radd::json text_or_null(const std::optional<std::string>& text) {
    return text ? radd::json(*text) : radd::json();
}

radd::json import_json(const radd::Row& row) {
    return {{"id", row.integer("id")},
            {"kind", row.text("kind")},
            {"file", row.text("file")},
            {"source", row.text("source")},
            {"quiet", row.boolean("quiet")},
            {"state", row.text("state")},
            {"started_at", row.text("started_at")},
            {"updated_at", row.text("updated_at")},
            {"finished_at", text_or_null(row.optional_text("finished_at"))},
            {"counts", radd::json::parse(row.text("counts"))}};
}

void print(std::ostream& out, const radd::json& import) {
    const auto& counts = import.at("counts");
    const auto count = [&counts](const char* name) { return counts.value(name, std::int64_t{0}); };
    out << import.at("id") << '\t' << import.at("started_at").get<std::string>() << '\t'
        << import.at("kind").get<std::string>() << '\t' << import.at("state").get<std::string>()
        << '\t' << count("created") << " created, " << count("updated") << " updated, "
        << count("comments") << " comments\t"
        << radd::terminal_text(import.at("file").get<std::string>()) << '\n';
}

int list(radd::CommandContext& command) {
    const auto& words = command.arguments;
    auto before = std::numeric_limits<std::int64_t>::max();
    if (words.size() == 2 && words[0] == "--before")
        before = id_of(words[1]);
    else if (!words.empty())
        return exit_usage;
    auto imports = radd::json::array();
    command.host.database().transact([&](radd::Transaction& tx) {
        for (const auto& row : tx.query(sql::select_imports, before, listed_max))
            imports.push_back(import_json(row));
    });
    if (command.json) {
        command.out << imports.dump() << '\n';
        return exit_done;
    }
    for (const auto& import : imports) print(command.out, import);
    if (imports.empty()) command.err << "nothing was imported\n";
    return exit_done;
}

int roll_back(radd::CommandContext& command) {
    std::string id;
    RollbackOptions options;
    for (const auto& word : command.arguments) {
        if (word == "--dry-run")
            options.dry_run = true;
        else if (id.empty() && !word.starts_with("--"))
            id = word;
        else
            return exit_usage;
    }
    if (id.empty()) return exit_usage;

    auto& host = command.host;
    const auto started = host.clock().steady_now();
    Progress progress{command.err, host.clock(), "rolling back", Progress::is_wanted(command)};
    options.stop_requested = [&host] { return host.stop_requested(); };
    options.progress = [&progress](std::size_t done, std::size_t total) {
        progress.show(done, total);
    };
    const radd::Quiet quiet;
    auto report =
        Rollback{host.get<items::Directory>(), std::move(options)}.run(host.database(), id_of(id));
    report.took =
        std::chrono::duration_cast<std::chrono::milliseconds>(host.clock().steady_now() - started);
    if (command.json)
        command.out << report_json(report).dump() << '\n';
    else
        print_report(command.out, report);
    return report.left.empty() && !report.stopped ? exit_done : exit_failed;
}

}  // namespace

std::vector<radd::CommandSpec> manage_commands() {
    return {{.words = "import list", .usage = "[--before ID]", .help = list_help, .run = list},
            {.words = "import rollback",
             .usage = "ID [--dry-run]",
             .help = rollback_help,
             .run = roll_back}};
}

}  // namespace importer

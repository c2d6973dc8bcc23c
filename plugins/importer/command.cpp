#include "command.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <system_error>
#include <utility>

#include "arguments.hpp"
#include "csv_source.hpp"
#include "import.hpp"
#include "jira_file.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "sql.hpp"
#include "zone.hpp"
#include <items/service.hpp>
#include <radd/clock.hpp>
#include <radd/scopes.hpp>

namespace importer {
namespace {

constexpr int exit_done = 0;
constexpr int exit_failed = 1;
constexpr int exit_usage = 2;

constexpr const char* jira_usage =
    "FILE [--dry-run] [--loud] [--strict] [--zone ZONE] [--source NAME] [--project KEY ...]";

constexpr const char* jira_help =
    "Import issues from Jira: the JSON that its search answers.\n"
    "\n"
    "FILE holds {\"issues\": [...]} from /rest/api/2/search with fields=*all and\n"
    "expand=changelog, or a bare list of issues. Issues, people, statuses, comments and change\n"
    "logs are taken over with their times and authors. A second run of the same file changes\n"
    "nothing; of a newer one, what is new.\n"
    "\n"
    "  --dry-run       do everything, report it, and roll it back; what it touches is locked\n"
    "                  until then\n"
    "  --loud          let notifications, webhooks, automations and surveys see what happened;\n"
    "                  otherwise history and search alone do\n"
    "  --strict        stop at the first issue that cannot be imported\n"
    "  --zone ZONE     zone of times that name none, e.g. Europe/Berlin (default: setting zone)\n"
    "  --source NAME   tells several Jira instances apart (default: jira)\n"
    "  --project KEY   only this project; may be repeated\n"
    "\n"
    "An issue that cannot be imported is left out and listed with its key and field; the others\n"
    "are imported. Exit code: 0 if anything was imported or there was nothing to import, 1 if\n"
    "nothing could be or the file cannot be read, 2 for wrong usage.";

constexpr const char* csv_usage =
    "FILE [--map COLUMN=FIELD ...] [--zone [COLUMN=]ZONE ...] [--dates [COLUMN=]ORDER ...] "
    "[--delimiter SIGN] [--dry-run] [--loud] [--strict] [--source NAME] [--project KEY ...]";

constexpr const char* csv_help =
    "Import issues from a CSV file, as Jira exports them.\n"
    "\n"
    "The first row names the columns, and a name may stand in it as often as it has values: each\n"
    "Labels is a label, each Comment is 'time;author;text'. What a file has no column for stays\n"
    "as it is here. A second run of the same file changes nothing; of a newer one, what is new.\n"
    "\n"
    "  --map COLUMN=FIELD      what a column gives, before what its name says; the fields are\n"
    "                          key, id, title, description, type, state, category, priority,\n"
    "                          reporter, reporter_id, assignee, assignee_id, creator, creator_id,\n"
    "                          labels, comment, parent_id, parent_key, project_name, created,\n"
    "                          updated, resolved and ignore\n"
    "  --zone [COLUMN=]ZONE    zone of times that name none, e.g. Europe/Berlin (default: setting\n"
    "                          zone)\n"
    "  --dates [COLUMN=]ORDER  dmy, mdy or ymd: how dates of numbers alone are to be read; "
    "without\n"
    "                          it they are not\n"
    "  --delimiter SIGN        one of , ; | and tab (default: what the first row has most of)\n"
    "  --dry-run               do everything, report it, and roll it back; what it touches is\n"
    "                          locked until then\n"
    "  --loud                  let notifications, webhooks, automations and surveys see what\n"
    "                          happened; otherwise history and search alone do\n"
    "  --strict                stop at the first row that cannot be imported\n"
    "  --source NAME           tells several Jira instances apart (default: jira)\n"
    "  --project KEY           only this project; may be repeated. Rows without a key go to it\n"
    "\n"
    "A row that cannot be imported is left out and listed with its line, column and value; the\n"
    "others are imported. Exit code: 0 if anything was imported or there was nothing to import,\n"
    "1 if nothing could be or the file cannot be read, 2 for wrong usage.";

constexpr std::uint64_t mib = 1024 * 1024;

Report import_source(radd::CommandContext& context,
                     const Arguments& arguments,
                     FileKind kind,
                     IssueSource& source) {
    auto& host = context.host;
    Progress progress{context.err, host.clock(), "importing", Progress::is_wanted(context)};
    ImportOptions options{.kind = std::string{name_of(kind)},
                          .file = arguments.file,
                          .source = arguments.source,
                          .dry_run = arguments.dry_run,
                          .strict = arguments.strict};
    options.stop_requested = [&host] { return host.stop_requested(); };
    options.progress = [&progress](std::size_t done, std::size_t total) {
        progress.show(done, total);
    };
    const radd::Quiet quiet{!arguments.loud};
    return Import{host.get<items::Directory>(), source, std::move(options)}.run(host.database());
}

std::string usual_zone(radd::CommandContext& context, const Arguments& arguments) {
    return arguments.zone.empty() ? context.host.settings().text("zone") : arguments.zone;
}

Report import_jira(radd::CommandContext& context, const Arguments& arguments) {
    const auto bytes_max =
        static_cast<std::uint64_t>(context.host.settings().integer("file_mib_max")) * mib;
    const auto text = read_file(arguments.file, bytes_max);
    const auto zone = database_zone(context.host.database(), usual_zone(context, arguments));
    const auto file = parse_export(text, arguments.projects, zone);
    ExportSource source{file};
    return import_source(context, arguments, FileKind::jira, source);
}

/// What is made now is made by the clock that dates everything else.
radd::Timestamp database_time(radd::Database& database) {
    return database.transact([](radd::Transaction& tx) {
        const auto row = tx.query_one(sql::select_time);
        return radd::Timestamp{std::chrono::microseconds{row->integer("now_us")}};
    });
}

std::unique_ptr<CsvSource> read_csv(radd::CommandContext& context, const Arguments& arguments) {
    auto& database = context.host.database();
    CsvOptions options{
        .projects = arguments.projects,
        .mapped = arguments.mapped,
        .delimiter = arguments.delimiter,
        .times = {.usual = {.zone = database_zone(database, usual_zone(context, arguments)),
                            .order = arguments.dates},
                  .orders = arguments.column_dates},
        .now = database_time(database)};
    for (const auto& [column, zone] : arguments.column_zones)
        options.times.zones.emplace(column, database_zone(database, zone));

    std::error_code error;
    const auto size = std::filesystem::file_size(arguments.file, error);
    Progress progress{
        context.err, context.host.clock(), "reading, MiB:", Progress::is_wanted(context)};
    return std::make_unique<CsvSource>(
        file_opener(arguments.file), std::move(options), [&](std::uint64_t bytes) {
            progress.show(bytes / mib, size / mib);
        });
}

Report import_csv(radd::CommandContext& context, const Arguments& arguments) {
    const auto source = read_csv(context, arguments);
    return import_source(context, arguments, FileKind::csv, *source);
}

using ImportFile = Report (*)(radd::CommandContext&, const Arguments&);

int run(radd::CommandContext& context, FileKind kind, ImportFile import_file) {
    Arguments arguments;
    try {
        arguments = parse_arguments(kind, context.arguments);
    } catch (const UsageError& error) {
        context.err << "import " << name_of(kind) << ": " << error.what() << '\n';
        return exit_usage;
    }
    const auto started = context.host.clock().steady_now();
    auto report = import_file(context, arguments);
    report.took = std::chrono::duration_cast<std::chrono::milliseconds>(
        context.host.clock().steady_now() - started);
    if (context.json) {
        context.out << report_json(report) << '\n';
    } else {
        print_report(context.out, report);
    }
    return report.in_vain() ? exit_failed : exit_done;
}

}  // namespace

std::vector<radd::CommandSpec> import_commands() {
    return {{.words = "import jira",
             .usage = jira_usage,
             .help = jira_help,
             .run = [](auto& context) { return run(context, FileKind::jira, import_jira); }},
            {.words = "import csv", .usage = csv_usage, .help = csv_help, .run = [](auto& context) {
                 return run(context, FileKind::csv, import_csv);
             }}};
}

}  // namespace importer

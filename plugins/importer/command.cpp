#include "command.hpp"

#include <chrono>
#include <cstdint>
#include <ostream>

#include "import.hpp"
#include "jira_file.hpp"
#include "report.hpp"
#include "zone.hpp"
#include <items/service.hpp>
#include <radd/clock.hpp>
#include <radd/scopes.hpp>

namespace importer {
namespace {

constexpr int exit_done = 0;
constexpr int exit_failed = 1;
constexpr int exit_usage = 2;

constexpr const char* usage =
    "FILE [--dry-run] [--loud] [--zone ZONE] [--source NAME] [--project KEY ...]";

constexpr const char* help =
    "Import issues from Jira: the JSON that its search answers.\n"
    "\n"
    "FILE holds {\"issues\": [...]} from /rest/api/2/search with fields=*all and\n"
    "expand=changelog, or a bare list of issues. Issues, people, statuses, comments and change\n"
    "logs are taken over with their times and authors. A second run of the same file changes\n"
    "nothing; of a newer one, what is new.\n"
    "\n"
    "  --dry-run       do everything, report it, and roll it back\n"
    "  --loud          let notifications, webhooks, automations and surveys see what happened;\n"
    "                  otherwise history and search alone do\n"
    "  --zone ZONE     zone of times that name none, e.g. Europe/Berlin (default: setting zone)\n"
    "  --source NAME   tells several Jira instances apart (default: jira)\n"
    "  --project KEY   only this project; may be repeated\n"
    "\n"
    "An issue that cannot be imported is left out and listed with its key and field; the others\n"
    "are imported. Exit code: 0 if anything was imported or there was nothing to import, 1 if\n"
    "nothing could be or the file cannot be read, 2 for wrong usage.";

constexpr std::uint64_t mib = 1024 * 1024;
constexpr std::size_t bar_cells = 30;

Report import_file(radd::CommandContext& context, const Arguments& arguments) {
    auto& host = context.host;
    auto& database = host.database();
    const auto& settings = host.settings();
    const auto started = host.clock().steady_now();

    const auto bytes_max = static_cast<std::uint64_t>(settings.integer("file_mib_max")) * mib;
    const auto text = read_file(arguments.file, bytes_max);
    const auto zone = arguments.zone.empty() ? settings.text("zone") : arguments.zone;
    const auto file = parse_export(text, arguments.projects, database_zone(database, zone));

    ImportOptions options{.source = arguments.source, .dry_run = arguments.dry_run};
    options.stop_requested = [&host] { return host.stop_requested(); };
    if (context.interactive)
        options.progress = [&context](std::size_t done, std::size_t total) {
            context.err << '\r' << progress_bar(done, total) << (done == total ? "\n" : "")
                        << std::flush;
        };

    const radd::Quiet quiet{!arguments.loud};
    auto report = Import{host.get<items::Directory>(), file, std::move(options)}.run(database);
    report.took =
        std::chrono::duration_cast<std::chrono::milliseconds>(host.clock().steady_now() - started);
    return report;
}

int run(radd::CommandContext& context) {
    Arguments arguments;
    try {
        arguments = parse_arguments(context.arguments);
    } catch (const UsageError& error) {
        context.err << "import jira: " << error.what() << "\nusage: radd import jira " << usage
                    << '\n';
        return exit_usage;
    }
    const auto report = import_file(context, arguments);
    if (context.json) {
        context.out << report_json(report) << '\n';
    } else {
        print_report(context.out, report);
    }
    return report.in_vain() ? exit_failed : exit_done;
}

}  // namespace

Arguments parse_arguments(std::span<const std::string> words) {
    Arguments arguments;
    for (std::size_t at = 0; at < words.size(); ++at) {
        const auto& word = words[at];
        const auto value = [&]() -> const std::string& {
            if (at + 1 == words.size()) throw UsageError{word + " needs a value"};
            return words[++at];
        };
        if (word == "--dry-run") {
            arguments.dry_run = true;
        } else if (word == "--loud") {
            arguments.loud = true;
        } else if (word == "--zone") {
            arguments.zone = value();
        } else if (word == "--source") {
            arguments.source = value();
        } else if (word == "--project") {
            arguments.projects.push_back(value());
        } else if (word.starts_with("--")) {
            throw UsageError{"there is no option " + word};
        } else if (!arguments.file.empty()) {
            throw UsageError{"'" + word + "' is a second file; import one at a time"};
        } else {
            arguments.file = word;
        }
    }
    if (arguments.file.empty()) throw UsageError{"which file?"};
    return arguments;
}

std::string progress_bar(std::size_t done, std::size_t total) {
    const auto cells = total == 0 ? bar_cells : bar_cells * done / total;
    const auto percent = total == 0 ? 100 : 100 * done / total;
    return "[" + std::string(cells, '#') + std::string(bar_cells - cells, '-') + "] " +
           std::to_string(percent) + "%  " + std::to_string(done) + " of " + std::to_string(total);
}

radd::CommandSpec import_command() {
    return {.words = "import jira", .usage = usage, .help = help, .run = run};
}

}  // namespace importer

/// Imports issues from Jira, quietly, and as often as it is asked.
///
/// Read in this order: jira_issue.hpp is what an issue is, issue_source.hpp where it comes
/// from, import.hpp how it is written, rollback.hpp how that is undone.

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "cascades.hpp"
#include "catalog.hpp"
#include "command.hpp"
#include "retention.hpp"
#include <radd/plugin.hpp>

namespace importer {
namespace {

using namespace std::chrono_literals;

std::vector<radd::CommandSpec> commands() {
    auto all = import_commands();
    for (auto& command : manage_commands()) all.push_back(std::move(command));
    return all;
}

radd::Manifest manifest() {
    return {
        .id = RADD_PLUGIN_ID,
        .version = RADD_PLUGIN_VERSION,
        .description = "Imports issues from Jira, as JSON and as CSV",
        .depends_on = {"items"},
        .event_types = event_types(),
        .entity_refs = entity_refs(),
        .settings = {radd::text("zone", "UTC", "Zone of times in a file that name none."),
                     radd::integer("file_mib_max", 256, {1, 4096}, "Largest file, in MiB."),
                     radd::duration("imports_kept",
                                    24h * 365,
                                    {1h, 24h * 3650},
                                    "How long an import can be taken back.")},
        .periodic_tasks =
            {{.name = "importer.retention",
              .make = [](radd::Services& host) { return std::make_unique<Retention>(host); }}},
        .cascades = cascades(),
        .commands = commands(),
        .migrations = radd::plugin_migrations(),
    };
}

}  // namespace
}  // namespace importer

RADD_PLUGIN(importer::manifest)

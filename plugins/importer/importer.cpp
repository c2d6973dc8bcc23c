/// Imports issues from Jira, quietly, and as often as it is asked.
///
/// Read in this order: jira_issue.hpp is what an issue is, import.hpp how it is written.

#include "cascades.hpp"
#include "command.hpp"
#include <radd/plugin.hpp>

namespace importer {
namespace {

radd::Manifest manifest() {
    return {
        .id = RADD_PLUGIN_ID,
        .version = RADD_PLUGIN_VERSION,
        .description = "Imports issues from Jira",
        .depends_on = {"items"},
        .settings = {radd::text("zone", "UTC", "Zone of times in a file that name none."),
                     radd::integer("file_mib_max", 256, {1, 4096}, "Largest file, in MiB.")},
        .cascades = cascades(),
        .commands = {import_command()},
        .migrations = radd::plugin_migrations(),
    };
}

}  // namespace
}  // namespace importer

RADD_PLUGIN(importer::manifest)

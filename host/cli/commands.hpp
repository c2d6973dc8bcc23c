#pragma once

/// What `radd` can be told to do, one function a command, behind the parser.
///
/// Each returns the exit code. Data goes to `out`, messages to `err`; what a command could not do
/// it throws, and one place (application.cpp) prints it, with the exit code that its type means.

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <host/cli/exit_codes.hpp>
#include <host/cli/terminal.hpp>

namespace radd::cli {

/// What every command is called with.
struct Invocation {
    /// Settings given as flags: dotted name and value, e.g. {"data_dir", "/var/lib/radd"}.
    std::vector<std::pair<std::string, std::string>> settings;
    bool json = false;
    bool interactive = false;  ///< `err` is a terminal.
    Terminal terminal{};       ///< Where `out` goes.
    std::ostream& out;
    std::ostream& err;
};

int serve(Invocation& invocation);
int check(Invocation& invocation);
int plugins(Invocation& invocation);
/// Builds of plugins that the host keeps out because they took a process down.
int quarantine_list(Invocation& invocation);
/// @throws InvalidInput if no build of `plugin` is kept out.
int quarantine_clear(Invocation& invocation, const std::string& plugin);
int config(Invocation& invocation);
/// With `live` the library is opened and asked, in a child process.
int inspect(Invocation& invocation, const std::string& file, bool live);
/// Whether anything here will cause trouble. exit_failed if something does not work.
int doctor(Invocation& invocation);

/// All that is known of a plugin, of what one declares, or of an error code.
int why(Invocation& invocation, const std::string& id);
/// JSON Schema of the manifest of plugin `id`; without one, of every file in manifests_dir.
int schema(Invocation& invocation, const std::optional<std::string>& id);

struct NewPluginOptions {
    std::string id;
    std::string directory = ".";  ///< Where the folder `id` is made.
};
int new_plugin(Invocation& invocation, const NewPluginOptions& options);

/// `format`: "table", "json" or "asyncapi".
int catalog(Invocation& invocation, const std::string& format);
/// The script for `shell`: "bash" or "zsh".
int completion(Invocation& invocation, const std::string& shell);
/// What the scripts ask: how the last of `words`, which may be empty, goes on.
int complete(Invocation& invocation, const std::vector<std::string>& words);

struct MigrateOptions {
    bool status = false;     ///< List, change nothing.
    bool dry_run = false;    ///< List what would be applied, change nothing.
    bool roles = false;      ///< Then make the roles of db::grant_roles().
    bool roles_sql = false;  ///< Print what `roles` would run; touches no database.
};
int migrate(Invocation& invocation, const MigrateOptions& options);

struct EmitOptions {
    std::string type;
    std::string entity;
    std::string entity_id;
    std::string payload = "{}";
    std::optional<std::string> actor;
    std::vector<std::string> subjects;  ///< "entity=id"
    std::optional<std::string> changes;
    bool silent = false;
};
int events_emit(Invocation& invocation, const EmitOptions& options);

struct QueryOptions {
    std::vector<std::string> types;
    std::optional<std::string> entity;  ///< "item" or "item=42"
    std::vector<std::string> not_types;
    std::optional<std::string> actor;
    std::optional<std::string> source;  ///< "people", "automations", "system"
    std::optional<std::string> changed;
    std::optional<std::string> text;
    std::optional<std::int64_t> project;
    std::optional<std::string> since;
    std::optional<std::string> until;
    std::optional<std::int64_t> before;  ///< Event ids, for paging.
    std::optional<std::int64_t> after;
    std::int64_t limit = 50;
    bool all = false;  ///< Also types that are not audited, unless one is asked for by name.
};
int events_query(Invocation& invocation, const QueryOptions& options);
int events_show(Invocation& invocation, std::int64_t id);

struct TailOptions {
    std::vector<std::string> types;
    bool all = false;         ///< As QueryOptions::all.
    std::int64_t lines = 10;  ///< How many of the past to begin with.
    bool follow = true;
};
int events_tail(Invocation& invocation, const TailOptions& options);

int consumers_list(Invocation& invocation);
int consumers_skipped(Invocation& invocation, const std::string& name, std::int64_t limit);
int consumers_pause(Invocation& invocation,
                    const std::string& name,
                    const std::optional<std::string>& duration,
                    const std::string& reason);
int consumers_resume(Invocation& invocation, const std::string& name);
/// `to`: "head", "beginning" or an event id. Without `confirmed` it only tells what would happen.
int consumers_seek(Invocation& invocation,
                   const std::string& name,
                   const std::string& to,
                   bool confirmed);
/// Without `event`: all that were skipped. @throws InvalidInput if `event` is not among them.
int consumers_retry(Invocation& invocation,
                    const std::string& name,
                    const std::optional<std::int64_t>& event);
int consumers_retire(Invocation& invocation, const std::string& name, bool confirmed);

/// Reads all that a proof needs. exit_found if anything contradicts what was promised.
int verify(Invocation& invocation);

/// A command that a plugin contributes; empty if none of its words match. `words` is the whole
/// command line after the program's name, without flags of the host.
std::optional<int> plugin_command(Invocation& invocation, const std::vector<std::string>& words);

/// For `radd --help`: "import jira" and its sentence, for each; empty if plugins cannot be read.
std::vector<std::pair<std::string, std::string>> plugin_command_help(Invocation& invocation);

}  // namespace radd::cli

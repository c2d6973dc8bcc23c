#include <algorithm>
#include <memory>
#include <sstream>
#include <utility>

#include <CLI/CLI.hpp>

#include <host/cli/command_line.hpp>
#include <host/config/host_settings.hpp>

namespace radd::cli {
namespace {

constexpr const char* footer_text = R"(
Settings have one name in three spellings: data_dir in manifests/host.yaml, RADD_DATA_DIR in the
environment (wins over the file) and --data-dir here (wins over both). `radd config` shows all.

Data goes to standard output, messages to standard error. Exit codes: 0 done, 1 failed, 2 wrong
usage, 3 refused (a manifest, a setting or a plugin is wrong), 4 could not start.)";

using Command = std::function<int(Invocation&)>;

/// Adds commands to the parser; the one that was given leaves itself in `chosen`.
class Grammar {
public:
    explicit Grammar(Parsed& parsed) : parsed_{parsed} {
        app_.allow_extras();  // The words of plugins' commands.
        app_.fallthrough();   // Settings may stand after the command.
        app_.footer(footer_text);
        app_.set_version_flag("--version", "radd " RADD_VERSION);
        app_.add_flag("--json", parsed_.json, "Print data as JSON");
        add_settings();
        add_service_commands();
        add_event_commands();
        add_consumer_commands();
    }

    CLI::App& app() { return app_; }
    Command& chosen() { return chosen_; }

private:
    void add_settings() {
        for (const auto& setting : config::host_setting_specs()) {
            app_.add_option_function<std::string>(
                    std::string{setting.flag},
                    [this, name = std::string{setting.name}](const std::string& value) {
                        parsed_.settings.emplace_back(name, value);
                    },
                    std::string{setting.help})
                ->group("Settings")
                ->expected(1)
                ->allow_extra_args(false);
        }
    }

    CLI::App& add(CLI::App& parent, const char* name, const char* help, Command run) {
        CLI::App* command = parent.add_subcommand(name, help);
        command->fallthrough();
        command->callback([this, run = std::move(run)] { chosen_ = run; });
        return *command;
    }

    CLI::App& group(const char* name, const char* help) {
        CLI::App* command = app_.add_subcommand(name, help);
        command->fallthrough();
        command->require_subcommand(1);
        return *command;
    }

    void add_service_commands() {
        add(app_, "serve", "Run the host: consumers, tasks and plugins, until SIGTERM", serve);
        add(app_, "check", "Load and validate everything, touch no database", check);
        add(app_, "plugins", "List plugins: loaded, refused with reasons, ignored", plugins);
        add(app_, "config", "Show every setting and where its value comes from", config);

        auto file = std::make_shared<std::string>();
        add(app_,
            "inspect",
            "Tell what a plugin file is, without running any of its code",
            [file](Invocation& invocation) { return inspect(invocation, *file); })
            .add_option("FILE", *file, "A plugin, e.g. plugins/csat.so")
            ->required();

        auto options = std::make_shared<MigrateOptions>();
        CLI::App& command =
            add(app_,
                "migrate",
                "Bring the database schema up to date",
                [options](Invocation& invocation) { return migrate(invocation, *options); });
        command.add_flag("--status", options->status, "List all, change nothing");
        command.add_flag("--dry-run", options->dry_run, "List what is pending, change nothing");
    }

    void add_event_commands() {
        CLI::App& events = group("events", "Append, show, search and follow events");
        add_emit(events);
        add_query(events);

        auto id = std::make_shared<std::int64_t>();
        add(events,
            "show",
            "Show one event with its payload",
            [id](Invocation& invocation) { return events_show(invocation, *id); })
            .add_option("ID", *id, "Event id")
            ->required();

        auto tail = std::make_shared<TailOptions>();
        auto no_follow = std::make_shared<bool>(false);
        CLI::App& command = add(events,
                                "tail",
                                "Print the last events and follow the stream",
                                [tail, no_follow](Invocation& invocation) {
                                    tail->follow = !*no_follow;
                                    return events_tail(invocation, *tail);
                                });
        command.add_option("--type", tail->types, "Only these types");
        command.add_option("-n,--lines", tail->lines, "How many past events to begin with")
            ->check(CLI::Range(0, 1000));
        command.add_flag("--no-follow", *no_follow, "Stop at the head of the stream");
    }

    void add_emit(CLI::App& events) {
        auto emit = std::make_shared<EmitOptions>();
        CLI::App& command = add(
            events, "emit", "Append one event of a declared type", [emit](Invocation& invocation) {
                return events_emit(invocation, *emit);
            });
        command.add_option("TYPE", emit->type, "E.g. item.updated")->required();
        command.add_option("ENTITY", emit->entity, "Entity type, e.g. item")->required();
        command.add_option("ID", emit->entity_id, "Entity id")->required();
        command.add_option("--payload", emit->payload, "A JSON object");
        command.add_option("--changes", emit->changes, "A JSON array of differences");
        command.add_option("--actor", emit->actor, "A uuid");
        command.add_option("--subject", emit->subjects, "entity=id; may be repeated");
        command.add_flag("--silent", emit->silent, "Tell nobody outside");
    }

    void add_query(CLI::App& events) {
        auto query = std::make_shared<QueryOptions>();
        CLI::App& command = add(
            events, "query", "Search the stream, newest first", [query](Invocation& invocation) {
                return events_query(invocation, *query);
            });
        command.add_option("--type", query->types, "Event type; may be repeated");
        command.add_option("--entity", query->entity, "item, or item=42");
        command.add_option("--actor", query->actor, "A uuid");
        command.add_option("--project", query->project, "Project id");
        command.add_option("--since", query->since, "A time, e.g. 2026-11-30 or 2026-11-30T12:00Z");
        command.add_option("--until", query->until, "A time, exclusive");
        command.add_option("--before", query->before, "Only ids below this one");
        command.add_option("--after", query->after, "Only ids above this one, oldest first");
        command.add_option("--limit", query->limit, "At most so many")->check(CLI::Range(1, 1000));
    }

    void add_consumer_commands() {
        CLI::App& consumers = group("consumers", "See how consumers keep up, and repair them");
        add(consumers, "list", "Cursor, lag, state and owner of every consumer", consumers_list);

        auto name = std::make_shared<std::string>();
        const auto named = [&](const char* verb, const char* help, Command run) -> CLI::App& {
            CLI::App& command = add(consumers, verb, help, std::move(run));
            command.add_option("NAME", *name, "A consumer, e.g. csat.sender")->required();
            return command;
        };

        auto duration = std::make_shared<std::optional<std::string>>();
        auto reason = std::make_shared<std::string>();
        CLI::App& pause =
            named("pause", "Hold a consumer; its cursor stays", [=](Invocation& invocation) {
                return consumers_pause(invocation, *name, *duration, *reason);
            });
        pause.add_option("--for", *duration, "E.g. 30m; without it until resumed");
        pause.add_option("--reason", *reason, "Shown in the list");
        named("resume", "Let a paused or retired consumer go on", [=](Invocation& invocation) {
            return consumers_resume(invocation, *name);
        });

        auto to = std::make_shared<std::string>();
        auto yes = std::make_shared<bool>(false);
        CLI::App& seek = named(
            "seek", "Move a cursor: replays events, or passes them", [=](Invocation& invocation) {
                return consumers_seek(invocation, *name, *to, *yes);
            });
        seek.add_option("TO", *to, "head, beginning, or an event id")->required();
        seek.add_flag("--yes", *yes, "Do it; without this flag it only tells what would happen");

        auto event = std::make_shared<std::optional<std::int64_t>>();
        CLI::App& retry = named(
            "retry", "Plan skipped events again, outside the cursor", [=](Invocation& invocation) {
                return consumers_retry(invocation, *name, *event);
            });
        auto* which = retry.add_option_group("which");
        which->add_option("--event", *event, "One skipped event");
        which->add_flag("--all", retry_all_, "Every skipped event of the consumer");
        which->require_option(1);

        CLI::App& retire = named(
            "retire",
            "Mark a consumer as gone for good; nothing is deleted",
            [=](Invocation& invocation) { return consumers_retire(invocation, *name, *yes); });
        retire.add_flag("--yes", *yes, "Do it; without this flag it only tells what would happen");
    }

    Parsed& parsed_;
    Command chosen_;
    bool retry_all_ = false;  ///< What retry does without --event; asked for in words all the same.
    CLI::App app_{"A plugin host for transactional-outbox consumers on PostgreSQL.", "radd"};
};

}  // namespace

Parsed parse(const std::vector<std::string>& arguments) {
    Parsed parsed;
    Grammar grammar{parsed};
    std::vector<std::string> reversed{arguments.rbegin(), arguments.rend()};  // As CLI11 wants it.
    try {
        grammar.app().parse(std::move(reversed));
    } catch (const CLI::ParseError& stop) {
        parsed.plugin_words = grammar.app().remaining();
        if (stop.get_name() == "CallForHelp" && !parsed.plugin_words.empty()) {
            parsed.plugin_words.emplace_back("--help");  // Of a plugin's command, not of radd.
            return parsed;
        }
        parsed.plugin_words.clear();
        std::ostringstream out;
        std::ostringstream err;
        const int code = grammar.app().exit(stop, out, err);
        parsed.wants_help = code == 0 && grammar.app().get_subcommands().empty() &&
                            stop.get_name() != "CallForVersion";
        parsed.text = code == 0 ? out.str() : "radd: " + err.str();
        parsed.code = code == 0 ? exit_ok : exit_usage;
        return parsed;
    }
    const auto remaining = grammar.app().remaining();
    if (grammar.chosen() && !remaining.empty()) {
        parsed.text = "radd: unknown argument '" + remaining.front() + "', see --help\n";
        parsed.code = exit_usage;
        return parsed;
    }
    if (!grammar.chosen() && remaining.empty()) {
        parsed.text = grammar.app().help();
        parsed.code = exit_usage;
        parsed.wants_help = true;
        return parsed;
    }
    parsed.command = grammar.chosen();
    parsed.plugin_words = remaining;
    return parsed;
}

}  // namespace radd::cli

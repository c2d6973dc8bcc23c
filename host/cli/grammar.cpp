#include <memory>
#include <string>
#include <utility>
#include <variant>

#include <host/cli/grammar.hpp>
#include <host/cli/manual.hpp>
#include <host/config/host_setting_table.hpp>
#include <host/config/host_settings.hpp>

namespace radd::cli {

std::string taken_by(const CLI::Option& option) {
    if (option.get_expected_max() == 0) return {};
    // Behind a colon CLI11 tells what it checks, in words of its own.
    const auto type = option.get_type_name();
    return type.substr(0, type.find(':'));
}

bool is_switch(const CLI::Option& option) {
    return option.get_group() == settings_group && taken_by(option) == takes::boolean;
}

bool takes_next(const CLI::Option& option, std::string_view word) {
    if (is_switch(option)) return word == "true" || word == "false";
    return option.get_expected_max() > 0;
}

Grammar::Grammar(Parsed& parsed) : parsed_{parsed} {
    app_.allow_extras();  // The words of plugins' commands.
    app_.fallthrough();   // Settings may stand after the command.
    app_.formatter(std::make_shared<ManualFormatter>());
    app_.option_defaults()->always_capture_default();
    app_.set_help_flag("-h,--help", "Print this page");
    app_.set_version_flag("--version", version_text(), "Print the version");
    app_.add_flag("--json", parsed_.json, "Print data as JSON, and a failure as a JSON object");
    add_settings();
    add_service_commands();
    add_author_commands();
    add_quarantine_commands();
    add_migrate();
    add_catalog();
    add_event_commands();
    add_consumer_commands();
    add_delivery_commands();
    add_account_commands();
    add_token_commands();
    add_completion();
}

void Grammar::add_settings() {
    for (const auto& setting : config::host_setting_specs()) {
        const auto& field = config::find_host_setting(setting.name)->field;
        const bool is_boolean = std::holds_alternative<bool config::HostSettings::*>(field);
        app_.add_option_function<std::string>(
                std::string{setting.flag},
                [this, name = std::string{setting.name}](const std::string& value) {
                    parsed_.settings.emplace_back(name, value);
                },
                std::string{setting.help})
            ->group(settings_group)
            ->type_name(is_boolean ? takes::boolean : "VALUE")
            ->default_str(std::string{setting.default_text})
            ->expected(1)
            ->allow_extra_args(false);
    }
}

CLI::App& Grammar::add(CLI::App& parent, const char* name, const char* help, Command run) {
    CLI::App* command = parent.add_subcommand(name, help);
    command->fallthrough();
    command->callback([this, run = std::move(run)] { chosen_ = run; });
    return *command;
}

CLI::App& Grammar::group(const char* name, const char* help) {
    CLI::App* command = app_.add_subcommand(name, help);
    command->fallthrough();
    command->require_subcommand(1);
    return *command;
}

void Grammar::add_service_commands() {
    add(app_, "serve", "Run the host: consumers, tasks and plugins, until SIGTERM", serve);
    add(app_, "check", "Load and validate everything, touch no database", check);
    add(app_, "plugins", "List plugins: loaded, refused with reasons, ignored", plugins);
    add(app_, "config", "Show every setting and where its value comes from", config);

    add(app_, "verify", "Prove from the tables that each event was handled once", verify);

    auto file = std::make_shared<std::string>();
    auto live = std::make_shared<bool>(false);
    CLI::App& command =
        add(app_,
            "inspect",
            "Tell what a plugin file is, without running any of its code",
            [file, live](Invocation& invocation) { return inspect(invocation, *file, *live); });
    command.add_option("FILE", *file, "A plugin, e.g. plugins/csat.so")
        ->type_name(takes::file)
        ->required();
    command.add_flag("--live", *live, "Then open it in a child process and ask what it brings");
}

void Grammar::add_quarantine_commands() {
    CLI::App& quarantine =
        group("quarantine", "See which builds of plugins are kept out, and let them in");
    add(quarantine, "list", "Every build that took a process down, and how", quarantine_list);

    auto plugin = std::make_shared<std::string>();
    add(quarantine,
        "clear",
        "Have a plugin tried again as if nothing were known of it",
        [plugin](Invocation& invocation) { return quarantine_clear(invocation, *plugin); })
        .add_option("PLUGIN", *plugin, "Its id")
        ->type_name(takes::plugin)
        ->required();
}

void Grammar::add_migrate() {
    auto options = std::make_shared<MigrateOptions>();
    CLI::App& command = add(
        app_, "migrate", "Bring the database schema up to date", [options](Invocation& invocation) {
            return migrate(invocation, *options);
        });
    auto* status = command.add_flag("--status", options->status, "List all, change nothing");
    auto* dry_run =
        command.add_flag("--dry-run", options->dry_run, "List what is pending, change nothing");
    auto* roles = command.add_flag("--roles",
                                   options->roles,
                                   "Then make or renew the roles radd_emitter, radd_reader and "
                                   "radd_host with their rights");
    auto* roles_sql = command.add_flag(
        "--roles-sql", options->roles_sql, "Print the statements of --roles and do nothing else");
    dry_run->excludes(status);
    roles->excludes(status)->excludes(dry_run);
    roles_sql->excludes(status)->excludes(dry_run)->excludes(roles);
}

void Grammar::add_catalog() {
    auto format = std::make_shared<std::string>("table");
    add(app_,
        "catalog",
        "List the event types and actions that loaded plugins declare",
        [format](Invocation& invocation) { return catalog(invocation, *format); })
        .add_option("--format", *format, "What to print; --json is the same as json")
        ->check(CLI::IsMember({"table", "json", "asyncapi"}))
        ->type_name("table|json|asyncapi");
}

void Grammar::add_completion() {
    auto shell = std::make_shared<std::string>();
    add(app_,
        "completion",
        "Print the script that completes radd's words in a shell",
        [shell](Invocation& invocation) { return completion(invocation, *shell); })
        .add_option("SHELL", *shell, "bash or zsh")
        ->check(CLI::IsMember({"bash", "zsh"}))
        ->type_name("bash|zsh")
        ->required();
}

void Grammar::add_event_commands() {
    CLI::App& events = group("events", "Append, show, search and follow events");
    add_tail(events);
    add_query(events);

    auto id = std::make_shared<std::int64_t>();
    add(events,
        "show",
        "Show one event with its payload",
        [id](Invocation& invocation) { return events_show(invocation, *id); })
        .add_option("ID", *id, "Event id")
        ->type_name("ID")
        ->default_str("")
        ->required();
    add_emit(events);
}

void Grammar::add_tail(CLI::App& events) {
    auto tail = std::make_shared<TailOptions>();
    auto no_follow = std::make_shared<bool>(false);
    CLI::App& command = add(events,
                            "tail",
                            "Print the last events and follow the stream",
                            [tail, no_follow](Invocation& invocation) {
                                tail->follow = !*no_follow;
                                return events_tail(invocation, *tail);
                            });
    command.add_option("--type", tail->types, "Only this type; may be repeated")
        ->type_name(takes::event_type);
    command.add_flag("--all", tail->all, "Also types that are not audited");
    command.add_option("-n,--lines", tail->lines, "How many past events to begin with, 0 to 1000")
        ->type_name("N")
        ->check(CLI::Range(0, 1000));
    auto* follow = command.add_flag("-f,--follow", follow_, "Go on until interrupted: the default");
    command.add_flag("--no-follow", *no_follow, "Stop at the head of the stream")->excludes(follow);
}

void Grammar::add_emit(CLI::App& events) {
    auto emit = std::make_shared<EmitOptions>();
    CLI::App& command =
        add(events, "emit", "Append one event of a declared type", [emit](Invocation& invocation) {
            return events_emit(invocation, *emit);
        });
    command.add_option("TYPE", emit->type, "E.g. item.updated")
        ->type_name(takes::event_type)
        ->required();
    command.add_option("ENTITY", emit->entity, "Entity type, e.g. item")
        ->type_name("ENTITY")
        ->required();
    command.add_option("ID", emit->entity_id, "Entity id")->type_name("ID")->required();
    command.add_option("--payload", emit->payload, "A JSON object")->type_name("JSON");
    command.add_option("--changes", emit->changes, "A JSON array of differences")
        ->type_name("JSON");
    command.add_option("--actor", emit->actor, "Who did it")->type_name("UUID");
    command.add_option("--subject", emit->subjects, "What else it is about; may be repeated")
        ->type_name("ENTITY=ID");
    command.add_flag("--silent", emit->silent, "Tell nobody outside");
}

void Grammar::add_query(CLI::App& events) {
    auto query = std::make_shared<QueryOptions>();
    CLI::App& command =
        add(events, "query", "Search the stream, newest first", [query](Invocation& invocation) {
            return events_query(invocation, *query);
        });
    command.add_option("--type", query->types, "Only this type; may be repeated")
        ->type_name(takes::event_type);
    command.add_option("--entity", query->entity, "Only about these: item, or item=42")
        ->type_name("ENTITY[=ID]");
    command.add_option("--not-type", query->not_types, "Not this type; may be repeated")
        ->type_name(takes::event_type);
    command.add_flag("--all", query->all, "Also types that are not audited");
    command.add_option("--actor", query->actor, "Only done by this one")->type_name("UUID");
    command.add_option("--source", query->source, "Only by: people, automations, system")
        ->type_name("SOURCE")
        ->check(CLI::IsMember({"people", "automations", "system"}));
    command.add_option("--changed", query->changed, "Only what changed this field")
        ->type_name("FIELD");
    command.add_option("--text", query->text, "Only with this in payload or changes")
        ->type_name("TEXT");
    command.add_option("--project", query->project, "Only of this project")->type_name("ID");
    command.add_option("--since", query->since, "Only at or after: 2026-11-30, 2026-11-30T12:00Z")
        ->type_name("TIME");
    command.add_option("--until", query->until, "Only before")->type_name("TIME");
    command.add_option("--before", query->before, "Only ids below this one")->type_name("ID");
    command.add_option("--after", query->after, "Only ids above this one, oldest first")
        ->type_name("ID");
    command.add_option("--limit", query->limit, "At most so many, 1 to 1000")
        ->type_name("N")
        ->check(CLI::Range(1, 1000));
}

CLI::App& Grammar::add_named(CLI::App& consumers, const char* verb, const char* help, Command run) {
    CLI::App& command = add(consumers, verb, help, std::move(run));
    command.add_option("NAME", *consumer_, "A consumer, e.g. csat.sender")
        ->type_name(takes::consumer)
        ->required();
    return command;
}

void Grammar::add_consumer_commands() {
    CLI::App& consumers = group("consumers", "See how consumers keep up, and repair them");
    add(consumers, "list", "Cursor, lag, state and owner of every consumer", consumers_list);

    auto rows = std::make_shared<std::int64_t>(100);
    CLI::App& skipped = add_named(consumers,
                                  "skipped",
                                  "List events a consumer has passed without their effect",
                                  [name = consumer_, rows](Invocation& invocation) {
                                      return consumers_skipped(invocation, *name, *rows);
                                  });
    skipped.add_option("--limit", *rows, "At most so many, 1 to 1000")
        ->type_name("N")
        ->check(CLI::Range(1, 1000));
    add_consumer_repairs(consumers);
}

void Grammar::add_consumer_repairs(CLI::App& consumers) {
    const auto name = consumer_;
    auto duration = std::make_shared<std::optional<std::string>>();
    auto reason = std::make_shared<std::string>();
    CLI::App& pause = add_named(
        consumers, "pause", "Hold a consumer; its cursor stays", [=](Invocation& invocation) {
            return consumers_pause(invocation, *name, *duration, *reason);
        });
    pause.add_option("--for", *duration, "E.g. 30m; without it until resumed")
        ->type_name("DURATION");
    pause.add_option("--reason", *reason, "Shown to whoever looks")->type_name("TEXT");
    add_named(
        consumers, "resume", "Let a paused or retired consumer go on", [=](Invocation& invocation) {
            return consumers_resume(invocation, *name);
        });

    auto to = std::make_shared<std::string>();
    auto yes = std::make_shared<bool>(false);
    constexpr const char* yes_help = "Do it; without this it only tells what would happen";
    CLI::App& seek = add_named(
        consumers,
        "seek",
        "Move a cursor: replays events, or passes them",
        [=](Invocation& invocation) { return consumers_seek(invocation, *name, *to, *yes); });
    seek.add_option("TO", *to, "head, beginning, or an event id")
        ->type_name("head|beginning|ID")
        ->required();
    seek.add_flag("--yes", *yes, yes_help);

    auto event = std::make_shared<std::optional<std::int64_t>>();
    CLI::App& retry = add_named(
        consumers,
        "retry",
        "Plan skipped events again, outside the cursor",
        [=](Invocation& invocation) { return consumers_retry(invocation, *name, *event); });
    auto* which = retry.add_option_group("which");
    which->add_option("--event", *event, "One skipped event")->type_name("ID");
    which->add_flag("--all", retry_all_, "Every skipped event of the consumer");
    which->require_option(1);

    CLI::App& retire = add_named(
        consumers,
        "retire",
        "Mark a consumer as gone for good; nothing is deleted",
        [=](Invocation& invocation) { return consumers_retire(invocation, *name, *yes); });
    retire.add_flag("--yes", *yes, yes_help);
}

}  // namespace radd::cli

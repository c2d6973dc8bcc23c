// The pages of the manual: what each command is for, and how it is used.

#include <host/cli/manual.hpp>

namespace radd::cli {
namespace {

const std::vector<ManualPage>& service_pages() {
    static const std::vector<ManualPage> pages{
        {"",
         "Applications write their data and an event in one transaction. radd reads those events "
         "back in order and runs plugins on them, each with a cursor of its own; it never skips "
         "one, and shows what keeps up.\n\n"
         "Data goes to standard output, messages go to standard error. With --json the data is "
         "JSON, and a command that fails writes one JSON object, {\"error\", \"exit_code\", "
         "\"reason\", \"problems\"}, as the last line of standard error; nothing that is no data "
         "is ever on standard output.",
         {{"radd serve", "Runs the host until SIGTERM or Ctrl-C."},
          {"radd consumers list", "Shows what keeps up and what does not."},
          {"radd help consumers seek", "The same as radd consumers seek --help."}}},
        {"serve",
         "Loads the plugins, brings the schema up to date, starts the tail, the consumers and the "
         "web server, and says `ready` on standard error. Any number of hosts may share one "
         "database: each consumer runs in one of them at a time.\n\n"
         "SIGTERM and SIGINT stop it: what is under way is finished or abandoned within "
         "shutdown.grace, what is committed is sent, leases are released. A second signal cuts the "
         "grace. Under systemd (Type=notify) it reports readiness, its state and, with "
         "WatchdogSec=, that the stream is being read.",
         {{"radd serve", "Everything in one process, with a PostgreSQL of its own in ./var."},
          {"RADD_RUN_WORKERS=false radd serve", "Pages and API only; consumers run elsewhere."},
          {"radd serve --http-listen 127.0.0.1:0", "Picks a free port and prints it."}}},
        {"check",
         "Reads host.yaml and the plugins' manifests, loads every enabled plugin, and validates "
         "what they declare against each other, as serve does before it starts anything. All "
         "problems are printed at once, each with its code; sdk/README.md explains the codes.",
         {{"radd check", "Before a restart: would the host start?"},
          {"radd check --json", "{may_start, plugins, refused, disabled, ignored, problems}"}}},
        {"plugins",
         "Says of each plugin whether it is loaded, refused (and why), disabled in its manifest, "
         "or ignored because no manifest names it. Touches no database.",
         {{"radd plugins", "A line for each."}}},
        {"quarantine",
         "A build of a plugin that serve has not seen before is opened in a child process first. "
         "One that crashes there, hangs or ends the process is kept out from then on, and so is "
         "one in whose code the host crashes while it starts, or three times within ten minutes "
         "while it runs. What is known stands in data_dir/plugins/builds.json. A rebuilt plugin is "
         "another build, and is let in.\n\n"
         "A host with such a plugin does not start, unless the plugin's manifest says `required: "
         "false`; it is then left out with a warning.",
         {{"radd quarantine list", "Which, since when and why."}}},
        {"quarantine list",
         "One line for each build. REASON is what the start said that found it.",
         {{"radd quarantine list --json", "[{plugin, build, since, reason}]"}}},
        {"quarantine clear",
         "For a crash that was not the plugin's fault, as a library it needs that was broken. The "
         "next start tries the plugin again.",
         {{"radd quarantine clear csat", "Forgets what is known of csat's builds."}}},
        {"config",
         "Prints every setting of the host with its value and its origin: the built-in default, "
         "host.yaml, the environment or the command line. Passwords are never printed.",
         {{"radd config", "What is in effect here."},
          {"radd config --log-level debug", "What a flag would change."}}},
        {"inspect",
         "Reads a plugin's library from outside: its identity, ABI, toolchain, what it exports and "
         "needs, whether this host would open it, and what it brings, if its build has sealed it "
         "with that: its events with their subjects, its consumers, routes and settings. None of "
         "its code runs, but with --live: then a child process opens it and asks what it brings, "
         "and a plugin that says anything but its seal, crashes, hangs or ends its process is told "
         "as such. It is no sandbox: the child has your rights.",
         {{"radd inspect plugins/csat.so", "May this file be installed here, and what is it for?"},
          {"radd inspect --live plugins/csat.so", "Does it bring what its build says?"}}},
        {"verify",
         "Compares every consumer's receipt, which it keeps beside its cursor, with the events "
         "that "
         "are between its seed and its cursor, less the skipped: the same number, and the same "
         "ones. So each was handled once, and in order, because a cursor moves up alone; what an "
         "operator had planned again is counted as RETRIED. It also looks for cursors beyond the "
         "head or at no event, leases that nobody has taken over, records of skipped events that "
         "do not fit the stream, and deliveries that contradict it or themselves.\n\n"
         "It only reads, in short snapshots, and may run beside hosts and writers under load. "
         "VERDICT: each once - proven. contradicted - see below the table, each with its name and "
         "what to do. unproven - events it has handled were dropped with their partition.",
         {{"radd verify", "After a fault, a restore, or a change made by hand."},
          {"radd verify --json", "{sound, consumers, findings, …}; exits with 5 unless sound."}}},
        {"migrate",
         "Applies what is pending of the core's and the plugins' migrations, each in its own "
         "transaction, one runner at a time over all hosts. serve does the same when it starts; "
         "run it by itself where serve connects with a role that may not change the schema.\n\n"
         "--roles makes group roles without a login, for GRANT to those who log in: radd_emitter "
         "appends events, radd_reader reads the stream, radd_host is what serve needs. Run it as "
         "the owner of the schema, again after each upgrade; see OPERATING.md.",
         {{"radd migrate --status", "What is applied, and since when."},
          {"radd migrate --dry-run", "What would be applied."},
          {"radd migrate", "Applies it."},
          {"radd migrate --roles", "Applies it and renews the rights of the roles."},
          {"radd migrate --roles-sql", "What would be granted to whom."}}},
        {"catalog",
         "Lists every event type that a loaded plugin declares: what it is about, which plugin "
         "owns "
         "it, and whether rules may start from it; then every action that a rule may take. Touches "
         "no database. asyncapi prints an "
         "AsyncAPI 3 document.",
         {{"radd catalog", "A table for people."},
          {"radd catalog --json", "Each with its schema and its former names."}}},
        {"completion",
         "Prints a script that completes commands, flags, consumers' names and event types. Names "
         "of consumers come from the database, if it answers within a second; a private PostgreSQL "
         "is not started for it. `cmake --install` puts both scripts in place.",
         {{"radd completion bash", "For bash: eval \"$(radd completion bash)\" in ~/.bashrc."},
          {"radd completion zsh", "For zsh: save it as _radd in a folder of $fpath."}}},
    };
    return pages;
}

const std::vector<ManualPage>& event_pages() {
    static const std::vector<ManualPage> pages{
        {"events",
         "The stream as it is stored. What is shown is final: an event whose transaction is still "
         "open, or behind one that is, is not shown yet.",
         {{"radd events tail", "Watch what happens."}}},
        {"events tail",
         "Prints the last events, oldest first, and then every new one as soon as it is final, "
         "until SIGINT or SIGTERM, or until whoever reads its output goes away. It goes on over a "
         "restart of the database, without leaving an event out or repeating one. Types that their "
         "plugin declares as not audited are shown with --all, or where --type names them.",
         {{"radd events tail", "The last ten, and what follows."},
          {"radd events tail -n 0 --type item.updated", "Only new ones, only of one type."},
          {"radd events tail --json --no-follow", "The last ten, a JSON object a line."}}},
        {"events query",
         "Finds events by what they are and when they happened. Newest first, or oldest first with "
         "--after. If there may be more, it says on standard error how to go on. Types that their "
         "plugin declares as not audited are shown with --all, or where --type names them.\n\n"
         "A time is whatever PostgreSQL reads as one, in UTC where no zone is given.",
         {{"radd events query --entity item=42", "The history of one entity."},
          {"radd events query --type csat.requested --since 2026-11-30", "What went out that day."},
          {"radd events query --changed state --source people", "Who moved what."},
          {"radd events query --before 4812 --limit 100", "The next page."}}},
        {"events show",
         "Prints every field of one event, payload and changes included.",
         {{"radd events show 4812", "For people."},
          {"radd events show 4812 --json", "One JSON object, numbers exact."}}},
        {"events emit",
         "Appends one event in a transaction of its own, checked as the SDK checks it: the type "
         "must be declared by a loaded plugin, its subjects must exist, the payload must be an "
         "object. For tests and repairs; applications emit in the transaction of their write.",
         {{"radd events emit item.updated item 42 --changes '[]'", "An event about item 42."},
          {"radd events emit item.deleted item 42 --silent", "The same way, and nobody is told."}}},
    };
    return pages;
}

const std::vector<ManualPage>& consumer_pages() {
    static const std::vector<ManualPage> pages{
        {"consumers",
         "A consumer is a named reader of the stream with one cursor and one owner at a time. "
         "These commands work on the database alone: they need no running host, and one that runs "
         "learns of a change with its next renewal.",
         {{"radd consumers list", "How they keep up."}}},
        {"consumers list",
         "One line for each consumer and periodic task ever started here. LAG counts the events "
         "between cursor and head; from 10000 on it is the distance of the ids, marked ~. MOVED is "
         "how long ago the cursor last moved. What needs attention is said on standard error with "
         "the command that helps.\n\n"
         "STATE: ok - nothing to do. catching_up - behind, and moving. stalled - behind, and not "
         "moving for 120 s, or a handler is over its deadline. waiting - an open transaction holds "
         "the stream. paused, retired - somebody decided so. unowned - no host runs it. "
         "beyond_head - the cursor is past the stream, which was restored. not_loaded - no loaded "
         "plugin declares it.",
         {{"radd consumers list", "A table."},
          {"radd consumers list --json", "Every field, also the ones without a column."}}},
        {"consumers skipped",
         "Lists what a consumer could not plan or deliver, newest first, with the error. Each is "
         "kept with a copy of its event until it was planned again or the cursor was set back "
         "before it.",
         {{"radd consumers skipped csat.sender", "What went wrong."}}},
        {"consumers pause",
         "The consumer stops after the event it is at. Its events wait in the stream.",
         {{"radd consumers pause csat.sender --for 30m --reason 'relay is down'",
           "Half an hour."}}},
        {"consumers resume",
         "Ends a pause, and brings a retired consumer back: at the head if it reaches outward, at "
         "its cursor if it builds state.",
         {{"radd consumers resume csat.sender", "It goes on within a moment."}}},
        {"consumers seek",
         "Moves the cursor to the head, to the beginning, or behind an event. Backwards, the "
         "events "
         "between are handled again, whatever that means outside; forwards, they are passed "
         "without being handled. Without --yes it only tells how many.",
         {{"radd consumers seek csat.sender head", "What would be passed?"},
          {"radd consumers seek csat.sender head --yes", "Passes it."},
          {"radd consumers seek items.index 4811 --yes", "Begins again with event 4812."}}},
        {"consumers retry",
         "Asks the consumer's owner to plan skipped events again. The cursor does not move.",
         {{"radd consumers retry csat.sender --event 4812", "One of them."},
          {"radd consumers retry csat.sender --all", "All of them, oldest first."}}},
        {"consumers retire",
         "No host runs it any more, until it is resumed. Its row and its records stay. For a "
         "consumer whose plugin is gone for good.",
         {{"radd consumers retire old.mirror --yes", "Shown as retired from now on."}}},
    };
    return pages;
}

}  // namespace

std::span<const ManualPage> manual_pages() {
    static const std::vector<ManualPage> all = [] {
        std::vector<ManualPage> pages;
        for (const auto* part : {&service_pages(),
                                 &author_pages(),
                                 &event_pages(),
                                 &consumer_pages(),
                                 &delivery_pages(),
                                 &account_pages()})
            pages.insert(pages.end(), part->begin(), part->end());
        return pages;
    }();
    return all;
}

}  // namespace radd::cli

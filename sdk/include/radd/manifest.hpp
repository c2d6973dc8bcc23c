#pragma once

/// What a plugin tells the host about itself: a value, made once, before anything runs.

#include <chrono>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <radd/action.hpp>
#include <radd/consumer.hpp>
#include <radd/delivery.hpp>
#include <radd/entity.hpp>
#include <radd/http.hpp>
#include <radd/migration.hpp>
#include <radd/notification.hpp>
#include <radd/services.hpp>
#include <radd/stream.hpp>

namespace radd {

/// One event type. Each enumerator of the enum needs exactly one.
struct EventTypeSpec {
    EventType type;
    std::string label;                         ///< For people: "CSAT survey sent".
    std::string group = "Other";               ///< Heading in the catalogue.
    bool item_scoped = false;                  ///< A target item resolves.
    bool has_changes = false;                  ///< emit() requires a list of differences.
    bool trigger = true;                       ///< Automations may start from it.
    bool audited = true;                       ///< Shown in histories by default.
    Role readable_by = Role::member;           ///< Who is shown such events by histories, feeds and
                                               ///< the API; consumers and what administrators set
                                               ///< up read all.
    std::optional<EntityType> entity_type{};   ///< What it is about, where that is fixed.
    std::vector<EntityType> subjects{};        ///< Each must be described by a loaded plugin (E31).
    std::optional<JsonText> payload_schema{};  ///< JSON Schema (draft 7) of the plugin's own data.
    std::vector<std::string> aliases{};        ///< Names this type was stored under before.
};

/// How an entity is described to everybody else, by the plugin that owns it.
struct EntityRefSpec {
    EntityType entity_type;
    std::string label;  ///< For people: "Item".

    /// The canonical JSON of each of `ids`, in their order; empty for a row that does not exist.
    /// One query for all of them. Runs in the emitting transaction. @throws as query().
    std::function<std::vector<std::optional<JsonText>>(Transaction& tx,
                                                       std::span<const std::string> ids)>
        ref;
    std::string url{};  ///< Path on the public url with `{id}`, e.g. "/items/{id}".

    /// What a search finds each of `ids` by, in their order; empty for a row that does not exist.
    /// Without this function the entity is not searched by its events. As `ref` otherwise.
    std::function<std::vector<std::optional<SearchDocument>>(Transaction& tx,
                                                             std::span<const std::string> ids)>
        document{};
};

/// What happens when a consumer that was switched off comes back.
enum class Resume : std::uint8_t {
    head,    ///< It reaches outward: go to the head, and log how many events were passed.
    cursor,  ///< It builds state: go on where it stopped.
};

struct ConsumerSpec {
    std::string
        name;  ///< "csat.sender": `<plugin>.<what>`, unique over all plugins, kept for ever.
    Resume resume = Resume::cursor;
    /// Only these types are offered; the others are passed. Empty: all.
    std::vector<EventType> listens_to{};
    std::int32_t batch = 100;  ///< Events per transaction, 1 to 1000; the manifest may override it.
    std::chrono::milliseconds deadline{std::chrono::seconds{30}};  ///< Per event; then `stalled`.
    /// [boot-thread] Called once per process.
    std::function<std::unique_ptr<Consumer>(Services&)> make;
};

struct PeriodicTaskSpec {
    std::string name;          ///< As a consumer's, and from the same names.
    bool sleep_first = false;  ///< Wait one interval before the first tick.
    std::function<std::unique_ptr<PeriodicTask>(Services&)> make;
};

/// What hangs on something that was deleted, in tables that no foreign key of it reaches: another
/// plugin's schema, rows that name it as text, rules that mention it.
///
/// The host runs the cascades of a plugin in one consumer, `events.cascade.<plugin>`, some moments
/// after the commit of `parent_event`, silent ones included. What was deleted before its first
/// start is not swept; what was deleted while the plugin was off is, when it is back. Each sweep
/// runs in a savepoint of its own, so one that fails is undone alone, stops no other and not the
/// stream, and stays in radd.skipped_events with the event: `radd consumers retry
/// events.cascade.<plugin> --event ID` runs every sweep of the plugin for that event again. The
/// sweeps of several plugins run beside each other, in no order.
struct CascadeSpec {
    std::string name;        ///< "webhooks.rules": `<plugin>.<what>`, unique over all plugins.
    EventType parent_event;  ///< Declared by a loaded plugin (E36). Its entity is the parent.

    /// Removes what hangs on the parent, which exists no more, and may emit events of its own,
    /// silent where the parent's is. Sweeping twice must do no harm: a retry does.
    /// Threads: [loop-thread]. A throw is handled as said above; Contention is tried 3 times more,
    /// Unavailable abandons the batch, which is swept again.
    std::function<void(Transaction& tx, std::string_view parent_id)> sweep;

    /// What no transaction reaches: a file, a cache. After the commit of a sweep that did not fail,
    /// at most once and not at all if the process dies in between. A throw is recorded as a failed
    /// delivery of that consumer. Threads: [loop-thread].
    std::function<void(std::string_view parent_id)> after_commit{};
};

struct TailSubscriberSpec {
    std::string name;  ///< As a consumer's, and from the same names.
    /// [boot-thread] Called once per process.
    std::function<std::unique_ptr<TailSubscriber>(Services&)> make;
};

/// A service that others get by `services.get<T>()`. Make it with provide<T>().
struct ServiceSpec {
    std::string name;
    std::function<std::unique_ptr<Service>(Services&)> make;
};

template <typename T>
[[nodiscard]] ServiceSpec provide(std::function<std::unique_ptr<T>(Services&)> make) {
    return {.name = std::string{T::service_name},
            .make = [make = std::move(make)](Services& host) -> std::unique_ptr<Service> {
                return make(host);
            }};
}

/// How a command talks: data to `out`, messages and progress to `err`.
struct CommandContext {
    Services& host;
    std::span<const std::string> arguments;  ///< What follows the command's words.
    std::ostream& out;
    std::ostream& err;
    bool json = false;         ///< `--json` was given: data for machines.
    bool interactive = false;  ///< `err` is a terminal: a progress bar helps.
};

/// A subcommand of `radd`, e.g. "import jira". Runs with the database at hand and no consumer.
struct CommandSpec {
    std::string words;  ///< One to three lower-case words, none of which begins a kernel command.
    std::string usage;  ///< "FILE [--dry-run]"
    std::string help;   ///< First line: one sentence. The rest is printed by `--help`.
    /// Returns the exit code: 0 done, 1 failed, 2 wrong usage. InvalidInput and ConfigError may
    /// pass; the host prints them.
    std::function<int(CommandContext&)> run;
};

struct Manifest {
    std::string id;       ///< Lower case, digits, `_`: the same as in radd_add_plugin().
    std::string version;  ///< As there: "1.0.0".
    std::string description{};
    std::vector<std::string> depends_on{};
    std::vector<EventTypeSpec> event_types{};
    std::vector<EntityRefSpec> entity_refs{};
    std::vector<EntitySpec> entities{};  ///< Kept by the host, which adds what follows from them.
    std::vector<SettingSpec> settings{};
    std::vector<ServiceSpec> services{};
    std::vector<ConsumerSpec> consumers{};
    std::vector<PeriodicTaskSpec> periodic_tasks{};
    std::vector<CascadeSpec> cascades{};
    std::vector<ActionSpec> actions{};
    std::vector<AutomationSpec> automations{};
    /// Of the plugin that runs rules: everything that is wrong with one that a loaded plugin
    /// brings, as far as no other plugin and no database has to be asked. Whoever brings one with a
    /// fault is refused (E56), with its place. [boot-thread] Before any service exists, also for
    /// `check`.
    std::function<std::vector<AutomationFault>(const AutomationSpec&)> judge_automation{};
    std::vector<DeliveryQueueSpec> delivery_queues{};
    std::vector<TailSubscriberSpec> tail_subscribers{};
    std::vector<NotificationKindSpec> notification_kinds{};
    std::vector<CommandSpec> commands{};
    std::vector<RouteSpec> routes{};
    std::vector<StreamSpec> streams{};
    std::vector<Migration> migrations{};
    /// [boot-thread] After everything this plugin depends on has started. A throw stops the boot.
    std::function<void(Services&)> on_startup{};
    /// [boot-thread] After its consumers have stopped, also when on_startup of another has failed.
    std::function<void(Services&)> on_shutdown{};
};

}  // namespace radd

// What is wrong with one manifest, whatever else is loaded.

#include <algorithm>
#include <array>
#include <chrono>
#include <set>

#include <host/config/manifest_file.hpp>
#include <host/config/scalars.hpp>
#include <host/plugins/route_check.hpp>
#include <host/plugins/schema_fault.hpp>
#include <host/plugins/validate.hpp>

namespace radd::loader {
namespace {

constexpr std::int32_t batch_max = 1000;
constexpr std::chrono::milliseconds deadline_max = std::chrono::hours{24};
constexpr std::size_t label_bytes_max = 200;
constexpr std::int32_t concurrency_max = 256;
constexpr std::int32_t breaker_after_max = 1000;
constexpr std::chrono::milliseconds attempt_timeout_max = std::chrono::minutes{10};
constexpr std::chrono::hours keep_finished_max{24 * 3650};
constexpr std::size_t command_words_max = 3;

// The kernel's own names: owners of migrations and of consumers.
constexpr std::array<std::string_view, 3> reserved_ids{"core", "events", "radd"};
// Also those that may come: a plugin's command must not change its meaning with a release.
constexpr std::array<std::string_view, 22> kernel_words{
    "account",    "catalog",    "check",   "completion", "config",  "consumers",
    "deliveries", "doctor",     "events",  "help",       "inspect", "migrate",
    "monitoring", "new-plugin", "plugins", "quarantine", "schema",  "serve",
    "token",      "verify",     "version", "why"};

bool is_word(std::string_view text) {
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    };
    return !text.empty() && text.front() >= 'a' && text.front() <= 'z' &&
           std::ranges::all_of(text, allowed);
}

bool is_command_word(std::string_view text) {
    std::string plain{text};
    std::ranges::replace(plain, '-', '_');
    return is_word(plain);
}

std::vector<std::string> words_of(const std::string& text) {
    std::vector<std::string> words{""};
    for (const char c : text) {
        if (c == ' ')
            words.emplace_back();
        else
            words.back().push_back(c);
    }
    return words;
}

class Check {
public:
    explicit Check(const Manifest& manifest) : manifest_{manifest} {}

    config::Problems run() {
        check_identity();
        for (const EventTypeSpec& spec : manifest_.event_types) check(spec);
        check_siblings();
        for (const EntityRefSpec& spec : manifest_.entity_refs) check(spec);
        for (const ServiceSpec& spec : manifest_.services) check(spec);
        for (const ConsumerSpec& spec : manifest_.consumers) check(spec);
        for (const PeriodicTaskSpec& spec : manifest_.periodic_tasks) check(spec);
        for (const CascadeSpec& spec : manifest_.cascades) check(spec);
        for (const ActionSpec& spec : manifest_.actions) check(spec);
        for (const AutomationSpec& spec : manifest_.automations) once("automation", spec.name);
        for (const DeliveryQueueSpec& spec : manifest_.delivery_queues) check(spec);
        for (const NotificationKindSpec& spec : manifest_.notification_kinds) check(spec);
        for (const TailSubscriberSpec& spec : manifest_.tail_subscribers) check(spec);
        for (const CommandSpec& spec : manifest_.commands) check(spec);
        for (auto& problem : check_routes(manifest_)) problems_.push_back(std::move(problem));
        return std::move(problems_);
    }

private:
    void add(std::string code, std::string message, std::string hint = "") {
        problems_.push_back({.code = std::move(code),
                             .plugin = manifest_.id,
                             .message = std::move(message),
                             .hint = std::move(hint)});
    }

    void once(std::string kind, const std::string& name) {
        if (!seen_.insert(kind + ' ' + name).second)
            add("E30", kind + " '" + name + "' is declared twice", "Take one of them away");
    }

    void check_label(const std::string& what, const std::string& label) {
        if (label.find_first_not_of(' ') == std::string::npos)
            add("E21", what + " has an empty label", "Write what people should read");
        else if (label.size() > label_bytes_max)
            add("E21",
                what + " has a label of " + std::to_string(label.size()) + " bytes, at most " +
                    std::to_string(label_bytes_max) + " fit");
    }

    void check_function(const std::string& what, bool present, const std::string& field) {
        if (!present)
            add("E35", what + " has no '" + field + "' function", "Set ." + field + " = …");
    }

    void check_identity();
    void check_owned_name(const std::string& kind, const std::string& name);
    void check(const EventTypeSpec& spec);
    void check(const EntityRefSpec& spec);
    void check(const ServiceSpec& spec);
    void check(const ConsumerSpec& spec);
    void check(const PeriodicTaskSpec& spec);
    void check(const CascadeSpec& spec);
    void check(const ActionSpec& spec);
    void check(const DeliveryQueueSpec& spec);
    void check(const NotificationKindSpec& spec);
    void check(const TailSubscriberSpec& spec);
    void check(const CommandSpec& spec);
    void check_siblings();

    const Manifest& manifest_;
    std::set<std::string> seen_;
    config::Problems problems_;
};

void Check::check_identity() {
    if (!config::is_plugin_id(manifest_.id))
        add("E21",
            "id " + config::shown(manifest_.id) +
                " must be lower-case letters, digits and _, a letter first");
    else if (std::ranges::find(reserved_ids, manifest_.id) != reserved_ids.end())
        add("E21", "id '" + manifest_.id + "' belongs to the host itself", "Choose another");
    if (!config::parse_version(manifest_.version))
        add("E21", "version " + config::shown(manifest_.version) + " must be like 1.0.0");
    for (const std::string& id : manifest_.depends_on) once("dependency", id);
}

void Check::check(const EventTypeSpec& spec) {
    const std::string name{spec.type.name()};
    const std::string what = "event '" + name + "'";
    once("event", name);
    for (const std::string& alias : spec.aliases) once("event", alias);
    check_label(what, spec.label);
    if (!spec.payload_schema) return;
    const std::string fault = object_schema_fault(spec.payload_schema->text());
    if (!fault.empty()) add("E33", what + ": payload_schema " + fault);
}

void Check::check_siblings() {
    std::set<std::string_view> declared;
    for (const EventTypeSpec& spec : manifest_.event_types) declared.insert(spec.type.name());
    std::set<std::string_view> told;
    for (const EventTypeSpec& spec : manifest_.event_types) {
        for (const std::string_view name : spec.type.siblings()) {
            if (declared.contains(name) || !told.insert(name).second) continue;
            add("E32",
                "event '" + std::string{name} + "' stands in the enum of '" +
                    std::string{spec.type.name()} + "' and has no spec",
                "Add it to .event_types, or take the enumerator away");
        }
    }
}

void Check::check(const EntityRefSpec& spec) {
    const std::string name{spec.entity_type.name()};
    const std::string what = "entity '" + name + "'";
    once("entity", name);
    check_label(what, spec.label);
    check_function(what, static_cast<bool>(spec.ref), "ref");
    if (!spec.url.empty() && !spec.url.starts_with('/'))
        add("E21", what + ": url " + config::shown(spec.url) + " must start with a slash");
}

void Check::check_owned_name(const std::string& kind, const std::string& name) {
    const std::string prefix = manifest_.id + '.';
    const bool own = name.starts_with(prefix) && is_word(name.substr(prefix.size()));
    if (!own || name.size() > name_bytes_max)
        add("E21",
            kind + " " + config::shown(name) + " must be called '" + prefix +
                "<what>', in lower case and at most " + std::to_string(name_bytes_max) + " bytes");
}

void Check::check(const ServiceSpec& spec) {
    once("service", spec.name);
    if (spec.name.empty()) add("E21", "a service has no name");
    check_function("service '" + spec.name + "'", static_cast<bool>(spec.make), "make");
}

void Check::check(const ConsumerSpec& spec) {
    const std::string what = "consumer '" + spec.name + "'";
    check_owned_name("consumer", spec.name);
    once("consumer", spec.name);
    check_function(what, static_cast<bool>(spec.make), "make");
    if (spec.batch < 1 || spec.batch > batch_max)
        add("E21",
            what + ": batch " + std::to_string(spec.batch) + " is outside 1.." +
                std::to_string(batch_max));
    if (spec.deadline.count() <= 0 || spec.deadline > deadline_max)
        add("E21", what + ": deadline " + config::shown(spec.deadline) + " is outside 1ms..24h");
}

void Check::check(const PeriodicTaskSpec& spec) {
    check_owned_name("task", spec.name);
    once("consumer", spec.name);  // One table holds the cursors and the leases of both.
    check_function("task '" + spec.name + "'", static_cast<bool>(spec.make), "make");
}

void Check::check(const CascadeSpec& spec) {
    check_owned_name("cascade", spec.name);
    once("cascade", spec.name);
    check_function("cascade '" + spec.name + "'", static_cast<bool>(spec.sweep), "sweep");
}

void Check::check(const NotificationKindSpec& spec) {
    check_owned_name("notification kind", spec.name);
    once("notification kind", spec.name);
    check_label("notification kind '" + spec.name + "'", spec.label);
}

void Check::check(const ActionSpec& spec) {
    const std::string what = "action '" + spec.name + "'";
    check_owned_name("action", spec.name);
    once("action", spec.name);
    check_label(what, spec.label);
    check_function(what, static_cast<bool>(spec.plan), "plan");
    check_function(what, static_cast<bool>(spec.apply), "apply");
    const std::string fault = object_schema_fault(spec.arguments.text());
    if (!fault.empty()) add("E33", what + ": arguments " + fault);
}

void Check::check(const DeliveryQueueSpec& spec) {
    const std::string what = "delivery queue '" + spec.name + "'";
    check_owned_name("delivery queue", spec.name);
    once("delivery queue", spec.name);
    check_function(what, static_cast<bool>(spec.make), "make");
    check_function(what, static_cast<bool>(spec.schedule), "schedule");
    const auto within = [&](const std::string& field, std::int64_t value, std::int64_t maximum) {
        if (value >= 1 && value <= maximum) return;
        add("E21",
            what + ": " + field + " " + std::to_string(value) + " is outside 1.." +
                std::to_string(maximum));
    };
    within("concurrency", spec.concurrency, concurrency_max);
    within("lane_concurrency", spec.lane_concurrency, spec.concurrency);
    within("breaker_after", spec.breaker_after, breaker_after_max);
    within("timeout in ms", spec.timeout.count(), attempt_timeout_max.count());
    within("breaker_for in ms", spec.breaker_for.count(), deadline_max.count());
    within("keep_finished in hours", spec.keep_finished.count(), keep_finished_max.count());
    if (!(spec.jitter >= 0 && spec.jitter <= 1)) add("E21", what + ": jitter is outside 0..1");
}

void Check::check(const TailSubscriberSpec& spec) {
    check_owned_name("tail subscriber", spec.name);
    once("consumer", spec.name);  // People look for it in the same lists.
    check_function("tail subscriber '" + spec.name + "'", static_cast<bool>(spec.make), "make");
}

void Check::check(const CommandSpec& spec) {
    const std::string what = "command '" + spec.words + "'";
    const std::vector<std::string> words = words_of(spec.words);
    once("command", spec.words);
    if (words.size() > command_words_max || !std::ranges::all_of(words, is_command_word))
        add("E21", what + " must be one to three lower-case words");
    else if (std::ranges::find(kernel_words, words.front()) != kernel_words.end())
        add("E21", what + " begins like the host's own 'radd " + words.front() + "'");
    if (spec.help.empty()) add("E21", what + " has no help", "Say in one sentence what it does");
    check_function(what, static_cast<bool>(spec.run), "run");
}

}  // namespace

std::span<const std::string_view> reserved_plugin_ids() {
    return reserved_ids;
}

std::span<const std::string_view> reserved_command_words() {
    return kernel_words;
}

config::Problems check_manifest(const Manifest& manifest) {
    return Check{manifest}.run();
}

}  // namespace radd::loader

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <host/config/host_setting_table.hpp>
#include <host/config/host_setting_values.hpp>

namespace radd::config {
namespace {

using namespace std::chrono_literals;

#ifdef NDEBUG
constexpr std::string_view in_debug_builds = "false";
#else
constexpr std::string_view in_debug_builds = "true";
#endif

constexpr std::array<std::string_view, 4> level_names{"debug", "info", "warn", "error"};
constexpr std::array<std::string_view, 2> format_names{"human", "json"};

constexpr Range between(std::chrono::milliseconds minimum, std::chrono::milliseconds maximum) {
    return {minimum.count(), maximum.count()};
}

constexpr std::int64_t schedule_seconds_max = 30L * 24 * 3600;
constexpr std::int64_t mebibyte = 1024L * 1024;

const std::array rows{
    HostSettingRow{.name = "database.url",
                   .field = &HostSettings::database_url,
                   .default_text = "",
                   .help = "PostgreSQL to use. Without it the host runs its own in data_dir.",
                   .check = check_database_url,
                   .secret = true},
    HostSettingRow{.name = "database.pool_size",
                   .field = &HostSettings::database_pool_size,
                   .default_text = "16",
                   .help = "Connections this host opens at most, beside a few of its own.",
                   .range = {4, 200}},
    HostSettingRow{.name = "database.prepared_statements",
                   .field = &HostSettings::database_prepared_statements,
                   .default_text = "true",
                   .help = "False behind a pooler in transaction mode, such as PgBouncer."},
    HostSettingRow{.name = "database.statement_timeout",
                   .field = &HostSettings::database_statement_timeout,
                   .default_text = "30s",
                   .help = "Longest time for one statement.",
                   .range = between(100ms, 1h)},
    HostSettingRow{.name = "data_dir",
                   .field = &HostSettings::data_dir,
                   .default_text = "./var",
                   .help = "Where the host keeps its own PostgreSQL and copies of plugins."},
    HostSettingRow{.name = "plugins_dir",
                   .field = &HostSettings::plugins_dir,
                   .default_text = "./plugins",
                   .help = "Where the plugins' .so files are."},
    HostSettingRow{.name = "manifests_dir",
                   .field = &HostSettings::manifests_dir,
                   .default_text = "./manifests",
                   .help = "Where host.yaml and the plugins' manifests are. Not in host.yaml."},
    HostSettingRow{.name = "http.listen",
                   .field = &HostSettings::http_listen,
                   .default_text = "127.0.0.1:8080",
                   .help = "Address of pages and API. Port 0 picks a free one and prints it."},
    HostSettingRow{.name = "http.threads",
                   .field = &HostSettings::http_threads,
                   .default_text = "4",
                   .help = "Requests that are worked on at the same time.",
                   .range = {1, 64}},
    HostSettingRow{.name = "http.trusted_proxies",
                   .field = &HostSettings::http_trusted_proxies,
                   .default_text = "[]",
                   .help = "Addresses or CIDR ranges of proxies whose X-Forwarded-* are believed."},
    HostSettingRow{.name = "http.request_timeout",
                   .field = &HostSettings::http_request_timeout,
                   .default_text = "10s",
                   .help = "Longest time a client waits for an answer before it gets 503.",
                   .range = between(100ms, 10min)},
    HostSettingRow{.name = "http.idle_timeout",
                   .field = &HostSettings::http_idle_timeout,
                   .default_text = "60s",
                   .help = "How long a connection is kept open between two requests.",
                   .range = between(100ms, 1h)},
    HostSettingRow{.name = "http.header_timeout",
                   .field = &HostSettings::http_header_timeout,
                   .default_text = "10s",
                   .help = "Longest time for a header to arrive, and then for its body: 408.",
                   .range = between(100ms, 10min)},
    HostSettingRow{
        .name = "http.connections_max",
        .field = &HostSettings::http_connections_max,
        .default_text = "4096",
        .help = "Connections open at the same time. One more ends an idle one; if none is: 503.",
        .range = {1, 65536}},
    HostSettingRow{.name = "http.streams_of_caller_max",
                   .field = &HostSettings::http_streams_of_caller_max,
                   .default_text = "64",
                   .help = "Streams that one account, or one address, has open at the same time. "
                           "One more: 429.",
                   .range = {1, 2048}},
    HostSettingRow{.name = "http.metrics_access",
                   .field = &HostSettings::http_metrics_access,
                   .default_text = "",
                   .help = "Who may read /metrics: anyone or admin. Unless given, anyone if "
                           "http.listen is a loopback address, else admin.",
                   .check = check_metrics_access},
    HostSettingRow{.name = "run_workers",
                   .field = &HostSettings::run_workers,
                   .default_text = "true",
                   .help = "Run consumers and periodic tasks. False: web only."},
    HostSettingRow{.name = "installation.name",
                   .field = &HostSettings::installation_name,
                   .default_text = "",
                   .help =
                       "Who this host is to others of its database, over restarts. Give it where "
                       "host names change, as in containers; else host name and manifests "
                       "folder.",
                   .check = check_installation_name},
    HostSettingRow{.name = "log.level",
                   .field = &HostSettings::log_level,
                   .default_text = "info",
                   .help = "Least severe line to write."},
    HostSettingRow{.name = "log.format",
                   .field = &HostSettings::log_format,
                   .default_text = "human",
                   .help = "Lines for people or JSON for machines."},
    HostSettingRow{.name = "public_url",
                   .field = &HostSettings::public_url,
                   .default_text = "",
                   .help = "How people reach this host; for links in mails.",
                   .check = check_public_url},
    HostSettingRow{.name = "webhook.retry_schedule",
                   .field = &HostSettings::webhook_retry_schedule,
                   .default_text = "5,300,1800,7200,18000,36000",
                   .help = "Seconds before each retry of a delivery. [] for none.",
                   .range = {0, schedule_seconds_max}},
    HostSettingRow{.name = "outbound.allow",
                   .field = &HostSettings::outbound_allow,
                   .default_text = "[]",
                   .help = "Addresses or CIDR ranges that may be called though not public."},
    HostSettingRow{.name = "secrets.key_file",
                   .field = &HostSettings::secrets_key_file,
                   .default_text = "",
                   .help = "Keys for secrets in the database, one of 64 hexadecimal digits a line; "
                           "the first seals."},
    HostSettingRow{.name = "consumers.lease",
                   .field = &HostSettings::consumers_lease,
                   .default_text = "10s",
                   .help = "How long a consumer of a dead host waits for another.",
                   .range = between(1s, 10min)},
    HostSettingRow{.name = "consumers.poll_busy",
                   .field = &HostSettings::consumers_poll_busy,
                   .default_text = "1ms",
                   .help = "Time between looks at the stream while events come.",
                   .range = between(1ms, 1min)},
    HostSettingRow{.name = "consumers.poll_idle",
                   .field = &HostSettings::consumers_poll_idle,
                   .default_text = "60ms",
                   .help = "The same when nothing has come for a second.",
                   .range = between(1ms, 1min)},
    HostSettingRow{.name = "consumers.buffer_bytes",
                   .field = &HostSettings::consumers_buffer_bytes,
                   .default_text = "33554432",
                   .help = "Payload kept in memory for consumers near the head.",
                   .range = {mebibyte, 1024 * mebibyte}},
    HostSettingRow{.name = "retention.events.keep_days",
                   .field = &HostSettings::retention_events_keep_days,
                   .default_text = "0",
                   .help = "Drop partitions of events that are older, once every consumer has "
                           "passed them. 0 keeps all.",
                   .range = {0, 36500}},
    HostSettingRow{.name = "retention.skipped.keep_days",
                   .field = &HostSettings::retention_skipped_keep_days,
                   .default_text = "90",
                   .help = "Remove records of skipped events that were settled longer ago. 0 keeps "
                           "all.",
                   .range = {0, 36500}},
    HostSettingRow{.name = "shutdown.grace",
                   .field = &HostSettings::shutdown_grace,
                   .default_text = "20s",
                   .help = "Time to finish after SIGTERM.",
                   .range = between(0ms, 1h)},
    HostSettingRow{.name = "startup_timeout",
                   .field = &HostSettings::startup_timeout,
                   .default_text = "10s",
                   .help = "Longest time for one plugin's start, unless its manifest says more.",
                   .range = between(100ms, 1h)},
    HostSettingRow{.name = "emit.check_payload_schema",
                   .field = &HostSettings::emit_check_payload_schema,
                   .default_text = in_debug_builds,
                   .help = "Check each payload against its event type's JSON Schema."},
    HostSettingRow{.name = "emit.strict",
                   .field = &HostSettings::emit_strict,
                   .default_text = in_debug_builds,
                   .help = "Refuse what is otherwise kept with a warning: for development."},
    HostSettingRow{.name = "safe_mode",
                   .field = &HostSettings::safe_mode,
                   .default_text = "false",
                   .help = "Start without any plugin."},
};

/// Puts a parsed value where it belongs.
template <typename T, typename F>
std::optional<Complaint> store(Parsed<T> parsed, F&& put) {
    if (auto* complaint = std::get_if<Complaint>(&parsed)) return std::move(*complaint);
    put(std::get<T>(std::move(parsed)));
    return std::nullopt;
}

/// One call operator a type of field: parses text and stores the value.
struct AssignText {
    HostSettings& settings;
    const HostSettingRow& row;
    std::string_view text;

    std::optional<Complaint> operator()(bool HostSettings::*field) const {
        return store(parse_boolean(text), [&](bool value) { settings.*field = value; });
    }
    std::optional<Complaint> operator()(std::size_t HostSettings::*field) const {
        return store(parse_integer(text, row.range), [&](std::int64_t value) {
            settings.*field = static_cast<std::size_t>(value);
        });
    }
    std::optional<Complaint> operator()(std::chrono::milliseconds HostSettings::*field) const {
        return store(parse_duration(text, row.range),
                     [&](std::chrono::milliseconds value) { settings.*field = value; });
    }
    std::optional<Complaint> operator()(std::optional<std::string> HostSettings::*field) const {
        settings.*field = std::string{text};
        return std::nullopt;
    }
    std::optional<Complaint> operator()(std::filesystem::path HostSettings::*field) const {
        settings.*field = std::filesystem::path{text};
        return std::nullopt;
    }
    std::optional<Complaint> operator()(Endpoint HostSettings::*field) const {
        return store(parse_endpoint(text),
                     [&](Endpoint value) { settings.*field = std::move(value); });
    }
    std::optional<Complaint> operator()(LogLevel HostSettings::*field) const {
        return store(parse_choice(text, level_names),
                     [&](std::size_t index) { settings.*field = static_cast<LogLevel>(index); });
    }
    std::optional<Complaint> operator()(LogFormat HostSettings::*field) const {
        return store(parse_choice(text, format_names),
                     [&](std::size_t index) { settings.*field = static_cast<LogFormat>(index); });
    }
    std::optional<Complaint> operator()(
        std::vector<std::chrono::seconds> HostSettings::*field) const {
        return store(parse_schedule(text, row.range), [&](std::vector<std::chrono::seconds> value) {
            settings.*field = std::move(value);
        });
    }
    std::optional<Complaint> operator()(std::vector<std::string> HostSettings::*field) const {
        return store(parse_proxies(text),
                     [&](std::vector<std::string> value) { settings.*field = std::move(value); });
    }
};

bool assign_proxies(std::vector<std::string>& target,
                    const YamlNode& node,
                    const Context& context) {
    const auto given = read_texts(node, context);
    if (!given) return false;
    std::string joined;
    for (const std::string& proxy : *given) joined.append(joined.empty() ? "" : ",").append(proxy);
    auto proxies = parse_proxies(joined);
    if (const auto* complaint = std::get_if<Complaint>(&proxies)) {
        context.report(node.place, *complaint);
        return false;
    }
    target = std::get<std::vector<std::string>>(std::move(proxies));
    return true;
}

bool assign_list(std::vector<std::chrono::seconds>& target,
                 Range range,
                 const YamlNode& node,
                 const Context& context) {
    if (node.kind == YamlNode::Kind::broken) return false;
    if (node.kind != YamlNode::Kind::list) {
        context.report("E46",
                       node.place,
                       "expected a list of integers, got " + described(node),
                       "Write [5, 300], or [] for no retries");
        return false;
    }
    if (const auto complaint = too_many_waits(node.items.size())) {
        context.report(node.place, *complaint);
        return false;
    }
    std::vector<std::chrono::seconds> waits;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
        const auto wait = read_integer(node.items[i], context.item(i), range);
        if (wait) waits.emplace_back(*wait);
    }
    if (waits.size() != node.items.size()) return false;
    target = std::move(waits);
    return true;
}

}  // namespace

std::span<const HostSettingRow> host_setting_rows() {
    return rows;
}

const HostSettingRow* find_host_setting(std::string_view name) {
    const auto found = std::ranges::find(rows, name, &HostSettingRow::name);
    return found == rows.end() ? nullptr : &*found;
}

std::string type_name(const HostSettingRow& row) {
    switch (row.field.index()) {
        case 0:
            return "true or false";
        case 1:
            return "integer " + shown_integers(row.range);
        case 2:
            return "duration " + shown_durations(row.range);
        case 3:
            return "text";
        case 4:
            return "path";
        case 5:
            return "host:port";
        case 6:
            return "one of: " + listed(level_names);
        case 7:
            return "one of: " + listed(format_names);
        case 9:
            return "list of addresses or CIDR ranges";
        default:
            return "list of integers " + shown_integers(row.range);
    }
}

std::optional<Complaint> assign(HostSettings& settings,
                                const HostSettingRow& row,
                                std::string_view text) {
    if (text.empty()) return Complaint{"E45", "has no value"};
    if (text.find('\0') != std::string_view::npos) return Complaint{"E46", "contains a NUL byte"};
    if (row.check != nullptr) {
        if (auto complaint = row.check(text)) return complaint;
    }
    return std::visit(AssignText{settings, row, text}, row.field);
}

bool assign(HostSettings& settings,
            const HostSettingRow& row,
            const YamlNode& node,
            const Context& context) {
    using List = std::vector<std::chrono::seconds> HostSettings::*;
    if (const auto* list = std::get_if<List>(&row.field)) {
        return assign_list(settings.*(*list), row.range, node, context);
    }
    using Proxies = std::vector<std::string> HostSettings::*;
    if (const auto* proxies = std::get_if<Proxies>(&row.field))
        return assign_proxies(settings.*(*proxies), node, context);
    // The quotes are what text alone does not show: "5" is no integer and "true" no boolean.
    if (std::holds_alternative<bool HostSettings::*>(row.field)) {
        const auto value = read_boolean(node, context);
        return value && !assign(settings, row, node.text);
    }
    if (std::holds_alternative<std::size_t HostSettings::*>(row.field)) {
        const auto value = read_integer(node, context, row.range);
        return value && !assign(settings, row, node.text);
    }
    const auto text = read_text(node, context);
    if (!text) return false;
    const auto complaint = assign(settings, row, *text);
    if (complaint) context.report(node.place, *complaint);
    return !complaint;
}

}  // namespace radd::config

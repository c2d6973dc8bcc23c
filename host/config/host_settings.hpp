#pragma once

/// What an operator may set about the host itself, by one name in three spellings.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <host/config/environment.hpp>
#include <host/config/problem.hpp>
#include <host/config/yaml.hpp>
#include <radd/services.hpp>

namespace radd::config {

enum class LogFormat : std::uint8_t { human, json };

struct Endpoint {
    std::string host;        ///< A name or an address; IPv6 without its brackets.
    std::uint16_t port = 0;  ///< 0: the system picks one.

    friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

/// Fields are named as the settings, with `_` for `.`. The defaults are in host_setting_specs().
struct HostSettings {
    std::optional<std::string> database_url{};  ///< Empty: the host runs its own PostgreSQL.
    std::size_t database_pool_size{};
    bool database_prepared_statements{};
    std::chrono::milliseconds database_statement_timeout{};
    std::filesystem::path data_dir{};
    std::filesystem::path plugins_dir{};
    std::filesystem::path manifests_dir{};
    Endpoint http_listen{};
    std::size_t http_threads{};
    std::vector<std::string> http_trusted_proxies{};  ///< Addresses or CIDR ranges.
    std::chrono::milliseconds http_request_timeout{};
    std::chrono::milliseconds http_idle_timeout{};
    std::chrono::milliseconds http_header_timeout{};
    std::size_t http_connections_max{};
    std::size_t http_streams_of_caller_max{};
    std::optional<std::string> http_metrics_access{};  ///< "anyone", "admin"; empty: see its help.
    bool run_workers{};
    std::optional<std::string> installation_name{};  ///< Empty: host name and manifests folder.
    LogLevel log_level{};
    LogFormat log_format{};
    std::optional<std::string> public_url{};
    std::vector<std::chrono::seconds> webhook_retry_schedule{};
    std::vector<std::string> outbound_allow{};  ///< Addresses or CIDR ranges.
    std::optional<std::string> secrets_key_file{};
    std::chrono::milliseconds consumers_lease{};
    std::chrono::milliseconds consumers_poll_busy{};
    std::chrono::milliseconds consumers_poll_idle{};
    std::size_t consumers_buffer_bytes{};
    std::size_t retention_events_keep_days{};   ///< 0: nothing is dropped.
    std::size_t retention_skipped_keep_days{};  ///< 0: nothing is removed.
    std::chrono::milliseconds shutdown_grace{};
    std::chrono::milliseconds startup_timeout{};
    bool emit_check_payload_schema{};
    bool emit_strict{};
    bool safe_mode{};
};

/// A setting as people see it.
struct HostSettingSpec {
    std::string name;          ///< http.listen
    std::string env;           ///< RADD_HTTP_LISTEN
    std::string flag;          ///< --http-listen
    std::string type;          ///< "integer 4..200"
    std::string default_text;  ///< Empty: none.
    std::string help;          ///< One sentence.
    bool secret = false;       ///< May hold a password, which is never printed.
};

/// All of them, in the order in which `radd config` prints them.
[[nodiscard]] std::span<const HostSettingSpec> host_setting_specs();

/// Where an effective value comes from.
struct Origin {
    enum class Kind : std::uint8_t { built_in, file, environment, command_line };
    Kind kind = Kind::built_in;
    std::string text = "default";  ///< "manifests/host.yaml:7", "environment RADD_DATA_DIR".
};

/// A value on its own or a flag's: {"http.listen" or "--http-listen", value}. The last one wins.
using CommandLine = std::vector<std::pair<std::string, std::string>>;

struct HostConfig {
    HostSettings settings;
    std::map<std::string, Origin, std::less<>> origins;  ///< By setting's name; each has one.
    Problems problems;  ///< With an error among them, `settings` is not to be used.
};

/// Default < host.yaml < environment < command line. `file` may be null: there is none. A wrong
/// value is a problem even where another overrides it. An empty variable counts as not set.
///
/// Keys of `file` may be nested or dotted. `kind` and `version` are not looked at here. A variable
/// that begins with RADD_ and nearly is one of ours gives a warning. Never throws.
[[nodiscard]] HostConfig resolve_host_settings(const YamlNode* root,
                                               const std::string& file,
                                               const Environment& environment,
                                               const CommandLine& command_line);

/// manifests_dir alone, which decides where host.yaml is and so cannot be set in it.
[[nodiscard]] std::filesystem::path find_manifests_dir(const Environment& environment,
                                                       const CommandLine& command_line);

/// A value as text, in the spelling that the environment would take; a password is `***`.
[[nodiscard]] std::string shown_value(const HostSettings& settings, std::string_view name);

/// `radd config`: a line for each setting with name, value and origin, in columns.
[[nodiscard]] std::string to_table(const HostConfig& config);

/// A JSON array of objects `{name, value, origin, env, flag, help}`; values in their JSON types.
[[nodiscard]] std::string to_json(const HostConfig& config);

/// `url`, a postgresql:// URI or libpq keywords, with each password replaced by `***`. When in
/// doubt it hides more than the password.
[[nodiscard]] std::string without_password(std::string_view url);

}  // namespace radd::config

#pragma once

/// What `radd doctor` looks at, each judged by itself. Nothing is changed and nothing is started.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <host/config/host_settings.hpp>
#include <host/consumers/overview.hpp>
#include <host/consumers/retention.hpp>
#include <host/db/session.hpp>
#include <host/installation.hpp>
#include <host/plugins/plugin_set.hpp>

namespace radd::cli {

enum class Verdict : std::uint8_t {
    ok,
    warn,  ///< It works, and will cause trouble.
    fail,  ///< It does not work.
};

struct Finding {
    std::string about;  ///< "disk space", "consumer csat.sender"
    Verdict verdict = Verdict::ok;
    std::string found;     ///< What there is, with its numbers.
    std::string remedy{};  ///< Unless ok.
};

using Findings = std::vector<Finding>;

/// Of the database's clock against this machine's. Tokens, sessions and digests go by one, the
/// stream by the other.
inline constexpr std::chrono::seconds skew_tolerated{1};
inline constexpr std::chrono::seconds skew_refused{60};
[[nodiscard]] Finding judge_clocks(std::chrono::milliseconds ahead);

inline constexpr std::uint64_t disk_bytes_low = 1024ULL * 1024 * 1024;
inline constexpr std::uint64_t disk_bytes_min = 100ULL * 1024 * 1024;
[[nodiscard]] Finding judge_disk(const std::string& folder, std::uint64_t bytes_free);

/// Descriptors that the process may open, against what the settings let it need.
[[nodiscard]] Finding judge_descriptors(std::uint64_t limit, const config::HostSettings& settings);

/// A setting of the server that costs events or attention: its value as SHOW prints it.
[[nodiscard]] Finding judge_server_setting(std::string_view name, const std::string& value);

/// Connections of the server that are not reserved, against what this host opens at most.
[[nodiscard]] Finding judge_connections(std::int64_t limit, std::size_t pool_size);

/// One that needs attention, in the words of README.md.
[[nodiscard]] Finding judge_consumer(const consumers::ConsumerStatus& status);

/// What holds events that are old enough to go, by name. `keep_days` 0: nothing is asked for.
[[nodiscard]] Finding judge_retention(std::size_t keep_days,
                                      const consumers::RetentionStatus& status);

/// data_dir, disk, descriptors, time zones, the address that is listened at.
[[nodiscard]] Findings examine_machine(const config::HostSettings& settings);
/// What was refused, is ignored or was warned of, and who mails come from.
[[nodiscard]] Findings examine_plugins(const loader::PluginSet& set,
                                       const config::Problems& problems);
/// Server, rights, settings, clock, schema, consumers, dead letters, the way in.
[[nodiscard]] Findings examine_database(host::Installation& installation);

}  // namespace radd::cli

#pragma once

/// manifests/*.yaml: what an operator says about the host and about each plugin.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <host/config/automation_list.hpp>
#include <host/config/problem.hpp>
#include <host/config/version_range.hpp>
#include <host/config/yaml.hpp>
#include <radd/action.hpp>
#include <radd/services.hpp>

namespace radd::config {

/// host.yaml, for resolve_host_settings().
struct HostFile {
    std::string file;
    YamlNode root;
};

/// Instead of what the plugin's code says about one of its consumers.
struct ConsumerOverride {
    Place place;                          ///< For whoever finds that there is no such consumer.
    std::optional<std::int32_t> batch{};  ///< 1 to 1000.
    std::optional<std::chrono::milliseconds> poll{};
    std::optional<std::chrono::milliseconds> deadline{};
    bool paused = false;
};

/// One plugin's manifest.
struct PluginFile {
    std::string file;
    std::string id;
    std::string library{};  ///< A file name in plugins_dir, e.g. "csat.so". Empty: no code.
    bool enabled = true;
    bool required = true;  ///< False: the host starts without it if it is refused.
    std::optional<VersionRange> plugin_version{};
    YamlNode settings{};  ///< Null or a map; check_settings() knows the rest.

    // What a library would say, of a plugin without one; entities::manifest_of() reads the nodes.
    std::optional<std::string> own_version{};  ///< "1.0.0"
    std::string description{};
    std::vector<std::string> depends_on{};
    YamlNode entities{};
    YamlNode event_types{};

    std::map<std::string, ConsumerOverride, std::less<>> consumers{};
    std::vector<PlacedAutomation> automations{};  ///< Beside those of its code.
    std::vector<std::string> grants{};
    std::optional<std::chrono::milliseconds> startup_timeout{};  ///< Empty: as the host.
    std::chrono::milliseconds shutdown_timeout{std::chrono::seconds{10}};
    std::optional<LogLevel> log_level{};  ///< Empty: as the host.
    std::optional<std::string> sha256{};  ///< 64 lower-case hexadecimal digits.
    bool refused = false;                 ///< It has errors: nothing of this plugin may boot.
};

struct Manifests {
    std::optional<HostFile> host;
    std::vector<PluginFile> plugins;  ///< Sorted by file name; ids are unique.
    Problems problems;
};

/// Whether `id` can name a plugin: lower case, digits and `_`, a letter first, 64 bytes at most.
[[nodiscard]] bool is_plugin_id(std::string_view id);

/// One plugin's manifest. Empty if it has no id that could be refused.
[[nodiscard]] std::optional<PluginFile> parse_plugin_file(std::string_view text,
                                                          const std::string& file,
                                                          Problems& problems);

/// Reads every *.yaml in `directory`, sorted by name, and reports on all of them. Never throws:
/// a directory that cannot be read is a problem (E40). Two files with one id are both refused and
/// name each other; of the two, the first is kept, refused, in `plugins`.
[[nodiscard]] Manifests load_manifests(const std::filesystem::path& directory);

}  // namespace radd::config

#pragma once

/// The one table of the host's settings, and how text becomes the value of each.

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <host/config/fields.hpp>
#include <host/config/host_settings.hpp>
#include <host/config/scalars.hpp>

namespace radd::config {

/// The field that a setting fills; its type is the setting's type.
using Field = std::variant<bool HostSettings::*,
                           std::size_t HostSettings::*,
                           std::chrono::milliseconds HostSettings::*,
                           std::optional<std::string> HostSettings::*,
                           std::filesystem::path HostSettings::*,
                           Endpoint HostSettings::*,
                           LogLevel HostSettings::*,
                           LogFormat HostSettings::*,
                           std::vector<std::chrono::seconds> HostSettings::*,
                           std::vector<std::string> HostSettings::*>;

struct HostSettingRow {
    std::string_view name;
    Field field;
    std::string_view default_text;  ///< Empty: none.
    std::string_view help;
    Range range{0, 0};  ///< Of integers and durations (milliseconds); of each item of a list.
    /// What the type alone does not say; null: nothing.
    std::optional<Complaint> (*check)(std::string_view text) = nullptr;
    bool secret = false;
};

/// Waits in one retry schedule.
inline constexpr std::size_t schedule_length_max = 50;

/// Proxies in http.trusted_proxies.
inline constexpr std::size_t proxies_max = 100;

/// In the order of printing; the same rows as host_setting_specs().
[[nodiscard]] std::span<const HostSettingRow> host_setting_rows();
[[nodiscard]] const HostSettingRow* find_host_setting(std::string_view name);

/// "integer 4..200"
[[nodiscard]] std::string type_name(const HostSettingRow& row);

/// Sets the field from the environment's or the command line's spelling, or says why not.
[[nodiscard]] std::optional<Complaint> assign(HostSettings& settings,
                                              const HostSettingRow& row,
                                              std::string_view text);

/// The same from YAML; reports what is wrong. True if the field was set.
[[nodiscard]] bool assign(HostSettings& settings,
                          const HostSettingRow& row,
                          const YamlNode& node,
                          const Context& context);

}  // namespace radd::config

#pragma once

/// What an operator may change about a plugin: declared by the plugin, given in its YAML
/// manifest, checked by the host before anything starts.

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <radd/error.hpp>
#include <radd/export.hpp>

namespace radd {

enum class SettingType : std::uint8_t { boolean, integer, duration, text, choice, secret };

/// One setting. Make it with the functions below.
struct SettingSpec {
    std::string name;
    SettingType type = SettingType::text;
    std::optional<std::string> default_text{};  ///< As in YAML. Empty: the manifest must give it.
    std::int64_t minimum = std::numeric_limits<std::int64_t>::min();  ///< Milliseconds if duration.
    std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
    std::vector<std::string> choices{};
    std::string help{};
};

/// Inclusive.
struct Range {
    std::int64_t minimum;
    std::int64_t maximum;
};
struct DurationRange {
    std::chrono::milliseconds minimum;
    std::chrono::milliseconds maximum;
};

[[nodiscard]] inline SettingSpec integer(std::string name,
                                         std::int64_t value,
                                         Range range,
                                         std::string help = {}) {
    return {.name = std::move(name),
            .type = SettingType::integer,
            .default_text = std::to_string(value),
            .minimum = range.minimum,
            .maximum = range.maximum,
            .help = std::move(help)};
}
/// Written with its unit in YAML: `250ms`, `2s`, `5m`, `1h`.
[[nodiscard]] inline SettingSpec duration(std::string name,
                                          std::chrono::milliseconds value,
                                          DurationRange range = {std::chrono::milliseconds{1},
                                                                 std::chrono::hours{24 * 365}},
                                          std::string help = {}) {
    return {.name = std::move(name),
            .type = SettingType::duration,
            .default_text = std::to_string(value.count()) + "ms",
            .minimum = range.minimum.count(),
            .maximum = range.maximum.count(),
            .help = std::move(help)};
}
[[nodiscard]] inline SettingSpec boolean(std::string name, bool value, std::string help = {}) {
    return {.name = std::move(name),
            .type = SettingType::boolean,
            .default_text = value ? "true" : "false",
            .help = std::move(help)};
}
[[nodiscard]] inline SettingSpec text(std::string name, std::string value, std::string help = {}) {
    return {.name = std::move(name),
            .type = SettingType::text,
            .default_text = std::move(value),
            .help = std::move(help)};
}
[[nodiscard]] inline SettingSpec required_text(std::string name, std::string help = {}) {
    return {.name = std::move(name), .type = SettingType::text, .help = std::move(help)};
}
[[nodiscard]] inline SettingSpec choice(std::string name,
                                        std::string value,
                                        std::vector<std::string> choices,
                                        std::string help = {}) {
    return {.name = std::move(name),
            .type = SettingType::choice,
            .default_text = std::move(value),
            .choices = std::move(choices),
            .help = std::move(help)};
}
/// Given by reference only, `{env: NAME}` or `{file: path}`, and never printed. Empty if not given.
[[nodiscard]] inline SettingSpec secret(std::string name, std::string help = {}) {
    return {.name = std::move(name),
            .type = SettingType::secret,
            .default_text = "",
            .help = std::move(help)};
}

/// The effective values: checked, with defaults filled in. Fixed for the life of the process.
/// Asking for a name that was not declared, or by another type, throws ConfigError. [any-thread]
class RADD_EXPORT Settings {
public:
    virtual ~Settings();

    [[nodiscard]] virtual std::int64_t integer(std::string_view name) const = 0;
    [[nodiscard]] virtual std::chrono::milliseconds duration(std::string_view name) const = 0;
    [[nodiscard]] virtual bool boolean(std::string_view name) const = 0;
    /// Of a text, a choice or a secret.
    [[nodiscard]] virtual const std::string& text(std::string_view name) const = 0;
};

}  // namespace radd

#pragma once

/// A plugin's settings: what its manifest gives against what its code declares.

#include <memory>
#include <span>
#include <string>

#include <host/config/environment.hpp>
#include <host/config/problem.hpp>
#include <host/config/yaml.hpp>
#include <radd/settings.hpp>

namespace radd::config {

struct CheckedSettings {
    std::unique_ptr<Settings> settings;  ///< Null if a problem is an error.
    Problems problems;
};

/// Fills in defaults and checks types, ranges and choices; unknown keys get a suggestion.
///
/// `settings` is the plugin's `settings:` map, or null for none. Secrets are given as
/// read_secret() says, and are never part of a problem.
/// A default that breaks its own declaration is a problem too. Never throws.
[[nodiscard]] CheckedSettings check_settings(std::span<const SettingSpec> specs,
                                             const YamlNode& settings,
                                             const std::string& file,
                                             const std::string& plugin,
                                             const EnvLookup& environment);

}  // namespace radd::config

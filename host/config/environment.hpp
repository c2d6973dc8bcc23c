#pragma once

/// The environment as a value, so that tests and the host read it alike.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace radd::config {

using Environment = std::map<std::string, std::string, std::less<>>;

/// A copy of this process's environment. Call it before there are threads that may change it.
[[nodiscard]] Environment process_environment();

/// What a variable holds; empty if it is not set. [any-thread]
using EnvLookup = std::function<std::optional<std::string>(std::string_view name)>;

[[nodiscard]] EnvLookup lookup_in(Environment environment);

}  // namespace radd::config

#pragma once

/// What every plugin keeps to, whatever it does.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <host/conformance/staged.hpp>

namespace radd::conformance {

/// What was found against a rule, a line each.
using Findings = std::vector<std::string>;

struct Rule {
    std::string_view name;     ///< "deterministic".
    std::string_view demands;  ///< In one sentence.
    /// Runs code of the plugin in this process, so each rule wants one of its own.
    /// @throws Error if the plugin cannot be loaded or started.
    Findings (*check)(const Options& options);
};

/// In the order in which a broken plugin is best looked at.
[[nodiscard]] std::span<const Rule> rules();

}  // namespace radd::conformance

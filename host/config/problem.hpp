#pragma once

/// One thing that is wrong with what the operator or a plugin's author gave us.

#include <cstdint>
#include <string>
#include <vector>

namespace radd::config {

enum class Severity : std::uint8_t { error, warning };

/// Collected, never thrown one at a time: people repair a list faster than a sequence.
struct Problem {
    std::string code;  ///< Stable: "E31". sdk/README.md has an entry for each.
    Severity severity = Severity::error;
    std::string plugin{};  ///< Id, or empty when no plugin is to blame.
    std::string file{};
    int line = 0;         ///< From 1; 0: no place in the file.
    int column = 0;       ///< From 1.
    std::string message;  ///< What is wrong, with the value. One line.
    std::string hint{};   ///< What to do: "Did you mean 'item'?"

    friend bool operator==(const Problem&, const Problem&) = default;
};

using Problems = std::vector<Problem>;

[[nodiscard]] inline bool has_errors(const Problems& problems) {
    for (const Problem& problem : problems) {
        if (problem.severity == Severity::error) return true;
    }
    return false;
}

/// `E31 plugins/csat.so csat: event 'csat.requested' …. Did you mean 'item'?`
[[nodiscard]] std::string to_text(const Problem& problem);

/// A JSON array of objects `{code, severity, plugin, file, line, column, message, hint}`.
[[nodiscard]] std::string to_json(const Problems& problems);

}  // namespace radd::config

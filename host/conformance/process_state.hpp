#pragma once

/// What a plugin shares with everybody else in the process, and has to leave as it was.

#include <map>
#include <string>
#include <vector>

namespace radd::conformance {

/// By what it is called ("directory", "variable TZ", "signal 2") the value.
using ProcessState = std::map<std::string, std::string>;

/// Working directory, file mode mask, environment, both locales, signal handlers.
[[nodiscard]] ProcessState process_state();

/// Threads by id and name, open files by number and target, but for the one that reads them.
[[nodiscard]] ProcessState threads_and_files();

/// `what` is "changed" or "left": a line for each difference, in order of its name.
[[nodiscard]] std::vector<std::string> differences(const ProcessState& before,
                                                   const ProcessState& after,
                                                   const std::string& what);

/// The process elsewhere, until the end of the block: another directory, zone and locale, with a
/// comma in its numbers.
class Elsewhere {
public:
    Elsewhere();
    Elsewhere(const Elsewhere&) = delete;
    Elsewhere& operator=(const Elsewhere&) = delete;
    ~Elsewhere();

private:
    ProcessState before_;
};

}  // namespace radd::conformance

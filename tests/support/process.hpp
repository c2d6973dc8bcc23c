#pragma once

/// A child process that a test starts, watches and ends.

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>
#include <tests/support/temp_dir.hpp>

namespace radd::testing {

/// Runs `arguments` (the first is a path) with our environment and `environment` on top. What it
/// prints goes into files. Killed and reaped with this, if it still runs; its own children are not.
class Process {
public:
    explicit Process(std::vector<std::string> arguments,
                     const std::map<std::string, std::string>& environment = {});
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    ~Process();

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    void signal(int number) const;  ///< Nothing, once it has been reaped.

    /// Its exit status, or 128 + the signal that ended it. Empty if it still runs at `deadline`.
    std::optional<int> wait(std::chrono::milliseconds deadline = std::chrono::seconds{30});
    [[nodiscard]] bool is_running();

    [[nodiscard]] std::string output() const;  ///< Its stdout so far.
    [[nodiscard]] std::string errors() const;  ///< Its stderr so far.

private:
    TempDir folder_;
    pid_t pid_ = 0;
    std::optional<int> status_;
};

}  // namespace radd::testing

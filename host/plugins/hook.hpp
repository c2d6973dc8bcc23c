#pragma once

/// Calling into a plugin with a deadline.

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace radd::loader {

struct HookEnd {
    bool in_time = true;
    std::optional<std::string> thrown{};  ///< As guarded() says it.
};

/// Runs `work` on a thread of its own and waits for it, at most `deadline`. When it is late its
/// thread goes on alone, with its copy of `work`: nobody can end it, and the host must not wait.
[[nodiscard]] HookEnd run_hook(std::function<void()> work, std::chrono::milliseconds deadline);

}  // namespace radd::loader

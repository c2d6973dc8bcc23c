#pragma once

/// Waiting for what will be true soon. The one place in the tests where time passes.

#include <chrono>
#include <thread>

namespace radd::testing {

/// True as soon as `condition()` is; false if it is not within `deadline`, which should be far
/// above what is expected: only a failing test ever waits that long.
template <typename Condition>
[[nodiscard]] bool eventually(Condition&& condition,
                              std::chrono::milliseconds deadline = std::chrono::seconds{20}) {
    const auto end = std::chrono::steady_clock::now() + deadline;
    while (!condition()) {
        if (std::chrono::steady_clock::now() >= end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }
    return true;
}

/// Where time itself is what is measured or misused: a benchmark, a handler that idles. A test
/// waits for what it expects.
inline void let_pass(std::chrono::steady_clock::duration time) {
    std::this_thread::sleep_for(time);
}

}  // namespace radd::testing

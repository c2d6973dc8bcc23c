#pragma once

/// How long to wait before the next attempt.

#include <chrono>
#include <cstdint>

#include <radd/clock.hpp>

namespace radd::db {

/// Doubles from `first` to `cap`, each delay stretched by up to a half at random, so that hosts
/// that lost the same server do not come back in step. Never below `first` nor above `cap`,
/// however many attempts failed. Pure but for `random`. [any-thread]
class Backoff {
public:
    static constexpr std::chrono::milliseconds first_default{100};
    static constexpr std::chrono::milliseconds cap_default{std::chrono::seconds{60}};

    explicit Backoff(Random& random,
                     std::chrono::milliseconds first = first_default,
                     std::chrono::milliseconds cap = cap_default) noexcept;

    /// The delay after `failures` failed attempts in a row: 1 after the first one. What is not
    /// positive counts as 1.
    [[nodiscard]] std::chrono::milliseconds after(std::int64_t failures) const;

private:
    Random& random_;
    std::chrono::milliseconds first_;
    std::chrono::milliseconds cap_;
};

}  // namespace radd::db

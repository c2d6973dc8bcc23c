#pragma once

/// Time and chance as the operating system gives them.

#include <radd/clock.hpp>

namespace radd::host {

class SystemClock final : public Clock {
public:
    [[nodiscard]] Timestamp now() const override;
    [[nodiscard]] std::chrono::steady_clock::time_point steady_now() const override;
};

/// getrandom(2): fit for tokens, never blocks once the system has booted.
class SystemRandom final : public Random {
public:
    [[nodiscard]] std::uint64_t bits() override;
};

}  // namespace radd::host

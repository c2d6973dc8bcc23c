#pragma once

/// Time and chance, passed in so that tests decide both.

#include <chrono>
#include <cstdint>

#include <radd/event.hpp>
#include <radd/export.hpp>

namespace radd {

/// [any-thread]
class RADD_EXPORT Clock {
public:
    virtual ~Clock();

    /// Wall time of this host. For what people read; never compared with a time that the
    /// database wrote, because the two clocks differ.
    [[nodiscard]] virtual Timestamp now() const = 0;

    /// Never goes back, whatever happens to the wall clock. For intervals and deadlines.
    [[nodiscard]] virtual std::chrono::steady_clock::time_point steady_now() const = 0;
};

/// [any-thread]
class RADD_EXPORT Random {
public:
    virtual ~Random();

    /// 64 independent bits from the system's cryptographic source.
    [[nodiscard]] virtual std::uint64_t bits() = 0;

    /// Uniform in [0, 1): for jitter.
    [[nodiscard]] double unit() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }
};

}  // namespace radd

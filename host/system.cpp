#include <cerrno>
#include <system_error>

#include <host/system.hpp>
#include <sys/random.h>

namespace radd::host {

Timestamp SystemClock::now() const {
    return std::chrono::time_point_cast<std::chrono::microseconds>(
        std::chrono::system_clock::now());
}

std::chrono::steady_clock::time_point SystemClock::steady_now() const {
    return std::chrono::steady_clock::now();
}

std::uint64_t SystemRandom::bits() {
    std::uint64_t value = 0;
    // Reads of up to 256 bytes are never cut short by a signal (getrandom(2)).
    if (getrandom(&value, sizeof value, 0) != sizeof value)
        throw std::system_error{errno, std::generic_category(), "getrandom"};
    return value;
}

}  // namespace radd::host

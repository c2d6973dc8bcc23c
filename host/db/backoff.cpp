#include <algorithm>

#include <host/db/backoff.hpp>

namespace radd::db {

Backoff::Backoff(Random& random,
                 std::chrono::milliseconds first,
                 std::chrono::milliseconds cap) noexcept
    // A first delay of nothing would never grow.
    : random_{random},
      first_{std::max(first, std::chrono::milliseconds{1})},
      cap_{std::max(cap, first_)} {}

std::chrono::milliseconds Backoff::after(std::int64_t failures) const {
    auto delay = first_;
    // Compared before it is doubled: the sum of what is already at the cap need not fit.
    for (std::int64_t step = 1; step < failures && delay < cap_; ++step)
        delay = delay > cap_ / 2 ? cap_ : delay * 2;
    const auto room = std::min(delay / 2, cap_ - delay);
    const auto stretch = static_cast<double>(room.count()) * random_.unit();
    return delay + std::chrono::milliseconds{static_cast<std::int64_t>(stretch)};
}

}  // namespace radd::db

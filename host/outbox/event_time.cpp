#include <algorithm>
#include <array>
#include <cstdio>

#include <host/outbox/event_time.hpp>

namespace radd::outbox {
namespace {

using std::chrono::days;
using std::chrono::microseconds;
using std::chrono::sys_days;
using std::chrono::year;

}  // namespace

Timestamp earliest_time() noexcept {
    return sys_days{year{1} / 1 / 1};
}
Timestamp latest_time() noexcept {
    return sys_days{year{10000} / 1 / 1} - microseconds{1};
}

std::string time_text(Timestamp time) {
    time = std::clamp(time, earliest_time(), latest_time());
    const auto date = std::chrono::floor<days>(time);
    const std::chrono::year_month_day civil{date};
    const std::chrono::hh_mm_ss clock{time - date};
    std::array<char, 64> text{};
    const int length = std::snprintf(text.data(),
                                     text.size(),
                                     "%04d-%02u-%02uT%02d:%02d:%02d.%06dZ",
                                     static_cast<int>(civil.year()),
                                     static_cast<unsigned>(civil.month()),
                                     static_cast<unsigned>(civil.day()),
                                     static_cast<int>(clock.hours().count()),
                                     static_cast<int>(clock.minutes().count()),
                                     static_cast<int>(clock.seconds().count()),
                                     static_cast<int>(clock.subseconds().count()));
    return {text.data(), static_cast<std::size_t>(length)};
}

Timestamp from_postgres_time(std::int64_t since_2000) noexcept {
    // Clamped before it is moved: the end of PostgreSQL's range does not fit behind 1970.
    constexpr Timestamp epoch = sys_days{year{2000} / 1 / 1};
    return epoch +
           std::clamp(microseconds{since_2000}, earliest_time() - epoch, latest_time() - epoch);
}

}  // namespace radd::outbox

#include <array>
#include <chrono>
#include <cstdio>

#include <host/web/http_date.hpp>

namespace radd::web {

std::string http_date(Timestamp time) {
    using namespace std::chrono;
    constexpr std::array weekdays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::array months{
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const auto day = floor<days>(time);
    const year_month_day date{day};
    const hh_mm_ss clock{floor<seconds>(time - day)};
    std::array<char, 64> text{};
    std::snprintf(text.data(),
                  text.size(),
                  "%s, %02u %s %04d %02ld:%02ld:%02ld GMT",
                  weekdays[weekday{day}.c_encoding()],
                  static_cast<unsigned>(date.day()),
                  months[static_cast<unsigned>(date.month()) - 1],
                  static_cast<int>(date.year()),
                  static_cast<long>(clock.hours().count()),
                  static_cast<long>(clock.minutes().count()),
                  static_cast<long>(clock.seconds().count()));
    return text.data();
}

}  // namespace radd::web

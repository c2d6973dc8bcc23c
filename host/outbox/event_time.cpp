#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

#include <host/outbox/event_time.hpp>

namespace radd::outbox {
namespace {

using std::chrono::day;
using std::chrono::days;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::month;
using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::year;

/// Takes what it reads off the front of a text.
class Cursor {
public:
    explicit Cursor(std::string_view text) : rest_{text} {}

    [[nodiscard]] std::optional<int> number() {
        int value = 0;
        const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        if (error != std::errc{} || rest_.front() == '-') return std::nullopt;
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        return value;
    }
    [[nodiscard]] bool take(char wanted) {
        if (!rest_.starts_with(wanted)) return false;
        rest_.remove_prefix(1);
        return true;
    }
    /// Up to six digits behind a point; nothing is no fraction.
    [[nodiscard]] std::optional<int> fraction() {
        if (!take('.')) return 0;
        int value = 0;
        for (int digit = 0; digit < 6; ++digit) {
            const bool is_digit = !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9';
            if (!is_digit && digit == 0) return std::nullopt;
            value = value * 10 + (is_digit ? rest_.front() - '0' : 0);
            if (is_digit) rest_.remove_prefix(1);
        }
        return value;
    }
    [[nodiscard]] std::string_view rest() const { return rest_; }

private:
    std::string_view rest_;
};

/// `+05`, `-03:30`, `+05:53:28`, `Z` or nothing.
std::optional<seconds> parse_offset(Cursor& cursor) {
    if (cursor.take('Z')) return seconds{0};
    const bool is_west = cursor.take('-');
    if (!is_west && !cursor.take('+')) return seconds{0};
    seconds offset{0};
    int unit = 3600;
    do {
        const auto part = cursor.number();
        if (!part) return std::nullopt;
        offset += seconds{*part * unit};
        unit /= 60;
    } while (unit > 0 && cursor.take(':'));
    return is_west ? -offset : offset;
}

std::optional<sys_days> parse_date(Cursor& cursor, int& year_read) {
    const auto y = cursor.number();
    if (!y || !cursor.take('-')) return std::nullopt;
    const auto m = cursor.number();
    if (!m || !cursor.take('-')) return std::nullopt;
    const auto d = cursor.number();
    if (!d) return std::nullopt;
    year_read = *y;
    // Years beyond chrono's are clamped by the caller all the same.
    const std::chrono::year_month_day date{year{std::min(*y, 10000)},
                                           month{static_cast<unsigned>(*m)},
                                           day{static_cast<unsigned>(*d)}};
    return date.month().ok() ? std::optional{sys_days{date}} : std::nullopt;
}

std::optional<microseconds> parse_clock(Cursor& cursor) {
    const auto h = cursor.number();
    if (!h || !cursor.take(':')) return std::nullopt;
    const auto m = cursor.number();
    if (!m || !cursor.take(':')) return std::nullopt;
    const auto s = cursor.number();
    const auto us = s ? cursor.fraction() : std::nullopt;
    if (!us) return std::nullopt;
    return hours{*h} + minutes{*m} + seconds{*s} + microseconds{*us};
}

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

std::optional<Timestamp> parse_postgres_time(std::string_view text) noexcept {
    if (text == "infinity") return latest_time();
    if (text == "-infinity" || text.ends_with(" BC")) return earliest_time();
    Cursor cursor{text};
    int year_read = 0;
    const auto date = parse_date(cursor, year_read);
    if (!date || (!cursor.take(' ') && !cursor.take('T'))) return std::nullopt;
    const auto clock = parse_clock(cursor);
    const auto offset = clock ? parse_offset(cursor) : std::nullopt;
    if (!offset || !cursor.rest().empty()) return std::nullopt;
    if (year_read > 9999) return latest_time();
    return std::clamp<Timestamp>(*date + *clock - *offset, earliest_time(), latest_time());
}

}  // namespace radd::outbox

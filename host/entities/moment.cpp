#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>

#include <host/entities/moment.hpp>

namespace radd::entities {
namespace {

namespace chrono = std::chrono;

constexpr std::size_t fraction_digits = 6;
constexpr std::size_t fraction_digits_max = 12;

/// Takes what was read off the front of a text; once something did not fit, all that follows fails.
class Scanner {
public:
    explicit Scanner(std::string_view text) : rest_{text} {}

    int number(std::size_t digits, int minimum, int maximum) {
        int value = 0;
        for (std::size_t i = 0; i < digits; ++i) value = value * 10 + digit();
        fits_ = fits_ && value >= minimum && value <= maximum;
        return value;
    }
    void expect(std::string_view any_of) {
        fits_ = fits_ && !rest_.empty() && any_of.find(rest_.front()) != std::string_view::npos;
        if (fits_) rest_.remove_prefix(1);
    }
    [[nodiscard]] bool next_is(char c) const { return fits_ && rest_.starts_with(c); }
    [[nodiscard]] char take() {
        if (rest_.empty()) fits_ = false;
        if (!fits_) return '\0';
        const char first = rest_.front();
        rest_.remove_prefix(1);
        return first;
    }
    int microseconds() {
        int value = 0;
        std::size_t digits = 0;
        for (; !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; ++digits) {
            const int next = digit();
            if (digits < fraction_digits) value = value * 10 + next;
        }
        fits_ = fits_ && digits > 0 && digits <= fraction_digits_max;
        for (; digits < fraction_digits; ++digits) value *= 10;
        return value;
    }
    [[nodiscard]] bool is_done() const { return fits_ && rest_.empty(); }
    void refuse_unless(bool fits) { fits_ = fits_ && fits; }

private:
    int digit() {
        const char c = take();
        fits_ = fits_ && c >= '0' && c <= '9';
        return fits_ ? c - '0' : 0;
    }

    std::string_view rest_;
    bool fits_ = true;
};

chrono::year_month_day read_day(Scanner& scanner) {
    const int year = scanner.number(4, 1, 9999);
    scanner.expect("-");
    const int month = scanner.number(2, 1, 12);
    scanner.expect("-");
    const int day = scanner.number(2, 1, 31);
    const chrono::year_month_day date{chrono::year{year},
                                      chrono::month{static_cast<unsigned>(month)},
                                      chrono::day{static_cast<unsigned>(day)}};
    scanner.refuse_unless(date.ok());
    return date;
}

chrono::minutes read_zone(Scanner& scanner) {
    if (scanner.next_is('Z') || scanner.next_is('z')) {
        (void)scanner.take();
        return chrono::minutes{0};
    }
    const bool is_west = scanner.next_is('-');
    scanner.expect("+-");
    const int hours = scanner.number(2, 0, 23);
    scanner.expect(":");
    const chrono::minutes offset = chrono::hours{hours} + chrono::minutes{scanner.number(2, 0, 59)};
    return is_west ? -offset : offset;
}

std::string day_text(chrono::year_month_day date) {
    std::array<char, 32> text{};
    const int size = std::snprintf(text.data(),
                                   text.size(),
                                   "%04d-%02u-%02u",
                                   static_cast<int>(date.year()),
                                   static_cast<unsigned>(date.month()),
                                   static_cast<unsigned>(date.day()));
    return {text.data(), static_cast<std::size_t>(size)};
}

}  // namespace

std::optional<std::string> canonical_date(std::string_view text) {
    Scanner scanner{text};
    const auto date = read_day(scanner);
    if (!scanner.is_done()) return std::nullopt;
    return day_text(date);
}

std::optional<std::string> canonical_timestamp(std::string_view text) {
    Scanner scanner{text};
    const auto date = read_day(scanner);
    scanner.expect("Tt ");
    const int hour = scanner.number(2, 0, 23);
    scanner.expect(":");
    const int minute = scanner.number(2, 0, 59);
    scanner.expect(":");
    const int second = scanner.number(2, 0, 60);
    int fraction = 0;
    if (scanner.next_is('.')) {
        scanner.expect(".");
        fraction = scanner.microseconds();
    }
    const auto zone = read_zone(scanner);
    if (!scanner.is_done()) return std::nullopt;

    const auto instant = chrono::sys_days{date} + chrono::hours{hour} + chrono::minutes{minute} +
                         chrono::seconds{second} + chrono::microseconds{fraction} - zone;
    const auto day = chrono::floor<chrono::days>(instant);
    const chrono::year_month_day utc{day};
    if (utc.year() < chrono::year{1} || utc.year() > chrono::year{9999}) return std::nullopt;
    const chrono::hh_mm_ss time{instant - day};
    std::array<char, 32> clock{};
    const int size = std::snprintf(clock.data(),
                                   clock.size(),
                                   "T%02d:%02d:%02d.%06dZ",
                                   static_cast<int>(time.hours().count()),
                                   static_cast<int>(time.minutes().count()),
                                   static_cast<int>(time.seconds().count()),
                                   static_cast<int>(time.subseconds().count()));
    return day_text(utc) + std::string{clock.data(), static_cast<std::size_t>(size)};
}

}  // namespace radd::entities

#include "retry_after.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace webhooks {
namespace {

using std::chrono::seconds;

std::optional<int> number(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool digits = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    if (error != std::errc{} || end != text.data() + text.size() || !digits) return std::nullopt;
    return value;
}

std::optional<seconds> wait_in(std::string_view text, radd::Timestamp now) {
    const bool digits =
        !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    if (digits) {
        std::int64_t value = 0;
        const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
        if (result.ec != std::errc{}) return std::nullopt;
        return seconds{value};
    }
    const auto date = parse_http_date(text);
    if (!date) return std::nullopt;
    return std::max(seconds{0}, std::chrono::ceil<seconds>(*date - now));
}

}  // namespace

std::optional<radd::Timestamp> parse_http_date(std::string_view text) {
    constexpr std::size_t length = 29;
    constexpr std::array<std::string_view, 12> months{
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    if (text.size() != length || text.substr(3, 2) != ", " || !text.ends_with(" GMT"))
        return std::nullopt;
    const auto month = std::ranges::find(months, text.substr(8, 3));
    const auto day = number(text.substr(5, 2));
    const auto year = number(text.substr(12, 4));
    const auto hour = number(text.substr(17, 2));
    const auto minute = number(text.substr(20, 2));
    const auto second = number(text.substr(23, 2));
    const bool spaced =
        text[7] == ' ' && text[11] == ' ' && text[16] == ' ' && text[19] == ':' && text[22] == ':';
    if (!spaced || month == months.end() || !day || !year || !hour || !minute || !second)
        return std::nullopt;
    const std::chrono::year_month_day date{
        std::chrono::year{*year},
        std::chrono::month{static_cast<unsigned>(month - months.begin()) + 1},
        std::chrono::day{static_cast<unsigned>(*day)}};
    if (!date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
    return std::chrono::sys_days{date} + std::chrono::hours{*hour} + std::chrono::minutes{*minute} +
           seconds{*second};
}

std::optional<seconds> retry_after(const std::vector<std::string_view>& values,
                                   radd::Timestamp now) {
    std::optional<seconds> longest;
    for (const auto value : values) {
        const auto wait = wait_in(value, now);
        if (wait && (!longest || *wait > *longest)) longest = wait;
    }
    return longest;
}

}  // namespace webhooks

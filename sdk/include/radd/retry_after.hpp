#pragma once

/// When a receiver wants to be tried again (RFC 9110 §10.2.3).

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <radd/event.hpp>

namespace radd {

namespace http_date {

inline std::optional<int> whole(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool digits = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    if (error != std::errc{} || end != text.data() + text.size() || !digits) return std::nullopt;
    return value;
}

}  // namespace http_date

/// "Sun, 06 Nov 1994 08:49:37 GMT", the one form that may be sent today; empty: it is none.
[[nodiscard]] inline std::optional<Timestamp> parse_http_date(std::string_view text) {
    constexpr std::size_t length = 29;
    constexpr std::array<std::string_view, 12> months{
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    if (text.size() != length || text.substr(3, 2) != ", " || !text.ends_with(" GMT"))
        return std::nullopt;
    const auto month = std::ranges::find(months, text.substr(8, 3));
    const auto day = http_date::whole(text.substr(5, 2));
    const auto year = http_date::whole(text.substr(12, 4));
    const auto hour = http_date::whole(text.substr(17, 2));
    const auto minute = http_date::whole(text.substr(20, 2));
    const auto second = http_date::whole(text.substr(23, 2));
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
           std::chrono::seconds{*second};
}

namespace http_date {

inline std::optional<std::chrono::seconds> wait_in(std::string_view text, Timestamp now) {
    const bool digits =
        !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    if (digits) {
        std::int64_t value = 0;
        const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
        if (result.ec != std::errc{}) return std::nullopt;
        return std::chrono::seconds{value};
    }
    const auto date = parse_http_date(text);
    if (!date) return std::nullopt;
    // First, because the distance between two of them need not fit.
    if (*date <= now) return std::chrono::seconds{0};
    return std::chrono::ceil<std::chrono::seconds>(*date - now);
}

}  // namespace http_date

/// Of several values the longest wait; a date that is past is no wait. What is neither a number of
/// seconds nor a date is passed. Empty: nothing usable was said. `now`: the receiver's own, if its
/// answer had a Date, so that two clocks are not compared.
[[nodiscard]] inline std::optional<std::chrono::seconds> retry_after(
    const std::vector<std::string_view>& values, Timestamp now) {
    std::optional<std::chrono::seconds> longest;
    for (const auto value : values) {
        const auto wait = http_date::wait_in(value, now);
        if (wait && (!longest || *wait > *longest)) longest = wait;
    }
    return longest;
}

}  // namespace radd

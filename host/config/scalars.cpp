#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

#include <host/config/scalars.hpp>
#include <host/config/suggest.hpp>
#include <radd/terminal_text.hpp>

namespace radd::config {
namespace {

constexpr std::size_t shown_bytes_max = 60;

struct Unit {
    std::string_view name;
    std::int64_t milliseconds;
};
// Largest first: shown() takes the first that divides.
constexpr std::array units{
    Unit{"h", 3'600'000}, Unit{"m", 60'000}, Unit{"s", 1'000}, Unit{"ms", 1}};

bool all_digits(std::string_view text) {
    return !text.empty() &&
           std::ranges::all_of(text, [](char letter) { return letter >= '0' && letter <= '9'; });
}

std::string_view without_sign(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    return text;
}

bool has_leading_zero(std::string_view text) {
    const auto digits = without_sign(text);
    return all_digits(digits) && digits.size() > 1 && digits.front() == '0';
}

std::string without_leading_zeros(std::string_view text) {
    const auto digits = without_sign(text);
    const auto first = std::min(digits.find_first_not_of('0'), digits.size() - 1);
    return (text.starts_with('-') ? "-" : "") + std::string{digits.substr(first)};
}

/// Empty: `text`, which is all digits, does not fit into 64 bits.
std::optional<std::int64_t> to_number(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

template <typename Show>
std::string range_shown(Range range, Show show) {
    const bool open_below = range.minimum == std::numeric_limits<std::int64_t>::min();
    const bool open_above = range.maximum == std::numeric_limits<std::int64_t>::max();
    if (open_below && open_above) return "what 64 bits hold";
    if (open_below) return "the range up to " + show(range.maximum);
    if (open_above) return "the range from " + show(range.minimum) + " up";
    return show(range.minimum) + ".." + show(range.maximum);
}

std::string cut(std::string_view text) {
    if (text.size() <= shown_bytes_max) return std::string{text};
    std::size_t end = shown_bytes_max;
    // Not between the bytes of one character.
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return std::string{text.substr(0, end)} + "…";
}

}  // namespace

Parsed<bool> parse_boolean(std::string_view text) {
    if (text == "true") return true;
    if (text == "false") return false;
    return Complaint{"E46", "expected true or false, got " + shown(text)};
}

Parsed<std::int64_t> parse_integer(std::string_view text, Range range) {
    if (!all_digits(without_sign(text))) {
        return Complaint{"E46", "expected an integer, got " + shown(text)};
    }
    if (has_leading_zero(text)) {
        return Complaint{"E46",
                         shown(text) + " begins with a zero, which some readers take for octal",
                         "Write " + shown(without_leading_zeros(text))};
    }
    const auto value = to_number(text);
    if (!value || *value < range.minimum || *value > range.maximum) {
        return Complaint{"E47", cut(text) + " is outside " + shown_integers(range)};
    }
    return *value;
}

Parsed<std::chrono::milliseconds> parse_duration(std::string_view text, Range range) {
    const auto digits = text.find_first_not_of("0123456789", text.starts_with('-') ? 1 : 0);
    const auto amount = text.substr(0, digits);
    const auto name = digits == std::string_view::npos ? std::string_view{} : text.substr(digits);
    if (!all_digits(without_sign(amount)) || has_leading_zero(amount)) {
        return Complaint{"E46",
                         "expected an integer with a unit (ms, s, m, h), got " + shown(text)};
    }
    const auto unit = std::ranges::find(units, name, &Unit::name);
    if (unit == units.end()) {
        return Complaint{"E46", "a duration needs a unit (ms, s, m, h), got " + shown(text)};
    }

    const auto number = to_number(amount);
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    const bool fits =
        number && *number <= most / unit->milliseconds && *number >= -(most / unit->milliseconds);
    const std::int64_t value = fits ? *number * unit->milliseconds : 0;
    if (!fits || value < range.minimum || value > range.maximum) {
        return Complaint{"E47", cut(text) + " is outside " + shown_durations(range)};
    }
    return std::chrono::milliseconds{value};
}

Parsed<std::size_t> parse_choice(std::string_view text, std::span<const std::string_view> choices) {
    const auto found = std::ranges::find(choices, text);
    if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
    return Complaint{
        "E48", shown(text) + " is not one of: " + listed(choices), did_you_mean(text, choices)};
}

std::string one_line(std::string_view text) {
    return terminal_text(text);
}

std::string shown(std::string_view text) {
    return "'" + one_line(cut(text)) + "'";
}

std::string shown_key(std::string_view key) {
    std::string text = shown(key);
    const auto inner = std::string_view{text}.substr(1, text.size() - 2);
    return inner == key ? std::string{key} : text;
}

std::string shown(std::chrono::milliseconds duration) {
    for (const Unit& unit : units) {
        if (duration.count() == 0 || duration.count() % unit.milliseconds != 0) continue;
        return std::to_string(duration.count() / unit.milliseconds) + std::string{unit.name};
    }
    return "0s";
}

std::string shown_integers(Range range) {
    return range_shown(range, [](std::int64_t value) { return std::to_string(value); });
}
std::string shown_durations(Range range) {
    return range_shown(range,
                       [](std::int64_t value) { return shown(std::chrono::milliseconds{value}); });
}

std::string listed(std::span<const std::string_view> names) {
    std::string result;
    for (const auto name : names) result += (result.empty() ? "" : ", ") + std::string{name};
    return result;
}

}  // namespace radd::config

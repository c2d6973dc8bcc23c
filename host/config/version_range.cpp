#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <host/config/version_range.hpp>

namespace radd::config {
namespace {

constexpr std::size_t digits_max = 9;  // So that every number fits.
constexpr std::size_t parts_max = 3;

struct Numbers {
    std::array<std::uint32_t, parts_max> values{};
    std::size_t count = 0;
};

std::optional<std::uint32_t> parse_number(std::string_view text) {
    const bool digits = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    const bool leading_zero = text.size() > 1 && text.front() == '0';
    if (text.empty() || text.size() > digits_max || !digits || leading_zero) return std::nullopt;
    std::uint32_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

std::optional<Numbers> parse_numbers(std::string_view text) {
    Numbers numbers;
    for (;;) {
        const auto dot = text.find('.');
        const auto number = parse_number(text.substr(0, dot));
        if (!number || numbers.count == parts_max) return std::nullopt;
        numbers.values.at(numbers.count++) = *number;
        if (dot == std::string_view::npos) return numbers;
        text.remove_prefix(dot + 1);
    }
}

Version to_version(const Numbers& numbers) {
    return {.major = numbers.values[0], .minor = numbers.values[1], .patch = numbers.values[2]};
}

}  // namespace

std::optional<Version> parse_version(std::string_view text) {
    const auto numbers = parse_numbers(text);
    if (!numbers || numbers->count != parts_max) return std::nullopt;
    return to_version(*numbers);
}

std::optional<VersionRange::Condition> VersionRange::parse_condition(std::string_view word) {
    // Longer operators first: `<` also begins `<=`.
    constexpr std::array<std::pair<std::string_view, Relation>, 6> operators{
        {{">=", Relation::greater_or_equal},
         {"<=", Relation::less_or_equal},
         {">", Relation::greater},
         {"<", Relation::less},
         {"=", Relation::equal},
         {"", Relation::equal}}};
    const auto found = std::ranges::find_if(
        operators, [&](const auto& candidate) { return word.starts_with(candidate.first); });
    const auto numbers = parse_numbers(word.substr(found->first.size()));
    if (!numbers) return std::nullopt;
    return Condition{.relation = found->second,
                     .bound = to_version(*numbers),
                     .parts = static_cast<int>(numbers->count)};
}

bool VersionRange::holds(const Condition& condition, Version version) {
    if (condition.parts < 3) version.patch = 0;
    if (condition.parts < 2) version.minor = 0;
    switch (condition.relation) {
        case Relation::equal:
            return version == condition.bound;
        case Relation::less:
            return version < condition.bound;
        case Relation::less_or_equal:
            return version <= condition.bound;
        case Relation::greater:
            return version > condition.bound;
        case Relation::greater_or_equal:
            break;
    }
    return version >= condition.bound;
}

bool VersionRange::contains(const Version& version) const {
    return std::ranges::all_of(
        conditions_, [&](const Condition& condition) { return holds(condition, version); });
}

Parsed<VersionRange> parse_version_range(std::string_view text) {
    VersionRange range;
    range.text_ = text;
    while (!text.empty()) {
        const auto space = text.find(' ');
        const auto word = text.substr(0, space);
        text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
        if (word.empty()) continue;
        const auto condition = VersionRange::parse_condition(word);
        if (!condition) {
            return Complaint{"E46",
                             "expected versions such as '>=1.4 <2', cannot read " + shown(word)};
        }
        range.conditions_.push_back(*condition);
    }
    if (range.conditions_.empty()) {
        return Complaint{"E46", "expected versions such as '>=1.4 <2', got " + shown(range.text_)};
    }
    return range;
}

}  // namespace radd::config

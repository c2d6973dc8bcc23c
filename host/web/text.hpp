#pragma once

/// The little that header fields need of text.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace radd::web {

/// Of ASCII alone, whatever the locale.
[[nodiscard]] constexpr char lower_case(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
[[nodiscard]] inline std::string lower_case(std::string_view text) {
    std::string lower{text};
    for (char& c : lower) c = lower_case(c);
    return lower;
}

/// Whether two header names, or other words without case, are the same.
[[nodiscard]] inline bool is_same_name(std::string_view one, std::string_view other) {
    return std::ranges::equal(
        one, other, [](char a, char b) { return lower_case(a) == lower_case(b); });
}

/// Without blanks and tabs at both ends.
[[nodiscard]] inline std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// At least one piece; pieces are not trimmed.
[[nodiscard]] inline std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> pieces;
    for (;;) {
        const auto end = std::min(text.find(separator), text.size());
        pieces.push_back(text.substr(0, end));
        if (end == text.size()) return pieces;
        text.remove_prefix(end + 1);
    }
}

}  // namespace radd::web

#pragma once

/// Ids as they come in texts that anybody may have written: SQL, a rule, a path.

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace notify {

[[nodiscard]] inline std::optional<std::int64_t> id_in(std::string_view text) noexcept {
    std::int64_t id = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (error != std::errc{} || end != text.data() + text.size() || id < 1) return std::nullopt;
    return id;
}

/// A uuid as PostgreSQL prints it: nothing else reaches a statement, where it would be an error.
[[nodiscard]] inline bool is_person_id(std::string_view text) noexcept {
    constexpr std::array<std::size_t, 4> dashes{8, 13, 18, 23};
    constexpr std::string_view digits = "0123456789abcdef";
    if (text.size() != 36) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_dash = std::ranges::find(dashes, i) != dashes.end();
        if (is_dash ? text[i] != '-' : digits.find(text[i]) == std::string_view::npos) return false;
    }
    return true;
}

}  // namespace notify

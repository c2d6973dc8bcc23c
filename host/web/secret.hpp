#pragma once

/// Comparing what must not be guessed.

#include <cstddef>
#include <string_view>

namespace radd::web {

/// In a time that tells their length and nothing else. An empty secret equals nothing.
[[nodiscard]] inline bool is_same_secret(std::string_view given, std::string_view secret) noexcept {
    if (secret.empty() || given.size() != secret.size()) return false;
    volatile unsigned char difference = 0;
    for (std::size_t i = 0; i < secret.size(); ++i)
        difference =
            static_cast<unsigned char>(difference | (static_cast<unsigned char>(given[i]) ^
                                                     static_cast<unsigned char>(secret[i])));
    return difference == 0;
}

}  // namespace radd::web

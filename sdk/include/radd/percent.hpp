#pragma once

/// Percent-encoding (RFC 3986) and the text it may hold.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace radd {

/// Offset of the first byte that is not part of well-formed UTF-8: overlong forms, surrogates and
/// what lies past U+10FFFF are no characters, as in PostgreSQL. Empty: all of it is text.
[[nodiscard]] inline std::optional<std::size_t> first_invalid_utf8(std::string_view text) noexcept {
    for (std::size_t at = 0; at < text.size();) {
        const auto byte = [&](std::size_t i) {
            return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
        };
        const unsigned first = byte(0);
        if (first < 0x80) {
            ++at;
            continue;
        }
        const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
        if (first < 0xC2 || first > 0xF4) return at;
        for (std::size_t i = 1; i < size; ++i) {
            if ((byte(i) & 0xC0U) != 0x80U) return at;
        }
        const bool overlong =
            (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
        const bool surrogate = first == 0xED && byte(1) > 0x9F;
        const bool too_big = first == 0xF4 && byte(1) > 0x8F;
        if (overlong || surrogate || too_big) return at;
        at += size;
    }
    return std::nullopt;
}

/// `text` with its `%41` decoded and, if asked for, its `+` as spaces. The result may be any bytes.
/// Empty: a `%` without two hexadecimal digits.
[[nodiscard]] inline std::optional<std::string> percent_decoded(std::string_view text,
                                                                bool plus_is_space = false) {
    const auto digit = [](char c) {
        if (c >= '0' && c <= '9') return c - '0';
        if (c >= 'a' && c <= 'f') return c - 'a' + 10;
        if (c >= 'A' && c <= 'F') return c - 'A' + 10;
        return -1;
    };
    std::string decoded;
    decoded.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '+' && plus_is_space) {
            decoded += ' ';
        } else if (text[at] != '%') {
            decoded += text[at];
        } else {
            if (text.size() - at < 3) return std::nullopt;
            const int high = digit(text[at + 1]);
            const int low = digit(text[at + 2]);
            if (high < 0 || low < 0) return std::nullopt;
            decoded += static_cast<char>(high * 16 + low);
            at += 2;
        }
    }
    return decoded;
}

/// `text` as it may stand in one segment of a path or in one value of a query: everything but
/// letters, digits and `-._~` is encoded.
[[nodiscard]] inline std::string percent_encoded(std::string_view text) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string encoded;
    for (const char c : text) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == '~';
        if (plain) {
            encoded += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        encoded += '%';
        encoded += digits[byte >> 4U];
        encoded += digits[byte & 0xFU];
    }
    return encoded;
}

}  // namespace radd

#pragma once

/// Percent-encoding (RFC 3986) and the text it may hold.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <radd/terminal_text.hpp>

namespace radd {

/// Offset of the first byte that is not part of well-formed UTF-8: overlong forms, surrogates and
/// what lies past U+10FFFF are no characters, as in PostgreSQL. Empty: all of it is text.
[[nodiscard]] inline std::optional<std::size_t> first_invalid_utf8(std::string_view text) noexcept {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = terminal::sequence_length(text.substr(at));
        if (length == 0) return at;
        at += length;
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

#pragma once

/// Text that people wrote, made safe to print on a terminal.
///
/// A title may hold escape sequences, and a terminal that prints them obeys: it moves the cursor,
/// hides lines, sets its own title. What is for machines (JSON) has an escaping of its own and is
/// printed as it is.

#include <cstddef>
#include <string>
#include <string_view>

namespace radd {
namespace terminal {

/// Length of the UTF-8 sequence at the front of `text`; 0 if its first byte begins none. Strict
/// about overlong forms, because there are terminals that decode them to control characters, and
/// about surrogates and what lies beyond Unicode, because PostgreSQL and JSON refuse them.
[[nodiscard]] inline std::size_t sequence_length(std::string_view text) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned lead = byte(0);
    const std::size_t length = lead < 0x80                    ? 1
                               : lead >= 0xC2 && lead <= 0xDF ? 2
                               : lead >= 0xE0 && lead <= 0xEF ? 3
                               : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                              : 0;
    if (length == 0 || length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0U) != 0x80U) return 0;
    }
    if ((lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F)) return 0;
    if ((lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) > 0x8F)) return 0;
    return length;
}

[[nodiscard]] inline std::string escaped(unsigned char code) {
    constexpr std::string_view digits = "0123456789abcdef";
    if (code == '\n') return "\\n";
    if (code == '\r') return "\\r";
    if (code == '\t') return "\\t";
    return {'\\', 'x', digits[code >> 4U], digits[code & 0xFU]};
}

/// Escapes control characters but for those in `kept`, and bytes that are not UTF-8.
[[nodiscard]] inline std::string escaped(std::string_view text, std::string_view kept) {
    std::string safe;
    safe.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = sequence_length(text);
        const auto first = static_cast<unsigned char>(text[0]);
        const bool is_c0 = length == 1 && (first < 0x20 || first == 0x7F);
        // U+0080 to U+009F: U+009B begins an escape sequence all by itself.
        const bool is_c1 =
            first == 0xC2 && length == 2 && static_cast<unsigned char>(text[1]) < 0xA0;
        if (is_c1) {
            safe += escaped(static_cast<unsigned char>(text[1]));
        } else if (length == 0 || (is_c0 && kept.find(text[0]) == std::string_view::npos)) {
            safe += escaped(first);
        } else {
            safe += text.substr(0, length);
        }
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return safe;
}

}  // namespace terminal

/// `text` on one line: control characters, line breaks and tabs among them, as `\n` or `\x1b`, and
/// so are bytes that are not UTF-8. Everything else, a backslash included, stays as it is.
[[nodiscard]] inline std::string terminal_text(std::string_view text) {
    return terminal::escaped(text, "");
}

/// The same for text of several lines: its line breaks and tabs stay, and CR LF becomes LF.
[[nodiscard]] inline std::string terminal_lines(std::string_view text) {
    std::string unix_lines;
    unix_lines.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text.substr(at, 2) != "\r\n") unix_lines += text[at];
    }
    return terminal::escaped(unix_lines, "\n\t");
}

}  // namespace radd

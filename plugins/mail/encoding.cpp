#include "encoding.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace mail {
namespace {

constexpr std::string_view replacement_character = "\xEF\xBF\xBD";
constexpr std::string_view line_end = "\r\n";

std::uint8_t byte_at(std::string_view text, std::size_t at) {
    return static_cast<std::uint8_t>(text[at]);
}

/// Bytes of the character that `text` begins with; 0 if it begins with none.
std::size_t character_size(std::string_view text) {
    const auto first = byte_at(text, 0);
    if (first < 0x80) return 1;

    std::size_t size = 4;
    if (first < 0xC2 || first > 0xF4) return 0;
    if (first < 0xE0) size = 2;
    if (first >= 0xE0 && first < 0xF0) size = 3;
    if (text.size() < size) return 0;

    // The second byte is where overlong forms, surrogates and what lies past U+10FFFF show.
    const int low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const int high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (byte_at(text, 1) < low || byte_at(text, 1) > high) return 0;
    for (std::size_t i = 2; i < size; ++i) {
        if ((byte_at(text, i) & 0xC0) != 0x80) return 0;
    }
    return size;
}

/// Takes the first character off `text`, or U+FFFD for a byte that belongs to none.
std::string_view take_character(std::string_view& text) {
    const std::size_t size = character_size(text);
    const auto character = size == 0 ? replacement_character : text.substr(0, size);
    text.remove_prefix(std::max<std::size_t>(size, 1));
    return character;
}

bool breaks_line(std::string_view character) {
    const auto first = byte_at(character, 0);
    if (character.size() == 1) return first < 0x20 || first == 0x7F;
    if (character.size() == 2) return first == 0xC2 && byte_at(character, 1) < 0xA0;
    return character == "\u2028" || character == "\u2029";
}

bool is_printable(char c) {
    return c > ' ' && c <= '~';
}

/// The lines of `text`, whichever way they end. A line end at the very end starts no further line.
std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const auto end = std::min(text.find_first_of(line_end), text.size());
        lines.push_back(text.substr(0, end));
        const bool both = text.substr(end).starts_with(line_end);
        text.remove_prefix(std::min(text.size(), end + (both ? 2 : 1)));
    }
    return lines;
}

std::string escaped(char c) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    const auto byte = static_cast<std::uint8_t>(c);
    return {'=', digits[byte >> 4], digits[byte & 0xF]};
}

/// One line in quoted-printable (RFC 2045), in as many lines as it takes.
std::string quoted_printable(std::string_view line) {
    std::string text;
    std::size_t width = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        const bool blank_inside = (c == ' ' || c == '\t') && i + 1 < line.size();
        // Relays know what a leading dot means, and some forget to give the second one back.
        const bool readable = blank_inside || (is_printable(c) && c != '=');
        if (width + (readable ? 1 : 3) + 1 > line_bytes_wanted) {
            text.append("=").append(line_end);
            width = 0;
        }
        // Relays know what a leading dot means, and some forget to take the second one away.
        const bool as_it_is = readable && (c != '.' || width > 0);
        text += as_it_is ? std::string{c} : escaped(c);
        width += as_it_is ? 1 : 3;
    }
    return text.append(line_end);
}

bool mostly_readable(std::string_view text) {
    const auto odd = std::ranges::count_if(
        text, [](char c) { return !is_printable(c) && c != ' ' && c != '\n' && c != '\r'; });
    return static_cast<std::size_t>(odd) * 4 <= text.size();
}

}  // namespace

std::string valid_utf8(std::string_view text) {
    std::string valid;
    valid.reserve(text.size());
    while (!text.empty()) valid += take_character(text);
    return valid;
}

std::string header_text(std::string_view text) {
    std::string line;
    while (!text.empty()) {
        if (text.starts_with(line_end)) text.remove_prefix(1);
        const auto character = take_character(text);
        if (line.size() + character.size() > header_text_bytes_max) break;
        line += breaks_line(character) ? " " : character;
    }
    return line;
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (; !bytes.empty(); bytes.remove_prefix(std::min<std::size_t>(3, bytes.size()))) {
        const auto size = std::min<std::size_t>(3, bytes.size());
        std::uint32_t group = 0;
        for (std::size_t i = 0; i < 3; ++i)
            group = group << 8 | (i < size ? byte_at(bytes, i) : std::uint32_t{0});
        for (std::size_t i = 0; i < 4; ++i)
            text += i <= size ? alphabet[group >> (18 - 6 * i) & 0x3F] : '=';
    }
    return text;
}

std::vector<std::string> encoded_words(std::string_view utf8) {
    constexpr std::string_view head = "=?UTF-8?B?";
    constexpr std::string_view tail = "?=";
    constexpr std::size_t bytes_max = (encoded_word_bytes_max - head.size() - tail.size()) / 4 * 3;

    std::vector<std::string> words;
    std::string part;
    const auto close = [&] {
        words.push_back(std::string{head}.append(base64(part)).append(tail));
        part.clear();
    };
    while (!utf8.empty()) {
        const auto character = take_character(utf8);
        if (part.size() + character.size() > bytes_max) close();
        part += character;
    }
    if (!part.empty()) close();
    return words;
}

bool is_plain(std::string_view text) {
    if (text.find("=?") != std::string_view::npos) return false;
    std::size_t word = 0;
    for (const char c : text) {
        if (c != ' ' && !is_printable(c)) return false;
        if (c == ' ' && word == 0) return false;
        word = c == ' ' ? 0 : word + 1;
        if (word >= line_bytes_wanted) return false;
    }
    return word > 0;
}

std::string folded(std::string_view name, const std::vector<std::string>& words) {
    std::string header{name};
    header += ':';
    std::size_t width = header.size();
    for (const auto& word : words) {
        const bool is_first = &word == &words.front();
        if (!is_first && width + 1 + word.size() > line_bytes_wanted) {
            header += line_end;
            width = 0;
        }
        header.append(" ").append(word);
        width += 1 + word.size();
    }
    return header.append(line_end);
}

EncodedBody encoded_body(std::string_view text) {
    const std::string valid = valid_utf8(text);
    const auto lines = lines_of(valid);

    if (mostly_readable(valid)) {
        EncodedBody body{.transfer_encoding = "quoted-printable", .text = {}};
        for (const auto line : lines) body.text += quoted_printable(line);
        return body;
    }

    std::string canonical;
    for (const auto line : lines) canonical.append(line).append(line_end);
    const std::string encoded = base64(canonical);
    EncodedBody body{.transfer_encoding = "base64", .text = {}};
    for (std::size_t at = 0; at < encoded.size(); at += line_bytes_wanted)
        body.text.append(encoded, at, line_bytes_wanted).append(line_end);
    return body;
}

}  // namespace mail

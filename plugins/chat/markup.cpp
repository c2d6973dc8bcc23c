#include "markup.hpp"

#include <radd/terminal_text.hpp>

namespace chat {
namespace {

constexpr std::string_view ellipsis = "\xe2\x80\xa6";
constexpr std::string_view replacement = "\xef\xbf\xbd";
constexpr std::string_view word_joiner = "\xe2\x81\xa0";

/// U+202A to U+202E and U+2066 to U+2069.
bool turns_direction(std::string_view character) {
    if (character.size() != 3 || !character.starts_with("\xe2")) return false;
    const auto second = static_cast<unsigned char>(character[1]);
    const auto third = static_cast<unsigned char>(character[2]);
    return (second == 0x80 && third >= 0xaa && third <= 0xae) ||
           (second == 0x81 && third >= 0xa6 && third <= 0xa9);
}

/// Line breaks in any dress, and what has no picture.
bool is_control(std::string_view character) {
    if (character.size() == 1) {
        const auto byte = static_cast<unsigned char>(character[0]);
        return byte < 0x20 || byte == 0x7f;
    }
    return character == "\xe2\x80\xa8" || character == "\xe2\x80\xa9" ||
           (character.size() == 2 && character[0] == '\xc2' &&
            static_cast<unsigned char>(character[1]) < 0xa0);
}

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

std::string one_line(std::string_view text, std::size_t characters_max) {
    std::string line;
    std::size_t characters = 0;
    std::size_t without_last = 0;
    while (!text.empty()) {
        const auto bytes = radd::terminal::sequence_length(text);
        const auto character = bytes == 0 ? replacement : text.substr(0, bytes);
        text.remove_prefix(bytes == 0 ? 1 : bytes);
        if (turns_direction(character)) continue;
        if (characters == characters_max) {
            line.resize(without_last);
            return line.append(ellipsis);
        }
        without_last = line.size();
        line.append(is_control(character) ? " " : character);
        ++characters;
    }
    return line;
}

std::string inert(std::string_view text) {
    std::string escaped;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        const char next = at + 1 < text.size() ? text[at + 1] : ' ';
        switch (c) {
            case '&':
                escaped += "&amp;";
                break;
            case '<':
                escaped += "&lt;";
                break;
            case '>':
                escaped += "&gt;";
                break;
            case '*':
            case '_':
            case '~':
            case '`':
                // On both sides, or the mark of one text would meet one of the next.
                escaped.append(word_joiner).append(1, c).append(word_joiner);
                break;
            case '@':
                escaped.append(1, c).append(word_joiner);
                break;
            case ':':
                escaped += c;
                if (next == '/') escaped += word_joiner;
                break;
            case '.':
                escaped += c;
                if (is_word(next)) escaped += word_joiner;
                break;
            default:
                escaped += c;
        }
    }
    return escaped;
}

std::string link(std::string_view url, std::string_view shown) {
    std::string text = "<";
    text.append(url).append("|");
    // A bar would end the address a second time.
    for (const char c : inert(shown)) text += c == '|' ? '/' : c;
    return text + ">";
}

}  // namespace chat

#include "text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

#include <items/service.hpp>
#include <radd/error.hpp>
#include <radd/terminal_text.hpp>

namespace items {
namespace {

bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

[[noreturn]] void refuse(std::string_view field, const std::string& problem) {
    throw radd::InvalidInput{std::string{field}, problem};
}

std::size_t checked_length(std::string_view field, std::string_view text) {
    std::size_t length = 0;
    for (std::size_t at = 0; at < text.size(); ++length) {
        const std::size_t bytes = radd::terminal::sequence_length(text.substr(at));
        if (bytes == 0) refuse(field, "byte " + std::to_string(at) + " is not UTF-8; encode it");
        if (text[at] == '\0')
            refuse(field,
                   "byte " + std::to_string(at) + " is a NUL, which no text holds; remove it");
        at += bytes;
    }
    return length;
}

}  // namespace

void check_text(std::string_view field, std::string_view text, Length length) {
    const std::size_t points = checked_length(field, text);
    if (length.min > 0 && text.find_first_not_of(" \t\r\n") == std::string_view::npos)
        refuse(field, "is empty; give it a text");
    if (points < length.min || points > length.max)
        refuse(field,
               "has " + std::to_string(points) + " characters; allowed are " +
                   std::to_string(length.min) + " to " + std::to_string(length.max));
}

void check_email(std::string_view field, std::string_view text) {
    check_text(field, text, {.min = 3, .max = email_length_max});
    const auto at = text.find('@');
    const bool one_at = at != std::string_view::npos &&
                        text.find('@', at + 1) == std::string_view::npos && at > 0 &&
                        at + 1 < text.size();
    const bool plain = std::ranges::none_of(text, [](char c) {
        return static_cast<unsigned char>(c) <= ' ' || c == '<' || c == '>' || c == 0x7f;
    });
    if (!one_at || !plain) refuse(field, "is no address; write local@domain");
}

void check_project_key(std::string_view field, std::string_view text) {
    check_text(field, text, {.min = 1, .max = project_key_length_max});
    const bool allowed =
        std::ranges::all_of(text, [](char c) { return is_upper(c) || is_digit(c) || c == '_'; });
    if (!allowed || !is_upper(text.front()))
        refuse(field,
               "'" + std::string{text} + "' is no key; use A to Z, 0 to 9 and _, a letter first");
}

bool is_uuid(std::string_view text) {
    if (text.size() != 36) return false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool dash = at == 8 || at == 13 || at == 18 || at == 23;
        const char c = text[at];
        const bool hex = is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        if (dash ? c != '-' : !hex) return false;
    }
    return true;
}

bool is_id(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() && value > 0;
}

}  // namespace items

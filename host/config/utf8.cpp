#include <host/config/utf8.hpp>

namespace radd::config {
namespace {

/// Length of the character at the front of `text`, 0 if there is none.
std::size_t character_length(std::string_view text) {
    const auto byte = [&](std::size_t at) {
        return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
    };
    const auto continues = [&](std::size_t at) { return (byte(at) & 0xC0U) == 0x80U; };

    const unsigned first = byte(0);
    if (first < 0x80U) return 1;
    if (first >= 0xC2U && first <= 0xDFU) return continues(1) ? 2 : 0;
    if (first >= 0xE0U && first <= 0xEFU) {
        const bool overlong = first == 0xE0U && byte(1) < 0xA0U;
        const bool surrogate = first == 0xEDU && byte(1) > 0x9FU;
        return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
    }
    if (first >= 0xF0U && first <= 0xF4U) {
        const bool overlong = first == 0xF0U && byte(1) < 0x90U;
        const bool too_high = first == 0xF4U && byte(1) > 0x8FU;
        return continues(1) && continues(2) && continues(3) && !overlong && !too_high ? 4 : 0;
    }
    return 0;
}

}  // namespace

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const auto length = character_length(text.substr(at));
        if (length == 0) return at;
        at += length;
    }
    return std::nullopt;
}

std::optional<std::size_t> first_control_character(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto byte = static_cast<unsigned char>(text[at]);
        const bool white = byte == '\t' || byte == '\n' || byte == '\r';
        if ((byte < 0x20U && !white) || byte == 0x7FU) return at;
    }
    return std::nullopt;
}

}  // namespace radd::config

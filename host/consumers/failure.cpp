#include <cstdlib>
#include <exception>
#include <memory>

#include <cxxabi.h>
#include <host/consumers/failure.hpp>

namespace radd::consumers {
namespace {

/// Length of the well-formed UTF-8 sequence at the front of `text`, 0 if there is none.
std::size_t sequence_length(std::string_view text) {
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
    // Overlong forms, surrogates, and what lies beyond Unicode.
    if ((lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F)) return 0;
    if ((lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) > 0x8F)) return 0;
    return length;
}

std::string type_name(const char* mangled) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> readable{
        abi::__cxa_demangle(mangled, nullptr, nullptr, &status), &std::free};
    return status == 0 ? readable.get() : mangled;
}

}  // namespace

std::string single_line(std::string_view text, std::size_t bytes_max) {
    constexpr std::string_view cut = " [cut]";
    std::string line;
    while (!text.empty()) {
        const std::size_t length = sequence_length(text);
        std::string_view piece = length == 0 ? "?" : text.substr(0, length);
        if (length == 1 && (static_cast<unsigned char>(piece[0]) < 0x20 || piece[0] == 0x7F))
            piece = " ";
        if (line.size() + piece.size() + cut.size() > bytes_max) return line.append(cut);
        line.append(piece);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return line;
}

std::string describe_current_exception() {
    try {
        throw;
    } catch (const std::exception& error) {
        const char* what = error.what();
        if (what != nullptr && *what != '\0') return single_line(what);
    } catch (...) {
        // Nothing to ask: the type below is all there is.
    }
    const auto* type = abi::__cxa_current_exception_type();
    return "an exception of type " + (type != nullptr ? type_name(type->name()) : "unknown") +
           " without a message";
}

}  // namespace radd::consumers

#include <cstdlib>
#include <exception>
#include <memory>

#include <cxxabi.h>
#include <host/consumers/failure.hpp>
#include <radd/terminal_text.hpp>

namespace radd::consumers {
namespace {

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
        const std::size_t length = terminal::sequence_length(text);
        std::string_view piece = length == 0 ? "?" : text.substr(0, length);
        if (length > 0 && terminal_text(piece) != piece) piece = " ";
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

#include <cstdlib>
#include <memory>
#include <typeinfo>

#include <cxxabi.h>
#include <host/log/logging.hpp>
#include <host/plugins/guarded.hpp>

namespace radd::loader {
namespace {

constexpr std::size_t text_bytes_max = 1000;

}  // namespace

std::string caught_text(const char* what) {
    if (what != nullptr && *what != '\0') return log::one_line(what, text_bytes_max);
    const std::type_info* type = ::abi::__cxa_current_exception_type();
    if (type == nullptr) return "an exception of a foreign language";
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> name{
        ::abi::__cxa_demangle(type->name(), nullptr, nullptr, &status), &std::free};
    const std::string shown = name ? name.get() : type->name();
    return "an exception of type " + log::one_line(shown, text_bytes_max) + " without a text";
}

}  // namespace radd::loader

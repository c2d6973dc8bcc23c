#pragma once

/// Where exceptions of plugin code end.

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <radd/error.hpp>

namespace radd::loader {

/// What was thrown, as one line: the text of a std::exception, else the name of the type. Only
/// inside a catch block; `what` is what() of the exception if it has one.
[[nodiscard]] std::string caught_text(const char* what);

/// Runs plugin code. Empty when it returned; otherwise what it threw, whatever its type. Nothing
/// of the exception survives: its type may live in the plugin's library. [any-thread]
template <typename Work>
[[nodiscard]] std::optional<std::string> guarded(Work&& work) {
    try {
        std::forward<Work>(work)();
        return std::nullopt;
    } catch (const std::exception& failure) {
        return caught_text(failure.what());
    } catch (...) {
        return caught_text(nullptr);
    }
}

/// Runs plugin code for who tells failures apart by their types: an Error passes as it is. Whatever
/// else is thrown becomes one that blames `who`: "plugin csat: command 'csat list'".
template <typename Work>
auto blaming(std::string_view who, Work&& work) {
    try {
        return std::forward<Work>(work)();
    } catch (const Error&) {
        throw;
    } catch (const std::exception& failure) {
        throw Error{std::string{who} + ": " + caught_text(failure.what())};
    } catch (...) {
        throw Error{std::string{who} + ": " + caught_text(nullptr)};
    }
}

}  // namespace radd::loader

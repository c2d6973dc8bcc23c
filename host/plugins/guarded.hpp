#pragma once

/// Where exceptions of plugin code end.

#include <exception>
#include <optional>
#include <string>
#include <utility>

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

}  // namespace radd::loader

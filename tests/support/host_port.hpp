#pragma once

/// Where a host that a test has started answers.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include <tests/support/process.hpp>

namespace radd::testing {

/// From "…; open http://127.0.0.1:43210", which a host says when it is ready.
/// @throws std::runtime_error with all that it has said, if it has not said that.
inline std::uint16_t port_of(const Process& host) {
    const auto said = host.errors();
    constexpr std::string_view before = "open http://127.0.0.1:";
    const auto at = said.find(before);
    if (at == std::string::npos) throw std::runtime_error{"no port is named: " + said};
    return static_cast<std::uint16_t>(std::stoi(said.substr(at + before.size())));
}

}  // namespace radd::testing

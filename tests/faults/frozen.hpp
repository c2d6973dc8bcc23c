#pragma once

/// A process that a failpoint has stopped.

#include <fstream>
#include <iterator>
#include <string>

#include <tests/support/process.hpp>

namespace radd::testing {

[[nodiscard]] inline bool is_stopped(const Process& process) {
    std::ifstream file{"/proc/" + std::to_string(process.pid()) + "/stat"};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    const auto name_end = text.rfind(')');
    return name_end != std::string::npos && text.substr(name_end, 3) == ") T";
}

}  // namespace radd::testing

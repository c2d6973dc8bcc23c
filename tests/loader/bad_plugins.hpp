#pragma once

/// Plugins that exist to be refused, one for each reason: what is installed, how it misbehaves,
/// and what the operator is told.

#include <functional>
#include <string>
#include <vector>

#include <tests/loader/bench.hpp>

namespace radd::loader_test {

struct BadPlugin {
    std::string name;
    std::function<Bytes()> library;  ///< Installed as probe.so.
    std::string fault;               ///< For FIXTURE_FAULT.
    std::string code;
    std::string text;
};

/// By what the file says: none of its code may run.
[[nodiscard]] const std::vector<BadPlugin>& bad_by_file();

/// By what it does when it is opened and asked.
[[nodiscard]] const std::vector<BadPlugin>& bad_by_behaviour();

/// By what it does to the process in which it is opened or asked.
[[nodiscard]] const std::vector<BadPlugin>& bad_by_trial();

/// A fixture with one byte of its file changed.
[[nodiscard]] Bytes patched(const std::string& fixture, std::size_t at, int value);

}  // namespace radd::loader_test

#pragma once

/// Asking a plugin that is switched off, for the sake of a better message.

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <host/plugins/validate.hpp>

namespace radd::loader {

/// Longer than a manifest function takes by far, short enough to wait for before an error.
inline constexpr std::chrono::seconds probe_deadline{2};

/// The entities that `plugin` would describe if it were enabled.
///
/// Its code runs in a child process that has no other purpose: whatever made the operator switch
/// it off cannot reach this one. Empty if it does not fit this host, crashes, hangs past
/// `probe_deadline`, or if this process has other threads than `idle_threads` that hold no lock,
/// where a fork is not safe.
[[nodiscard]] std::vector<std::string> described_entities(const DisabledPlugin& plugin,
                                                          std::size_t idle_threads);

}  // namespace radd::loader

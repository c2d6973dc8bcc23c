#pragma once

/// What code was at work when a signal ended the process.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace radd::loader {

/// Where the signal struck, then who had called that, as far as the stack can be read.
struct CrashTrace {
    int signal = 0;
    std::size_t size = 0;
    std::array<std::uintptr_t, 48> addresses{};
};

/// Runs in a signal handler, on a stack of its own: it may call what signal-safety(7) allows.
using CrashSink = void (*)(const CrashTrace& trace) noexcept;

/// From now on the first of SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT that strikes this process
/// goes to `sink`, once, and then ends the process as it would have. A signal that somebody else
/// handles already is left to them unless `replaces`. [boot-thread]
void on_crash(CrashSink sink, bool replaces);

/// Gives back what on_crash() took. [boot-thread]
void off_crash() noexcept;

/// "signal 11 (Segmentation fault)"
[[nodiscard]] std::string signal_text(int signal);

}  // namespace radd::loader

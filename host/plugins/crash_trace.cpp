#include <atomic>
#include <csignal>
#include <cstring>

#include <execinfo.h>
#include <host/plugins/crash_trace.hpp>
#include <sys/ucontext.h>
#include <unistd.h>

namespace radd::loader {
namespace {

constexpr std::array fatal_signals{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

// Of a handler that waits for something that the crash has left locked.
constexpr unsigned handler_seconds_max = 5;

std::atomic<CrashSink> current_sink{nullptr};
std::atomic_flag struck = ATOMIC_FLAG_INIT;
std::array<bool, fatal_signals.size()> taken{};
// The stack may be what has run out.
alignas(16) std::array<std::byte, 64UL * 1024> own_stack{};

struct Place {
    std::uintptr_t code = 0;
    std::uintptr_t caller = 0;  ///< Where nothing can be unwound because `code` is none.
};

Place place_of(const ucontext_t& context) {
#if defined(__x86_64__)
    Place place{.code = static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP])};
    // A call through a null pointer has just pushed where it came from.
    if (place.code == 0)
        std::memcpy(&place.caller,
                    reinterpret_cast<const void*>(context.uc_mcontext.gregs[REG_RSP]),
                    sizeof(place.caller));
    return place;
#elif defined(__aarch64__)
    return {.code = context.uc_mcontext.pc, .caller = context.uc_mcontext.regs[30]};
#endif
}

void handle(int signal, siginfo_t* /*info*/, void* context) {
    // Another thread may crash by what this one has done: the first is the one to tell of.
    if (struck.test_and_set()) {
        for (;;) ::pause();
    }
    (void)std::signal(SIGALRM, SIG_DFL);
    (void)::alarm(handler_seconds_max);
    const Place place = place_of(*static_cast<const ucontext_t*>(context));
    CrashTrace trace{.signal = signal};
    const auto add = [&trace](std::uintptr_t address) {
        if (trace.size < trace.addresses.size()) trace.addresses[trace.size++] = address;
    };
    add(place.code);
    if (place.caller != 0) add(place.caller);
    // The first frames are this handler's; those are no plugin's.
    std::array<void*, 40> frames{};
    const int found = ::backtrace(frames.data(), static_cast<int>(frames.size()));
    for (int i = 0; i < found; ++i)
        add(reinterpret_cast<std::uintptr_t>(frames[static_cast<std::size_t>(i)]));
    if (const CrashSink sink = current_sink) sink(trace);
    // SA_RESETHAND has put back the default; it waits until this returns.
    (void)::raise(signal);
}

}  // namespace

void on_crash(CrashSink sink, bool replaces) {
    current_sink = sink;
    struck.clear();
    std::array<void*, 1> first{};
    (void)::backtrace(first.data(), 1);  // Its first call loads a library and allocates.
    const stack_t stack{.ss_sp = own_stack.data(), .ss_flags = 0, .ss_size = own_stack.size()};
    (void)::sigaltstack(&stack, nullptr);
    struct sigaction action {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | static_cast<int>(SA_RESETHAND);
    (void)::sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < fatal_signals.size(); ++i) {
        struct sigaction before {};
        (void)::sigaction(fatal_signals[i], nullptr, &before);
        const bool is_free = (before.sa_flags & SA_SIGINFO) == 0 && before.sa_handler == SIG_DFL;
        taken[i] = (is_free || replaces) && ::sigaction(fatal_signals[i], &action, nullptr) == 0;
    }
}

void off_crash() noexcept {
    for (std::size_t i = 0; i < fatal_signals.size(); ++i) {
        if (taken[i]) (void)std::signal(fatal_signals[i], SIG_DFL);
        taken[i] = false;
    }
    current_sink = nullptr;
}

std::string signal_text(int signal) {
    const char* const text = ::sigdescr_np(signal);
    return "signal " + std::to_string(signal) +
           (text == nullptr ? "" : " (" + std::string{text} + ")");
}

}  // namespace radd::loader

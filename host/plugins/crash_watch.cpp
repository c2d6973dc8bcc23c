#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <ctime>
#include <fstream>
#include <memory>
#include <sstream>
#include <string_view>

#include <fcntl.h>
#include <host/plugins/crash_trace.hpp>
#include <host/plugins/crash_watch.hpp>
#include <unistd.h>

namespace radd::loader {
namespace {

constexpr std::string_view starting = "starting";
constexpr std::string_view running = "running";

/// What the handler needs, made before it can run: it may not allocate.
struct Watched {
    struct Code {
        AddressRange range;
        std::string record;  ///< " build plugin\n"
        std::string notice;
    };
    std::vector<Code> code;
    int output = -1;
    std::atomic<bool> has_started{false};
};

std::atomic<const Watched*> watched{nullptr};
std::unique_ptr<Watched> owned;

void tell(int output, std::string_view text) noexcept {
    [[maybe_unused]] const ssize_t written = ::write(output, text.data(), text.size());
}

void record(const Watched& all, const Watched::Code& code, int signal) noexcept {
    std::array<char, 512> line{};
    char* at = line.data();
    char* const end = line.data() + line.size();
    const auto add = [&](std::string_view text) {
        const auto size = std::min(text.size(), static_cast<std::size_t>(end - at));
        at = std::copy_n(text.data(), size, at);
    };
    add(all.has_started ? running : starting);
    add(" ");
    at = std::to_chars(at, end, signal).ptr;
    add(" ");
    at = std::to_chars(at, end, static_cast<std::int64_t>(::time(nullptr))).ptr;
    add(code.record);
    // One write: what two processes append does not mix.
    tell(all.output, {line.data(), static_cast<std::size_t>(at - line.data())});
}

void attribute(const CrashTrace& trace) noexcept {
    const Watched* const all = watched;
    if (all == nullptr) return;
    for (std::size_t i = 0; i < trace.size; ++i) {
        for (const Watched::Code& code : all->code) {
            if (!code.range.contains(trace.addresses[i])) continue;
            if (all->output >= 0) record(*all, code, trace.signal);
            return tell(STDERR_FILENO, code.notice);
        }
    }
}

}  // namespace

std::filesystem::path crash_file(const std::filesystem::path& memory_dir) {
    return memory_dir / "crashes";
}

CrashWatch::CrashWatch(const std::filesystem::path& file, const PluginSet& set)
    : output_{::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600)} {
    owned = std::make_unique<Watched>();
    owned->output = output_;
    for (const auto& plugin : set.plugins()) {
        if (!plugin->library) continue;
        for (const AddressRange& range : plugin->library->code())
            owned->code.push_back({.range = range,
                                   .record = ' ' + plugin->build + ' ' + plugin->id + '\n',
                                   .notice = "radd: crashed in plugin '" + plugin->id +
                                             "' or in what it had called\n"});
    }
    watched = owned.get();
    on_crash(attribute, false);
}

CrashWatch::~CrashWatch() {
    off_crash();
    watched = nullptr;
    owned.reset();
    if (output_ >= 0) ::close(output_);
}

void CrashWatch::has_started() noexcept {
    owned->has_started = true;
}

void take_crashes(const std::filesystem::path& file, KnownBuilds& builds) {
    std::ifstream in{file};
    if (!in) return;
    bool any = false;
    for (std::string line; std::getline(in, line);) {
        any = true;
        std::istringstream words{line};
        std::string phase;
        int signal = 0;
        std::int64_t seconds = 0;
        std::string build;
        std::string plugin;
        if (!(words >> phase >> signal >> seconds >> build >> plugin)) continue;
        const Timestamp time{std::chrono::seconds{seconds}};
        const std::string what =
            "the host crashed in its code, or in what that had called, while "
            "it was " +
            phase + ", by " + signal_text(signal);
        if (phase == starting) builds.keep_out(plugin, build, what, time);
        if (phase == running) builds.crash(plugin, build, what, time);
    }
    // Emptied and not removed: a host that runs goes on to append to this very file.
    if (any) std::ofstream{file, std::ios::trunc};
}

}  // namespace radd::loader

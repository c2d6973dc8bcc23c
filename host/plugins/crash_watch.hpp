#pragma once

/// Which plugin was at work when the host crashed, told to the next start of it.

#include <filesystem>

#include <host/plugins/known_builds.hpp>
#include <host/plugins/plugin_set.hpp>

namespace radd::loader {

/// The file beside what is remembered of builds: a line for each crash that nobody has read yet.
[[nodiscard]] std::filesystem::path crash_file(const std::filesystem::path& memory_dir);

/// From its construction on a crash whose place, or one of whose callers, lies in the code of a
/// plugin leaves a line in the file and one on standard error. It is a hint: memory that a plugin
/// has damaged may bring down others. One at a time in a process. [boot-thread]
class CrashWatch {
public:
    /// Without a file that can be written only standard error is told.
    CrashWatch(const std::filesystem::path& file, const PluginSet& set);
    CrashWatch(const CrashWatch&) = delete;
    CrashWatch& operator=(const CrashWatch&) = delete;
    ~CrashWatch();

    /// The plugins have started: one crash is not enough any more to keep a build out.
    void has_started() noexcept;

private:
    int output_ = -1;
};

/// Takes the lines out of `file` into `builds`. A line that is none is dropped. [boot-thread]
void take_crashes(const std::filesystem::path& file, KnownBuilds& builds);

}  // namespace radd::loader

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <optional>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <host/plugins/library.hpp>
#include <host/plugins/library_file.hpp>
#include <host/plugins/probe.hpp>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace radd::loader {
namespace {

// The child's last line: an exit code alone says nothing, a constructor can call _exit(0).
constexpr std::string_view complete = ".";
constexpr std::size_t answer_bytes_max = 1U << 20U;

/// How long a thread that was joined may stay listed: the kernel wakes who joins before it takes
/// the entry away.
constexpr std::chrono::milliseconds thread_listed_max{100};

bool lists_other_threads() {
    std::error_code error;
    std::ptrdiff_t threads = 0;
    for (std::filesystem::directory_iterator task{"/proc/self/task", error}, end;
         !error && task != end;
         task.increment(error))
        ++threads;
    return error || threads != 1;
}

bool has_other_threads() {
    const auto until = std::chrono::steady_clock::now() + thread_listed_max;
    while (lists_other_threads()) {
        if (std::chrono::steady_clock::now() >= until) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    return false;
}

std::string answer_for(const DisabledPlugin& plugin) {
    const auto bytes = read_library(plugin.file);
    const ElfFile elf = read_elf(bytes);
    if (config::has_errors(check_library(elf, plugin.file))) return {};
    const Library library{std::filesystem::absolute(plugin.file), plugin.file, *elf.note};
    std::string answer;
    for (const EntityRefSpec& spec : library.manifest().entity_refs)
        answer.append(spec.entity_type.name()).append("\n");
    return answer.append(complete).append("\n");
}

[[noreturn]] void run_child(const DisabledPlugin& plugin, int output) {
    const rlimit no_core{.rlim_cur = 0, .rlim_max = 0};
    (void)::setrlimit(RLIMIT_CORE, &no_core);
    (void)::setpgid(0, 0);
    const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        (void)::dup2(nowhere, stream);
    try {
        const std::string answer = answer_for(plugin);
        const ssize_t written = ::write(output, answer.data(), answer.size());
        ::_exit(written == static_cast<ssize_t>(answer.size()) ? 0 : 1);
    } catch (const std::exception&) {
        ::_exit(1);  // Why it does not fit is told when somebody enables it.
    }
}

/// What the child writes until it closes its end; empty if the time runs out.
std::optional<std::string> read_answer(int input) {
    const auto until = std::chrono::steady_clock::now() + probe_deadline;
    std::string answer;
    while (answer.size() < answer_bytes_max) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        pollfd waiting{.fd = input, .events = POLLIN, .revents = 0};
        const int ready = ::poll(&waiting, 1, static_cast<int>(std::max(left.count(), 0L)));
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return std::nullopt;
        std::array<char, 4096> part{};
        const ssize_t got = ::read(input, part.data(), part.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return answer;
        answer.append(part.data(), static_cast<std::size_t>(got));
    }
    return std::nullopt;
}

}  // namespace

std::vector<std::string> described_entities(const DisabledPlugin& plugin) {
    if (has_other_threads()) return {};
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return {};
    const pid_t child = ::fork();
    if (child == 0) run_child(plugin, pipe[1]);
    ::close(pipe[1]);
    const auto answer = child > 0 ? read_answer(pipe[0]) : std::nullopt;
    ::close(pipe[0]);
    if (child > 0) {
        // The group, because the plugin may have forked too; and itself, in case it had no time
        // to become a group.
        (void)::kill(-child, SIGKILL);
        (void)::kill(child, SIGKILL);
        while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
    }
    std::vector<std::string> entities;
    std::istringstream lines{answer.value_or("")};
    for (std::string line; std::getline(lines, line) && line != complete;) entities.push_back(line);
    const bool whole = answer && answer->ends_with(std::string{complete} + "\n");
    return whole ? entities : std::vector<std::string>{};
}

}  // namespace radd::loader

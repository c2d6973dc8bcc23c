#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <host/plugins/child.hpp>
#include <poll.h>
#include <radd/abi.hpp>
#include <radd/error.hpp>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace radd::loader {
namespace {

constexpr std::size_t output_bytes_max = 1U << 20U;

/// How long a thread that was joined may stay listed: the kernel wakes who joins before it takes
/// the entry away.
constexpr std::chrono::milliseconds thread_listed_max{100};

/// From the end of a child's output to its own.
constexpr std::chrono::milliseconds ending_max{500};

/// ThreadSanitizer keeps a thread of its own in each process, and sees to it that it can fork.
#if defined(__SANITIZE_THREAD__) || RADD_HAS_FEATURE(thread_sanitizer)
constexpr std::size_t runtime_threads = 1;
#else
constexpr std::size_t runtime_threads = 0;
#endif

bool lists_more_threads_than(std::size_t count) {
    std::error_code error;
    std::size_t threads = 0;
    for (std::filesystem::directory_iterator task{"/proc/self/task", error}, end;
         !error && task != end;
         task.increment(error))
        ++threads;
    return error || threads > count;
}

/// What would tie it to its parent: signals that the parent handles, and its terminal.
void cut_loose(pid_t parent) {
    (void)::setpgid(0, 0);
    (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);  // It ended before it was to be told.
    const rlimit no_core{.rlim_cur = 0, .rlim_max = 0};
    (void)::setrlimit(RLIMIT_CORE, &no_core);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) (void)std::signal(signal, SIG_DFL);
    const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        (void)::dup2(nowhere, stream);
}

}  // namespace

bool may_fork(std::size_t idle_threads) {
    const auto until = std::chrono::steady_clock::now() + thread_listed_max;
    while (lists_more_threads_than(1 + idle_threads + runtime_threads)) {
        if (std::chrono::steady_clock::now() >= until) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    return true;
}

Child::Child(const std::function<void(int output)>& work) {
    std::array<int, 2> pipe{};
    const auto failed = [] {
        return Error{"a child process cannot be made: " + std::generic_category().message(errno)};
    };
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) throw failed();
    const pid_t parent = ::getpid();
    process_ = ::fork();
    if (process_ == 0) {
        cut_loose(parent);
        try {
            work(pipe[1]);
        } catch (...) {
            ::_exit(1);
        }
        ::_exit(0);
    }
    const auto failure = failed();
    ::close(pipe[1]);
    input_ = pipe[0];
    if (process_ > 0) return;
    ::close(input_);
    throw failure;
}

Child::~Child() {
    (void)end();
    ::close(input_);
}

std::optional<std::string> Child::line(std::chrono::steady_clock::time_point until) {
    for (;;) {
        const auto stop = buffer_.find('\n');
        if (stop != std::string::npos) {
            std::string line = buffer_.substr(0, stop);
            buffer_.erase(0, stop + 1);
            return line;
        }
        if (received_ >= output_bytes_max) return std::nullopt;
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        pollfd waiting{.fd = input_, .events = POLLIN, .revents = 0};
        const int ready = ::poll(&waiting, 1, static_cast<int>(std::max(left.count(), 0L)));
        if (ready < 0 && errno == EINTR) continue;
        late_ = ready == 0;
        if (ready <= 0) return std::nullopt;
        std::array<char, 4096> part{};
        const ssize_t got = ::read(input_, part.data(), part.size());
        if (got < 0 && errno == EINTR) continue;
        ended_ = got <= 0;
        if (ended_) return std::nullopt;
        received_ += static_cast<std::size_t>(got);
        buffer_.append(part.data(), static_cast<std::size_t>(got));
    }
}

void Child::await_end() const {
    const auto until = std::chrono::steady_clock::now() + ending_max;
    siginfo_t found{};
    while (::waitid(P_PID, static_cast<id_t>(process_), &found, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           found.si_pid == 0 && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
}

int Child::end() {
    if (status_) return *status_;
    if (ended_) await_end();  // Killed now it would seem to have been killed by somebody.
    // The group, because it may have forked too; and itself, in case it had no time to become one.
    (void)::kill(-process_, SIGKILL);
    (void)::kill(process_, SIGKILL);
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
    status_ = status;
    return status;
}

void write_line(int output, const std::string& line) noexcept {
    try {
        const std::string whole = line + '\n';
        [[maybe_unused]] const ssize_t written = ::write(output, whole.data(), whole.size());
    } catch (const std::exception&) {
        ::_exit(1);
    }
}

}  // namespace radd::loader

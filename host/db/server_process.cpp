#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <deque>
#include <fstream>
#include <memory>
#include <set>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <grp.h>
#include <host/db/descriptor.hpp>
#include <host/db/server_process.hpp>
#include <pwd.h>
#include <radd/error.hpp>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace radd::db {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr int major_min = 13;
constexpr int cannot_execute = 127;

/// Everything the child needs, made before fork(): between that and exec() it must not allocate,
/// because another thread may have held the allocator's lock.
struct Prepared {
    explicit Prepared(const Program& from)
        : program{from},
          directory{from.directory.string()},
          input{open("/dev/null", O_RDONLY | O_CLOEXEC)},
          output{open(from.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)} {
        for (const std::string& argument : program.arguments)
            argv.push_back(const_cast<char*>(argument.c_str()));
        argv.push_back(nullptr);
        for (std::string& variable : environment) envp.push_back(variable.data());
        envp.push_back(nullptr);
        if (output.get() < 0) {
            throw ConfigError{from.log.string() +
                              ": cannot be written: " + std::generic_category().message(errno) +
                              "; choose another folder with --data-dir"};
        }
    }

    const Program& program;
    std::string directory;
    Descriptor input;
    Descriptor output;
    // No PG* variable of ours may reach the server.
    std::array<std::string, 3> environment{
        "PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/", "LC_ALL=C.UTF-8"};
    std::vector<char*> argv;
    std::vector<char*> envp;
};

/// In the child. Calls only what a signal handler might.
[[noreturn]] void become(const Prepared& prepared) {
    if (const auto& user = prepared.program.user) {
        const bool is_dropped = setgroups(0, nullptr) == 0 &&
                                setresgid(user->gid, user->gid, user->gid) == 0 &&
                                setresuid(user->uid, user->uid, user->uid) == 0;
        if (!is_dropped) _exit(cannot_become);
    }
    if (chdir(prepared.directory.c_str()) != 0) _exit(cannot_enter);
    sigset_t none;
    sigemptyset(&none);
    // The child has one thread. NOLINTNEXTLINE(concurrency-mt-unsafe)
    sigprocmask(SIG_SETMASK, &none, nullptr);
    struct sigaction as_usual {};
    as_usual.sa_handler = SIG_DFL;
    sigaction(SIGPIPE, &as_usual, nullptr);
    umask(S_IRWXG | S_IRWXO);
    dup2(prepared.input.get(), STDIN_FILENO);
    dup2(prepared.output.get(), STDOUT_FILENO);
    dup2(prepared.output.get(), STDERR_FILENO);
    execve(prepared.argv.front(), prepared.argv.data(), prepared.envp.data());
    _exit(cannot_execute);
}

pid_t fork_or_throw() {
    const pid_t child = fork();
    if (child < 0)
        throw Unavailable{"process: cannot fork: " + std::generic_category().message(errno)};
    return child;
}

int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return cannot_execute;
    }
    constexpr int by_signal = 128;
    return WIFEXITED(status) ? WEXITSTATUS(status) : by_signal + WTERMSIG(status);
}

template <typename Number>
std::optional<Number> to_number(std::string_view text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_whole = error == std::errc{} && end == text.data() + text.size();
    return is_whole ? std::optional{number} : std::nullopt;
}

/// "postgres (PostgreSQL) 15.18 (Debian …)": 15. Nothing if it cannot be asked.
std::optional<int> major_of(const fs::path& programs) {
    if (access((programs / "initdb").c_str(), X_OK) != 0) return std::nullopt;
    const std::string command = "'" + (programs / "postgres").string() + "' --version 2>/dev/null";
    const std::unique_ptr<FILE, int (*)(FILE*)> output{popen(command.c_str(), "r"), &pclose};
    std::array<char, 128> text{};
    if (!output || !std::fgets(text.data(), static_cast<int>(text.size()), output.get())) return {};
    const std::string_view line{text.data()};
    const auto at = line.find(") ");
    if (at == std::string_view::npos) return std::nullopt;
    const auto version = line.substr(at + 2);
    return to_number<int>(version.substr(0, version.find_first_not_of("0123456789")));
}

/// Where distributions put the programs, and where the one on the path comes from.
std::set<fs::path> candidates() {
    std::set<fs::path> folders;
    const std::unique_ptr<FILE, int (*)(FILE*)> output{popen("pg_config --bindir 2>/dev/null", "r"),
                                                       &pclose};
    std::array<char, 1024> text{};
    if (output && std::fgets(text.data(), static_cast<int>(text.size()), output.get())) {
        std::string folder{text.data()};
        while (folder.ends_with('\n')) folder.pop_back();
        folders.emplace(folder);
    }
    std::error_code ignored;
    for (const auto* root : {"/usr/lib/postgresql", "/usr/local/pgsql", "/opt/postgresql"}) {
        folders.insert(fs::path{root} / "bin");
        for (const auto& entry : fs::directory_iterator{root, ignored})
            folders.insert(entry.path() / "bin");
    }
    return folders;
}

/// What a server writes first into its pid file and into the lock of its socket.
struct PidFile {
    std::optional<pid_t> pid;
    std::string data;
};

PidFile read_pid_file(const fs::path& path) {
    std::ifstream file{path};
    std::string pid;
    PidFile read;
    if (std::getline(file, pid)) read.pid = to_number<pid_t>(pid);
    std::getline(file, read.data);
    return read;
}

bool anybody_works_in(const fs::path& data) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator{"/proc", ignored}) {
        const auto pid = to_number<pid_t>(entry.path().filename().string());
        if (pid && works_in(*pid, data)) return true;
    }
    return false;
}

template <typename Condition>
bool wait_until(std::chrono::milliseconds deadline, Condition&& condition) {
    const auto end = std::chrono::steady_clock::now() + deadline;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(5ms);
    }
    return true;
}

}  // namespace

std::optional<ServerUser> server_user() {
    if (geteuid() != 0) return std::nullopt;
    constexpr auto name = "postgres";
    std::array<char, 4096> buffer{};
    passwd entry{};
    passwd* found = nullptr;
    if (getpwnam_r(name, &entry, buffer.data(), buffer.size(), &found) != 0 || !found) {
        throw ConfigError{
            "private PostgreSQL: cannot run as root, and there is no user 'postgres' to run as; "
            "start radd as an ordinary user, or give it database.url"};
    }
    return ServerUser{.name = name, .uid = entry.pw_uid, .gid = entry.pw_gid};
}

std::filesystem::path find_server_programs(std::optional<int> major) {
    std::optional<std::pair<int, fs::path>> best;
    std::string found;
    for (const fs::path& folder : candidates()) {
        const auto version = major_of(folder);
        if (!version) continue;
        found.append(found.empty() ? "" : ", ").append(std::to_string(*version));
        const bool fits = major ? *version == *major : *version >= major_min;
        if (fits && (!best || best->first < *version)) best = {*version, folder};
    }
    if (best) return best->second;
    const std::string wanted = major ? std::to_string(*major) : "13 or later";
    throw ConfigError{"private PostgreSQL: no server of version " + wanted +
                      " is installed (found: " + (found.empty() ? "none" : found) +
                      "); install postgresql" + (major ? "-" + wanted : "") +
                      ", or give radd a database.url"};
}

int run_program(const Program& program) {
    const Prepared prepared{program};
    const pid_t child = fork_or_throw();
    if (child == 0) become(prepared);
    return wait_for(child);
}

pid_t launch_program(const Program& program) {
    const Prepared prepared{program};
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
        throw Unavailable{"process: no pipe: " + std::generic_category().message(errno)};
    const Descriptor reading{ends[0]};
    const Descriptor writing{ends[1]};
    const pid_t between = fork_or_throw();
    if (between == 0) {
        setsid();
        const pid_t server = fork();
        if (server == 0) become(prepared);
        const auto told = write(writing.get(), &server, sizeof server);
        _exit(told == sizeof server && server > 0 ? 0 : cannot_execute);
    }
    pid_t server = 0;
    const bool is_launched = wait_for(between) == 0;
    if (!is_launched || read(reading.get(), &server, sizeof server) != sizeof server)
        throw Unavailable{"process: " + program.arguments.front() + " could not be launched"};
    return server;
}

bool is_running(pid_t pid) {
    std::ifstream file{"/proc/" + std::to_string(pid) + "/stat"};
    std::string line;
    if (!std::getline(file, line)) return false;
    // The name before the state may hold anything, a bracket included.
    const auto at = line.rfind(") ");
    return at != std::string::npos && line.substr(at + 2, 1) != "Z";
}

bool works_in(pid_t pid, const std::filesystem::path& data) {
    // A link of /proc leads nowhere once the process has ended, reaped or not.
    struct stat here {};
    struct stat there {};
    const std::string link = "/proc/" + std::to_string(pid) + "/cwd";
    return stat(link.c_str(), &there) == 0 && stat(data.c_str(), &here) == 0 &&
           here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

std::optional<pid_t> running_server(const std::filesystem::path& data) {
    const auto [pid, folder] = read_pid_file(data / "postmaster.pid");
    std::error_code ignored;
    if (!pid || *pid <= 1 || !fs::equivalent(folder, data, ignored)) return std::nullopt;
    return works_in(*pid, data) ? pid : std::nullopt;
}

void clear_remains(const std::filesystem::path& data,
                   const std::filesystem::path& sockets,
                   std::chrono::milliseconds deadline) {
    if (!wait_until(deadline, [&] { return !anybody_works_in(data); })) {
        throw Unavailable{data.string() +
                          ": processes of a server that died are still running in it; end them"};
    }
    for (const fs::path& path : {data / "postmaster.pid", sockets / ".s.PGSQL.5432.lock"}) {
        const auto pid = read_pid_file(path).pid;
        // Where the pid is free PostgreSQL clears up itself, and checks its shared memory.
        if (pid && (kill(*pid, 0) == 0 || errno == EPERM)) fs::remove(path);
    }
}

bool stop_server(const std::filesystem::path& data,
                 int signal,
                 std::chrono::milliseconds deadline) {
    const auto server = running_server(data);
    if (!server) return true;
    kill(*server, signal);
    return wait_until(deadline, [&] { return !works_in(*server, data); });
}

std::string log_tail(const std::filesystem::path& log) {
    constexpr std::size_t lines_max = 4;
    std::ifstream file{log};
    std::deque<std::string> lines;
    for (std::string line; std::getline(file, line);) {
        if (line.empty()) continue;
        lines.push_back(line);
        if (lines.size() > lines_max) lines.pop_front();
    }
    std::string text;
    for (const std::string& line : lines) text.append(text.empty() ? "" : " | ").append(line);
    return text.empty() ? "nothing" : text;
}

}  // namespace radd::db

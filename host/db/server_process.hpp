#pragma once

/// Running PostgreSQL's own programs: which ones, as whom, and how to tell our server from others.

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace radd::db {

/// Whom the server runs as. PostgreSQL refuses to run as root.
struct ServerUser {
    std::string name;
    uid_t uid;
    gid_t gid;
};

/// Empty: as ourselves. Root gives way to the user `postgres`.
/// @throws ConfigError if we are root and there is no such user.
[[nodiscard]] std::optional<ServerUser> server_user();

/// The folder with initdb and postgres: that of `major`, or else the newest, and at least 13.
/// @throws ConfigError naming what is installed.
[[nodiscard]] std::filesystem::path find_server_programs(std::optional<int> major = {});

struct Program {
    std::vector<std::string> arguments;  ///< The first is the absolute path.
    std::filesystem::path directory;     ///< Where it starts.
    std::filesystem::path log;           ///< Gets stdout and stderr, appended.
    std::optional<ServerUser> user{};    ///< Empty: ourselves.
};

/// Runs it to its end. Returns its exit status: 0 is success, cannot_become and
/// cannot_enter say that `user` was not to be had or cannot reach `directory`. Neither our
/// environment nor our open files reach it.
constexpr int cannot_become = 123;
constexpr int cannot_enter = 124;
[[nodiscard]] int run_program(const Program& program);

/// Starts it in a session of its own, as nobody's child: it outlives us, whichever way we end.
[[nodiscard]] pid_t launch_program(const Program& program);

/// False once it has ended, reaped or not.
[[nodiscard]] bool is_running(pid_t pid);

/// True while `pid` is a process that works in `data`, as a server does and a pid that has come
/// round again does not. A process that has ended and is not reaped yet is none.
[[nodiscard]] bool works_in(pid_t pid, const std::filesystem::path& data);

/// The server of this very data folder, if it runs: what postmaster.pid says, checked against
/// the folder it names and the folder the process works in.
[[nodiscard]] std::optional<pid_t> running_server(const std::filesystem::path& data);

/// Waits until no process works in `data`, and then removes what a dead server left there and in
/// its `sockets` folder, if it names a pid that is somebody else's by now, or not reaped yet:
/// PostgreSQL would take that for a running server and refuse to start.
/// @throws Unavailable if processes of a server that died are still there after `deadline`.
void clear_remains(const std::filesystem::path& data,
                   const std::filesystem::path& sockets,
                   std::chrono::milliseconds deadline);

/// Sends `signal` to running_server() and waits until it is gone. True also if none ran.
[[nodiscard]] bool stop_server(const std::filesystem::path& data,
                               int signal,
                               std::chrono::milliseconds deadline);

/// The last lines of a log, joined to one: why a server did not start.
[[nodiscard]] std::string log_tail(const std::filesystem::path& log);

}  // namespace radd::db

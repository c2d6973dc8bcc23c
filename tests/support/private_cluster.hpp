#pragma once

/// A PostgreSQL that one test may stop, kill and start again.

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include <host/db/server_process.hpp>
#include <sys/types.h>
#include <tests/support/temp_dir.hpp>

namespace radd::testing {

/// Sends `signal` to every process of the server in `data`.
void signal_server(const std::filesystem::path& data, int signal);

/// Made by initdb in a folder of its own and started; stopped and removed with this. Runs as user
/// `postgres` when we are root. Each call waits until what it asks for is so, and throws
/// std::runtime_error with the server's log if it does not come about.
class PrivateCluster {
public:
    /// `settings` go into postgresql.conf: {{"max_connections", "20"}}.
    explicit PrivateCluster(const std::map<std::string, std::string>& settings = {});
    PrivateCluster(const PrivateCluster&) = delete;
    PrivateCluster& operator=(const PrivateCluster&) = delete;
    ~PrivateCluster();

    void start();           ///< And waits until it takes connections.
    void stop_fast();       ///< Open transactions are rolled back, clients told.
    void stop_immediate();  ///< As a crash of the server: the next start recovers.
    void kill();            ///< SIGKILL to the postmaster; its children follow by themselves.
    void freeze() const;    ///< It takes connections and answers nothing, as a machine that hangs.
    void thaw() const;

    [[nodiscard]] std::string url() const;  ///< Of database `postgres`, as superuser `radd`.
    [[nodiscard]] pid_t pid() const;        ///< 0 while it is stopped.
    [[nodiscard]] const std::filesystem::path& data() const noexcept { return data_; }

private:
    void stop(int signal);
    void run_initdb();

    TempDir folder_;
    std::filesystem::path data_ = folder_.path() / "data";
    std::filesystem::path log_ = folder_.path() / "log";
    std::optional<db::ServerUser> user_ = db::server_user();
};

}  // namespace radd::testing

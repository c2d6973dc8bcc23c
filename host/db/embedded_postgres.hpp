#pragma once

/// The host's own PostgreSQL, for whoever gave it no database.url.

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace radd::db {

/// A share in the private server of one data folder.
///
/// The server belongs to the folder and not to the process that started it. It runs in a session
/// of its own, is reached by a Unix socket only, and every radd process with the same data_dir
/// uses the same one:
///
///   <data_dir>/postgres         the cluster, owned by the server's user, mode 0700
///   <data_dir>/postgres.log     what the server says
///   <data_dir>/postgres.lock    flock LOCK_EX: whoever starts or stops the server
///   <data_dir>/postgres.users   flock LOCK_SH: whoever uses it, for as long as it does
///   <data_dir>/run              its socket; in the temp dir when this path is too long for one
///
/// The first process starts the server, later ones attach. A process that ends cleanly takes
/// postgres.lock and tries for LOCK_EX on postgres.users: it gets it only if nobody else uses the
/// server, and then stops it. The kernel drops the locks of a process that was killed, so nothing
/// is ever left locked: the server goes on, the next process attaches, and the last one stops it.
/// After a crash of the server or the machine the next process starts it again and waits while
/// it recovers. Only a process is ever signalled that postmaster.pid names and that works in the
/// cluster's folder.
///
/// PostgreSQL refuses to run as root; then the server runs as the user `postgres`, which must be
/// able to reach data_dir. Linux only: it looks into /proc.
class EmbeddedPostgres {
public:
    /// Hears, in one line each, what takes longer than a moment.
    using Progress = std::function<void(const std::string&)>;
    /// Called again and again while it waits; what it throws ends the wait and is thrown on.
    using Waiting = std::function<void()>;

    /// Returns once the server takes connections and the database exists. Waits for other
    /// processes that start or stop it, and for its recovery, as long as the server lives, unless
    /// `waiting` throws: it is asked every few ms, or every 2 s while a server that hangs leaves a
    /// connection unanswered. When this throws, it stops the server as leave() does.
    /// @throws ConfigError if it cannot be: no PostgreSQL installed, or of another version than
    ///         the cluster; a folder that cannot be written, or not be reached by the server's
    ///         user; a server that ends instead of starting (with the end of its log).
    [[nodiscard]] static EmbeddedPostgres attach_or_start(const std::filesystem::path& data_dir,
                                                          const Progress& progress,
                                                          const Waiting& waiting = {});

    EmbeddedPostgres(EmbeddedPostgres&&) noexcept;
    EmbeddedPostgres& operator=(EmbeddedPostgres&&) = delete;
    ~EmbeddedPostgres();  ///< release(), and silent if that fails.

    [[nodiscard]] const std::string& url() const noexcept;
    [[nodiscard]] bool started_here() const noexcept;  ///< False: it ran already.

    /// Starts the server again if it has died, and waits until it takes connections. True if it
    /// had: a long-running host looks every second. Costs two small reads while it runs.
    /// @throws as attach_or_start(); Unavailable if processes of the dead one do not go away.
    bool revive(const Progress& progress, const Waiting& waiting = {});

    /// Gives the share back and stops the server if it was the last one: at most a minute. Every
    /// session must be closed before, or PostgreSQL closes it. Does nothing the second time.
    /// @throws Unavailable if the server does not stop.
    void release();

    /// For a process that ends in a hurry: gives the share back and, if it was the last one, tells
    /// the server to stop, which it then does by itself. Waits for that at most `patience`; lets
    /// the server be if another process starts or stops it. [any-thread]
    void leave(std::chrono::milliseconds patience) noexcept;

private:
    struct State;
    explicit EmbeddedPostgres(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace radd::db

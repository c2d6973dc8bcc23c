#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <exception>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <host/db/descriptor.hpp>
#include <host/db/embedded_postgres.hpp>
#include <host/db/server_process.hpp>
#include <host/db/session.hpp>
#include <libpq-fe.h>
#include <radd/error.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace radd::db {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto owner = "radd";
constexpr auto database = "radd";
constexpr auto remains_deadline = 30s;
constexpr auto stop_deadline = 60s;
constexpr auto look_every = 5ms;
constexpr auto leave_patience = 500ms;  // A start that failed: the server stops by itself.
constexpr auto patience = 3s;  // Longer than a start takes, so the operator hears why it waits.
// sun_path holds 107 bytes, and the server adds ".s.PGSQL.5432.lock" to its folder.
constexpr std::size_t socket_folder_max = 88;

std::string last_error() {
    return std::generic_category().message(errno);
}

/// A file that is held with flock() while this lives, and never deleted: another process may be
/// waiting on this very inode.
class LockFile {
public:
    /// `look_again` is called while another process has it; what it throws ends the wait.
    LockFile(const fs::path& path, int operation, const std::function<void()>& look_again)
        : file_{open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)} {
        if (file_.get() < 0) {
            throw ConfigError{path.string() + ": cannot be opened: " + last_error() +
                              "; choose another folder with --data-dir"};
        }
        while (flock(file_.get(), operation | LOCK_NB) != 0) {
            if (errno == EINTR) continue;
            if (errno != EWOULDBLOCK) {
                throw ConfigError{path.string() + ": cannot be locked: " + last_error() +
                                  "; choose a local file system with --data-dir"};
            }
            look_again();
        }
    }

    /// Turns a shared lock into the only one, if it is.
    [[nodiscard]] bool become_only() const { return flock(file_.get(), LOCK_EX | LOCK_NB) == 0; }

private:
    Descriptor file_;
};

/// Between two looks at what is waited for: lets the caller give up, and says once why it takes
/// so long.
class Patience {
public:
    Patience(std::string why,
             const EmbeddedPostgres::Progress& progress,
             const EmbeddedPostgres::Waiting& waiting)
        : why_{std::move(why)}, progress_{progress}, waiting_{waiting} {}

    void operator()() {
        if (waiting_) waiting_();
        if (!is_told_ && std::chrono::steady_clock::now() > told_after_) {
            progress_(why_);
            is_told_ = true;
        }
        std::this_thread::sleep_for(look_every);
    }

private:
    std::string why_;
    const EmbeddedPostgres::Progress& progress_;
    const EmbeddedPostgres::Waiting& waiting_;
    std::chrono::steady_clock::time_point told_after_ = std::chrono::steady_clock::now() + patience;
    bool is_told_ = false;
};

struct Places {
    fs::path data_dir;
    fs::path cluster = data_dir / "postgres";
    fs::path log = data_dir / "postgres.log";
    fs::path lock = data_dir / "postgres.lock";
    fs::path users = data_dir / "postgres.users";
    fs::path socket{};
    std::optional<ServerUser> user{};
};

void give_to_server(const Places& places, const fs::path& path) {
    if (!places.user) return;
    if (chown(path.c_str(), places.user->uid, places.user->gid) != 0)
        throw ConfigError{path.string() + ": cannot be given to user " + places.user->name + ": " +
                          last_error()};
}

/// A folder for the server alone. In the temp dir anybody could have made it first.
void make_private(const Places& places, const fs::path& folder) {
    const bool is_new = mkdir(folder.c_str(), S_IRWXU) == 0;
    if (!is_new && errno != EEXIST)
        throw ConfigError{folder.string() + ": cannot be made: " + last_error() +
                          "; choose another folder with --data-dir"};
    if (is_new) give_to_server(places, folder);
    struct stat found {};
    const uid_t wanted = places.user ? places.user->uid : geteuid();
    const bool is_ours = lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) &&
                         found.st_uid == wanted && (found.st_mode & (S_IRWXG | S_IRWXO)) == 0;
    if (!is_ours)
        throw ConfigError{folder.string() +
                          ": is not a private folder of the server's user; remove it"};
}

fs::path socket_folder(const fs::path& data_dir) {
    fs::path beside = data_dir / "run";
    if (beside.string().size() <= socket_folder_max) return beside;
    // FNV-1a: the same in every process and every build, so that all of them find the server.
    std::uint64_t key = 0xcbf29ce484222325U;
    for (const char c : data_dir.string())
        key = (key ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return fs::path{"/tmp"} / ("radd-pg-" + std::to_string(geteuid()) + "-" + std::to_string(key));
}

Places make_places(const fs::path& given) {
    std::error_code problem;
    const bool is_new = fs::create_directories(given, problem);
    if (problem)
        throw ConfigError{given.string() + ": cannot be made: " + problem.message() +
                          "; choose another folder with --data-dir"};
    Places places{.data_dir = fs::canonical(given)};
    places.user = server_user();
    places.socket = socket_folder(places.data_dir);
    if (!places.user) return places;
    // The server's user must pass through, whatever our umask says.
    if (is_new) chmod(places.data_dir.c_str(), S_IRWXU | S_IXGRP | S_IXOTH);
    const int status = run_program({.arguments = {"/bin/true"},
                                    .directory = places.data_dir,
                                    .log = places.log,
                                    .user = places.user});
    if (status == cannot_become) {
        throw ConfigError{
            "private PostgreSQL: cannot run as root, and this root may not become user postgres; "
            "start radd as an ordinary user, or give it database.url"};
    }
    if (status != 0) {
        throw ConfigError{places.data_dir.string() + ": cannot be entered by user " +
                          places.user->name +
                          ", as which PostgreSQL runs when radd is started by root; choose a "
                          "folder it can reach with --data-dir"};
    }
    return places;
}

std::optional<int> version_of(const fs::path& cluster) {
    std::ifstream file{cluster / "PG_VERSION"};
    int major = 0;
    return file >> major ? std::optional{major} : std::nullopt;
}

void write_settings(const fs::path& cluster) {
    std::ofstream file{cluster / "postgresql.conf", std::ios::app};
    file << "\n# radd: reached by its socket only; a pool of the largest size fits.\n"
            "listen_addresses = ''\n"
            "max_connections = 220\n"
            "log_checkpoints = off\n";
    if (!file.flush())
        throw ConfigError{cluster.string() + ": cannot be written; is the disk full?"};
}

/// Into a folder of another name first: one that was left half made is never taken for a cluster.
void make_cluster(const Places& places, const EmbeddedPostgres::Progress& progress) {
    const fs::path making = places.data_dir / "postgres.new";
    if (fs::exists(places.cluster) && !fs::is_empty(places.cluster)) {
        throw ConfigError{places.cluster.string() +
                          ": is no PostgreSQL cluster and not empty; move it away"};
    }
    progress("preparing a private PostgreSQL in " + places.cluster.string());
    fs::remove_all(making);
    make_private(places, making);
    const int status = run_program({.arguments = {find_server_programs() / "initdb",
                                                  "-D",
                                                  making,
                                                  "-U",
                                                  owner,
                                                  "-A",
                                                  "trust",
                                                  "-E",
                                                  "UTF8",
                                                  "--locale=C.UTF-8"},
                                    .directory = places.data_dir,
                                    .log = places.log,
                                    .user = places.user});
    if (status != 0)
        throw ConfigError{"private PostgreSQL: initdb failed in " + making.string() + ": " +
                          log_tail(places.log)};
    write_settings(making);
    fs::rename(making, places.cluster);
}

std::string encoded(const std::string& path) {
    constexpr std::string_view hex = "0123456789ABCDEF";
    std::string text;
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) != 0 || c == '-' || c == '.' || c == '_') {
            text += c;
        } else {
            text.append("%").append(1, hex[byte >> 4U]).append(1, hex[byte & 15U]);
        }
    }
    return text;
}

std::string url_of(const Places& places, const std::string& name) {
    return std::string{"postgresql://"} + owner + "@/" + name +
           "?host=" + encoded(places.socket.string()) + "&port=5432";
}

/// As long as the server lives it may be replaying what it had not written before a crash.
void wait_until_ready(const Places& places, pid_t server, Patience look_again) {
    // A server that hangs takes connections and does not answer them.
    const std::string url = url_of(places, "postgres") + "&connect_timeout=2";
    while (PQping(url.c_str()) != PQPING_OK) {
        if (!is_running(server)) {
            throw ConfigError{"private PostgreSQL: the server in " + places.cluster.string() +
                              " ended instead of starting: " + log_tail(places.log)};
        }
        look_again();
    }
}

pid_t start_server(const Places& places) {
    const fs::path programs = find_server_programs(version_of(places.cluster));
    clear_remains(places.cluster, places.socket, remains_deadline);
    return launch_program(
        {.arguments = {programs / "postgres", "-D", places.cluster, "-k", places.socket},
         .directory = places.data_dir,
         .log = places.log,
         .user = places.user});
}

void create_database(const Places& places) {
    Session session{{.url = url_of(places, "postgres")}};
    if (!session.query("SELECT FROM pg_database WHERE datname = $1", database).affected())
        session.query_text(std::string{"CREATE DATABASE "} + database, {}, false);
}

}  // namespace

struct EmbeddedPostgres::State {
    State(const fs::path& data_dir, const Progress& progress, const Waiting& waiting)
        : places{make_places(data_dir)}, url{url_of(places, database)} {
        const LockFile starting{places.lock, LOCK_EX, for_lock(progress, waiting)};
        users.emplace(places.users, LOCK_SH, for_lock(progress, waiting));
        try {
            if (!version_of(places.cluster)) make_cluster(places, progress);
            make_private(places, places.socket);
            started_here = run_server(progress, waiting);
            create_database(places);
        } catch (...) {
            (void)stop_if_last(leave_patience);
            throw;
        }
    }

    /// Under postgres.lock. True if it had to be started.
    bool run_server(const Progress& progress, const Waiting& waiting) const {
        auto server = running_server(places.cluster);
        const bool is_down = !server;
        if (is_down) server = start_server(places);
        wait_until_ready(places,
                         *server,
                         {"waiting for the private PostgreSQL in " + places.cluster.string() +
                              " to recover; see " + places.log.string(),
                          progress,
                          waiting});
        return is_down;
    }

    [[nodiscard]] Patience for_lock(const Progress& progress, const Waiting& waiting) const {
        return {"waiting for another radd process that starts or stops the private PostgreSQL in " +
                    places.cluster.string(),
                progress,
                waiting};
    }

    /// Under postgres.lock. False if it was to stop and did not in time.
    [[nodiscard]] bool stop_if_last(std::chrono::milliseconds deadline) const {
        return !users->become_only() || stop_server(places.cluster, SIGINT, deadline);
    }

    Places places;
    std::string url;
    std::optional<LockFile> users;
    bool started_here = false;
};

EmbeddedPostgres::EmbeddedPostgres(std::unique_ptr<State> state) : state_{std::move(state)} {}
EmbeddedPostgres::EmbeddedPostgres(EmbeddedPostgres&&) noexcept = default;

EmbeddedPostgres::~EmbeddedPostgres() {
    try {
        if (state_) release();
    } catch (const std::exception&) {
        // It goes on running, and the next process attaches to it.
    }
}

EmbeddedPostgres EmbeddedPostgres::attach_or_start(const std::filesystem::path& data_dir,
                                                   const Progress& progress,
                                                   const Waiting& waiting) {
    try {
        return EmbeddedPostgres{std::make_unique<State>(data_dir, progress, waiting)};
    } catch (const fs::filesystem_error& error) {
        throw ConfigError{"private PostgreSQL: " + error.path1().string() + ": " +
                          error.code().message() + "; choose another folder with --data-dir"};
    }
}

const std::string& EmbeddedPostgres::url() const noexcept {
    return state_->url;
}
bool EmbeddedPostgres::started_here() const noexcept {
    return state_->started_here;
}

bool EmbeddedPostgres::revive(const Progress& progress, const Waiting& waiting) {
    if (!state_->users || running_server(state_->places.cluster)) return false;
    const LockFile starting{state_->places.lock, LOCK_EX, state_->for_lock(progress, waiting)};
    return state_->run_server(progress, waiting);
}

void EmbeddedPostgres::release() {
    if (!state_->users) return;
    const Progress unheard = [](const std::string&) {};
    const LockFile stopping{state_->places.lock, LOCK_EX, state_->for_lock(unheard, {})};
    const bool is_stopped = state_->stop_if_last(stop_deadline);
    state_->users.reset();
    if (!is_stopped) {
        throw Unavailable{"private PostgreSQL: the server in " + state_->places.cluster.string() +
                          " does not stop; see " + state_->places.log.string()};
    }
}

void EmbeddedPostgres::leave(std::chrono::milliseconds patience_left) noexcept {
    const auto end = std::chrono::steady_clock::now() + patience_left;
    const auto left = [end] {
        return std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    };
    try {
        const LockFile stopping{state_->places.lock, LOCK_EX, [&] {
                                    if (left() <= 0ms) throw Error{"somebody else is at it"};
                                    std::this_thread::sleep_for(look_every);
                                }};
        if (state_->users) (void)state_->stop_if_last(std::max(left(), 0ms));
    } catch (const std::exception&) {
        // The next process attaches to it, and stops it.
    }
}

}  // namespace radd::db

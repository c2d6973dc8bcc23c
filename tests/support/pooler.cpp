#include <chrono>
#include <fstream>
#include <stdexcept>

#include <host/db/server_process.hpp>
#include <host/db/session.hpp>
#include <signal.h>
#include <tests/support/pooler.hpp>
#include <tests/support/wait.hpp>
#include <unistd.h>

namespace radd::testing {
namespace {

using namespace std::chrono_literals;
constexpr const char* program = "/usr/sbin/pgbouncer";
constexpr auto deadline = 30s;

bool answers(const std::string& url) {
    try {
        return db::Session{{.url = url, .prepared_statements = false}}.usable();
    } catch (const Unavailable&) {
        return false;
    }
}

}  // namespace

Pooler::Pooler(const std::string& url, int servers) {
    const auto user = db::server_user();
    if (user && chown(folder_.path().c_str(), user->uid, user->gid) != 0)
        throw std::runtime_error{folder_.path().string() + ": cannot be given to " + user->name};
    configure(url, servers);
    url_ = "host=" + folder_.path().string() + " port=6432 dbname=pooled user=pooled";
    const auto log = folder_.path() / "log";
    pid_ = db::launch_program({.arguments = {program, folder_.path() / "ini"},
                               .directory = folder_.path(),
                               .log = log,
                               .user = user});
    const auto is_up = [&] { return answers(url_) || !db::is_running(pid_); };
    if (!eventually(is_up, deadline) || !db::is_running(pid_))
        throw std::runtime_error{"pgbouncer did not start: " + db::log_tail(log)};
}

Pooler::~Pooler() {
    ::kill(pid_, SIGINT);
    if (!eventually([&] { return !db::is_running(pid_); }, deadline)) ::kill(pid_, SIGKILL);
}

void Pooler::configure(const std::string& url, int servers) const {
    const auto folder = folder_.path().string();
    std::ofstream file{folder_.path() / "ini"};
    // Who logs in here is whoever `url` says: `any` asks nobody.
    file << "[databases]\npooled = " << url << "\n[pgbouncer]\nlisten_addr =\nlisten_port = 6432\n"
         << "unix_socket_dir = " << folder << "\nauth_type = any\npool_mode = transaction\n"
         << "default_pool_size = " << servers << "\nmax_db_connections = " << servers << "\n"
         << "max_client_conn = 200\nquery_wait_timeout = 30\n";
}

}  // namespace radd::testing

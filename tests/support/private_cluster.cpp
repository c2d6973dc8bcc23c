#include <fstream>
#include <stdexcept>

#include <host/db/session.hpp>
#include <signal.h>
#include <tests/support/private_cluster.hpp>
#include <tests/support/wait.hpp>
#include <unistd.h>

namespace radd::testing {
namespace {

using namespace std::chrono_literals;
constexpr auto deadline = 60s;

}  // namespace

void signal_server(const std::filesystem::path& data, int signal) {
    for (const auto& entry : std::filesystem::directory_iterator{"/proc"}) {
        const std::string name = entry.path().filename().string();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        const pid_t pid = std::stoi(name);
        if (db::works_in(pid, data)) ::kill(pid, signal);
    }
}

PrivateCluster::PrivateCluster(const std::map<std::string, std::string>& settings) {
    if (user_ && chown(folder_.path().c_str(), user_->uid, user_->gid) != 0)
        throw std::runtime_error{folder_.path().string() + ": cannot be given to " + user_->name};
    run_initdb();
    std::ofstream file{data_ / "postgresql.conf", std::ios::app};
    file << "listen_addresses = ''\nunix_socket_directories = '" << folder_.path().string()
         << "'\n";
    for (const auto& [name, value] : settings) file << name << " = '" << value << "'\n";
    file.close();
    start();
}

PrivateCluster::~PrivateCluster() {
    thaw();
    (void)db::stop_server(data_, SIGQUIT, deadline);
}

void PrivateCluster::run_initdb() {
    const int status = db::run_program({.arguments = {db::find_server_programs() / "initdb",
                                                      "-D",
                                                      data_,
                                                      "-U",
                                                      "radd",
                                                      "-A",
                                                      "trust",
                                                      "-E",
                                                      "UTF8",
                                                      "--locale=C.UTF-8",
                                                      "--no-sync"},
                                        .directory = folder_.path(),
                                        .log = log_,
                                        .user = user_});
    if (status != 0) throw std::runtime_error{"initdb failed: " + db::log_tail(log_)};
}

void PrivateCluster::start() {
    db::clear_remains(data_, folder_.path(), deadline);
    const pid_t server =
        db::launch_program({.arguments = {db::find_server_programs() / "postgres", "-D", data_},
                            .directory = folder_.path(),
                            .log = log_,
                            .user = user_});
    const bool is_up = eventually(
        [&] {
            try {
                return db::Session{{.url = url()}}.usable();
            } catch (const Unavailable&) {
                return !db::is_running(server);
            }
        },
        deadline);
    if (!is_up || pid() == 0)
        throw std::runtime_error{"the server did not start: " + db::log_tail(log_)};
}

void PrivateCluster::stop_fast() {
    stop(SIGINT);
}
void PrivateCluster::stop_immediate() {
    stop(SIGQUIT);
}
void PrivateCluster::kill() {
    stop(SIGKILL);
}

void PrivateCluster::freeze() const {
    signal_server(data_, SIGSTOP);
}
void PrivateCluster::thaw() const {
    signal_server(data_, SIGCONT);
}

void PrivateCluster::stop(int signal) {
    if (!db::stop_server(data_, signal, deadline))
        throw std::runtime_error{"the server did not stop: " + db::log_tail(log_)};
    // After SIGKILL its children go on answering until they notice.
    db::clear_remains(data_, folder_.path(), deadline);
}

std::string PrivateCluster::url() const {
    return "host=" + folder_.path().string() + " dbname=postgres user=radd";
}

pid_t PrivateCluster::pid() const {
    return db::running_server(data_).value_or(0);
}

}  // namespace radd::testing

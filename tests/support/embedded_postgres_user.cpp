// embedded_postgres_user DATA_DIR: a process that uses the private server until it gets SIGTERM.
// Prints "started" or "attached", and the server's pid and URL; what takes long goes to stderr.

#include <exception>
#include <iostream>

#include <host/db/embedded_postgres.hpp>
#include <host/db/server_process.hpp>
#include <host/db/session.hpp>
#include <signal.h>

int main(int count, char** arguments) {
    if (count != 2) return 2;
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGTERM);
    sigprocmask(SIG_BLOCK, &ended, nullptr);
    try {
        const std::filesystem::path data_dir = arguments[1];
        auto server = radd::db::EmbeddedPostgres::attach_or_start(
            data_dir, [](const std::string& line) { std::cerr << line << std::endl; });
        radd::db::Session session{{.url = server.url()}};
        session.query("SELECT 1");
        std::cout << (server.started_here() ? "started" : "attached") << ' '
                  << radd::db::running_server(data_dir / "postgres").value_or(0) << ' '
                  << server.url() << std::endl;
        int number = 0;
        sigwait(&ended, &number);
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << std::endl;
        return 1;
    }
}

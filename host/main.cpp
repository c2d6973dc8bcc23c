// Where the process begins: the command line decides the rest.

#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include <host/cli/application.hpp>
#include <host/plugins/guarded.hpp>

int main(int argc, char** argv) {
    // A peer that goes away must be an error where it is written to, not the end of the process.
    std::signal(SIGPIPE, SIG_IGN);  // NOLINT(cert-err33-c): it can only fail for a bad number.
    try {
        return radd::cli::run(
            std::vector<std::string>{argv + 1, argv + argc}, std::cout, std::cerr);
    } catch (const std::exception& failure) {
        std::cerr << "radd: " << failure.what() << '\n';
    } catch (...) {
        std::cerr << "radd: " << radd::loader::caught_text(nullptr) << '\n';
    }
    return 1;
}

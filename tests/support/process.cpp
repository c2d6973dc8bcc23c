#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <tests/support/process.hpp>
#include <tests/support/wait.hpp>
#include <unistd.h>

namespace radd::testing {
namespace {

std::vector<std::string> merged(const std::map<std::string, std::string>& over) {
    std::vector<std::string> variables;
    for (char** variable = environ; *variable; ++variable) {
        const std::string_view text{*variable};
        if (!over.contains(std::string{text.substr(0, text.find('='))}))
            variables.emplace_back(text);
    }
    for (const auto& [name, value] : over) variables.push_back(name + "=" + value);
    return variables;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

std::string contents(const std::filesystem::path& path) {
    std::ifstream file{path};
    return {std::istreambuf_iterator<char>{file}, {}};
}

}  // namespace

Process::Process(std::vector<std::string> arguments,
                 const std::map<std::string, std::string>& environment) {
    auto variables = merged(environment);
    const auto argv = pointers(arguments);
    const auto envp = pointers(variables);
    const auto create = O_WRONLY | O_CREAT | O_TRUNC;
    const std::string out = folder_.path() / "stdout";
    const std::string err = folder_.path() / "stderr";

    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out.c_str(), create, 0600);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err.c_str(), create, 0600);
    const int problem = posix_spawn(&pid_, argv.front(), &files, nullptr, argv.data(), envp.data());
    posix_spawn_file_actions_destroy(&files);
    if (problem != 0) throw std::system_error{problem, std::generic_category(), arguments.front()};
}

Process::~Process() {
    signal(SIGKILL);
    if (!status_) waitpid(pid_, nullptr, 0);
}

void Process::signal(int number) const {
    if (!status_) kill(pid_, number);
}

bool Process::is_running() {
    if (status_) return false;
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) != pid_) return true;
    constexpr int by_signal = 128;
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : by_signal + WTERMSIG(status);
    return false;
}

std::optional<int> Process::wait(std::chrono::milliseconds deadline) {
    if (!eventually([this] { return !is_running(); }, deadline)) return std::nullopt;
    return status_;
}

std::string Process::output() const {
    return contents(folder_.path() / "stdout");
}
std::string Process::errors() const {
    return contents(folder_.path() / "stderr");
}

}  // namespace radd::testing

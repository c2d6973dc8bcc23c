#include <clocale>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <locale>
#include <string_view>
#include <system_error>

#include <dirent.h>
#include <host/conformance/process_state.hpp>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

namespace radd::conformance {
namespace {

namespace fs = std::filesystem;

constexpr const char* other_zone = "Pacific/Chatham";  // 12:45 h ahead, and summer in January.
constexpr const char* other_directory = "/";

/// A locale that needs none to be installed: 1.234,5.
class CommaNumbers final : public std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
};

/// How numbers read in the C++ locale; its name tells only named ones apart.
std::string shown_locale() {
    const std::locale locale;
    const auto& numbers = std::use_facet<std::numpunct<char>>(locale);
    return locale.name() + " 1" + numbers.thousands_sep() + "000" + numbers.decimal_point() + "5";
}

std::string shown_handler(int signal) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) != 0) return "none";
    return std::to_string(reinterpret_cast<std::uintptr_t>(action.sa_handler));
}

mode_t mask_of_process() {
    const mode_t mask = umask(0);
    umask(mask);
    return mask;
}

std::string first_line(const fs::path& path) {
    std::ifstream file{path};
    std::string line;
    std::getline(file, line);
    return line;
}

void set_variable(const char* name, const ProcessState& state) {
    const auto found = state.find(std::string{"variable "} + name);
    if (found == state.end())
        unsetenv(name);
    else
        setenv(name, found->second.c_str(), 1);
}

}  // namespace

ProcessState process_state() {
    ProcessState state;
    std::error_code away;
    state["directory"] = fs::current_path(away).string();
    state["file mode mask"] = std::to_string(mask_of_process());
    state["C locale"] = std::setlocale(LC_ALL, nullptr);
    state["C++ locale"] = shown_locale();
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text{*entry};
        const auto equals = text.find('=');
        if (equals == std::string_view::npos) continue;
        state["variable " + std::string{text.substr(0, equals)}] = text.substr(equals + 1);
    }
    for (int signal = 1; signal < SIGRTMIN; ++signal)
        state["signal " + std::to_string(signal)] = shown_handler(signal);
    return state;
}

ProcessState threads_and_files() {
    ProcessState state;
    for (const auto& entry : fs::directory_iterator{"/proc/self/task"})
        state["thread " + entry.path().filename().string()] = first_line(entry.path() / "comm");
    DIR* opened = opendir("/proc/self/fd");
    if (opened == nullptr) throw std::system_error{errno, std::generic_category(), "/proc/self/fd"};
    const std::string reader = std::to_string(dirfd(opened));
    while (const dirent* entry = readdir(opened)) {
        const std::string name{entry->d_name};
        if (name.starts_with('.') || name == reader) continue;
        std::error_code gone;
        state["file " + name] = fs::read_symlink("/proc/self/fd/" + name, gone).string();
    }
    closedir(opened);
    return state;
}

std::vector<std::string> differences(const ProcessState& before,
                                     const ProcessState& after,
                                     const std::string& what) {
    std::vector<std::string> found;
    for (const auto& [name, value] : after) {
        const auto known = before.find(name);
        if (known == before.end())
            found.push_back(what + ' ' + name + ": " + value);
        else if (known->second != value)
            found.push_back(what + ' ' + name + ": " + value + ", before it was " + known->second);
    }
    for (const auto& [name, value] : before) {
        if (!after.contains(name)) found.push_back("took away " + name + ": " + value);
    }
    return found;
}

Elsewhere::Elsewhere() : before_{process_state()} {
    fs::current_path(other_directory);
    setenv("TZ", other_zone, 1);
    setenv("LC_ALL", "de_DE.UTF-8", 1);
    tzset();
    std::setlocale(LC_ALL, "de_DE.UTF-8");  // Where it is installed.
    std::locale::global(std::locale{std::locale{}, new CommaNumbers});
}

Elsewhere::~Elsewhere() {
    std::locale::global(std::locale::classic());
    std::setlocale(LC_ALL, before_.at("C locale").c_str());
    set_variable("TZ", before_);
    set_variable("LC_ALL", before_);
    tzset();
    std::error_code away;
    fs::current_path(before_.at("directory"), away);
}

}  // namespace radd::conformance

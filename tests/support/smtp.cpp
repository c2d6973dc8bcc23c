#include <csignal>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include <nlohmann/json.hpp>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <tests/support/smtp.hpp>
#include <unistd.h>

namespace radd::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* python = "/usr/bin/python3";  // The one that Debian's aiosmtpd belongs to.
constexpr const char* server = RADD_SOURCE_DIR "/tests/support/smtp_server.py";

fs::path make_directory() {
    std::string name = fs::temp_directory_path() / "radd-smtp-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr)
        throw std::system_error{errno, std::generic_category(), "mkdtemp " + name};
    return name;
}

enum class Errors { shown, with_output };

/// Starts `command`, whose output is read from what `output` is set to.
pid_t start(std::vector<std::string> command, int& output, Errors errors = Errors::shown) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::system_error{errno, std::generic_category(), "pipe"};
    std::vector<char*> arguments;
    for (auto& argument : command) arguments.push_back(argument.data());
    arguments.push_back(nullptr);

    const pid_t process = ::fork();
    if (process == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::dup2(ends[1], STDOUT_FILENO);
        if (errors == Errors::with_output) ::dup2(ends[1], STDERR_FILENO);
        ::close(ends[0]);
        ::close(ends[1]);
        ::execv(arguments.front(), arguments.data());
        ::_exit(127);
    }
    ::close(ends[1]);
    output = ends[0];
    return process;
}

std::string read_line(int from) {
    std::string line;
    for (char c = 0; ::read(from, &c, 1) == 1 && c != '\n';) line += c;
    return line;
}

ReceivedMail read_mail(const fs::path& file) {
    std::ifstream in{file};
    const auto record = nlohmann::json::parse(in);
    return {.from = record.at("from"),
            .to = record.at("to"),
            .headers = record.at("headers"),
            .defects = record.at("defects"),
            .body = record.at("body"),
            .is_ascii = record.at("ascii"),
            .line_bytes_max = record.at("line_bytes_max"),
            .bare_line_ends = record.at("bare_line_ends")};
}

}  // namespace

std::vector<std::string> ReceivedMail::header(std::string_view name) const {
    std::vector<std::string> values;
    for (const auto& [key, value] : headers) {
        if (key == name) values.push_back(value);
    }
    return values;
}

SmtpServer::SmtpServer(const std::vector<std::string>& options) : directory_{make_directory()} {
    std::vector<std::string> command{python, server, directory_};
    command.insert(command.end(), options.begin(), options.end());
    int output = -1;
    process_ = start(std::move(command), output);

    const std::string line = read_line(output);
    ::close(output);
    if (!line.starts_with("port "))
        throw std::runtime_error{"smtp_server.py: did not start; is python3-aiosmtpd installed?"};
    port_ = static_cast<std::uint16_t>(std::stoul(line.substr(5)));
}

SmtpServer::~SmtpServer() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
}

std::vector<ReceivedMail> SmtpServer::mails() const {
    std::vector<ReceivedMail> mails;
    for (int number = 1;; ++number) {
        const std::string digits = std::to_string(number);
        const auto file = directory_ / (std::string(4 - digits.size(), '0') + digits + ".json");
        if (!fs::exists(file)) return mails;
        mails.push_back(read_mail(file));
    }
}

Certificate::Certificate() : directory_{make_directory()} {
    int output = -1;
    const pid_t process = start({"/usr/bin/openssl",
                                 "req",
                                 "-x509",
                                 "-newkey",
                                 "ec",
                                 "-pkeyopt",
                                 "ec_paramgen_curve:P-256",
                                 "-nodes",
                                 "-days",
                                 "2",
                                 "-subj",
                                 "/CN=localhost",
                                 "-addext",
                                 "subjectAltName=DNS:localhost,IP:127.0.0.1",
                                 "-keyout",
                                 key_file(),
                                 "-out",
                                 file()},
                                output,
                                Errors::with_output);
    int status = 0;
    ::waitpid(process, &status, 0);
    ::close(output);
    if (status != 0) throw std::runtime_error{"openssl: made no certificate"};
}

Certificate::~Certificate() {
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
}

}  // namespace radd::testing

#pragma once

/// A real SMTP relay on loopback, in a process of its own. See smtp_server.py for what its
/// recipients mean and which options it takes.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace radd::testing {

/// A mail as the relay got it, decoded by Python's email parser.
struct ReceivedMail {
    std::string from;             ///< Of the envelope.
    std::vector<std::string> to;  ///< Of the envelope.
    std::vector<std::pair<std::string, std::string>> headers;
    std::vector<std::string> defects;  ///< What the parser had to forgive.
    std::string body;
    bool is_ascii;
    std::size_t line_bytes_max;
    std::size_t bare_line_ends;  ///< CR or LF without the other.

    /// The values of every header of this name, in order.
    [[nodiscard]] std::vector<std::string> header(std::string_view name) const;
};

/// Listens as soon as it exists; killed and forgotten with it, and with the test's process.
class SmtpServer {
public:
    /// @throws std::runtime_error if it does not start.
    explicit SmtpServer(const std::vector<std::string>& options = {});
    SmtpServer(const SmtpServer&) = delete;
    SmtpServer& operator=(const SmtpServer&) = delete;
    ~SmtpServer();

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

    /// What was taken so far, oldest first. Complete as soon as the sender has its answer.
    [[nodiscard]] std::vector<ReceivedMail> mails() const;

private:
    std::filesystem::path directory_;
    pid_t process_ = -1;
    std::uint16_t port_ = 0;
};

/// A self-signed certificate for `localhost` and 127.0.0.1, made by openssl for this test run.
class Certificate {
public:
    Certificate();
    Certificate(const Certificate&) = delete;
    Certificate& operator=(const Certificate&) = delete;
    ~Certificate();

    [[nodiscard]] std::string file() const { return directory_ / "cert.pem"; }
    [[nodiscard]] std::string key_file() const { return directory_ / "key.pem"; }

private:
    std::filesystem::path directory_;
};

}  // namespace radd::testing

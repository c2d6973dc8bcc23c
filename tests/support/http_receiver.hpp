#pragma once

/// A server on this machine that keeps what it was sent, byte for byte, and answers as told.

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace radd::testing {

/// One request as it came.
struct Received {
    std::string request_line{};
    std::map<std::string, std::string, std::less<>> headers{};  ///< Names in lower case.
    std::string body{};
};

struct ReceiverManner {
    bool ipv6 = false;        ///< At ::1 instead of 127.0.0.1.
    bool interrupts = false;  ///< Answers after a piece of the request, and hangs up on the rest.
};

/// Listens on a port of the loopback that the system picks; one thread a connection.
class HttpReceiver {
public:
    /// The bytes of an answer; nothing: the connection is closed without one.
    using Answer = std::function<std::string(const Received&)>;

    explicit HttpReceiver(Answer answer = {}, ReceiverManner manner = {});  ///< Without one: 204.
    HttpReceiver(const HttpReceiver&) = delete;
    HttpReceiver& operator=(const HttpReceiver&) = delete;
    ~HttpReceiver();

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] std::string url(const std::string& path = "/hook") const {
        return (manner_.ipv6 ? "http://[::1]:" : "http://127.0.0.1:") + std::to_string(port_) +
               path;
    }
    [[nodiscard]] std::vector<Received> received() const;
    [[nodiscard]] std::size_t count() const { return received().size(); }
    [[nodiscard]] int connections() const noexcept { return connections_; }

    /// "HTTP/1.1 200 …" with these header lines, which end in CR LF, and this body.
    [[nodiscard]] static std::string answer_of(int status,
                                               const std::string& headers = "",
                                               const std::string& body = "");

private:
    void accept_all();
    void serve(int descriptor);

    Answer answer_;
    ReceiverManner manner_;
    int listening_ = -1;
    std::uint16_t port_ = 0;
    std::atomic<int> connections_{0};
    std::atomic<bool> stopping_{false};
    mutable std::mutex mutex_;
    std::vector<Received> received_;
    std::atomic<int> serving_{0};  ///< Threads that have not ended.
    std::thread accepting_;
};

}  // namespace radd::testing

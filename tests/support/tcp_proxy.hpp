#pragma once

/// A way to a PostgreSQL that can fall silent, as a network does that drops packets.

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace radd::testing {

/// Takes TCP connections on 127.0.0.1 and passes their bytes to the Unix socket of a server.
///
/// While it is silent, nothing is passed in either direction and nothing is closed: connections
/// that are made then are taken by the kernel and never answered. What was sent meanwhile arrives
/// when it speaks again, also from clients that have given up.
class TcpProxy {
public:
    /// To the server of `url`, libpq keywords with a folder as host. @throws std::runtime_error.
    explicit TcpProxy(const std::string& url);
    TcpProxy(const TcpProxy&) = delete;
    TcpProxy& operator=(const TcpProxy&) = delete;
    ~TcpProxy();

    /// `url` with this proxy as its host.
    [[nodiscard]] const std::string& url() const noexcept { return url_; }

    void fall_silent() noexcept { is_silent_ = true; }
    void speak() noexcept { is_silent_ = false; }
    /// As if the cable of each connection that there is were cut: nothing that its client sends is
    /// even acknowledged, and nobody is told. What is connected from now on is served.
    void lose_connections() noexcept { is_to_lose_ = true; }

private:
    struct Link {
        int client;
        int server;
    };
    void listen();
    void run();
    void take();
    void lose_all();
    [[nodiscard]] int connect_server() const;

    std::string socket_path_;
    std::string url_;
    int listener_ = -1;
    std::vector<Link> links_;
    std::vector<Link> lost_;  ///< Open, for to close them would be to tell somebody.
    std::atomic<bool> is_silent_{false};
    std::atomic<bool> is_to_lose_{false};
    std::atomic<bool> is_over_{false};
    std::thread thread_;
};

}  // namespace radd::testing

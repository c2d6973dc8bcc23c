#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include <linux/filter.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <tests/support/tcp_proxy.hpp>
#include <unistd.h>

namespace radd::testing {
namespace {

constexpr int look_ms = 5;

[[noreturn]] void fail(const std::string& what) {
    throw std::runtime_error{"tcp proxy: " + what + ": " + std::strerror(errno)};
}

/// Everything, or false.
bool send_all(int to, const char* data, std::size_t size) {
    while (size > 0) {
        const auto sent = ::send(to, data, size, MSG_NOSIGNAL);
        if (sent <= 0) return false;
        data += sent;
        size -= static_cast<std::size_t>(sent);
    }
    return true;
}

bool pass_on(int from, int to) {
    std::array<char, 65536> bytes{};
    const auto got = ::recv(from, bytes.data(), bytes.size(), 0);
    return got > 0 && send_all(to, bytes.data(), static_cast<std::size_t>(got));
}

}  // namespace

TcpProxy::TcpProxy(const std::string& url) {
    std::string port = "5432";
    std::istringstream words{url};
    for (std::string word; words >> word;) {
        if (word.starts_with("host="))
            socket_path_ = word.substr(5);
        else if (word.starts_with("port="))
            port = word.substr(5);
        else
            url_ += ' ' + word;
    }
    socket_path_ += "/.s.PGSQL." + port;
    listen();
    thread_ = std::thread{[this] { run(); }};
}

TcpProxy::~TcpProxy() {
    is_over_ = true;
    thread_.join();
    for (const auto* links : {&links_, &lost_}) {
        for (const Link& link : *links) {
            ::close(link.client);
            ::close(link.server);
        }
    }
    ::close(listener_);
}

void TcpProxy::listen() {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (listener_ < 0 || ::bind(listener_, any, size) != 0 || ::listen(listener_, 100) != 0 ||
        ::getsockname(listener_, any, &size) != 0)
        fail("cannot listen");
    url_ = "host=127.0.0.1 port=" + std::to_string(ntohs(address.sin_port)) + url_;
}

int TcpProxy::connect_server() const {
    const int server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    socket_path_.copy(address.sun_path, sizeof address.sun_path - 1);
    if (::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
        return server;
    ::close(server);
    return -1;
}

void TcpProxy::take() {
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    const int server = connect_server();
    if (server < 0)
        ::close(client);
    else
        links_.push_back({client, server});
}

void TcpProxy::lose_all() {
    // Drops every packet before TCP sees it, so that none is acknowledged.
    sock_filter drop_all{.code = BPF_RET | BPF_K, .jt = 0, .jf = 0, .k = 0};
    const sock_fprog program{.len = 1, .filter = &drop_all};
    for (const Link& link : links_) {
        ::setsockopt(link.client, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
        lost_.push_back(link);
    }
    links_.clear();
}

void TcpProxy::run() {
    while (!is_over_) {
        if (is_to_lose_.exchange(false)) lose_all();
        if (is_silent_) {
            ::poll(nullptr, 0, look_ms);
            continue;
        }
        std::vector<pollfd> wanted{{.fd = listener_, .events = POLLIN, .revents = 0}};
        for (const Link& link : links_) {
            wanted.push_back({.fd = link.client, .events = POLLIN, .revents = 0});
            wanted.push_back({.fd = link.server, .events = POLLIN, .revents = 0});
        }
        if (::poll(wanted.data(), wanted.size(), look_ms) <= 0 || is_silent_) continue;
        const auto known = links_;
        links_.clear();
        for (std::size_t i = 0; i < known.size(); ++i) {
            const Link link = known[i];
            const bool lives =
                (wanted[1 + 2 * i].revents == 0 || pass_on(link.client, link.server)) &&
                (wanted[2 + 2 * i].revents == 0 || pass_on(link.server, link.client));
            if (lives) {
                links_.push_back(link);
                continue;
            }
            ::close(link.client);
            ::close(link.server);
        }
        if (wanted[0].revents != 0) take();
    }
}

}  // namespace radd::testing

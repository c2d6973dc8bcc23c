#include "http_receiver.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <stdexcept>

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <tests/support/wait.hpp>
#include <unistd.h>

namespace radd::testing {
namespace {

constexpr int look_every_ms = 20;

bool readable(int descriptor) {
    pollfd one{.fd = descriptor, .events = POLLIN, .revents = 0};
    return poll(&one, 1, look_every_ms) > 0;
}

/// Takes a request out of `bytes`, as soon as its head is there, with its whole body if so told.
bool take(const std::string& bytes, bool whole, Received& into) {
    const auto head_ends = bytes.find("\r\n\r\n");
    if (head_ends == std::string::npos) return false;
    std::size_t at = bytes.find("\r\n");
    into.request_line = bytes.substr(0, at);
    for (at += 2; at < head_ends + 2;) {
        const auto end = bytes.find("\r\n", at);
        const auto colon = bytes.find(':', at);
        std::string name = bytes.substr(at, colon - at);
        std::ranges::transform(
            name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        into.headers[name] = bytes.substr(colon + 2, end - colon - 2);
        at = end + 2;
    }
    const auto length = into.headers.find("content-length");
    const std::size_t size = length == into.headers.end() ? 0 : std::stoul(length->second);
    if (whole && bytes.size() < head_ends + 4 + size) return false;
    into.body = bytes.substr(head_ends + 4, size);
    return true;
}

}  // namespace

HttpReceiver::HttpReceiver(Answer answer, ReceiverManner manner)
    : answer_{std::move(answer)}, manner_{manner} {
    constexpr int backlog = 256;
    constexpr int little = 4096;  ///< What is taken unread: most of a long request is not sent.
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_addr = in6addr_loopback;
    auto* address =
        manner_.ipv6 ? reinterpret_cast<sockaddr*>(&v6) : reinterpret_cast<sockaddr*>(&v4);
    socklen_t size = manner_.ipv6 ? sizeof(v6) : sizeof(v4);
    listening_ = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listening_ < 0 ||
        (manner_.interrupts &&
         setsockopt(listening_, SOL_SOCKET, SO_RCVBUF, &little, sizeof(little)) != 0) ||
        bind(listening_, address, size) != 0 || listen(listening_, backlog) != 0 ||
        getsockname(listening_, address, &size) != 0)
        throw std::runtime_error{"a test receiver cannot listen"};
    port_ = ntohs(manner_.ipv6 ? v6.sin6_port : v4.sin_port);
    accepting_ = std::thread{[this] { accept_all(); }};
}

HttpReceiver::~HttpReceiver() {
    stopping_ = true;
    accepting_.join();
    static_cast<void>(eventually([this] { return serving_ == 0; }));
    close(listening_);
}

std::vector<Received> HttpReceiver::received() const {
    const std::scoped_lock lock{mutex_};
    return received_;
}

std::string HttpReceiver::answer_of(int status,
                                    const std::string& headers,
                                    const std::string& body) {
    return "HTTP/1.1 " + std::to_string(status) + " Answer\r\n" + headers +
           (status == 204 ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n") +
           "\r\n" + body;
}

void HttpReceiver::accept_all() {
    while (!stopping_) {
        if (!readable(listening_)) continue;
        const int descriptor = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
        if (descriptor < 0) continue;
        ++connections_;
        ++serving_;
        std::thread{[this, descriptor] {
            serve(descriptor);
            --serving_;
        }}.detach();
    }
}

void HttpReceiver::serve(int descriptor) {
    std::string bytes;
    Received one;
    std::array<char, 16384> piece{};
    bool whole = false;
    while (!stopping_ && !whole) {
        if (!readable(descriptor)) continue;
        const auto got = recv(descriptor, piece.data(), piece.size(), 0);
        if (got <= 0) break;
        bytes.append(piece.data(), static_cast<std::size_t>(got));
        whole = take(bytes, !manner_.interrupts, one);
    }
    if (whole) {
        {
            const std::scoped_lock lock{mutex_};
            received_.push_back(one);
        }
        const std::string answer = answer_ ? answer_(one) : answer_of(204);
        static_cast<void>(send(descriptor, answer.data(), answer.size(), MSG_NOSIGNAL));
    }
    close(descriptor);
}

}  // namespace radd::testing

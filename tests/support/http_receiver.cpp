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

/// Takes the head of a request out of `bytes`, as soon as it is there with its whole body.
bool take(std::string& bytes, Received& into) {
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
    if (bytes.size() < head_ends + 4 + size) return false;
    into.body = bytes.substr(head_ends + 4, size);
    return true;
}

}  // namespace

HttpReceiver::HttpReceiver(Answer answer) : answer_{std::move(answer)} {
    constexpr int backlog = 256;
    listening_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    if (listening_ < 0 || bind(listening_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        listen(listening_, backlog) != 0 ||
        getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
        throw std::runtime_error{"a test receiver cannot listen"};
    port_ = ntohs(address.sin_port);
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
        whole = take(bytes, one);
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

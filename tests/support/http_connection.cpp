#include <array>
#include <cerrno>
#include <stdexcept>
#include <utility>

#include <linux/filter.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <tests/support/http_connection.hpp>
#include <unistd.h>

namespace radd::testing {
namespace {

constexpr std::chrono::seconds patience{20};

std::string lower(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

HttpReply parse_head(std::string_view head) {
    HttpReply reply;
    constexpr std::size_t status_at = 9;  // Behind "HTTP/1.1 ".
    reply.status = std::stoi(std::string{head.substr(status_at, 3)});
    for (auto at = head.find("\r\n"); at + 2 < head.size();) {
        const auto end = head.find("\r\n", at + 2);
        const auto line = head.substr(at + 2, end - at - 2);
        const auto colon = line.find(": ");
        if (colon != std::string_view::npos)
            reply.headers.emplace(lower(std::string{line.substr(0, colon)}),
                                  std::string{line.substr(colon + 2)});
        at = end;
    }
    return reply;
}

}  // namespace

std::string HttpReply::header(std::string_view name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string{} : found->second;
}

HttpConnection::HttpConnection(std::uint16_t port)
    : descriptor_{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        if (descriptor_ >= 0) close(descriptor_);
        throw std::runtime_error{"no connection to port " + std::to_string(port)};
    }
}

void HttpConnection::vanish() {
    // Drops every packet before TCP sees it, so that none is acknowledged.
    sock_filter drop_all{.code = BPF_RET | BPF_K, .jt = 0, .jf = 0, .k = 0};
    const sock_fprog program{.len = 1, .filter = &drop_all};
    if (setsockopt(descriptor_, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) != 0)
        throw std::runtime_error{"the system attaches no filter to a socket"};
}

HttpConnection::HttpConnection(HttpConnection&& other) noexcept
    : descriptor_{std::exchange(other.descriptor_, -1)}, received_{std::move(other.received_)} {}

HttpConnection::~HttpConnection() {
    if (descriptor_ >= 0) close(descriptor_);
}

bool HttpConnection::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

void HttpConnection::finish_sending() {
    shutdown(descriptor_, SHUT_WR);
}

bool HttpConnection::receive(std::chrono::milliseconds deadline) {
    pollfd waiting{.fd = descriptor_, .events = POLLIN, .revents = 0};
    if (poll(&waiting, 1, static_cast<int>(deadline.count())) != 1) return false;
    constexpr std::size_t piece = 65536;
    std::array<char, piece> bytes{};
    const auto got = recv(descriptor_, bytes.data(), bytes.size(), 0);
    if (got <= 0) return false;
    received_.append(bytes.data(), static_cast<std::size_t>(got));
    return true;
}

HttpReply HttpConnection::read(bool to_head) {
    for (;;) {
        const auto end = received_.find("\r\n\r\n");
        if (end == std::string::npos) {
            if (!receive(patience)) return {};
            continue;
        }
        HttpReply reply = parse_head(std::string_view{received_}.substr(0, end + 2));
        received_.erase(0, end + 4);
        const auto length = reply.header("content-length");
        const std::size_t size = length.empty() || to_head ? 0 : std::stoul(length);
        while (received_.size() < size)
            if (!receive(patience)) return {};
        reply.body = received_.substr(0, size);
        received_.erase(0, size);
        return reply;
    }
}

std::string HttpConnection::read_until(std::string_view end) {
    for (;;) {
        const auto found = received_.find(end);
        if (found != std::string::npos) return read_bytes(found + end.size());
        if (!receive(patience)) return {};
    }
}

std::string HttpConnection::read_bytes(std::size_t size) {
    while (received_.size() < size)
        if (!receive(patience)) return {};
    std::string bytes = received_.substr(0, size);
    received_.erase(0, size);
    return bytes;
}

bool HttpConnection::closes(std::chrono::milliseconds deadline) {
    const auto end = std::chrono::steady_clock::now() + deadline;
    for (;;) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        pollfd waiting{.fd = descriptor_, .events = POLLIN, .revents = 0};
        if (left.count() <= 0 || poll(&waiting, 1, static_cast<int>(left.count())) != 1)
            return false;
        if (!receive(left)) return true;
    }
}

HttpReply http(std::uint16_t port,
               std::string_view method,
               std::string_view target,
               std::string_view headers,
               std::string_view body) {
    HttpConnection connection{port};
    std::string request{method};
    request.append(" ").append(target).append(" HTTP/1.1\r\nHost: localhost\r\n").append(headers);
    if (!body.empty()) request.append("Content-Length: " + std::to_string(body.size()) + "\r\n");
    request.append("Connection: close\r\n\r\n").append(body);
    connection.send(request);
    return connection.read(method == "HEAD");
}

}  // namespace radd::testing

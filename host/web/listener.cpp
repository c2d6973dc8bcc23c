#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

#include <arpa/inet.h>
#include <host/web/listener.hpp>
#include <netdb.h>
#include <netinet/in.h>
#include <radd/error.hpp>
#include <sys/socket.h>
#include <unistd.h>

namespace radd::web {
namespace {

/// "[::1]:80" for an address with colons.
std::string shown(const std::string& host, std::uint16_t port) {
    const bool bracketed = host.find(':') != std::string::npos;
    return (bracketed ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

[[noreturn]] void refuse(const std::string& address, const std::string& why) {
    throw ConfigError{"http.listen: " + address + ": " + why +
                      "; choose another address or port, 127.0.0.1:0 for any free one"};
}

std::uint16_t bound_port(int descriptor) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size);
    // Both families keep the port at the same place.
    return ntohs(reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
}

}  // namespace

Listener::Listener(std::string host, std::uint16_t port) : host_{std::move(host)} {
    const auto address = shown(host_, port);
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    const int failure = getaddrinfo(host_.c_str(), std::to_string(port).c_str(), &hints, &found);
    if (failure != 0) refuse(address, gai_strerror(failure));
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> guard{found, freeaddrinfo};

    is_ipv6_ = found->ai_family == AF_INET6;
    descriptor_ = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    // Connections of a host that has just ended linger for a minute; they keep nobody out.
    const int yes = 1;
    const bool listens = descriptor_ >= 0 &&
                         setsockopt(descriptor_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
                         bind(descriptor_, found->ai_addr, found->ai_addrlen) == 0 &&
                         listen(descriptor_, SOMAXCONN) == 0;
    const int error = errno;
    if (!listens) {
        if (descriptor_ >= 0) close(descriptor_);
        refuse(address, std::generic_category().message(error));
    }
    port_ = bound_port(descriptor_);
}

Listener::~Listener() {
    if (descriptor_ >= 0) close(descriptor_);
}

std::string Listener::url() const {
    return "http://" + shown(host_, port_);
}

int Listener::release() noexcept {
    return std::exchange(descriptor_, -1);
}

}  // namespace radd::web

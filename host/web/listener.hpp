#pragma once

/// The address of the server, taken before anything else is started.

#include <cstdint>
#include <string>

namespace radd::web {

/// Listens from its making on; whoever connects waits until the server serves.
class Listener {
public:
    /// @throws ConfigError if the address cannot be had, with the remedy. `port` 0: a free one.
    Listener(std::string host, std::uint16_t port);
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    ~Listener();

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] std::string url() const;  ///< "http://127.0.0.1:8080"
    [[nodiscard]] bool is_ipv6() const noexcept { return is_ipv6_; }

    /// The listening socket, which is the caller's from now on. Once.
    [[nodiscard]] int release() noexcept;

private:
    std::string host_;
    std::uint16_t port_ = 0;
    bool is_ipv6_ = false;
    int descriptor_ = -1;
};

}  // namespace radd::web

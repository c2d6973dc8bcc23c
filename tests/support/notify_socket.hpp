#pragma once

/// The end of $NOTIFY_SOCKET that systemd holds, for a test to hold instead.

#include <string>

#include <sys/socket.h>
#include <sys/un.h>
#include <tests/support/temp_dir.hpp>
#include <unistd.h>

namespace radd::testing {

class NotifySocket {
public:
    NotifySocket() : socket_{socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)} {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path().copy(address.sun_path, sizeof address.sun_path - 1);
        bound_ = bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    }
    NotifySocket(const NotifySocket&) = delete;
    NotifySocket& operator=(const NotifySocket&) = delete;
    ~NotifySocket() { close(socket_); }

    [[nodiscard]] bool is_bound() const noexcept { return bound_; }
    [[nodiscard]] std::string path() const { return (folder_.path() / "notify").string(); }

    /// Everything that has come since the last call, each message with a line break behind it.
    [[nodiscard]] std::string received() {
        std::string all;
        std::string message(4096, '\0');
        for (;;) {
            const auto size = recv(socket_, message.data(), message.size(), 0);
            if (size < 0) return all;
            all.append(message, 0, static_cast<std::size_t>(size)).append("\n");
        }
    }

private:
    TempDir folder_;
    int socket_;
    bool bound_ = false;
};

}  // namespace radd::testing

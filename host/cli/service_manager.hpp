#pragma once

/// What systemd is told of a running host, through $NOTIFY_SOCKET. The home of libsystemd.

#include <chrono>
#include <optional>
#include <string>

namespace radd::cli {

/// Without a service manager every call does nothing. One thread.
class ServiceManager {
public:
    ServiceManager();

    /// How long it waits for a sign of life; empty if it does not watch.
    [[nodiscard]] std::optional<std::chrono::microseconds> watchdog() const noexcept {
        return watchdog_;
    }

    void status(const std::string& text);  ///< One line; sent if it has changed.
    void ready(const std::string& text);   ///< Everything is up: `systemctl start` returns.
    void stopping();

    /// A sign of life, when `silent_for`, the time since the work last went round, is at most half
    /// of what the watchdog allows. A host that is stuck gives none and is started again.
    void alive(std::chrono::milliseconds silent_for);

private:
    std::optional<std::chrono::microseconds> watchdog_;
    std::string status_;
};

}  // namespace radd::cli

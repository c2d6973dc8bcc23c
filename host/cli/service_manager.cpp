#include <algorithm>
#include <cstdint>

#include <host/cli/service_manager.hpp>
#include <systemd/sd-daemon.h>

namespace radd::cli {
namespace {

/// One line: what follows a line break would be an assignment of its own.
std::string one_line(std::string text) {
    std::ranges::replace_if(
        text, [](unsigned char c) { return c < ' '; }, ' ');
    return text;
}

void notify(const std::string& assignments) {
    // Whether it arrives is the manager's affair: a host does not end because nobody listens.
    static_cast<void>(sd_notify(0, assignments.c_str()));
}

}  // namespace

ServiceManager::ServiceManager() {
    std::uint64_t microseconds = 0;
    if (sd_watchdog_enabled(0, &microseconds) > 0)
        watchdog_ = std::chrono::microseconds{microseconds};
}

void ServiceManager::status(const std::string& text) {
    if (text == status_) return;
    status_ = text;
    notify("STATUS=" + one_line(text));
}

void ServiceManager::ready(const std::string& text) {
    status_ = text;
    notify("READY=1\nSTATUS=" + one_line(text));
}

void ServiceManager::stopping() {
    notify("STOPPING=1\nSTATUS=stopping");
}

void ServiceManager::alive(std::chrono::milliseconds silent_for) {
    if (watchdog_ && silent_for <= *watchdog_ / 2) notify("WATCHDOG=1");
}

}  // namespace radd::cli

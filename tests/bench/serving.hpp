#pragma once

/// `radd serve` with what ships, from outside.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <tests/support/process.hpp>
#include <tests/support/radd_process.hpp>

namespace radd::bench {

/// Every plugin that ships, each as its manifest ships; with a key for the secrets it keeps, and
/// allowed to call this machine.
inline void ship_all(testing::Installation& installation) {
    installation.ship();
    for (const char* id :
         {"search", "webhooks", "realtime", "notify", "sla", "chat", "automations"})
        installation.ship(id);
    installation.write("keys", std::string(64, 'a') + "\n");
    std::filesystem::permissions(installation.path("keys"), std::filesystem::perms::owner_read);
    installation.set("RADD_SECRETS_KEY_FILE", installation.path("keys").string());
    installation.set("RADD_OUTBOUND_ALLOW", "127.0.0.0/8");
}

/// MiB, by a field of /proc/<pid>/status.
[[nodiscard]] inline double memory_mib(const testing::Process& process, const std::string& field) {
    std::ifstream status{"/proc/" + std::to_string(process.pid()) + "/status"};
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with(field + ":")) return std::stod(line.substr(field.size() + 1)) / 1024;
    }
    throw std::runtime_error{field + ": not in /proc"};
}

[[nodiscard]] inline std::uint16_t port_of(const testing::Process& host) {
    constexpr std::string_view before = "http://127.0.0.1:";
    const auto said = host.errors();
    const auto at = said.find(before);
    if (at == std::string::npos) throw std::runtime_error{"the host does not say where it is"};
    return static_cast<std::uint16_t>(std::stoi(said.substr(at + before.size())));
}

[[nodiscard]] inline std::string token_of(const testing::Installation& installation,
                                          const std::string& role) {
    auto token =
        installation.must({"token", "create", "--name", "bench " + role, "--role", role}).out;
    token.erase(token.find_last_not_of(" \n") + 1);
    return token;
}

}  // namespace radd::bench

#pragma once

/// What most commands begin with: the database, found and ready to be asked.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <host/cli/commands.hpp>
#include <host/db/pool.hpp>
#include <host/installation.hpp>
#include <host/outbox/tail.hpp>

namespace radd::cli {

/// Opens the installation without plugins, connects, and refuses a schema that is not up to date
/// in core, naming `radd migrate`. @throws as Installation.
class Opened {
public:
    Opened(Invocation& invocation, const std::string& purpose);

    [[nodiscard]] host::Installation& installation() noexcept { return installation_; }
    [[nodiscard]] db::Session& session() noexcept { return *lease_; }

    /// Id of the last row that is safe to read, settled just now.
    [[nodiscard]] std::int64_t head();
    /// Who holds the stream back, if anybody has for more than a second.
    [[nodiscard]] std::optional<outbox::StreamHolder> waiting_on();

private:
    host::Installation installation_;
    db::Lease lease_;
};

/// Where the database is, unless it is a private one that does not run now: for who only looks, and
/// would rather know nothing than start it. @throws as Installation.
[[nodiscard]] std::optional<db::ConnectOptions> running_database(host::Installation& installation,
                                                                 const std::string& purpose);

/// `250ms`, `2s`, `5m`, `1h`, as in manifests. @throws InvalidInput naming `field`.
[[nodiscard]] std::chrono::milliseconds parse_duration(const std::string& field,
                                                       std::string_view text);

}  // namespace radd::cli

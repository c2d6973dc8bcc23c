#pragma once

/// The way out: one SMTP relay, over libcurl.

#include <chrono>
#include <cstdint>
#include <string>

#include "message.hpp"
#include <radd/clock.hpp>
#include <radd/mailer.hpp>

namespace mail {

enum class Security : std::uint8_t {
    none,      ///< Clear text. For a relay on this machine or a trusted network.
    starttls,  ///< Clear text until STARTTLS, without which nothing is sent.
    tls,       ///< TLS from the first byte.
};

/// Where mails are handed in.
struct Relay {
    std::string host;
    std::uint16_t port;
    Security security;
    std::string username{};  ///< Empty: no AUTH.
    std::string password{};
    std::string ca_file{};  ///< PEM. Empty: what this system trusts.
    std::chrono::milliseconds timeout{std::chrono::seconds{15}};
};

/// The relay is asked to hang up politely after a mail, and gets as long for that as for the mail:
/// twice this is the time that Mailer::send() promises at most.
inline constexpr std::chrono::milliseconds timeout_max{15'000};

/// Opens a connection for each mail. A connection kept between two mails may have been closed by
/// the relay meanwhile; who sends at most once would lose a mail to that. So there is no state
/// between two calls, and any number of threads may send at once.
class SmtpMailer final : public radd::Mailer {
public:
    /// @throws ConfigError if no mail could ever be sent this way: no such host name, a sender
    ///         that is no address, a password that would travel in the clear.
    SmtpMailer(Relay relay, Sender sender, const radd::Clock& clock);

    /// The certificate of the relay is verified against its host name. The message of what is
    /// thrown has the relay and its reply code, and neither an address nor a password.
    void send(const radd::Mail& mail) override;

private:
    Relay relay_;
    Sender sender_;
    std::string url_;
    const radd::Clock& clock_;
};

}  // namespace mail

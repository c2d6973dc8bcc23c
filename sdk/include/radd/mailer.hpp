#pragma once

/// Sending mail: the interface; plugin `mail` provides it over SMTP.

#include <string>
#include <string_view>

#include <radd/services.hpp>

namespace radd {

/// A mail in plain text. Any UTF-8 is allowed anywhere: line breaks in `subject` and names become
/// spaces and headers are encoded (RFC 2047), so no text can add a header or a recipient.
struct Mail {
    std::string to;  ///< One address, `local@domain`. @throws InvalidInput otherwise.
    std::string to_name{};
    std::string subject;  ///< Empty: "(no subject)".
    std::string text;

    /// What makes the Message-ID: the same key gives the same id, so that a mail sent twice is
    /// recognised by the receiver. E.g. "csat.requested/42".
    std::string idempotency_key;
};

class RADD_EXPORT Mailer : public Service {
public:
    static constexpr std::string_view service_name = "mail.mailer";
    ~Mailer() override;

    /// Hands one mail to the relay and waits for its answer, 30 s at most. [any-thread]
    /// @throws InvalidInput if the address cannot be one; nothing was sent.
    /// @throws MailRefused if the relay refused this mail for good (5xx).
    /// @throws Unavailable if it could not be reached or refused for the moment (4xx); it does not
    ///         have the mail. MailDeferred, which is one, if it refused this mail and not us;
    ///         MailUnconfirmed, which is one, if what it did cannot be told.
    virtual void send(const Mail& mail) = 0;
};

class RADD_EXPORT MailRefused : public Error {
public:
    using Error::Error;
    ~MailRefused() override;
};

/// The relay is there and refused this mail for the moment (4xx): others may pass meanwhile.
class RADD_EXPORT MailDeferred : public Unavailable {
public:
    using Unavailable::Unavailable;
    ~MailDeferred() override;
};

/// The relay was given the mail, and the connection ended before it said whether it took it: the
/// mail may arrive. Whoever promises to send at most once must not send it again.
class RADD_EXPORT MailUnconfirmed : public Unavailable {
public:
    using Unavailable::Unavailable;
    ~MailUnconfirmed() override;
};

}  // namespace radd

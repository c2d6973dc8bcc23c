#pragma once

/// A mail as RFC 5322 wants it on the wire. Pure: no clock, no network.

#include <string>
#include <string_view>

#include <radd/event.hpp>
#include <radd/mailer.hpp>

namespace mail {

/// Who the mails of this instance come from.
struct Sender {
    std::string address;
    std::string name{};
    /// Tells this instance from others that send from the same domain: its public url.
    std::string instance{};
};

/// Checks that `address` is one mailbox, `local@domain`, in the characters every relay takes:
/// dot-separated atoms before the `@`, a host name after it, 254 bytes at most. Quoted local
/// parts, address literals and non-ASCII addresses are refused, as is anything that could end an
/// SMTP command or name a second recipient.
/// @throws InvalidInput naming `field`. The message does not repeat the address.
void check_address(std::string_view field, std::string_view address);

/// `<hash@domain>`: the same key from the same instance and domain gives the same id, in every
/// process and release. The hash (FNV-1a, 128 bits) tells keys apart; it keeps none of them secret
/// and proves nothing.
[[nodiscard]] std::string message_id(std::string_view idempotency_key, const Sender& sender);

/// Headers and body, CRLF after every line, no line over 998 bytes, all of it ASCII. Any UTF-8
/// may stand in subject, names and text (RFC 2047, 2045); no text can add a header.
/// The mail says of itself that a machine wrote it (RFC 3834), so that no other one answers.
/// @throws InvalidInput if `mail.to` or `sender.address` is no address, or the key is empty.
[[nodiscard]] std::string compose(const radd::Mail& mail,
                                  const Sender& sender,
                                  radd::Timestamp now);

}  // namespace mail

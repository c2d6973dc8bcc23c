#pragma once

/// Mails: one for a notice that is told at once, one for a digest.

#include <string>

#include "kinds.hpp"
#include <radd/delivery.hpp>
#include <radd/mailer.hpp>
#include <radd/services.hpp>

namespace notify {

/// At least once, with the same Message-ID in every attempt: a process that dies between the
/// relay's answer and its record mails once more, and the receiver can tell.
///
/// The text is made for each attempt from what is there by then. Nothing is sent to who has no
/// address or no account any more, and nothing about an item that is gone.
class Post final : public radd::DeliveryHandler {
public:
    explicit Post(radd::Services& host);

    radd::AttemptResult attempt(const radd::Delivery& delivery) override;
    /// Stamps `emailed_at` as soon as there is no further attempt, however it ended.
    void settled(radd::Transaction& tx,
                 const radd::Delivery& delivery,
                 const radd::Settled& settled) override;

private:
    radd::Database& database_;
    radd::Mailer& mailer_;
    const std::string public_url_;
    Kinds kinds_;
};

/// 1, 5 and 30 minutes; then it is given up. Each takes the time it says: no jitter, because there
/// is one relay, and its lane rests while it is away.
[[nodiscard]] radd::DeliveryQueueSpec post_queue();

}  // namespace notify

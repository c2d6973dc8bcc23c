#pragma once

/// A mail as an attempt of a DeliveryQueue.

#include <radd/delivery.hpp>
#include <radd/error.hpp>
#include <radd/mailer.hpp>

namespace radd {

/// Hands `mail` to the relay, and says what that makes of the delivery: dead if it can never be
/// taken, failed if it may be another time or what became of it is not known (its key lets the
/// receiver recognise a second one).
/// @throws Unavailable if the relay is away: the lane is what rests.
[[nodiscard]] inline AttemptResult mail_attempt(Mailer& mailer, const Mail& mail) {
    try {
        mailer.send(mail);
        return AttemptResult::delivered("the relay took it");
    } catch (const MailRefused& refused) {
        return AttemptResult::dead(refused.what());
    } catch (const InvalidInput& no_address) {
        return AttemptResult::dead(no_address.what());
    } catch (const MailDeferred& deferred) {
        return AttemptResult::failed(deferred.what());
    } catch (const MailUnconfirmed& unconfirmed) {
        return AttemptResult::failed(unconfirmed.what());
    }
}

}  // namespace radd

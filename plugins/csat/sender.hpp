#pragma once

/// Asks whoever wanted an item how it went, once it is done.

#include <optional>
#include <string>

#include "surveys.hpp"
#include <radd/consumer.hpp>
#include <radd/mailer.hpp>

namespace csat {

/// A survey on its way out.
struct Invitation {
    std::string item_id;
    Request request;
    std::string token;
};

/// At most once, on purpose: a lost survey is a shrug, a second one is an apology.
///
/// Survey row, csat.requested and cursor are one commit; the mail goes out after it. A host that
/// dies in between has asked nobody, and asks nobody later, because it cannot know.
///
/// A mail that is known not to have gone out is another matter: the survey is marked, and the next
/// plan for its item mails it, with a new token and no second csat.requested. That is what
/// `radd consumers retry` is for; seeking backwards and resolving the item anew do the same.
/// Nothing is mailed again that may have gone out, whatever an operator does.
class Sender final : public radd::HeadSeededConsumer<Invitation> {
public:
    explicit Sender(radd::Services& host);

    std::optional<Invitation> plan(radd::Transaction& tx, const radd::Event& event) override;
    /// Best effort with the mark: if that fails too, the survey counts as one that may have gone
    /// out, and a warning says so. What the mailer threw passes on either way.
    void deliver(const Invitation& invitation) override;

private:
    void remember_unsent(const Invitation& invitation);

    radd::Database& database_;
    radd::Log& log_;
    radd::Mailer& mailer_;
    radd::Random& random_;
    const std::string survey_url_;
};

}  // namespace csat

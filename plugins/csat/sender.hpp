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
/// dies in between has asked nobody, and asks nobody later.
class Sender final : public radd::HeadSeededConsumer<Invitation> {
public:
    explicit Sender(radd::Services& host);

    std::optional<Invitation> plan(radd::Transaction& tx, const radd::Event& event) override;
    void deliver(const Invitation& invitation) override;

private:
    radd::Mailer& mailer_;
    radd::Random& random_;
    const std::string survey_url_;
};

}  // namespace csat

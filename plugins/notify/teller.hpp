#pragma once

/// Follows the stream: keeps the watch graph, and tells whom an event concerns.

#include <string>
#include <vector>

#include "kinds.hpp"
#include "notices.hpp"
#include "watches.hpp"
#include <radd/consumer.hpp>
#include <radd/services.hpp>

namespace notify {

/// Notices, queued mails and cursor are one commit, so each event tells each person once, whenever
/// the process dies. What was there at the first start builds the graph and tells nobody. Events of
/// a quiet import are not seen; the item that they are about is looked at as it is when it is met
/// next.
class Teller final : public radd::BootstrapConsumer {
public:
    explicit Teller(radd::Services& host);

    void bootstrap(radd::Transaction& tx, const radd::Event& event) override;
    void project(radd::Transaction& tx, const radd::Event& event) override;

private:
    /// Whom an event names, as far as that is new.
    std::vector<PersonId> watch(radd::Transaction& tx, const radd::Event& event, ItemId item);
    [[nodiscard]] std::vector<Recipient> recipients(radd::Transaction& tx,
                                                    const radd::Event& event,
                                                    ItemId item,
                                                    const std::vector<PersonId>& named) const;

    Kinds kinds_;
    Notices notices_;
};

/// The item that an event is about; empty if it is about none, or what SQL wrote is no such id.
[[nodiscard]] std::optional<ItemId> item_of(const radd::Event& event);

}  // namespace notify

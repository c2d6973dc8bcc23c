#include "trial.hpp"

#include "poster.hpp"
#include "rooms.hpp"
#include <radd/http_client.hpp>

namespace chat {

std::optional<Trial> try_room(radd::Services& host, std::int64_t id) {
    const Rooms rooms{host};
    const auto url =
        host.database().transact([&](radd::Transaction& tx) { return rooms.url(tx, id); });
    if (!url) return std::nullopt;
    constexpr const char* text = "This room is told of events from here on.";
    // Each trial is a message of its own.
    const auto uid = "trial-" + std::to_string(id) + "-" + std::to_string(host.random().bits());
    try {
        const auto result = judge(host.http_client().call(call_of(*url, uid, text)));
        return Trial{.posted = result.outcome == radd::AttemptResult::Outcome::delivered,
                     .detail = result.detail};
    } catch (const radd::AddressNotAllowed& refused) {
        return Trial{.detail = refused.what()};
    } catch (const radd::Unavailable& failure) {
        return Trial{.detail = failure.what()};
    }
}

}  // namespace chat

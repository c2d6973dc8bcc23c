#pragma once

/// Posting what waits for a room.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rooms.hpp"
#include <radd/delivery.hpp>
#include <radd/http_client.hpp>
#include <radd/services.hpp>

namespace chat {

/// One attempt posts the line of its delivery and whatever else waits for the room, as far as it
/// fits into a message; the deliveries of those lines then find theirs posted. So a room gets a
/// message a second at most, whichever host posts it, and one that is behind gets more in each.
class Poster final : public radd::DeliveryHandler {
public:
    static constexpr std::chrono::seconds timeout{10};  ///< Of a call.
    static constexpr std::chrono::seconds apart{1};     ///< Between two messages of a room.
    /// So long an attempt waits for its turn; past it the queue does, as a failed attempt.
    static constexpr std::chrono::milliseconds pause_max{1000};
    /// A room whose service has failed is left alone by its other deliveries too.
    static constexpr std::chrono::seconds rest{5};

    /// `pause` is how an attempt waits.
    Poster(radd::Services& host, std::function<void(std::chrono::milliseconds)> pause);

    radd::AttemptResult attempt(const radd::Delivery& delivery) override;
    void settled(radd::Transaction& tx,
                 const radd::Delivery& delivery,
                 const radd::Settled& settled) override;

private:
    struct Turn;
    [[nodiscard]] Turn take_turn(const radd::Delivery& delivery);
    [[nodiscard]] std::vector<std::string> take_lines(radd::Transaction& tx,
                                                      const radd::Delivery& delivery,
                                                      std::int64_t line_id);
    [[nodiscard]] radd::AttemptResult post(const std::string& url,
                                           const std::string& uid,
                                           const std::vector<std::string>& lines);

    radd::Services& host_;
    Rooms rooms_;
    std::function<void(std::chrono::milliseconds)> pause_;
};

/// What an answer means. A message that is refused is refused for good: it would be the same the
/// next time.
[[nodiscard]] radd::AttemptResult judge(const radd::HttpAnswer& answer);

/// The post of `text`, which `uid` is the name of.
[[nodiscard]] radd::HttpCall call_of(const std::string& url,
                                     const std::string& uid,
                                     const std::string& text);

}  // namespace chat

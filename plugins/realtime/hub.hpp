#pragma once

/// What this process has heard last, and who wants to hear what comes.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_set>

#include <radd/event_log.hpp>
#include <radd/services.hpp>
#include <radd/stream.hpp>

namespace realtime {

class Session;

/// Keeps the latest events, framed once for everybody, so that who comes back after a moment costs
/// the database nothing and falls into no gap between what is stored and what is live. [any-thread]
class Hub final : public radd::Service {
public:
    static constexpr std::string_view service_name = "realtime.hub";
    static constexpr std::size_t kept_bytes_max = std::size_t{4} * 1024 * 1024;
    static constexpr std::size_t kept_events_max = 2000;

    explicit Hub(radd::EventLog& log) : log_{log} {}

    // What the tail says; see TailSubscriber.
    void began(std::int64_t head);
    void heard(const radd::Event& event);
    void missed(std::int64_t through);

    /// Id up to which everything has been heard or passed. Empty: nothing has begun yet.
    [[nodiscard]] std::optional<std::int64_t> position() const;

    enum class Joined : std::uint8_t {
        live,    ///< It has been sent what was kept, and gets what comes.
        full,    ///< Its client takes no more for now.
        behind,  ///< What it lacks next is kept no longer.
    };
    [[nodiscard]] Joined join(Session& session);
    void leave(Session& session);

private:
    struct Kept {
        radd::Event event;  ///< Without payload and changes, which the message has.
        radd::StreamMessage message;
    };
    void forget(std::int64_t position);  ///< With the mutex held.

    radd::EventLog& log_;
    mutable std::mutex mutex_;
    std::deque<Kept> kept_;
    std::size_t kept_bytes_ = 0;
    std::int64_t kept_after_ = 0;  ///< Events past this id are kept, all of them.
    std::optional<std::int64_t> position_;
    std::unordered_set<Session*> live_;
};

}  // namespace realtime

#pragma once

/// One client of the feed, and how far it has come.

#include <cstdint>
#include <optional>
#include <string_view>

#include "filter.hpp"
#include "hub.hpp"
#include <radd/event_log.hpp>
#include <radd/stream.hpp>

namespace realtime {

/// Who has missed more ids than this is told to load afresh: by then that is less to read.
inline constexpr std::int64_t resume_ids_max = 10'000;

/// The message of one event, alike whether it is live or looked up.
[[nodiscard]] radd::StreamMessage message_of(const radd::EventLog& log, const radd::Event& event);

/// Catches up from the database, then from what the hub keeps, and is live from there on: each
/// event once, in order. A client that does not keep up falls back to catching up, so a burst costs
/// it time and not events.
class Session final : public radd::StreamSession {
public:
    /// @param reader Sees what this role may read.
    /// @param last_seen Empty: begin now.
    Session(Hub& hub,
            radd::EventLog& log,
            radd::Role reader,
            Filter filter,
            std::optional<std::int64_t> last_seen);
    ~Session() override;

    void refill(radd::StreamClient& client) override;

private:
    friend class Hub;  // offer() and lag(), which it calls with its own mutex held.

    /// False: the client takes no more, and nothing has changed.
    [[nodiscard]] bool offer(const radd::Event& event, const radd::StreamMessage& message);
    [[nodiscard]] bool wants(const radd::Event& event) const;
    [[nodiscard]] bool begin(std::int64_t position);
    [[nodiscard]] bool catch_up(std::int64_t position);
    [[nodiscard]] bool tell(std::string_view name, std::string_view reason, std::int64_t head);
    [[nodiscard]] bool is_there(std::int64_t id);

    Hub& hub_;
    radd::EventLog& log_;
    const radd::Role reader_;
    const Filter filter_;
    radd::StreamClient* client_ = nullptr;  ///< Set before the hub gets to know this.
    /// The last event that was sent or does not match. Of the hub while it is live, else of
    /// refill(). Empty: it begins now.
    std::optional<std::int64_t> after_;
    /// Another process may be a little ahead of this one: what the client saw there is no mistake.
    bool is_ahead_ = false;
};

}  // namespace realtime

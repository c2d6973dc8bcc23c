#pragma once

/// What an operator sees of deliveries and does to them, from any process.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <host/db/session.hpp>
#include <radd/delivery.hpp>
#include <radd/error.hpp>

namespace radd::delivery {

/// As they are stored.
inline constexpr std::array<std::string_view, 4> delivery_states{
    "pending", "delivered", "dead", "cancelled"};

/// One queue at a glance. Of what is pending and what is dead at most counted_max rows are looked
/// at; `approximate`: there are more.
struct QueueStatus {
    static constexpr std::int64_t counted_max = 10'000;

    std::string name;
    std::int64_t pending = 0;    ///< Not finished, those below included.
    std::int64_t due = 0;        ///< To be attempted now.
    std::int64_t under_way = 0;  ///< Being attempted now.
    std::int64_t dead = 0;       ///< Dead letters that nobody has replayed.
    std::optional<std::int64_t> oldest_due_s{};
    bool approximate = false;
};

/// One lane of a queue, exactly.
struct LaneStatus {
    std::string lane;
    std::int64_t pending = 0;
    std::int64_t due = 0;
    std::int64_t under_way = 0;
    std::int64_t dead = 0;
    std::optional<std::string> next_attempt_at{};  ///< The first of what is not under way.
};

/// A row of radd.deliveries without its payload. Times are UTC.
struct StoredDelivery {
    std::int64_t id;
    std::string uid;
    std::string queue;
    std::string lane;
    std::string state;
    bool under_way;
    std::int64_t attempts;  ///< Begun.
    std::optional<std::int64_t> event_id{};
    std::string created_at;
    std::optional<std::string> next_attempt_at{};  ///< Empty while under way and when finished.
    std::optional<std::string> last_attempt_at{};
    std::optional<std::string> last_error{};
    std::optional<std::string> finished_at{};
    std::optional<std::int64_t> replay_of{};    ///< The delivery that this one repeats.
    std::optional<std::int64_t> replayed_as{};  ///< The latest that repeats this one.
};

/// Which deliveries to list; what is empty does not narrow.
struct DeliveryFilter {
    std::optional<std::string> queue{};
    std::optional<std::string> lane{};
    std::optional<std::string> state{};
    std::optional<std::int64_t> event_id{};
    std::optional<std::int64_t> before{};  ///< Only lower ids.
};

/// What a replay of dead letters will send again.
struct DeadLetters {
    std::int64_t deliveries = 0;  ///< At most deliveries_replayed_max.
    std::int64_t lanes = 0;
    std::optional<std::int64_t> first_id{};
    std::optional<std::int64_t> last_id{};
};

/// There is no delivery of that id: the field is "id".
class UnknownDelivery : public InvalidInput {
public:
    using InvalidInput::InvalidInput;
};

/// There is no such queue: the field is "queue", and the message names the nearest that is known.
class UnknownQueue : public InvalidInput {
public:
    using InvalidInput::InvalidInput;
};

/// Works on the rows alone, so it needs no running host; a host that runs takes what was queued
/// at its next look, half a second later at most. Every call is a transaction of its own.
/// @throws Unavailable, SqlError as Session::query().
class DeliveryOperations {
public:
    static constexpr std::int64_t lanes_listed_max = 500;

    /// `declared`: queues that are known though nothing was ever queued in them.
    explicit DeliveryOperations(db::Session& session, std::vector<std::string> declared = {})
        : session_{&session}, declared_{std::move(declared)} {}

    /// All that are declared or have rows, by name.
    [[nodiscard]] std::vector<QueueStatus> queues();
    /// Of what is pending or dead, those with most dead letters first; at most lanes_listed_max.
    /// @throws UnknownQueue
    [[nodiscard]] std::vector<LaneStatus> lanes(const std::string& queue);

    /// Newest first.
    [[nodiscard]] std::vector<StoredDelivery> list(const DeliveryFilter& filter,
                                                   std::int64_t rows_max);
    /// @throws UnknownDelivery
    [[nodiscard]] StoredDelivery find(std::int64_t id);
    /// Byte for byte as it was queued. @throws UnknownDelivery
    [[nodiscard]] std::string payload_text(std::int64_t id);

    /// Queues a finished delivery again, as a new one: its id. @throws UnknownDelivery;
    /// InvalidInput with field "id" if it is not finished.
    std::int64_t replay(std::int64_t id);
    /// As DeliveryQueue::replay_dead(). @throws UnknownQueue
    std::int64_t replay_dead(const std::string& queue, const ReplayFilter& filter);
    /// What replay_dead() would repeat.
    [[nodiscard]] DeadLetters preview_dead(const std::string& queue, const ReplayFilter& filter);

    /// It is attempted no more; an attempt under way may still arrive. @throws UnknownDelivery;
    /// InvalidInput with field "id" if it is finished.
    void cancel(std::int64_t id, std::string_view reason);
    /// As DeliveryQueue::cancel_lane(): StoredQueue::cancelled_max at most. @throws UnknownQueue
    std::int64_t cancel_lane(const std::string& queue,
                             const std::string& lane,
                             std::string_view reason);
    /// How many wait in a lane. @throws UnknownQueue
    [[nodiscard]] std::int64_t waiting_in(const std::string& queue, const std::string& lane);

private:
    void require_known(const std::string& queue);

    db::Session* session_;
    std::vector<std::string> declared_;
};

}  // namespace radd::delivery

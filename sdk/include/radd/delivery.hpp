#pragma once

/// What leaves the instance and must arrive, though the other end is away for hours: rows with
/// attempts.
///
/// A consumer plans by writing rows (DeliveryQueue::enqueue) in its own transaction; the host's
/// workers take due rows, call the queue's DeliveryHandler without any transaction open, and
/// record what came of it. At least once: an attempt is counted before it begins, so a process
/// that dies between the attempt and its record repeats it once, and never without end. Nothing
/// is promised about order: a delivery that waits for its next attempt is overtaken.
///
/// All times are the database's, whatever the clocks of the hosts say.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <radd/event.hpp>
#include <radd/json_text.hpp>
#include <radd/transaction.hpp>

namespace radd {

class Services;

inline constexpr std::size_t delivery_payload_bytes_max = std::size_t{1024} * 1024;
inline constexpr std::size_t delivery_lane_bytes_max = 200;
inline constexpr std::size_t delivery_key_bytes_max = 200;
inline constexpr std::size_t delivery_detail_bytes_max = 2000;  ///< Longer ones are cut.
inline constexpr std::size_t delivery_schedule_length_max = 50;
inline constexpr std::size_t deliveries_replayed_max = 10'000;  ///< By one call.
/// A receiver that asks for more than its rung waits at most this much longer.
inline constexpr std::chrono::seconds retry_after_extra_max{7200};

/// A delivery about to be queued.
struct NewDelivery {
    std::string lane;    ///< Whose turn it is: one receiver. 1 to 200 bytes.
    JsonText payload{};  ///< What the handler needs; kept byte for byte, at most 1 MiB.
    std::optional<std::int64_t> event_id{};  ///< The event it tells of.
    /// At most one delivery of a queue has this key, for as long as its row is kept.
    std::optional<std::string> key{};
};

/// One attempt of a delivery, as its handler sees it.
struct Delivery {
    std::int64_t id = 0;
    std::string uid{};  ///< A uuid: the same in all attempts, another in a replay.
    std::string lane{};
    std::string payload_text{};  ///< As it was queued, byte for byte.
    std::optional<std::int64_t> event_id{};
    std::int32_t attempt = 1;  ///< 1 for the first.
    Timestamp created_at{};
    std::optional<std::int64_t> replay_of{};  ///< The delivery that this one repeats.
};

/// What came of an attempt. `detail` is shown to operators: no secrets.
struct AttemptResult {
    enum class Outcome : std::uint8_t {
        delivered,    ///< Done.
        failed,       ///< Tried again by the schedule; dead after its last rung.
        unreachable,  ///< As failed, and counted by the breaker of its lane.
        dead,         ///< No attempt will succeed: a dead letter at once.
        cancelled,    ///< Nobody wants it any more; no dead letter.
    };

    Outcome outcome = Outcome::failed;
    std::string detail{};
    /// What the receiver asked for. The next attempt comes after the longer of this and the rung,
    /// and not later than retry_after_extra_max after the rung.
    std::optional<std::chrono::seconds> retry_after{};
    /// For settled() alone: neither shown nor kept.
    std::string note{};

    [[nodiscard]] static AttemptResult delivered(std::string detail = {}) {
        return {.outcome = Outcome::delivered, .detail = std::move(detail)};
    }
    [[nodiscard]] static AttemptResult failed(
        std::string detail, std::optional<std::chrono::seconds> retry_after = std::nullopt) {
        return {
            .outcome = Outcome::failed, .detail = std::move(detail), .retry_after = retry_after};
    }
    [[nodiscard]] static AttemptResult unreachable(std::string detail) {
        return {.outcome = Outcome::unreachable, .detail = std::move(detail)};
    }
    [[nodiscard]] static AttemptResult dead(std::string detail) {
        return {.outcome = Outcome::dead, .detail = std::move(detail)};
    }
    [[nodiscard]] static AttemptResult cancelled(std::string detail) {
        return {.outcome = Outcome::cancelled, .detail = std::move(detail)};
    }
};

/// What the queue made of a result, and when.
struct Settled {
    AttemptResult result{};
    bool is_final = false;  ///< Delivered, dead or cancelled: there is no next attempt.
    bool is_dead = false;   ///< It has become a dead letter, by its result or by the schedule.
};

/// Makes the attempts of one queue. [any-thread: up to `concurrency` of the queue's own at once]
class RADD_EXPORT DeliveryHandler {
public:
    DeliveryHandler() = default;
    DeliveryHandler(const DeliveryHandler&) = delete;
    DeliveryHandler& operator=(const DeliveryHandler&) = delete;
    virtual ~DeliveryHandler();

    /// One attempt, within the spec's `timeout`; no transaction is open, and a handler may open
    /// one of its own. A throw is a failed attempt with its text; Unavailable is unreachable.
    virtual AttemptResult attempt(const Delivery& delivery) = 0;

    /// In the transaction that records the result: for an attempt log, a notice, an endpoint that
    /// is switched off. A throw undoes this work, is logged, and the result is recorded all the
    /// same. Not called when the result came too late to count, because the delivery was
    /// cancelled or another attempt had begun.
    virtual void settled(Transaction&, const Delivery&, const Settled&) {}
};

struct DeliveryQueueSpec {
    std::string name;  ///< `<plugin>.<what>`, unique over all plugins, kept for ever.
    /// Waits after the first, second, … failed attempt; after one more the delivery is dead.
    /// Empty: one attempt. Asked for each result, so that a changed schedule holds at once.
    std::function<std::vector<std::chrono::seconds>(Services&)> schedule;
    double jitter = 0.1;  ///< Each wait is stretched by up to this share at random, 0 to 1.
    std::chrono::milliseconds timeout{std::chrono::seconds{30}};  ///< Of one attempt.
    std::int32_t concurrency = 16;      ///< Attempts of this process at once, 1 to 256.
    std::int32_t lane_concurrency = 4;  ///< Of these, of one lane that answers well.
    /// After so many unreachable attempts of a lane in a row it rests, and its rows wait.
    std::int32_t breaker_after = 5;
    std::chrono::milliseconds breaker_for{std::chrono::seconds{30}};
    std::chrono::hours keep_finished{24 * 30};  ///< Then the row of a finished delivery goes.
    /// [boot-thread] Called once per process.
    std::function<std::unique_ptr<DeliveryHandler>(Services&)> make;
};

/// Which finished deliveries to repeat.
struct ReplayFilter {
    std::optional<std::string> lane{};
    std::optional<std::int64_t> first_id{};  ///< Inclusive.
    std::optional<std::int64_t> last_id{};   ///< Inclusive.
};

/// One queue of a plugin, by Services::deliveries(name). [any-thread]
class RADD_EXPORT DeliveryQueue {
public:
    DeliveryQueue() = default;
    DeliveryQueue(const DeliveryQueue&) = delete;
    DeliveryQueue& operator=(const DeliveryQueue&) = delete;
    virtual ~DeliveryQueue();

    /// Queues in `tx`: due from its commit on, and never if it rolls back. How many were queued:
    /// those whose key is taken are passed. One statement.
    /// @throws InvalidInput past a limit or if a payload is no JSON; as Transaction::query().
    std::int64_t enqueue(Transaction& tx, const NewDelivery& delivery) {
        return do_enqueue(tx, {&delivery, 1});
    }
    std::int64_t enqueue(Transaction& tx, std::span<const NewDelivery> deliveries) {
        return do_enqueue(tx, deliveries);
    }

    /// Queues a finished delivery again, as a new one. Its id; empty: there is no such delivery
    /// in this queue, or it is not finished.
    virtual std::optional<std::int64_t> replay_one(Transaction& tx, std::int64_t id) = 0;

    /// The same for all dead letters within `filter` that have not been replayed, the oldest
    /// first and at most deliveries_replayed_max: how many. Call again while it is that many.
    virtual std::int64_t replay_dead(Transaction& tx, const ReplayFilter& filter) = 0;

    /// Cancels up to 10000 that wait in a lane or are under way, unless being recorded: how many.
    virtual std::int64_t cancel_lane(Transaction& tx,
                                     std::string_view lane,
                                     std::string_view reason) = 0;

private:
    virtual std::int64_t do_enqueue(Transaction& tx, std::span<const NewDelivery> deliveries) = 0;
};

}  // namespace radd

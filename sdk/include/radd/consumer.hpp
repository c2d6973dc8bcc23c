#pragma once

/// Reading events back, and acting on them.
///
/// A consumer is a named reader with one cursor and one owner at a time over all hosts. A plugin
/// derives from the shape whose guarantee it needs:
///
///   HeadSeededConsumer  outward: at most once outside, exactly once in the database
///   ProjectionConsumer  builds state from the whole stream: exactly once in the database
///   BootstrapConsumer   the same, and it knows what was there before it: no news from the past
///   PerEventConsumer    one transaction per event, cursor in it: exactly once per event
///   TailSubscriber      hears in every process what happens, and remembers nothing
///   RelayConsumer       passes the stream on to another engine: at least once
///
/// "In the database" means rows written and events emitted through the Transaction that was lent.

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <radd/transaction.hpp>

namespace radd {

/// Where a consumer begins when its name is met for the first time.
enum class FirstStart : std::uint8_t {
    head,       ///< What happens from now on.
    beginning,  ///< The whole backlog: the replay is the build.
};

/// How the host runs a consumer; fixed by its shape.
struct ConsumerTraits {
    FirstStart first_start = FirstStart::head;
    bool sees_silent = false;            ///< Silent events are offered, not only passed.
    bool transaction_per_event = false;  ///< Else one per batch, each event in a savepoint.
    bool bootstraps = false;             ///< What it has passed or found there is backlog.
};

/// What the host drives. Plugins derive from a shape below, not from this.
///
/// For each event: offer(), then either keep() or drop() for what that offer() planned. Before the
/// cursor moves over what was kept, hand_over(). When the transaction and the cursor in it are
/// committed, deliver_next() until nothing is left; when it
/// was rolled back, forget(). Threads: [loop-thread], never two calls of one consumer at once.
class RADD_EXPORT Consumer {
public:
    Consumer() = default;
    Consumer(const Consumer&) = delete;
    Consumer& operator=(const Consumer&) = delete;
    virtual ~Consumer();

    [[nodiscard]] virtual ConsumerTraits traits() const noexcept = 0;
    virtual void offer(Transaction& tx, const Event& event) = 0;  ///< Inside the transaction.
    /// As offer(), where traits().bootstraps: for an event that was there at the first start, and
    /// for one that the cursor has passed before.
    virtual void offer_backlog(Transaction& tx, const Event& event) { offer(tx, event); }
    virtual void hand_over() {}          ///< A throw undoes all that was kept since the last one.
    virtual void keep() noexcept = 0;    ///< The event's work stands, as far as the batch does.
    virtual void drop() noexcept = 0;    ///< The event's work was rolled back.
    virtual void forget() noexcept = 0;  ///< The whole batch was.

    /// Id of the event whose plan deliver_next() will act on. Empty: nothing is left.
    [[nodiscard]] virtual std::optional<std::int64_t> next_delivery() const noexcept = 0;
    virtual void deliver_next() = 0;  ///< After the commit. Forgets the plan first, then acts.
};

/// Delivers something outside the instance, at most once, and only what happens from now on.
///
/// The first start seeds the cursor at the head of the stream and does nothing else, so a
/// plugin switched on today tells nobody about yesterday. Silent events are never offered.
template <typename Plan>
class HeadSeededConsumer : public Consumer {
public:
    /// Decides what `event` calls for, and writes what must be written to remember it.
    /// A throw rolls back this event's writes and skips it, and no other: the host keeps it in
    /// radd.skipped_events, from where an operator can have it planned again. Unavailable is the
    /// exception: it ends the batch, which is planned again.
    virtual std::optional<Plan> plan(Transaction& tx, const Event& event) = 0;

    /// Acts, once the plan and the cursor are both on disk. There is no transaction to take part
    /// in and no second call: what must be retried belongs in rows of its own. A throw is logged
    /// and recorded, and loses this delivery and no other.
    virtual void deliver(const Plan& plan) = 0;

private:
    [[nodiscard]] ConsumerTraits traits() const noexcept final { return {}; }
    void offer(Transaction& tx, const Event& event) final {
        staged_.reset();
        if (auto planned = plan(tx, event)) staged_.emplace(event.id, *std::move(planned));
    }
    void keep() noexcept final {
        if (staged_) plans_.push_back(*std::move(staged_));
        staged_.reset();
    }
    void drop() noexcept final { staged_.reset(); }
    void forget() noexcept final {
        staged_.reset();
        plans_.clear();
    }
    [[nodiscard]] std::optional<std::int64_t> next_delivery() const noexcept final {
        return plans_.empty() ? std::nullopt : std::optional{plans_.front().first};
    }
    void deliver_next() final {
        const auto next = std::move(plans_.front());
        plans_.pop_front();  // Before the call, so that a throw cannot make it due again.
        deliver(next.second);
    }

    std::optional<std::pair<std::int64_t, Plan>> staged_;
    std::deque<std::pair<std::int64_t, Plan>> plans_;
};

/// A consumer that only writes to the database; what both shapes below have in common.
class RADD_EXPORT WritingConsumer : public Consumer {
private:
    void keep() noexcept final {}
    void drop() noexcept final {}
    void forget() noexcept final {}
    [[nodiscard]] std::optional<std::int64_t> next_delivery() const noexcept final { return {}; }
    void deliver_next() final {}
};

/// Builds state from the whole stream, silent events included: a search index, a read model.
///
/// Begins at the first event ever, so replaying the stream is how it is built.
class RADD_EXPORT ProjectionConsumer : public WritingConsumer {
public:
    /// Brings the projection up to date with `event`. Writes and cursor land together. A throw is
    /// handled as HeadSeededConsumer::plan says.
    virtual void project(Transaction& tx, const Event& event) = 0;

private:
    [[nodiscard]] ConsumerTraits traits() const noexcept final {
        return {.first_start = FirstStart::beginning, .sees_silent = true};
    }
    void offer(Transaction& tx, const Event& event) final { project(tx, event); }
};

/// Builds state from the whole stream and then acts on news, in the database: watchers from the
/// past, notices only of what happens from now on. Silent events are never offered.
///
/// The first start begins at the first event ever. What was there by then goes to bootstrap(),
/// what comes after to project(), each exactly once in the database. An event that a seek brings
/// back, or a retry of a skipped one of the backlog, goes to bootstrap() as well: nothing is news
/// twice.
class RADD_EXPORT BootstrapConsumer : public WritingConsumer {
public:
    /// Takes over what `event` leaves behind, and tells nobody. A throw is handled as
    /// HeadSeededConsumer::plan says.
    virtual void bootstrap(Transaction& tx, const Event& event) = 0;
    /// The same, and acts on it: it has just happened.
    virtual void project(Transaction& tx, const Event& event) = 0;

private:
    [[nodiscard]] ConsumerTraits traits() const noexcept final {
        return {.first_start = FirstStart::beginning, .bootstraps = true};
    }
    void offer(Transaction& tx, const Event& event) final { project(tx, event); }
    void offer_backlog(Transaction& tx, const Event& event) final { bootstrap(tx, event); }
};

/// Acts on each event in a transaction of its own, with the cursor in it: one event's failure or
/// a crash between two events repeats nothing.
class RADD_EXPORT PerEventConsumer : public WritingConsumer {
public:
    /// A throw is handled as HeadSeededConsumer::plan says.
    virtual void handle(Transaction& tx, const Event& event) = 0;

    [[nodiscard]] virtual FirstStart first_start() const noexcept { return FirstStart::head; }
    [[nodiscard]] virtual bool sees_silent() const noexcept { return false; }

private:
    [[nodiscard]] ConsumerTraits traits() const noexcept final {
        return {.first_start = first_start(),
                .sees_silent = sees_silent(),
                .transaction_per_event = true};
    }
    void offer(Transaction& tx, const Event& event) final { handle(tx, event); }
};

/// Hears of events as they happen, in every process, those without workers too: the feed of whoever
/// is connected to this one. There is no cursor, no transaction and no owner; what was heard is
/// gone with the process, and nothing is repeated.
///
/// [loop-thread] of its own, so that one that hangs delays nobody; it only falls behind, and what
/// the shared buffer of the tail no longer holds by then is named by missed().
class RADD_EXPORT TailSubscriber {
public:
    TailSubscriber() = default;
    TailSubscriber(const TailSubscriber&) = delete;
    TailSubscriber& operator=(const TailSubscriber&) = delete;
    virtual ~TailSubscriber();

    /// From now on what comes after `head` is heard. Called first, and again if the stream went
    /// back because the database was restored: what was heard past `head` is void then.
    virtual void began(std::int64_t head) = 0;

    /// The next event, in order of id, never a silent one. It is lent for the call. A throw is
    /// logged, and the event is not offered again.
    virtual void heard(const Event& event) = 0;

    /// Events after `after` and up to `through` were there and will not be offered: this
    /// subscriber was too slow. They are in the database.
    virtual void missed(std::int64_t after, std::int64_t through) = 0;
};

/// Passes the stream on to another engine, in order, at least once: each batch is handed over
/// before the cursor moves, so a crash in between hands it over again. The receiver tells copies
/// by Event::id.
class RADD_EXPORT RelayConsumer : public Consumer {
public:
    /// Hands `events` over, all or none as far as the receiver can; returns when they are safe
    /// there. No transaction is open, save in a retry. Unavailable: it is away, and the events come
    /// again after a pause. Any other throw: they come one at a time, and the one that throws alone
    /// is recorded as skipped and passed; an operator can have it handed over again.
    virtual void relay(std::span<const Event> events) = 0;

    [[nodiscard]] virtual FirstStart first_start() const noexcept { return FirstStart::head; }
    [[nodiscard]] virtual bool sees_silent() const noexcept { return false; }

private:
    [[nodiscard]] ConsumerTraits traits() const noexcept final {
        return {.first_start = first_start(), .sees_silent = sees_silent()};
    }
    void offer(Transaction&, const Event& event) final { staged_ = event; }
    void keep() noexcept final {
        if (staged_) kept_.push_back(*staged_);
        staged_.reset();
    }
    void drop() noexcept final { staged_.reset(); }
    void forget() noexcept final {
        staged_.reset();
        kept_.clear();
    }
    void hand_over() final {
        if (kept_.empty()) return;
        relay(kept_);
        kept_.clear();
    }
    [[nodiscard]] std::optional<std::int64_t> next_delivery() const noexcept final { return {}; }
    void deliver_next() final {}

    std::optional<Event> staged_;  // A copy: events are lent for the call.
    std::vector<Event> kept_;
};

/// Work by the clock and not by the stream: an SLA clock, a digest, a retry loop.
///
/// One owner at a time over all hosts, like a consumer. Threads: [loop-thread].
class RADD_EXPORT PeriodicTask {
public:
    PeriodicTask() = default;
    PeriodicTask(const PeriodicTask&) = delete;
    PeriodicTask& operator=(const PeriodicTask&) = delete;
    virtual ~PeriodicTask();

    /// Time from the end of one tick to the start of the next, read each time. The host makes it
    /// at least `interval_min`, so a mistaken zero cannot spin.
    [[nodiscard]] virtual std::chrono::milliseconds interval() const = 0;
    static constexpr std::chrono::milliseconds interval_min{10};

    /// Read before each tick: false lets the tick pass.
    [[nodiscard]] virtual bool enabled() const { return true; }

    /// Does one round. True: there is more to do, tick again at once; the host still stops between
    /// two ticks. A throw is logged, and the next tick comes after its interval.
    virtual bool tick() = 0;
};

}  // namespace radd

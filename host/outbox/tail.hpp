#pragma once

/// The one reader of the stream in this process: it decides what is final, and shares it.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <host/db/session.hpp>
#include <host/outbox/event_reader.hpp>
#include <host/outbox/stream_holder.hpp>
#include <radd/clock.hpp>
#include <radd/event.hpp>
#include <radd/services.hpp>

namespace radd::outbox {

struct TailOptions {
    std::chrono::milliseconds poll_busy{1};   ///< While events come, and for `busy_for` after.
    std::chrono::milliseconds poll_idle{60};  ///< Where backing off ends.
    std::chrono::milliseconds busy_for{1000};
    std::size_t buffer_bytes_max = 32U << 20U;  ///< Payload bytes kept for consumers near head.
    std::size_t batch_rows_max = 1000;
    std::size_t batch_bytes_max = 2U << 20U;  ///< Also of a statement; each consumer may hold one.
    std::chrono::milliseconds publish_every{100};  ///< How often radd.stream is brought up to date.
    /// Lent. Spreads the attempts of hosts that lost the same database; null: they are not.
    Random* random = nullptr;
};

/// Reads rows in id order and never passes an id that could still appear (the settle rule of
/// design §4). Owns one session and one thread; survives any database outage by backing off.
/// [any-thread] but for start() and stop().
class Tail {
public:
    Tail(db::ConnectOptions connect, TailOptions options, Clock& clock, Log& log);
    ~Tail();

    /// Returns once the position is known, at most `timeout` later. `waiting` is called again and
    /// again meanwhile; what it throws ends the wait. @throws Unavailable. Stopped if it throws.
    void start(std::chrono::milliseconds timeout = std::chrono::seconds{10},
               const std::function<void()>& waiting = {});

    /// Returns within `stop_wait` and `cut_wait`, also when the database hangs. False: the thread
    /// sits in an attempt to connect, and is left behind with what it uses; clock and log must
    /// outlive it, so the process must end with std::_Exit. Safe twice, and without start().
    bool stop();
    static constexpr std::chrono::milliseconds stop_wait{250};  ///< For a statement under way.
    static constexpr std::chrono::milliseconds cut_wait{200};   ///< Once its connection was cut.

    /// Id of the last row that is safe to read: the head. 0 for an empty stream. Goes back only if
    /// the database did (a restore, or asynchronous commits lost in a crash), which is logged.
    [[nodiscard]] std::int64_t position() const noexcept;

    /// Final events after `after`, in order, at most `rows` and about `batch_bytes_max`: from the
    /// shared buffer where it reaches that far back, else read with `session` (`own_read` set).
    /// Empty when `after` is at the head, and now and then elsewhere only while the database is
    /// away. @throws as Session::query(), for own reads.
    struct Batch {
        std::vector<SharedEvent> events;
        bool own_read = false;
    };
    [[nodiscard]] Batch read(db::Session& session, std::int64_t after, std::size_t rows);

    /// The same from the buffer alone: empty optional when it does not reach back to `after`.
    [[nodiscard]] std::optional<std::vector<SharedEvent>> read_buffered(std::int64_t after,
                                                                        std::size_t rows) const;

    /// Waits until there is an event to read after `after`, at most `timeout`; true if so. That is
    /// position() > after, but for a moment after a reconnection, when the tail knows less.
    bool wait(std::int64_t after, std::chrono::milliseconds timeout) const;
    void wake() noexcept;               ///< This host committed events: look now.
    void interrupt_waiters() noexcept;  ///< Every wait() returns early, once.

    /// Set while a hole is older than 1 s.
    [[nodiscard]] std::optional<StreamHolder> waiting_on() const;

    /// Since the start of the process.
    struct Counts {
        std::uint64_t polls = 0;
        std::uint64_t events = 0;
        std::size_t buffer_bytes = 0;  ///< At this moment.
        /// When it last looked at the stream and was answered; empty before that.
        std::optional<std::chrono::steady_clock::time_point> polled_at{};
    };
    [[nodiscard]] Counts counts() const;

    /// Set while the database cannot be read: since when and why.
    struct Outage {
        std::chrono::steady_clock::time_point since;
        std::string reason;
    };
    [[nodiscard]] std::optional<Outage> outage() const;

private:
    struct State;
    std::shared_ptr<State> state_;  ///< Also the thread's, which may be left behind.
};

}  // namespace radd::outbox

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include <host/db/backoff.hpp>
#include <host/outbox/settling.hpp>
#include <host/outbox/stream_buffer.hpp>
#include <host/outbox/tail.hpp>

namespace radd::outbox {
namespace {

using std::chrono::milliseconds;
using SteadyTime = std::chrono::steady_clock::time_point;

constexpr milliseconds hole_reported_after{1000};
constexpr milliseconds blocked_poll_max{10};  // A look at the locks costs 0.15 ms and more.
constexpr milliseconds look_every{50};        // At a start: whether it is still wanted.
constexpr milliseconds backoff_max{5000};

class Unvaried final : public Random {
public:
    [[nodiscard]] std::uint64_t bits() override { return 0; }
};

}  // namespace

struct Tail::State {
    State(db::ConnectOptions connect_with, TailOptions tail_options, Clock& the_clock, Log& the_log)
        : connect{std::move(connect_with)},
          options{tail_options},
          clock{the_clock},
          log{the_log},
          tail_reader{options.batch_rows_max, options.batch_bytes_max},
          own_reader{options.batch_rows_max, options.batch_bytes_max},
          backoff{options.random != nullptr ? *options.random : unvaried,
                  db::Backoff::first_default,
                  backoff_max},
          buffer{options.buffer_bytes_max} {}

    void run_to_end();
    void run();
    void follow();
    [[nodiscard]] bool wait_until_known(milliseconds timeout, const std::function<void()>& waiting);
    void begin_at(std::int64_t last_row, std::int64_t head);
    void accept(const Settling::Step& step);
    void publish_if_due(Settling& settling);
    void watch_hole(db::Session& session, const Settling& settling);
    void report_set_back(const Settling& settling);
    void note_outage(const std::string& reason, milliseconds delay);
    void pause(milliseconds time);
    [[nodiscard]] milliseconds next_poll(const Settling& settling, bool moved);

    const db::ConnectOptions connect;
    const TailOptions options;
    Clock& clock;
    Log& log;
    EventReader tail_reader;
    EventReader own_reader;
    Unvaried unvaried;
    const db::Backoff backoff;

    mutable std::mutex mutex;
    mutable std::condition_variable advanced;  ///< For wait() and start().
    std::condition_variable woken;             ///< For the thread of the tail.
    StreamBuffer buffer;
    std::atomic<std::int64_t> position{0};
    std::int64_t readable = 0;  ///< Last row known to be final on the present connection.
    bool is_known = false;
    bool is_woken = false;
    bool is_stopping = false;
    std::uint64_t interruptions = 0;
    std::optional<StreamHolder> holder{};
    std::optional<Outage> outage{};
    Counts counts{};                 ///< But for `buffer_bytes`.
    db::Session* session = nullptr;  ///< The tail's own, while it is connected.
    bool has_ended = false;
    bool is_left_behind = false;

    // The rest belongs to the thread of the tail.
    std::int64_t failures = 0;  ///< In a row.
    milliseconds poll{1};
    SteadyTime busy_until{};
    SteadyTime published_at{};
    SteadyTime hole_since{};
    SteadyTime hole_asked_at{};
    std::int64_t hole_at = -1;
    bool is_set_back = false;

    std::thread thread;  ///< Last: it uses everything above.
};

void Tail::State::run_to_end() {
    run();
    {
        const std::scoped_lock lock{mutex};
        has_ended = true;
    }
    advanced.notify_all();
}

void Tail::State::run() {
    while (true) {
        milliseconds delay{0};
        try {
            follow();
        } catch (const std::exception& error) {
            delay = backoff.after(++failures);
            note_outage(error.what(), delay);
        }
        {
            const std::scoped_lock lock{mutex};
            if (is_stopping) return;
        }
        pause(delay);
    }
}

/// Follows the stream until stop() or an error. Nothing that was learned of holders outlives it.
void Tail::State::follow() {
    db::Session own{connect};
    {
        const std::scoped_lock lock{mutex};
        if (is_stopping) return;
        session = &own;
    }
    struct Unregister {
        State& state;
        ~Unregister() {
            const std::scoped_lock lock{state.mutex};
            state.session = nullptr;
        }
    } unregister{*this};

    Settling settling{own, tail_reader};
    const auto last_row = settling.start();
    begin_at(last_row, settling.head());
    published_at = clock.steady_now();
    while (true) {
        const auto step = settling.step();
        failures = 0;
        accept(step);
        publish_if_due(settling);
        watch_hole(own, settling);
        report_set_back(settling);
        if (!step.more) pause(next_poll(settling, !step.events.empty()));
        const std::scoped_lock lock{mutex};
        if (is_stopping) return;
    }
}

bool Tail::State::wait_until_known(milliseconds timeout, const std::function<void()>& waiting) {
    const auto end = clock.steady_now() + timeout;
    std::unique_lock lock{mutex};
    while (!is_known && clock.steady_now() < end) {
        advanced.wait_for(lock, look_every, [this] { return is_known; });
        if (is_known || !waiting) continue;
        lock.unlock();
        waiting();
        lock.lock();
    }
    return is_known;
}

void Tail::State::begin_at(std::int64_t last_row, std::int64_t head) {
    {
        const std::scoped_lock lock{mutex};
        if (outage)
            log.info("tail: the database is back; reading on after event " +
                     std::to_string(last_row));
        outage.reset();
        buffer.restart(last_row);
        readable = last_row;
        if (head < position) {
            log.error("tail: the stream went back from event " + std::to_string(position.load()) +
                      " to " + std::to_string(last_row) +
                      ": the database was restored, or lost asynchronous commits in a crash; "
                      "cursors in it went back with it, effects outside it did not");
            position = last_row;
        }
        position = std::max(position.load(), last_row);
        is_known = true;
    }
    advanced.notify_all();
}

void Tail::State::accept(const Settling::Step& step) {
    const auto now = clock.steady_now();
    {
        const std::scoped_lock lock{mutex};
        ++counts.polls;
        counts.polled_at = now;
        if (step.events.empty()) return;
        counts.events += step.events.size();
        buffer.append(step.events);
        readable = step.events.back()->id;
        position = std::max(position.load(), readable);
    }
    advanced.notify_all();
}

void Tail::State::publish_if_due(Settling& settling) {
    if (settling.published() >= settling.settled()) return;
    const auto now = clock.steady_now();
    if (now - published_at < options.publish_every) return;
    published_at = now;
    settling.publish();
}

/// A hole is somebody's open transaction. Named once it is old enough to matter to a person.
void Tail::State::watch_hole(db::Session& own, const Settling& settling) {
    const auto now = clock.steady_now();
    if (!settling.is_blocked() || settling.settled() != hole_at) {
        hole_at = settling.is_blocked() ? settling.settled() : -1;
        hole_since = hole_asked_at = now;
        const std::scoped_lock lock{mutex};
        holder.reset();
        return;
    }
    if (now - hole_asked_at < hole_reported_after) return;
    hole_asked_at = now;

    auto found = find_holder(own,
                             settling.holder(),
                             hole_at + 1,
                             std::chrono::duration_cast<milliseconds>(now - hole_since));
    const std::scoped_lock lock{mutex};
    holder = std::move(found);
}

void Tail::State::report_set_back(const Settling& settling) {
    const bool now_set_back = settling.head() < settling.settled();
    if (now_set_back && !is_set_back) {
        const auto settled = std::to_string(settling.settled());
        log.error("tail: the id sequence was set back to " + std::to_string(settling.head()) +
                  " while events up to " + settled +
                  " have been read: what is appended now gets ids that every consumer has passed; "
                  "run SELECT setval('radd.events_id_seq', " +
                  settled + ")");
    }
    is_set_back = now_set_back;
}

void Tail::State::note_outage(const std::string& reason, milliseconds delay) {
    {
        const std::scoped_lock lock{mutex};
        if (is_stopping) return;
        if (!outage) outage = Outage{.since = clock.steady_now(), .reason = reason};
        outage->reason = reason;
        holder.reset();
        hole_at = -1;
    }
    log.warn("tail: cannot read the stream: " + reason + "; trying again in " +
             std::to_string(delay.count()) + " ms");
    advanced.notify_all();
}

void Tail::State::pause(milliseconds time) {
    std::unique_lock lock{mutex};
    woken.wait_for(lock, time, [this] { return is_woken || is_stopping; });
    is_woken = false;
}

milliseconds Tail::State::next_poll(const Settling& settling, bool moved) {
    const auto now = clock.steady_now();
    if (moved) busy_until = now + options.busy_for;
    if (settling.is_blocked()) {
        poll =
            std::clamp(poll * 2, options.poll_busy, std::max(blocked_poll_max, options.poll_busy));
        const bool is_young = now - hole_since < milliseconds{100};
        return is_young ? options.poll_busy : poll;
    }
    const bool is_busy = now < busy_until;
    poll = is_busy ? options.poll_busy : std::min(poll * 2, options.poll_idle);
    return poll;
}

Tail::Tail(db::ConnectOptions connect, TailOptions options, Clock& clock, Log& log)
    : state_{std::make_shared<State>(std::move(connect), options, clock, log)} {}

Tail::~Tail() {
    stop();
}

void Tail::start(milliseconds timeout, const std::function<void()>& waiting) {
    state_->thread = std::thread{[state = state_] { state->run_to_end(); }};
    try {
        if (state_->wait_until_known(timeout, waiting)) return;
        std::string reason = "no answer within " + std::to_string(timeout.count()) + " ms";
        if (const auto known = outage()) reason = known->reason;
        throw Unavailable{"tail: the stream cannot be read: " + reason};
    } catch (...) {
        stop();
        throw;
    }
}

bool Tail::stop() {
    State& state = *state_;
    {
        std::unique_lock lock{state.mutex};
        state.is_stopping = true;
        state.woken.notify_all();
        state.advanced.notify_all();
        if (!state.thread.joinable()) return !state.is_left_behind;
        const auto has_ended = [&state] { return state.has_ended; };
        if (!state.advanced.wait_for(lock, stop_wait, has_ended)) {
            // A statement that hangs, or that is long: its answer is nobody's business any more.
            if (state.session) state.session->cut();
            state.is_left_behind = !state.advanced.wait_for(lock, cut_wait, has_ended);
        }
    }
    if (!state.is_left_behind) {
        state.thread.join();
        return true;
    }
    state.log.error("tail: an attempt to connect does not end; its thread is left behind");
    state.thread.detach();
    return false;
}

std::int64_t Tail::position() const noexcept {
    return state_->position;
}

Tail::Batch Tail::read(db::Session& session, std::int64_t after, std::size_t rows) {
    std::int64_t through = 0;
    {
        const std::scoped_lock lock{state_->mutex};
        auto buffered = state_->buffer.read(after, rows, state_->options.batch_bytes_max);
        if (buffered) return {.events = std::move(*buffered), .own_read = false};
        through = state_->readable;
    }
    // Everything up to `through` is final, so a window without rows is passed for good.
    auto chunk = state_->own_reader.read(session, after, through, rows);
    return {.events = std::move(chunk.events), .own_read = true};
}

std::optional<std::vector<SharedEvent>> Tail::read_buffered(std::int64_t after,
                                                            std::size_t rows) const {
    const std::scoped_lock lock{state_->mutex};
    return state_->buffer.read(after, rows, state_->options.batch_bytes_max);
}

bool Tail::wait(std::int64_t after, milliseconds timeout) const {
    std::unique_lock lock{state_->mutex};
    const auto before = state_->interruptions;
    state_->advanced.wait_for(lock, timeout, [&] {
        return state_->readable > after || state_->interruptions != before || state_->is_stopping;
    });
    return state_->readable > after;
}

void Tail::wake() noexcept {
    {
        const std::scoped_lock lock{state_->mutex};
        state_->is_woken = true;
    }
    state_->woken.notify_one();
}

void Tail::interrupt_waiters() noexcept {
    {
        const std::scoped_lock lock{state_->mutex};
        ++state_->interruptions;
    }
    state_->advanced.notify_all();
}

std::optional<StreamHolder> Tail::waiting_on() const {
    const std::scoped_lock lock{state_->mutex};
    return state_->holder;
}

Tail::Counts Tail::counts() const {
    const std::scoped_lock lock{state_->mutex};
    Counts found{state_->counts};
    found.buffer_bytes = state_->buffer.bytes();
    return found;
}

std::optional<Tail::Outage> Tail::outage() const {
    const std::scoped_lock lock{state_->mutex};
    return state_->outage;
}

}  // namespace radd::outbox

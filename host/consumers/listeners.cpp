#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include <host/consumers/failure.hpp>
#include <host/consumers/listeners.hpp>

namespace radd::consumers {
namespace {

constexpr std::chrono::milliseconds look_every{1000};  ///< Whether it is still wanted.
constexpr std::size_t batch_rows = 500;
constexpr std::chrono::seconds log_every{10};
constexpr std::size_t failure_bytes_max = 4000;

/// What one subscriber throws, told at most once in log_every.
class Failures {
public:
    Failures(const std::string& name, Clock& clock, Log& log)
        : name_{name}, clock_{clock}, log_{log} {}

    /// Only inside a catch block.
    void note(std::int64_t event_id) {
        ++untold_;
        const auto now = clock_.steady_now();
        if (told_ && now - *told_ < log_every) return;
        told_ = now;
        const auto more =
            untold_ > 1 ? " (and " + std::to_string(untold_ - 1) + " before it)" : std::string{};
        log_.error("tail subscriber " + name_ + ": event " + std::to_string(event_id) + ": " +
                   single_line(describe_current_exception(), failure_bytes_max) + more);
        untold_ = 0;
    }

private:
    const std::string& name_;
    Clock& clock_;
    Log& log_;
    std::uint64_t untold_ = 0;
    std::optional<std::chrono::steady_clock::time_point> told_{};
};

}  // namespace

struct Listeners::Shared {
    struct Listener {
        ListenerSetup setup;
        bool has_ended = false;
        std::thread thread{};
    };

    Shared(outbox::Tail& the_tail, Clock& the_clock, Log& the_log)
        : tail{the_tail}, clock{the_clock}, log{the_log} {}

    void run(Listener& listener);
    std::int64_t listen(TailSubscriber& subscriber, std::int64_t heard, Failures& failures);

    outbox::Tail& tail;
    Clock& clock;
    Log& log;
    std::atomic<bool> is_stopping{false};
    std::mutex mutex;
    std::condition_variable ended;
    std::vector<std::unique_ptr<Listener>> listeners;
};

void Listeners::Shared::run(Listener& listener) {
    TailSubscriber& subscriber = *listener.setup.subscriber;
    Failures failures{listener.setup.name, clock, log};
    auto heard = tail.position();
    const auto guarded = [&](auto&& call) {
        try {
            call();
        } catch (...) {
            failures.note(heard);
        }
    };
    guarded([&] { subscriber.began(heard); });
    while (!is_stopping) {
        if (tail.position() < heard) {
            heard = tail.position();
            guarded([&] { subscriber.began(heard); });
        }
        if (tail.wait(heard, look_every)) heard = listen(subscriber, heard, failures);
    }
    const std::scoped_lock lock{mutex};
    listener.has_ended = true;
    ended.notify_all();
}

/// Offers what came after `heard`, and returns how far it has come.
std::int64_t Listeners::Shared::listen(TailSubscriber& subscriber,
                                       std::int64_t heard,
                                       Failures& failures) {
    const auto through = tail.position();
    const auto events = tail.read_buffered(heard, batch_rows);
    if (!events) {
        try {
            if (through > heard) subscriber.missed(heard, through);
        } catch (...) {
            failures.note(through);
        }
        return through;
    }
    for (const auto& event : *events) {
        if (is_stopping) break;
        heard = event->id;
        if (event->silent) continue;
        try {
            subscriber.heard(*event);
        } catch (...) {
            failures.note(event->id);
        }
    }
    return heard;
}

Listeners::Listeners(std::vector<ListenerSetup> setups, outbox::Tail& tail, Clock& clock, Log& log)
    : shared_{std::make_shared<Shared>(tail, clock, log)} {
    for (auto& setup : setups) {
        shared_->listeners.push_back(
            std::make_unique<Shared::Listener>(Shared::Listener{.setup = std::move(setup)}));
        auto& listener = *shared_->listeners.back();
        listener.thread = std::thread{[shared = shared_, &listener] { shared->run(listener); }};
    }
}

Listeners::~Listeners() {
    stop(std::chrono::milliseconds{0});
}

std::vector<std::string> Listeners::stop(std::chrono::milliseconds grace) {
    Shared& shared = *shared_;
    shared.is_stopping = true;
    shared.tail.interrupt_waiters();
    std::vector<std::string> left;
    std::unique_lock lock{shared.mutex};
    shared.ended.wait_for(lock, grace, [&] {
        for (const auto& listener : shared.listeners)
            if (!listener->has_ended) return false;
        return true;
    });
    for (const auto& listener : shared.listeners) {
        if (!listener->thread.joinable()) continue;
        if (listener->has_ended) {
            lock.unlock();
            listener->thread.join();
            lock.lock();
        } else {
            listener->thread.detach();
            left.push_back(listener->setup.name);
        }
    }
    return left;
}

}  // namespace radd::consumers

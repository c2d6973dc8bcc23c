#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include <host/monitoring/session_thread.hpp>
#include <radd/error.hpp>

namespace radd::monitoring {

struct SessionThread::State {
    State(Parts with, std::shared_ptr<Lookout> whom)
        : parts{std::move(with)}, lookout{std::move(whom)} {}

    void run();
    void turn();
    void drop_session();

    const Parts parts;
    const std::shared_ptr<Lookout> lookout;

    std::mutex mutex;
    std::condition_variable changed;
    std::unique_ptr<db::Session> session;  ///< Changed by the thread under the mutex, used without.
    bool is_woken = false;
    bool is_stopping = false;
    bool has_ended = false;
    bool is_left_behind = false;
    std::thread thread;
};

void SessionThread::State::run() {
    std::unique_lock lock{mutex};
    while (!is_stopping) {
        is_woken = false;
        lock.unlock();
        const auto next = parts.clock.steady_now() + parts.every;
        turn();
        lock.lock();
        const auto left = next - parts.clock.steady_now();
        changed.wait_for(lock, left, [this] { return is_woken || is_stopping; });
    }
    session.reset();
    has_ended = true;
    changed.notify_all();
}

void SessionThread::State::turn() {
    lookout->begin();
    try {
        if (!session || !session->usable()) {
            drop_session();
            auto fresh = std::make_unique<db::Session>(parts.connect);
            const std::scoped_lock lock{mutex};
            if (is_stopping) return;
            session = std::move(fresh);
        }
        lookout->look(*session);
    } catch (const Unavailable& error) {
        drop_session();
        lookout->failed(error.what());
    } catch (const std::exception& error) {
        lookout->failed(error.what());
    }
}

void SessionThread::State::drop_session() {
    const std::scoped_lock lock{mutex};
    session.reset();
}

SessionThread::SessionThread(Parts parts, std::shared_ptr<Lookout> lookout)
    : state_{std::make_shared<State>(std::move(parts), std::move(lookout))} {}

SessionThread::~SessionThread() {
    stop();
}

void SessionThread::start() {
    state_->thread = std::thread{[state = state_] { state->run(); }};
}

void SessionThread::wake() {
    {
        const std::scoped_lock lock{state_->mutex};
        state_->is_woken = true;
    }
    state_->changed.notify_all();
}

bool SessionThread::stop() {
    State& state = *state_;
    {
        std::unique_lock lock{state.mutex};
        state.is_stopping = true;
        state.changed.notify_all();
        if (!state.thread.joinable()) return !state.is_left_behind;
        const auto has_ended = [&state] { return state.has_ended; };
        if (!state.changed.wait_for(lock, stop_wait, has_ended)) {
            if (state.session) state.session->cut();
            state.is_left_behind = !state.changed.wait_for(lock, cut_wait, has_ended);
        }
    }
    if (!state.is_left_behind) {
        state.thread.join();
        return true;
    }
    state.parts.log.error(state.parts.name +
                          ": an attempt to connect does not end; its thread is left behind");
    state.thread.detach();
    return false;
}

}  // namespace radd::monitoring

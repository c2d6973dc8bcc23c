#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <host/signals.hpp>

namespace radd::host {

namespace asio = boost::asio;

struct Signals::State {
    State(std::chrono::milliseconds the_grace, std::function<void(const std::string&)> at_last)
        : grace{the_grace}, last{std::move(at_last)} {
        listen();
        thread = std::thread{[this] { io.run(); }};
    }

    void listen() {
        signals.async_wait([this](const boost::system::error_code& error, int) {
            if (!error) hear();
        });
    }
    void hear();
    void start_clock();
    void end_in(std::chrono::milliseconds time, std::string reason);

    const std::chrono::milliseconds grace;
    const std::function<void(const std::string&)> last;

    asio::io_context io;
    asio::signal_set signals{io, SIGINT, SIGTERM};
    asio::steady_timer clock{io};
    bool is_running = false;  ///< The clock. Of the thread.

    mutable std::mutex mutex;
    mutable std::condition_variable heard;
    int count = 0;
    std::function<void()> cut;

    std::thread thread;  ///< Last: it uses everything above.
};

void Signals::State::hear() {
    int number = 0;
    {
        const std::scoped_lock lock{mutex};
        number = ++count;
        // Under the lock, so that whoever takes `cut` back knows it is not running.
        if (number == 2 && cut) cut();
    }
    heard.notify_all();
    listen();
    if (number == 1) start_clock();
    if (number == 2) end_in(cut_margin, "the second signal");
}

void Signals::State::start_clock() {
    if (is_running) return;
    end_in(grace + margin, "the grace of " + std::to_string(grace.count()) + " ms");
}

void Signals::State::end_in(std::chrono::milliseconds time, std::string reason) {
    is_running = true;
    clock.expires_after(time);  // Ends the wait before with an error.
    clock.async_wait([this, reason = std::move(reason)](const boost::system::error_code& error) {
        if (error) return;
        last("not everything had ended after " + reason + "; the process ends all the same");
        std::_Exit(EXIT_FAILURE);
    });
}

Signals::Signals(std::chrono::milliseconds grace, std::function<void(const std::string&)> last)
    : state_{std::make_unique<State>(grace, std::move(last))} {}

Signals::~Signals() {
    state_->io.stop();
    state_->thread.join();
}

bool Signals::has_come() const {
    const std::scoped_lock lock{state_->mutex};
    return state_->count > 0;
}

bool Signals::has_come_twice() const {
    const std::scoped_lock lock{state_->mutex};
    return state_->count > 1;
}

bool Signals::wait_for(std::chrono::milliseconds period) const {
    std::unique_lock lock{state_->mutex};
    return state_->heard.wait_for(lock, period, [this] { return state_->count > 0; });
}

void Signals::begin() {
    asio::post(state_->io, [state = state_.get()] { state->start_clock(); });
}

void Signals::at_second(std::function<void()> cut) {
    const std::scoped_lock lock{state_->mutex};
    state_->cut = std::move(cut);
    if (state_->count > 1 && state_->cut) state_->cut();
}

}  // namespace radd::host

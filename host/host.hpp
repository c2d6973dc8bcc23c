#pragma once

/// The running host: what `radd serve` is. The only file that knows every part, in start order.

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include <host/installation.hpp>

namespace radd::host {

/// Life: start(), wait_for_signal(), stop(). [boot-thread]
class Host {
public:
    explicit Host(Installation& installation);
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;
    ~Host();  ///< As stop().

    /// Plugins, database, schema, tail, plugins' start-up, workers. What had started is stopped
    /// again when a later step fails. @throws Refused, ConfigError, Unavailable,
    /// loader::StartFailed, each with the remedy.
    void start();

    /// Where it answers: "http://127.0.0.1:8080".
    [[nodiscard]] const std::string& url() const noexcept;

    /// Returns when SIGTERM or SIGINT arrives; meanwhile it starts a private PostgreSQL again that
    /// has died, and calls `each_second` about as often. Another signal during stop() cuts the
    /// grace.
    void wait_for_signal(const std::function<void()>& each_second = {});

    /// For whoever supervises the process. After start().
    struct Condition {
        /// Since the stream was last looked at. 0 while the database is known to be away: nothing
        /// that could be started again would look at it either.
        std::chrono::milliseconds silent_for;
        std::string text;  ///< "at event 4812; 3 consumers and tasks run here"
    };
    [[nodiscard]] Condition condition() const;

    /// Admits nothing new, finishes or abandons what is under way within `shutdown.grace`, sends
    /// what is committed, releases the leases, stops plugins in reverse. Safe twice.
    /// False: a thread would not end, or a second signal cut the grace; the process must end with
    /// end_now(). Should this itself hang, the process ends when the grace and Signals::margin
    /// are over, counted from the signal.
    bool stop();
    /// Ends the process at once and destroys nothing. A private PostgreSQL that nobody else uses
    /// is told to stop first.
    [[noreturn]] void end_now(int code);

private:
    struct Parts;
    void start_tail();
    void start_workers();
    void start_listeners();
    void start_web();
    void make_objects();
    void make_retention();
    void drain_web();
    bool stop_listeners();
    bool stop_web();
    bool stop_workers(std::chrono::steady_clock::time_point grace_ends);

    Installation& installation_;
    std::unique_ptr<Parts> parts_;
};

}  // namespace radd::host

#pragma once

/// SIGTERM and SIGINT, and the promise that the process ends after them.

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace radd::host {

/// Listens from its construction on, so that no signal is lost between two steps. The first one
/// asks for an end and starts the clock: once the grace and `margin` are over, `last` is called
/// and the process ends, whatever still waits for whatever. The second one leaves `cut_margin`.
/// Whoever ends without a signal starts the same clock with begin(). [any-thread]
class Signals {
public:
    /// Beyond the grace, for what had to notice that it is over.
    static constexpr std::chrono::milliseconds margin{1500};
    /// Beyond the second signal.
    static constexpr std::chrono::milliseconds cut_margin{1000};

    /// `last` runs on the thread of this, with the reason in words, and should take no longer than
    /// a moment; then the process ends as by std::_Exit(EXIT_FAILURE).
    Signals(std::chrono::milliseconds grace, std::function<void(const std::string&)> last);
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;
    ~Signals();  ///< Stops the clock as well.

    [[nodiscard]] bool has_come() const;
    [[nodiscard]] bool has_come_twice() const;
    /// Waits for one, at most `period`; true once it has come.
    [[nodiscard]] bool wait_for(std::chrono::milliseconds period) const;

    void begin();  ///< Starts the clock unless it runs.
    /// Calls `cut` at the second signal, at once if that has come. It must not wait, nor call this.
    /// An empty one takes it back.
    void at_second(std::function<void()> cut);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace radd::host

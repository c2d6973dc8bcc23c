#pragma once

/// Showing which event a handler is busy with, for as long as it is; and counting how long it was.

#include <host/consumers/runner.hpp>

namespace radd::consumers {

class ConsumerRunner::Watch {
public:
    Watch(ConsumerRunner& runner, std::int64_t event_id, Latency& latency)
        : runner_{runner}, latency_{latency}, began_{runner.parts_.clock.steady_now()} {
        runner_.busy_since_ = began_.time_since_epoch();
        runner_.busy_event_ = event_id;
    }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch() {
        runner_.busy_event_ = 0;
        latency_.observe(runner_.parts_.clock.steady_now() - began_);
    }

    [[nodiscard]] std::chrono::steady_clock::time_point began() const noexcept { return began_; }

private:
    ConsumerRunner& runner_;
    Latency& latency_;
    std::chrono::steady_clock::time_point began_;
};

}  // namespace radd::consumers

#pragma once

/// Showing which event a handler is busy with, for as long as it is.

#include <host/consumers/runner.hpp>

namespace radd::consumers {

class ConsumerRunner::Watch {
public:
    Watch(ConsumerRunner& runner, std::int64_t event_id) : runner_{runner} {
        runner_.busy_since_ = runner_.parts_.clock.steady_now().time_since_epoch();
        runner_.busy_event_ = event_id;
    }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch() { runner_.busy_event_ = 0; }

private:
    ConsumerRunner& runner_;
};

}  // namespace radd::consumers

#include <algorithm>

#include <host/consumers/failure.hpp>
#include <host/consumers/task.hpp>

namespace radd::consumers {

class TaskRunner::Watch {
public:
    explicit Watch(TaskRunner& runner) : runner_{runner} {
        runner_.busy_since_ = runner_.clock_.steady_now().time_since_epoch();
    }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch() { runner_.busy_since_ = std::chrono::steady_clock::duration{}; }

private:
    TaskRunner& runner_;
};

void TaskRunner::tick(const std::function<bool()>& go_on) {
    try {
        const auto ticked = [&] {
            const Watch watch{*this};
            return setup_.task->enabled() && setup_.task->tick();
        };
        while (ticked() && go_on()) {}
    } catch (...) {
        log_failure();
    }
}

std::chrono::milliseconds TaskRunner::interval() {
    try {
        const Watch watch{*this};
        return std::clamp(setup_.task->interval(), PeriodicTask::interval_min, interval_max);
    } catch (...) {
        log_failure();
    }
    return interval_fallback;
}

void TaskRunner::log_failure() {
    log_.error("task " + setup_.declaration.name + ": " +
               single_line(describe_current_exception(), 4000) +
               "; the next tick comes after its interval");
}

}  // namespace radd::consumers

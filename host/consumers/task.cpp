#include <algorithm>

#include <host/consumers/failure.hpp>
#include <host/consumers/task.hpp>

namespace radd::consumers {

void TaskRunner::tick(const std::function<bool()>& go_on) {
    try {
        if (!setup_.task->enabled()) return;
        while (setup_.task->tick() && go_on()) {}
    } catch (...) {
        log_failure();
    }
}

std::chrono::milliseconds TaskRunner::interval() {
    try {
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

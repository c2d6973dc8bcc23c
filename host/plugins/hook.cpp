#include <future>
#include <memory>
#include <thread>
#include <utility>

#include <host/plugins/guarded.hpp>
#include <host/plugins/hook.hpp>

namespace radd::loader {

HookEnd run_hook(std::function<void()> work, std::chrono::milliseconds deadline) {
    std::promise<std::optional<std::string>> promise;
    auto ended = promise.get_future();
    std::thread thread{[work = std::move(work), promise = std::move(promise)]() mutable {
        auto thrown = guarded(work);
        // Before the answer, so that nothing of the plugin is destroyed behind the waiter's back.
        work = nullptr;
        promise.set_value(std::move(thrown));
    }};
    if (ended.wait_for(deadline) == std::future_status::ready) {
        thread.join();
        return {.thrown = ended.get()};
    }
    thread.detach();
    return {.in_time = false};
}

}  // namespace radd::loader

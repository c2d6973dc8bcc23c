#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include <host/web/worker_pool.hpp>

namespace radd::web {

struct WorkerPool::State {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> queue;
    std::size_t queue_max = 0;
    std::size_t threads = 0;  ///< That have not ended.
    std::size_t idle = 0;
    bool stopped = false;

    void run() {
        std::unique_lock lock{mutex};
        for (;;) {
            changed.wait(lock, [&] { return stopped || !queue.empty(); });
            if (stopped) break;
            auto job = std::move(queue.front());
            queue.pop_front();
            --idle;
            lock.unlock();
            job();
            job = nullptr;  // What it holds goes before it counts as done.
            lock.lock();
            ++idle;
        }
        --idle;
        --threads;
        changed.notify_all();
    }
};

WorkerPool::WorkerPool(std::size_t threads, std::size_t queue_max)
    : state_{std::make_shared<State>()} {
    state_->queue_max = queue_max;
    state_->threads = threads;
    state_->idle = threads;
    for (std::size_t i = 0; i < threads; ++i)
        std::thread{[state = state_] { state->run(); }}.detach();
}

WorkerPool::~WorkerPool() {
    stop(std::chrono::milliseconds{0});
}

bool WorkerPool::submit(std::function<void()> job) {
    {
        const std::scoped_lock lock{state_->mutex};
        const bool is_free = state_->idle > state_->queue.size();
        if (state_->stopped || (!is_free && state_->queue.size() >= state_->queue_max))
            return false;
        state_->queue.push_back(std::move(job));
    }
    state_->changed.notify_one();
    return true;
}

void WorkerPool::readmit(std::function<void()> job) {
    {
        const std::scoped_lock lock{state_->mutex};
        if (state_->stopped) return;
        state_->queue.push_back(std::move(job));
    }
    state_->changed.notify_one();
}

std::size_t WorkerPool::busy() const {
    const std::scoped_lock lock{state_->mutex};
    return state_->queue.size() + state_->threads - state_->idle;
}

bool WorkerPool::stop(std::chrono::milliseconds patience) {
    std::deque<std::function<void()>> dropped;
    std::unique_lock lock{state_->mutex};
    state_->stopped = true;
    dropped.swap(state_->queue);
    state_->changed.notify_all();
    return state_->changed.wait_for(lock, patience, [&] { return state_->threads == 0; });
}

}  // namespace radd::web

#pragma once

/// Threads for handlers, and the line in front of them.

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

namespace radd::web {

/// [any-thread]
class WorkerPool {
public:
    /// @param queue_max Jobs that may wait besides those that run.
    WorkerPool(std::size_t threads, std::size_t queue_max);
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;
    ~WorkerPool();  ///< As stop() with no patience.

    /// Runs `job`, which must not throw, soon. False, and nothing happens: the line is full, or
    /// the pool has been stopped.
    [[nodiscard]] bool submit(std::function<void()> job);

    /// The same for a job that waited elsewhere since it was accepted: however long the line is.
    /// Dropped if the pool has been stopped.
    void readmit(std::function<void()> job);

    /// Jobs that wait or run.
    [[nodiscard]] std::size_t busy() const;

    /// Drops what waits, and waits for what runs. False: a job did not end within `patience`; its
    /// thread is left behind and the process must end without destroying what the job uses.
    bool stop(std::chrono::milliseconds patience);

private:
    struct State;
    std::shared_ptr<State> state_;  ///< Also owned by each thread, which may be left behind.
};

}  // namespace radd::web

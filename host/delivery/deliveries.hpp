#pragma once

/// All queues of the process at work.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <host/delivery/queue_runner.hpp>

namespace radd::delivery {

/// Runs each queue on threads of its own. Life: start(), request_stop(), stop(). [boot-thread] but
/// for cut_grace() and totals(), which are [any-thread].
class Deliveries {
public:
    Deliveries(RunnerParts parts, bool run_workers, std::vector<QueueSetup> setups);
    Deliveries(const Deliveries&) = delete;
    Deliveries& operator=(const Deliveries&) = delete;
    ~Deliveries();

    void start();  ///< Nothing, unless this process runs workers.
    /// Begins no further attempt. Returns at once.
    void request_stop();
    /// Waits for attempts under way until `deadline`: queues whose threads were left behind. The
    /// process must then end without destroying what they use.
    std::vector<std::string> stop(std::chrono::steady_clock::time_point deadline);
    void cut_grace() noexcept;

    [[nodiscard]] std::vector<QueueTotals> totals() const;

private:
    bool run_workers_;
    std::vector<std::string> names_;
    std::vector<std::unique_ptr<QueueRunner>> runners_;
};

}  // namespace radd::delivery

#pragma once

/// The delivery queues of the loaded plugins, put together and run.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <host/consumers/task.hpp>
#include <host/delivery/deliveries.hpp>
#include <host/delivery/retention_task.hpp>
#include <host/installation.hpp>

namespace radd::host {

/// Life: start(), request_stop(), stop(), clear(). [boot-thread] but for cut_grace() and totals(),
/// which are [any-thread] after make() and until clear().
class DeliveryFront {
public:
    static constexpr std::string_view retention_name = "radd.deliveries";

    explicit DeliveryFront(Installation& installation) : installation_{installation} {}

    /// Makes every queue's handler, also where no worker runs: one that cannot must be found there
    /// too, and is in `problems`. After make_services().
    void make(const loader::PluginSet& plugins, config::Problems& problems);
    /// What removes finished rows, for the workers to run. After make().
    [[nodiscard]] consumers::TaskSetup retention();
    void start();

    void request_stop();
    /// As delivery::Deliveries::stop().
    std::vector<std::string> stop(std::chrono::steady_clock::time_point deadline);
    void cut_grace() noexcept;
    void clear() noexcept;  ///< Destroys the handlers; after the workers.

    [[nodiscard]] std::vector<delivery::QueueTotals> totals() const;

private:
    Installation& installation_;
    std::unique_ptr<Log> log_;
    std::vector<std::unique_ptr<DeliveryHandler>> handlers_;
    std::unique_ptr<delivery::RetentionTask> retention_;
    std::unique_ptr<delivery::Deliveries> deliveries_;
};

}  // namespace radd::host

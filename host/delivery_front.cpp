#include <utility>

#include <host/delivery_front.hpp>
#include <host/plugins/factory.hpp>

namespace radd::host {

void DeliveryFront::make(const loader::PluginSet& plugins, config::Problems& problems) {
    std::vector<delivery::QueueSetup> setups;
    std::vector<delivery::RetentionTask::Kept> kept;
    for (const auto& plugin : plugins.plugins()) {
        Services& services = installation_.services_of(plugin->id);
        for (const DeliveryQueueSpec& spec : plugin->manifest.delivery_queues) {
            auto handler = loader::made_by(*plugin, spec, services, problems);
            if (!handler) continue;
            handlers_.push_back(std::move(handler));
            setups.push_back({.spec = spec,
                              .services = &services,
                              .queue = &installation_.queues().find(spec.name),
                              .handler = handlers_.back().get()});
            kept.push_back({spec.name, spec.keep_finished});
        }
    }
    log_ = installation_.logging().logger("deliveries");
    retention_ =
        std::make_unique<delivery::RetentionTask>(installation_.database(), std::move(kept));
    deliveries_ = std::make_unique<delivery::Deliveries>(
        delivery::RunnerParts{.pool = installation_.connect("serve"),
                              .database = installation_.database(),
                              .clock = installation_.clock(),
                              .random = installation_.random(),
                              .log = *log_},
        installation_.settings().run_workers,
        std::move(setups));
}

consumers::TaskSetup DeliveryFront::retention() {
    return {.declaration = {.name = std::string{retention_name},
                            .plugin = "core",
                            .plugin_version = RADD_VERSION,
                            .task = true},
            .task = retention_.get()};
}

void DeliveryFront::start() {
    deliveries_->start();
}

void DeliveryFront::request_stop() {
    if (deliveries_) deliveries_->request_stop();
}

std::vector<std::string> DeliveryFront::stop(std::chrono::steady_clock::time_point deadline) {
    return deliveries_ ? deliveries_->stop(deadline) : std::vector<std::string>{};
}

void DeliveryFront::cut_grace() noexcept {
    if (deliveries_) deliveries_->cut_grace();
}

void DeliveryFront::clear() noexcept {
    deliveries_.reset();
    retention_.reset();
    handlers_.clear();
}

std::vector<delivery::QueueTotals> DeliveryFront::totals() const {
    return deliveries_ ? deliveries_->totals() : std::vector<delivery::QueueTotals>{};
}

}  // namespace radd::host

#pragma once

/// What the host lends to plugins, made for each.

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <host/delivery/stored_queue.hpp>
#include <radd/manifest.hpp>
#include <radd/services.hpp>

namespace radd::host {

/// The services that plugins offer to each other, each made at its first use. [any-thread]
class ServiceRegistry {
public:
    ServiceRegistry() = default;
    ServiceRegistry(const ServiceRegistry&) = delete;
    ServiceRegistry& operator=(const ServiceRegistry&) = delete;
    ~ServiceRegistry();

    /// `spec` and `owner` must outlive the registry's last find(). [boot-thread]
    void add(const ServiceSpec& spec, Services& owner);

    /// @throws ConfigError if nobody offers `name`, or its offerers wait for each other.
    [[nodiscard]] Service& find(std::string_view name);

    /// Destroys what was made, the latest first. [boot-thread]
    void clear() noexcept;

private:
    struct Offer {
        const ServiceSpec* spec;
        Services* owner;
        std::unique_ptr<Service> made{};
        bool being_made = false;
    };

    // Recursive: making one service may ask for another on the same thread.
    std::recursive_mutex mutex_;
    std::map<std::string, Offer, std::less<>> offers_;
    std::vector<Offer*> made_order_;
};

/// What all plugins of the process share.
struct SharedServices {
    Clock& clock;
    Random& random;
    Database& database;
    EventLog& event_log;
    const Catalog& catalog;
    ServiceRegistry& registry;
    delivery::Queues& queues;
    HttpClient& http_client;
    Secrets& secrets;
    const std::vector<std::chrono::seconds>& retry_schedule;
    const std::vector<NotificationKindSpec>& notification_kinds;
    const std::string& public_url;
    const std::atomic<bool>& stop_requested;
};

/// The services of one plugin.
class PluginServices final : public Services {
public:
    PluginServices(SharedServices shared, const Settings& settings, std::unique_ptr<Log> log);

    [[nodiscard]] const Settings& settings() const override { return settings_; }
    [[nodiscard]] Log& log() override { return *log_; }
    [[nodiscard]] Clock& clock() override { return shared_.clock; }
    [[nodiscard]] Random& random() override { return shared_.random; }
    [[nodiscard]] Database& database() override { return shared_.database; }
    [[nodiscard]] DeliveryQueue& deliveries(std::string_view queue) override {
        return shared_.queues.find(queue);
    }
    [[nodiscard]] const std::vector<std::chrono::seconds>& retry_schedule() const override {
        return shared_.retry_schedule;
    }
    [[nodiscard]] const std::vector<NotificationKindSpec>& notification_kinds() const override {
        return shared_.notification_kinds;
    }
    [[nodiscard]] HttpClient& http_client() override { return shared_.http_client; }
    [[nodiscard]] Secrets& secrets() override { return shared_.secrets; }
    [[nodiscard]] EventLog& event_log() override { return shared_.event_log; }
    [[nodiscard]] const Catalog& catalog() const override { return shared_.catalog; }
    [[nodiscard]] const std::string& public_url() const override { return shared_.public_url; }
    [[nodiscard]] bool stop_requested() const noexcept override {
        return shared_.stop_requested.load();
    }

private:
    [[nodiscard]] Service& find(std::string_view name) override {
        return shared_.registry.find(name);
    }

    SharedServices shared_;
    const Settings& settings_;
    std::unique_ptr<Log> log_;
};

}  // namespace radd::host

#pragma once

/// What a plugin is lent, with a database that is one; the rest is played.

#include <map>
#include <string>
#include <string_view>

#include <radd/testing/services.hpp>

namespace radd::testing {

class LentServices final : public Services {
public:
    explicit LentServices(Database& database) : database_{database} {}

    /// `get<T>()` finds `service`, which must outlive this.
    template <typename T>
    void offer(T& service) {
        lent_.insert_or_assign(std::string{T::service_name}, static_cast<Service*>(&service));
    }

    /// `deliveries(name)` finds `queue`, which must outlive this; others are played.
    void offer(std::string name, DeliveryQueue& queue) {
        queues_.insert_or_assign(std::move(name), &queue);
    }

    FakeServices fakes;
    HttpClient* client = nullptr;       ///< Instead of the fake one.
    const Catalog* declared = nullptr;  ///< Instead of the fake one.

    [[nodiscard]] const Settings& settings() const override { return fakes.values; }
    [[nodiscard]] Log& log() override { return fakes.lines; }
    [[nodiscard]] Clock& clock() override { return fakes.time; }
    [[nodiscard]] Random& random() override { return fakes.chance; }
    [[nodiscard]] Database& database() override { return database_; }
    [[nodiscard]] DeliveryQueue& deliveries(std::string_view queue) override {
        const auto found = queues_.find(queue);
        return found == queues_.end() ? fakes.deliveries(queue) : *found->second;
    }
    [[nodiscard]] const std::vector<std::chrono::seconds>& retry_schedule() const override {
        return fakes.retries;
    }
    [[nodiscard]] const std::vector<NotificationKindSpec>& notification_kinds() const override {
        return fakes.kinds;
    }
    [[nodiscard]] HttpClient& http_client() override {
        return client != nullptr ? *client : fakes.outbound;
    }
    [[nodiscard]] Secrets& secrets() override { return fakes.vault; }
    [[nodiscard]] EventLog& event_log() override { return fakes.history; }
    [[nodiscard]] const Catalog& catalog() const override {
        return declared != nullptr ? *declared : fakes.catalog();
    }
    [[nodiscard]] const std::string& public_url() const override { return fakes.url; }
    [[nodiscard]] bool stop_requested() const noexcept override { return false; }

private:
    [[nodiscard]] Service& find(std::string_view name) override {
        const auto lent = lent_.find(name);
        if (lent == lent_.end())
            throw ConfigError{"service '" + std::string{name} + "': offer() one"};
        return *lent->second;
    }

    Database& database_;
    std::map<std::string, Service*, std::less<>> lent_;
    std::map<std::string, DeliveryQueue*, std::less<>> queues_;
};

}  // namespace radd::testing

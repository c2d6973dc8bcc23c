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

    FakeServices fakes;

    [[nodiscard]] const Settings& settings() const override { return fakes.values; }
    [[nodiscard]] Log& log() override { return fakes.lines; }
    [[nodiscard]] Clock& clock() override { return fakes.time; }
    [[nodiscard]] Random& random() override { return fakes.chance; }
    [[nodiscard]] Database& database() override { return database_; }
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
};

}  // namespace radd::testing

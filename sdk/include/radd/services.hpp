#pragma once

/// What the host lends a plugin.

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <radd/clock.hpp>
#include <radd/delivery.hpp>
#include <radd/event_log.hpp>
#include <radd/http_client.hpp>
#include <radd/notification.hpp>
#include <radd/secrets.hpp>
#include <radd/settings.hpp>
#include <radd/transaction.hpp>

namespace radd {

class Catalog;

enum class LogLevel : std::uint8_t { debug, info, warn, error };

/// The plugin's own logger: each line carries its id. One line per message; line breaks and
/// control characters are escaped and it is cut at 8 KiB. No secrets or addresses. [any-thread]
class RADD_EXPORT Log {
public:
    virtual ~Log();
    virtual void write(LogLevel level, std::string_view message) noexcept = 0;

    void debug(std::string_view message) noexcept { write(LogLevel::debug, message); }
    void info(std::string_view message) noexcept { write(LogLevel::info, message); }
    void warn(std::string_view message) noexcept { write(LogLevel::warn, message); }
    void error(std::string_view message) noexcept { write(LogLevel::error, message); }
};

/// Base of what one plugin offers to others. The interface stands in the offering plugin's public
/// header and names itself: `static constexpr std::string_view service_name = "items.directory"`.
class RADD_EXPORT Service {
public:
    Service() = default;
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;
    virtual ~Service();
};

/// Outlives every object of the plugin it was lent to. [any-thread] unless said otherwise.
class RADD_EXPORT Services {
public:
    virtual ~Services();

    [[nodiscard]] virtual const Settings& settings() const = 0;  ///< This plugin's.
    [[nodiscard]] virtual Log& log() = 0;                        ///< This plugin's.
    [[nodiscard]] virtual Clock& clock() = 0;
    [[nodiscard]] virtual Random& random() = 0;
    [[nodiscard]] virtual Database& database() = 0;
    [[nodiscard]] virtual EventLog& event_log() = 0;
    [[nodiscard]] virtual const Catalog& catalog() const = 0;  ///< What all plugins declare.

    /// A queue that this plugin, or another that is loaded, declares in `delivery_queues`.
    /// @throws ConfigError if none does.
    [[nodiscard]] virtual DeliveryQueue& deliveries(std::string_view queue) = 0;

    /// Waits before each further attempt of what leaves the instance: `webhook.retry_schedule`.
    [[nodiscard]] virtual const std::vector<std::chrono::seconds>& retry_schedule() const = 0;

    /// The way out to other servers.
    [[nodiscard]] virtual HttpClient& http_client() = 0;
    [[nodiscard]] virtual Secrets& secrets() = 0;

    /// Of all loaded plugins, in order of their ids.
    [[nodiscard]] virtual const std::vector<NotificationKindSpec>& notification_kinds() const = 0;

    /// Where people reach this instance, without a slash at the end: `public_url` in host.yaml.
    [[nodiscard]] virtual const std::string& public_url() const = 0;

    /// True once the host has been told to stop: long work ends early. [any-thread]
    [[nodiscard]] virtual bool stop_requested() const noexcept = 0;

    /// The service `T` of another plugin, made at its first use.
    /// @throws ConfigError if no loaded plugin provides it; name that plugin in `depends_on`.
    template <typename T>
    [[nodiscard]] T& get() {
        return static_cast<T&>(find(T::service_name));
    }

private:
    [[nodiscard]] virtual Service& find(std::string_view name) = 0;
};

}  // namespace radd

#pragma once

/// The HTTP server of a running host, put together.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <host/consumers/supervisor.hpp>
#include <host/delivery_front.hpp>
#include <host/installation.hpp>
#include <host/outbox/tail.hpp>
#include <host/web/route.hpp>

namespace radd::host {

/// The running host, as far as its pages and its API show and steer it. All of it outlives stop().
struct WebFrontParts {
    outbox::Tail& tail;
    const consumers::Workers& workers;
    const DeliveryFront& deliveries;
    std::vector<std::string> loaded;  ///< Names of the consumers and tasks of loaded plugins.
};

/// Life: made, start(), drain(), stop(). [boot-thread]
class WebFront {
public:
    /// Takes the address `http.listen`, so that a host that cannot have it has touched nothing, and
    /// tells `installation` which it is.
    /// @throws ConfigError with the remedy.
    explicit WebFront(Installation& installation);
    WebFront(const WebFront&) = delete;
    WebFront& operator=(const WebFront&) = delete;
    ~WebFront();

    [[nodiscard]] const std::string& url() const noexcept { return url_; }

    /// As monitoring::DatabaseProbe::away_for(). After start().
    [[nodiscard]] std::chrono::milliseconds database_away_for() const;

    /// Serves the kernel's and every loaded plugin's routes. @throws ConfigError naming the route
    /// that cannot be served.
    void start(const WebFrontParts& parts);

    /// Answers 503 to what is new; waits at most `grace` for what is under way.
    void drain(std::chrono::milliseconds grace);
    void cut_grace() noexcept;  ///< Ends the wait of drain(). [any-thread]
    /// False: a handler or a look at the database was left behind; see web::Server::stop().
    [[nodiscard]] bool stop(std::chrono::milliseconds patience);

private:
    struct Served;
    void watch(const WebFrontParts& parts);
    [[nodiscard]] std::vector<web::Route> routes(const WebFrontParts& parts);
    Installation& installation_;
    std::string url_;
    std::unique_ptr<Served> served_;
};

}  // namespace radd::host

#pragma once

/// A server with routes of the test's own, without a database, on a port of its own.

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <host/system.hpp>
#include <host/web/server.hpp>
#include <radd/testing/services.hpp>
#include <tests/support/gate.hpp>
#include <tests/support/http_connection.hpp>
#include <tests/support/wait.hpp>

namespace radd::testing {

/// What a log was told, for reading while others write.
class KeptLines {
public:
    void add(std::string line) {
        const std::scoped_lock lock{mutex_};
        lines_.push_back(std::move(line));
    }
    [[nodiscard]] bool contain(std::string_view part) const {
        const std::scoped_lock lock{mutex_};
        return std::ranges::any_of(
            lines_, [&](const auto& line) { return line.find(part) != std::string::npos; });
    }
    [[nodiscard]] std::string all() const {
        const std::scoped_lock lock{mutex_};
        std::string text;
        for (const auto& line : lines_) text += line + "\n";
        return text;
    }

private:
    mutable std::mutex mutex_;
    std::vector<std::string> lines_;
};

class KeptLog final : public Log {
public:
    void write(LogLevel, std::string_view message) noexcept override {
        lines.add(std::string{message});
    }
    KeptLines lines;
};

class KeptFieldLog final : public log::FieldLog {
public:
    void write(LogLevel level,
               std::string_view message,
               std::span<const log::Field> fields) noexcept override {
        if (level == LogLevel::debug) return;
        std::string line{message};
        for (const auto& field : fields) {
            line.append(" ").append(field.name).append("=");
            if (const auto* text = std::get_if<std::string_view>(&field.value)) line.append(*text);
            if (const auto* number = std::get_if<std::int64_t>(&field.value))
                line.append(std::to_string(*number));
        }
        lines.add(std::move(line));
    }
    KeptLines lines;
};

/// Knows one member and one administrator, each by token and by cookie.
class TwoPeople final : public web::Authenticator {
public:
    std::optional<web::Identity> by_token(std::string_view token) override {
        if (is_away) throw Unavailable{"the database is away"};
        if (is_withdrawn) return std::nullopt;
        return known(token, false);
    }
    std::optional<web::Identity> by_session(std::string_view cookie) override {
        return known(cookie, true);
    }
    std::atomic<bool> is_away{false};
    std::atomic<bool> is_withdrawn{false};

private:
    static std::optional<web::Identity> known(std::string_view secret, bool by_session) {
        if (secret != "member-secret" && secret != "admin-secret") return std::nullopt;
        const bool admin = secret == "admin-secret";
        return web::Identity{.principal = {.id = admin ? "id-of-admin" : "id-of-member",
                                           .name = admin ? "Ada" : "Max",
                                           .role = admin ? Role::admin : Role::member},
                             .by_session = by_session,
                             .csrf_token = by_session ? "csrf-of-session" : ""};
    }
};

inline RouteSpec route(HttpMethod method, std::string path, Access access = Access::anyone) {
    return {.method = method,
            .path = std::move(path),
            .access = access,
            .summary = "Do what the test needs",
            .handle = [](const HttpRequest& request, Services&) {
                json echo{{"path", request.path}, {"body_bytes", request.body.size()}};
                for (const auto& [name, value] : request.path_parameters)
                    echo["parameters"][name] = value;
                for (const auto& [name, value] : request.query) echo["query"].push_back(value);
                if (request.principal) echo["principal"] = request.principal->id;
                echo["remote_address"] = request.remote_address;
                for (const auto& [name, value] : request.headers) echo["headers"][name] = value;
                return json_response(echo);
            }};
}

/// Routes and options first; then start().
class WebBench {
public:
    void add(RouteSpec spec, bool needs_database = true) {
        routes_.push_back({.spec = std::move(spec),
                           .owner = "test",
                           .host = &services,
                           .needs_database = needs_database});
    }
    void add(StreamSpec stream) {
        routes_.push_back({.spec = route_of(stream),
                           .owner = "test",
                           .host = &services,
                           .stream = std::move(stream)});
    }
    void start() {
        router_.emplace(std::move(routes_));
        dispatcher_.emplace(web::DispatcherParts{.router = *router_,
                                                 .pages = pages_,
                                                 .authenticator = &people,
                                                 .database_away = [this] { return away.load(); },
                                                 .clock = clock_,
                                                 .random = random_,
                                                 .log = log},
                            dispatcher_options);
        web::Listener listener{"127.0.0.1", 0};
        port = listener.port();
        server.emplace(listener, *dispatcher_, options, log, access_log);
    }
    [[nodiscard]] HttpReply get(std::string_view target, std::string_view headers = "") const {
        return http(port, "GET", target, headers);
    }
    [[nodiscard]] HttpReply post(
        std::string_view target,
        std::string_view body,
        std::string_view headers = "Content-Type: application/json\r\n") const {
        return http(port, "POST", target, headers, body);
    }
    void serve_pages(std::span<const web::Asset> assets) { pages_ = web::StaticPages{assets}; }

    KeptLog log;
    KeptFieldLog access_log;
    TwoPeople people;
    FakeServices services;
    web::ServerOptions options;
    web::DispatcherOptions dispatcher_options;
    std::atomic<bool> away{false};
    std::uint16_t port = 0;

private:
    host::SystemClock clock_;
    host::SystemRandom random_;
    web::StaticPages pages_{{}};
    std::vector<web::Route> routes_;
    std::optional<web::Router> router_;
    std::optional<web::Dispatcher> dispatcher_;

public:
    std::optional<web::Server> server;  ///< Last: it uses all of the above.
};

}  // namespace radd::testing

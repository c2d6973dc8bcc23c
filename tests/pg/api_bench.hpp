#pragma once

/// The kernel's handlers, called as the server calls them.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <host/api/routes.hpp>
#include <radd/testing/services.hpp>
#include <tests/pg/monitoring_bench.hpp>

namespace radd::testing {

/// What a client got: an answer, or what a handler threw as the server answers it.
struct Answered {
    int status;
    std::string body;
    std::string content_type{};
    [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(body); }
};

class Client {
public:
    void add(std::vector<RouteSpec> more) {
        routes_.insert(routes_.end(), more.begin(), more.end());
    }

    [[nodiscard]] Answered get(const std::string& target) {
        const auto mark = target.find('?');
        HttpRequest request{.path = target.substr(0, mark)};
        for (std::size_t at = mark; at != std::string::npos;) {
            const auto end = target.find('&', at + 1);
            const std::string pair =
                target.substr(at + 1, end == std::string::npos ? end : end - at - 1);
            const auto equals = pair.find('=');
            request.query.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
            at = end;
        }
        return call(std::move(request));
    }
    [[nodiscard]] Answered post(const std::string& path, const std::string& body) {
        return call({.method = HttpMethod::post, .path = path, .body = body});
    }

    Role role = Role::admin;

    [[nodiscard]] const std::vector<RouteSpec>& routes() const { return routes_; }

private:
    static std::vector<std::string> segments(std::string_view path) {
        std::vector<std::string> all;
        while (!path.empty()) {
            const auto slash = path.find('/', 1);
            all.emplace_back(path.substr(1, slash == std::string_view::npos ? slash : slash - 1));
            path = slash == std::string_view::npos ? std::string_view{} : path.substr(slash);
        }
        return all;
    }

    static bool matches(const RouteSpec& route, HttpRequest& request) {
        const auto pattern = segments(route.path);
        const auto path = segments(request.path);
        if (route.method != request.method || pattern.size() != path.size()) return false;
        request.path_parameters.clear();
        for (std::size_t at = 0; at < path.size(); ++at) {
            if (pattern[at].starts_with('{')) {
                request.path_parameters.emplace_back(pattern[at].substr(1, pattern[at].size() - 2),
                                                     path[at]);
            } else if (pattern[at] != path[at]) {
                return false;
            }
        }
        return true;
    }

    [[nodiscard]] Answered call(HttpRequest request) {
        request.principal = Principal{"00000000-0000-4000-8000-000000000001", "ada", role};
        // Text before parameters, as the server's router prefers it.
        const auto fixed = [](const RouteSpec& route) {
            return route.path.find('{') == std::string::npos;
        };
        std::ranges::stable_partition(routes_, fixed);
        for (const RouteSpec& route : routes_) {
            if (matches(route, request)) return answer(route, request);
        }
        return {404, "no such route"};
    }

    [[nodiscard]] Answered answer(const RouteSpec& route, const HttpRequest& request) {
        try {
            const auto given = route.handle(request, services_);
            return {given.status, given.body, given.content_type};
        } catch (const HttpError& error) {
            return {error.status(), error.what()};
        } catch (const InvalidInput& error) {
            return {422, error.field() + ": " + error.what()};
        } catch (const Unavailable& error) {
            return {503, error.what()};
        }
    }

    FakeServices services_;
    std::vector<RouteSpec> routes_;
};

enum class SecretEvent : std::uint8_t { told, known, noted };
consteval auto event_names(SecretEvent) {
    return std::array{Named{SecretEvent::told, "secret.told"},
                      Named{SecretEvent::known, "secret.known"},
                      Named{SecretEvent::noted, "secret.noted"}};
}

/// A watched host and a client of its routes.
struct Api {
    explicit Api(bool run_workers = true, std::vector<std::string> queues = {})
        : host{database.url(), std::chrono::seconds{10}, run_workers, std::move(queues)} {
        const loader::PluginSet& set = none();
        client.add(api::vital_routes(host.monitor, Access::anyone));
        client.add(api::monitoring_routes({.monitor = host.monitor, .plugins = set}));
        client.add(api::consumer_routes({.monitor = host.monitor,
                                         .pool = *host.stream.pool,
                                         .tail = *host.stream.tail,
                                         .log = host.stream.log}));
        client.add(api::event_routes({.pool = *host.stream.pool, .catalog = catalog()}));
        client.add(api::catalog_routes(set));
    }
    /// Starts the consumers and waits until all is well.
    void start() { REQUIRE(host.starts_well()); }
    /// "secret.told", once "secret.heard", is for administrators, "secret.known" for everybody, as
    /// is "secret.noted", which is not audited.
    static const outbox::Catalog& catalog() {
        static const EventTypeSpec told{.type = SecretEvent::told,
                                        .label = "Told",
                                        .readable_by = Role::admin,
                                        .aliases = {"secret.heard"}};
        static const EventTypeSpec known{.type = SecretEvent::known, .label = "Known"};
        static const EventTypeSpec noted{
            .type = SecretEvent::noted, .label = "Noted", .audited = false};
        static const auto filled = [] {
            outbox::Catalog made;
            made.add(told, "secret");
            made.add(known, "secret");
            made.add(noted, "secret");
            return made;
        }();
        return filled;
    }
    static const loader::PluginSet& none() {
        static const loader::PluginSet set;
        return set;
    }

    TestDatabase database;
    Watched host;
    Client client;
};

}  // namespace radd::testing

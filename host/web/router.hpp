#pragma once

/// Which route a request means.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <host/web/route.hpp>
#include <radd/route_pattern.hpp>

namespace radd::web {

/// Immutable once made. [any-thread]
class Router {
public:
    /// @throws ConfigError naming the route that has no handler or no possible path, or both of
    ///         two that every request would mean alike.
    explicit Router(std::vector<Route> routes);

    struct Match {
        const Route* route = nullptr;  ///< Null: none has this method.
        std::vector<HttpField> path_parameters{};
        std::vector<HttpMethod> allowed{};  ///< Of every route on this path; empty: no such path.
    };
    /// `method` empty: one that no route can have.
    [[nodiscard]] Match find(std::optional<HttpMethod> method,
                             const std::vector<std::string>& segments) const;

    [[nodiscard]] const std::vector<Route>& routes() const noexcept { return routes_; }

private:
    struct Entry {
        const Route* route;
        RoutePattern pattern;
    };
    std::vector<Route> routes_;
    std::map<std::size_t, std::vector<Entry>> by_length_;
};

/// "GET /api/v1/items", for people.
[[nodiscard]] std::string shown(const RouteSpec& spec);

}  // namespace radd::web

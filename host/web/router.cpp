#include <algorithm>
#include <utility>

#include <host/web/router.hpp>

namespace radd::web {

std::string shown(const RouteSpec& spec) {
    return std::string{name_of(spec.method)} + " " + spec.path;
}

Router::Router(std::vector<Route> routes) : routes_{std::move(routes)} {
    std::map<std::pair<HttpMethod, std::string>, const Route*> known;
    for (const Route& route : routes_) {
        const bool is_handled = route.stream ? static_cast<bool>(route.stream->open)
                                             : static_cast<bool>(route.spec.handle);
        if (!route.handle_session && (!is_handled || route.host == nullptr))
            throw ConfigError{"route " + shown(route.spec) + " of " + route.owner +
                              " has no handler"};
        RoutePattern pattern{route.spec.path};
        const auto [place, is_new] =
            known.emplace(std::pair{route.spec.method, pattern.shape()}, &route);
        if (!is_new) {
            throw ConfigError{"route " + shown(route.spec) + " of " + route.owner +
                              " means the same requests as " + shown(place->second->spec) + " of " +
                              place->second->owner};
        }
        auto& entries = by_length_[pattern.segments().size()];
        const auto before = std::ranges::find_if(
            entries, [&](const Entry& other) { return pattern.precedes(other.pattern); });
        entries.insert(before, {&route, std::move(pattern)});
    }
}

Router::Match Router::find(std::optional<HttpMethod> method,
                           const std::vector<std::string>& segments) const {
    Match match;
    const auto entries = by_length_.find(segments.size());
    if (entries == by_length_.end()) return match;
    for (const auto& [route, pattern] : entries->second) {
        auto parameters = pattern.match(segments);
        if (!parameters) continue;
        match.allowed.push_back(route->spec.method);
        if (match.route != nullptr || method != route->spec.method) continue;
        match.route = route;
        match.path_parameters = *std::move(parameters);
    }
    return match;
}

}  // namespace radd::web

#pragma once

/// The routes of items over real tables, called without a socket.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plugins/items/routes.hpp>
#include <radd/testing/routes.hpp>
#include <tests/pg/items_bench.hpp>
#include <tests/support/lent_services.hpp>

namespace radd::testing {

/// Calls as an admin unless told otherwise.
struct ItemsRoutesBench : ItemsBench {
    ItemsRoutesBench() { services.offer<items::Directory>(directory); }

    HttpResponse call(HttpMethod method,
                      std::string_view target,
                      const std::string& body = {},
                      std::optional<Principal> principal = an_admin()) {
        return web.call(method, target, body, std::move(principal));
    }
    HttpResponse get(std::string_view target) { return call(HttpMethod::get, target); }
    HttpResponse post(std::string_view target, const json& body) {
        return call(HttpMethod::post, target, body.dump());
    }
    HttpResponse patch(std::string_view target, const json& body) {
        return call(HttpMethod::patch, target, body.dump());
    }

    /// A project DEMO with items DEMO-1 … DEMO-n.
    void a_project_with_items(int count) {
        const auto demo = a_project();
        for (int i = 1; i <= count; ++i)
            an_item({.project_id = demo.id, .title = "Item " + std::to_string(i)});
        new_events();
    }

    static json parsed(const HttpResponse& response) { return json::parse(response.body); }
    /// The field that a 422 names; else what the answer was instead.
    static std::string refused_field(const HttpResponse& response) {
        if (response.status != 422) return std::to_string(response.status) + " " + response.body;
        return parsed(response).at("errors").at(0).at("field");
    }
    /// One value in every entry of a list: "DEMO-1 DEMO-2 ".
    static std::string each(const json& list, const std::string& key) {
        std::string all;
        for (const auto& entry : list) all += entry.at(key).get<std::string>() + " ";
        return all;
    }

    LentServices services{db};
    std::vector<RouteSpec> routes = items::routes();
    RouteCaller web{routes, services};
};

}  // namespace radd::testing

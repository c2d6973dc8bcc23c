#include <host/api/routes.hpp>
#include <host/api/schemas.hpp>

namespace radd::api {
namespace {

RouteSpec healthz() {
    return {.path = "/healthz",
            .access = Access::anyone,
            .summary = "Tell that the process lives",
            .description = "Says nothing about progress: that is /readyz.",
            .tag = "Health",
            .responses = {{.description = "It lives", .schema = schema::healthz()}},
            .handle = [](const HttpRequest&, Services&) {
                return json_response(R"({"status":"ok"})");
            }};
}

RouteSpec readyz(const monitoring::Health& health) {
    constexpr int unavailable = 503;
    return {.path = "/readyz",
            .access = Access::anyone,
            .summary = "Tell whether the process makes progress",
            .description =
                "Ready while it has started and is not stopping, the database answers, the stream "
                "is read, and, where consumers run, leases are renewed and their threads come "
                "round. Names no consumer.",
            .tag = "Health",
            .responses = {{.description = "Ready", .schema = schema::readyz()},
                          {.status = unavailable,
                           .description = "Not ready; the checks say why",
                           .schema = schema::readyz()}},
            .handle = [&health](const HttpRequest&, Services&) {
                const auto readiness = health.readiness();
                return json_response(monitoring::Health::to_json(readiness),
                                     readiness.ready ? 200 : unavailable);
            }};
}

RouteSpec metrics_page(monitoring::Metrics& metrics, Access access) {
    const std::string type{monitoring::Metrics::content_type};
    return {.path = "/metrics",
            .access = access,
            .summary = "Give what is measured, for Prometheus",
            .description =
                "Text format 0.0.4. Without what only the database knows while it is "
                "away; radd_database_up is 0 then.",
            .tag = "Health",
            .responses = {{.description = "The metrics", .content_type = type}},
            .handle = [&metrics, type](const HttpRequest&, Services&) {
                return HttpResponse{.content_type = type, .body = metrics.text()};
            }};
}

}  // namespace

std::vector<RouteSpec> vital_routes(monitoring::Monitor& monitor, Access metrics_access) {
    return {healthz(), readyz(monitor.health()), metrics_page(monitor.metrics(), metrics_access)};
}

}  // namespace radd::api

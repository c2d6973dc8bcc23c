#pragma once

/// The kernel's own routes. Each list is one resource; what is handed over outlives the routes.

#include <string>
#include <vector>

#include <host/db/pool.hpp>
#include <host/monitoring/monitor.hpp>
#include <host/outbox/catalog.hpp>
#include <host/outbox/tail.hpp>
#include <host/plugins/plugin_set.hpp>
#include <radd/http.hpp>
#include <radd/services.hpp>

namespace radd::api {

/// `/healthz`, `/readyz`, `/metrics`: they answer while the database is away, and ask nobody. Of
/// these alone `/metrics` may be kept from strangers: `http.metrics_access`. It is then as any
/// other route, and 503 while nobody can tell who asks.
[[nodiscard]] std::vector<RouteSpec> vital_routes(monitoring::Monitor& monitor,
                                                  Access metrics_access);

/// `/api/v1/monitoring/…`, for administrators.
struct MonitoringRoutesParts {
    monitoring::Monitor& monitor;
    const loader::PluginSet& plugins;
};
[[nodiscard]] std::vector<RouteSpec> monitoring_routes(const MonitoringRoutesParts& parts);

/// `/api/v1/consumers…` and `/api/v1/skipped-events`, for administrators. Each act is logged with
/// who did it.
struct ConsumerRoutesParts {
    monitoring::Monitor& monitor;
    db::Pool& pool;
    outbox::Tail& tail;
    Log& log;
};
[[nodiscard]] std::vector<RouteSpec> consumer_routes(const ConsumerRoutesParts& parts);

/// `/api/v1/events…` and `/api/v1/entities/…/activity`, for members, who see what their role may
/// read. The catalogue is asked here alone.
struct EventRoutesParts {
    db::Pool& pool;
    const outbox::Catalog& catalog;
};
[[nodiscard]] std::vector<RouteSpec> event_routes(const EventRoutesParts& parts);

/// `/api/v1/event-types`, `/api/v1/actions`, `/api/v1/asyncapi.json`, for members, and
/// `/api/v1/plugins`, for administrators. Made once, here: plugins do not change while the process
/// lives.
[[nodiscard]] std::vector<RouteSpec> catalog_routes(const loader::PluginSet& plugins);

}  // namespace radd::api

#include <nlohmann/json.hpp>

#include <host/api/query.hpp>
#include <host/api/routes.hpp>
#include <host/api/schemas.hpp>
#include <host/consumers/consumer_json.hpp>
#include <host/delivery/delivery_json.hpp>

namespace radd::api {
namespace {

using nlohmann::ordered_json;

ordered_json database_json(const monitoring::DatabaseProbe& probe,
                           const monitoring::Snapshot& snapshot) {
    const auto facts = probe.facts();
    if (!facts) return {{"reachable", false}};
    const auto& position = facts->position;
    return {{"reachable", probe.away_for().count() == 0},
            {"server_version", facts->server_version},
            {"time", facts->time},
            {"stream_head", snapshot.stream_head},
            {"last_drawn", position.last_drawn},
            {"settled", position.settled},
            {"ids_left", position.ids_left},
            {"events_bytes", snapshot.events_bytes}};
}

ordered_json host_json(const monitoring::Monitor& monitor) {
    const auto& process = monitor.process();
    return {{"name", process.host_name},
            {"version", process.version},
            {"started_at", process.started_at},
            {"uptime_s", monitor.uptime().count()},
            {"workers_in_process", process.run_workers}};
}

/// Made once: who was refused at the start stays it.
ordered_json refused_json(const loader::PluginSet& plugins) {
    ordered_json list = ordered_json::array();
    for (const auto& plugin : plugins.refused()) {
        ordered_json problems = ordered_json::array();
        for (const config::Problem& problem : plugin.problems) {
            std::string place = problem.file;
            if (problem.line > 0) place += ':' + std::to_string(problem.line);
            problems.push_back({{"code", problem.code},
                                {"message", problem.message},
                                {"hint", problem.hint},
                                {"place", std::move(place)}});
        }
        list.push_back(
            {{"id", plugin.id}, {"file", plugin.file}, {"problems", std::move(problems)}});
    }
    return list;
}

ordered_json overview_json(monitoring::Monitor& monitor, const ordered_json& refused) {
    const auto snapshot = monitor.sampler().fresh();
    ordered_json database = database_json(monitor.probe(), *snapshot);
    database["private"] = monitor.process().private_database;
    ordered_json list = ordered_json::array();
    for (const auto& status : snapshot->consumers) list.push_back(to_json(status));
    ordered_json queues = ordered_json::array();
    for (const auto& status : snapshot->delivery_queues)
        queues.push_back(delivery::to_json(status));
    return {{"database", std::move(database)},
            {"host", host_json(monitor)},
            {"workers_in_process", monitor.process().run_workers},
            {"consumers", std::move(list)},
            {"delivery_queues", std::move(queues)},
            {"refused_plugins", refused},
            {"waiting_on", consumers::to_json(snapshot->waiting_on)}};
}

}  // namespace

std::vector<RouteSpec> monitoring_routes(const MonitoringRoutesParts& parts) {
    auto& monitor = parts.monitor;
    return {{.path = "/api/v1/monitoring/overview",
             .access = Access::admin,
             .summary = "Show whether every consumer keeps up",
             .description = "Of all consumers of the database, whichever process runs them; states "
                            "are judged by the database's clock. At most half a second old.",
             .tag = "Monitoring",
             .responses = {{.description = "The overview", .schema = schema::overview()}},
             .handle = [&monitor, refused = refused_json(parts.plugins)](
                           const HttpRequest&,
                           Services&) { return response(overview_json(monitor, refused)); }},
            {.path = "/api/v1/monitoring/history",
             .access = Access::admin,
             .summary = "Show the last half hour of every consumer",
             .description = "Sampled every two seconds in the memory of this process. With "
                            "`after`, only what came later: the last `at` that is known already.",
             .tag = "Monitoring",
             .query = {{.name = "after",
                        .description = "Seconds since 1970",
                        .schema = R"({"type":"integer","minimum":0})"}},
             .responses = {{.description = "The samples", .schema = schema::history()}},
             .handle = [&monitor](const HttpRequest& request, Services&) {
                 return json_response(monitor.sampler().history_json(integer(request, "after")));
             }}};
}

}  // namespace radd::api

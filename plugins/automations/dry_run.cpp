#include "dry_run.hpp"

#include <vector>

#include "engine.hpp"
#include "sql.hpp"

namespace automations {
namespace {

std::vector<radd::Event> event_of(radd::Services& host, std::optional<std::int64_t> id) {
    if (!id) return {};
    auto found = host.event_log().read(*id - 1, *id, 1);
    if (found.empty())
        throw radd::InvalidInput{"event_id", "there is no event " + std::to_string(*id)};
    return found;
}

radd::json or_null(std::optional<std::int64_t> number) {
    return number ? radd::json(*number) : radd::json();
}

}  // namespace

radd::json dry_run(radd::Services& host, const Rule& rule, std::optional<std::int64_t> event_id) {
    const auto events = event_of(host, event_id);
    const auto* event = events.empty() ? nullptr : &events.front();
    try {
        const auto outline = host.database().transact(
            [&](radd::Transaction& tx) { return Engine{host}.plan(tx, rule, event); });
        return {{"would", name_of(outline.verdict)},
                {"reason", outline.reason},
                {"plan", to_json(outline.actions)}};
    } catch (const radd::Unavailable&) {
        throw;
    } catch (const radd::Error& error) {
        return {{"would", "fail"}, {"reason", error.what()}, {"plan", radd::json::array()}};
    }
}

radd::json runs(radd::Transaction& tx,
                std::optional<std::int64_t> rule_id,
                std::optional<std::int64_t> before,
                std::int64_t limit) {
    auto list = radd::json::array();
    for (const auto row : tx.query(sql::list_runs, rule_id, before, limit))
        list.push_back({{"id", row.integer("id")},
                        {"rule_id", row.integer("rule_id")},
                        {"rule", row.text("rule")},
                        {"event_id", or_null(row.optional_integer("event_id"))},
                        {"outcome", row.text("outcome")},
                        {"detail", row.text("detail")},
                        {"plan", radd::json::parse(row.text("plan"))},
                        {"depth", row.integer("depth")},
                        {"took_ms", row.integer("took_ms")},
                        {"at", row.text("at")}});
    return list;
}

}  // namespace automations

#include <algorithm>

#include <host/consumers/cascade_catch_up.hpp>
#include <host/consumers/cascade_sql.hpp>
#include <host/consumers/failure.hpp>

namespace radd::consumers {

CascadeCatchUp::CascadeCatchUp(const std::vector<Cascade>& cascades, Database& database, Log& log)
    : database_{database}, log_{log} {
    for (const Cascade& cascade : cascades) {
        const auto of_the_same = [&](const auto& plugin) {
            return plugin.front().plugin == cascade.plugin;
        };
        const auto found = std::ranges::find_if(plugins_, of_the_same);
        if (found == plugins_.end())
            plugins_.push_back({cascade});
        else
            found->push_back(cascade);
    }
}

bool CascadeCatchUp::tick() {
    const auto& cascades = plugins_[next_];
    const std::string& plugin = cascades.front().plugin;
    Pass pass;
    database_.transact([&](Transaction& tx) { pass = sweep_slice(tx, cascades); });
    if (!pass.swept.empty()) {
        log_.info("cascades of plugin " + plugin + ": swept " + std::to_string(pass.swept.size()) +
                  " events of " + std::to_string(pass.from + 1) + " to " + std::to_string(pass.to) +
                  " that came while it was off");
    }
    for (const Swept& swept : pass.swept) {
        try {
            finish_swept(swept, log_);
        } catch (...) {
            log_.error("cascades of plugin " + plugin + ": event " +
                       std::to_string(swept.event_id) + ": " + describe_current_exception());
        }
    }
    if (pass.is_last) next_ = (next_ + 1) % plugins_.size();
    return !pass.is_last || next_ != 0;
}

CascadeCatchUp::Pass CascadeCatchUp::sweep_slice(Transaction& tx,
                                                 const std::vector<Cascade>& cascades) {
    const std::string& plugin = cascades.front().plugin;
    tx.execute(sql::begin_cascade_position, plugin, cascade_consumer);
    const auto position = tx.query_one(sql::lock_cascade_position, plugin, cascade_consumer);
    if (!position) return {};  // events.cascade was never declared, so nothing was passed.
    Pass pass{.from = position->integer("swept_to"), .to = position->integer("cursor")};
    if (pass.from >= pass.to) return pass;
    const auto rows = tx.query(sql::events_not_swept,
                               parents_of(cascades, plugin),
                               pass.from,
                               pass.to,
                               events_per_tick_max);
    for (const auto row : rows) {
        pass.swept.push_back(sweep_all(tx,
                                       cascades,
                                       {.event_id = row.integer("id"),
                                        .event_type = row.text("event_type"),
                                        .parent_id = row.text("entity_id"),
                                        .is_silent = row.boolean("silent")}));
    }
    pass.is_last = std::ssize(pass.swept) < events_per_tick_max;
    if (!pass.is_last) pass.to = pass.swept.back().event_id;
    tx.execute(sql::move_cascade_position, plugin, pass.to);
    return pass;
}

}  // namespace radd::consumers

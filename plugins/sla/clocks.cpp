#include "clocks.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <set>
#include <string>

#include "clock.hpp"
#include "policies.hpp"
#include "sql.hpp"
#include <items/service.hpp>

namespace sla {
namespace {

using Instant = std::optional<radd::Timestamp>;

radd::Timestamp instant_at(std::int64_t microseconds) {
    return radd::Timestamp{std::chrono::microseconds{microseconds}};
}

Instant optional_instant(const radd::Row& row, const char* column) {
    const auto microseconds = row.optional_integer(column);
    if (!microseconds) return std::nullopt;
    return instant_at(*microseconds);
}

std::int64_t microseconds(radd::Timestamp instant) {
    return instant.time_since_epoch().count();
}

std::optional<std::int64_t> microseconds(const Instant& instant) {
    if (!instant) return std::nullopt;
    return microseconds(*instant);
}

bool is_done(const std::string& category) {
    return category == items::name_of(items::Category::done);
}

History history_of(radd::Transaction& tx, std::int64_t item_id, const radd::Row& item) {
    History history{.created_at = instant_at(item.integer("created_us")),
                    .now = {.name = item.text("state"), .done = is_done(item.text("category"))}};
    for (const auto row : tx.query(sql::select_state_changes, item_id))
        history.changes.push_back(
            {.event_id = row.integer("event_id"),
             .at = instant_at(row.integer("at_us")),
             .from = {.name = row.text("from_state"), .done = is_done(row.text("from_category"))},
             .to = {.name = row.text("to_state"), .done = is_done(row.text("to_category"))}});
    return history;
}

/// When the promise was kept in this life, if it was.
Instant met_at(radd::Transaction& tx, std::int64_t item_id, const Life& life, Target target) {
    if (target == Target::resolution) return life.done_at;
    const auto row = tx.query_one(
        sql::select_first_response, item_id, microseconds(life.began_at), radd::system_actor);
    const auto answered_at = optional_instant(*row, "at_us");
    if (!answered_at || !life.done_at) return answered_at ? answered_at : life.done_at;
    return std::min(*answered_at, *life.done_at);
}

void write(radd::Transaction& tx,
           std::int64_t item_id,
           const radd::Row& item,
           const Life& life,
           Target target,
           const Clock& clock) {
    std::optional<std::int64_t> remaining;
    if (clock.remaining) remaining = clock.remaining->count();
    tx.execute(sql::upsert_clock,
               item_id,
               item.integer("policy_id"),
               name_of(target),
               life.id,
               microseconds(life.began_at),
               life.paused,
               remaining,
               microseconds(clock.due_soon_at),
               microseconds(clock.due_at),
               microseconds(clock.met_at),
               item.optional_integer("alarm_from_us"));
}

std::vector<std::string> pause_states_of(const radd::Row& item) {
    if (item.is_null("pause_states")) return {};
    return radd::json::parse(item.text("pause_states")).get<std::vector<std::string>>();
}

/// Each zone once: a project has thousands of items.
void tell_unknown_zone(radd::Log& log, const std::string& zone) {
    static std::mutex mutex;
    static std::set<std::string> told;
    const std::scoped_lock lock{mutex};
    if (!told.insert(zone).second) return;
    log.warn("clocks: tzdata of this host has no zone '" + zone +
             "', which a calendar has; UTC is taken, so that what is promised by it is due some "
             "hours too early or too late");
}

Calendar calendar_of(const radd::Row& item, radd::Log& log) {
    auto zone = item.text("zone");
    if (!Zone::is_known(zone)) {
        tell_unknown_zone(log, zone);
        zone = "UTC";
    }
    return Calendar{rules_of(
        zone, radd::json::parse(item.text("hours")), radd::json::parse(item.text("holidays")))};
}

/// The names of the targets that the item's policy has, each computed and written.
std::vector<std::string> write_clocks(radd::Transaction& tx,
                                      radd::Log& log,
                                      std::int64_t item_id,
                                      const radd::Row& item,
                                      const Life& life) {
    std::vector<std::string> written;
    if (item.is_null("policy_id")) return written;
    const Calendar calendar = calendar_of(item, log);
    for (const auto& [target, promise] : promises_of(radd::json::parse(item.text("targets")))) {
        const auto clock = clock_of(life, promise, calendar, met_at(tx, item_id, life, target));
        write(tx, item_id, item, life, target, clock);
        written.emplace_back(name_of(target));
    }
    return written;
}

/// The next open items of `project`.
void refresh_items_of(radd::Transaction& tx, radd::Log& log, const radd::Row& project) {
    const auto id = project.integer("project_id");
    const auto open =
        tx.query(sql::list_open_items, id, project.integer("after_item"), refresh_items);
    for (const auto row : open) compute(tx, log, row.integer("id"), Cause::other);
    if (static_cast<std::int64_t>(open.size()) < refresh_items)
        tx.execute(sql::end_refresh, id);
    else
        tx.execute(sql::move_refresh, id, open[open.size() - 1].integer("id"));
}

}  // namespace

void compute(radd::Transaction& tx, radd::Log& log, std::int64_t item_id, Cause cause) {
    const auto item = tx.query_one(sql::select_item, item_id);
    if (!item) return;
    const auto life = last_life(history_of(tx, item_id, *item), pause_states_of(*item));
    if (!life || (life->done_at && cause == Cause::other)) return;
    // What was over before it came here was promised by somebody else, if by anybody.
    const auto imported_at = optional_instant(*item, "imported_us");
    if (life->done_at && imported_at && *life->done_at <= *imported_at) {
        tx.execute(sql::delete_life, item_id, life->id);
        return;
    }
    const auto written = write_clocks(tx, log, item_id, *item, *life);
    tx.execute(sql::drop_other_clocks,
               item_id,
               item->optional_integer("policy_id").value_or(0),
               radd::text_array(written),
               life->id);
}

bool refresh(radd::Database& database, radd::Log& log) {
    std::optional<std::int64_t> project_id;
    try {
        return database.transact([&](radd::Transaction& tx) {
            project_id.reset();
            tx.execute(sql::computing);
            const auto project = tx.query_one(sql::take_refresh);
            if (!project) return false;
            project_id = project->integer("project_id");
            refresh_items_of(tx, log, *project);
            return true;
        });
    } catch (const radd::Unavailable&) {
        throw;
    } catch (const std::exception& error) {
        if (!project_id) throw;
        log.error("clocks: project " + std::to_string(*project_id) +
                  " could not be computed anew, and has no alarms until it is: " + error.what() +
                  "; it is tried again in " + std::to_string(refresh_again_after.count() / 1000) +
                  " s");
        database.transact([&](radd::Transaction& tx) {
            tx.execute(sql::defer_refresh, *project_id, refresh_again_after.count());
        });
        return true;
    }
}

}  // namespace sla

#include <host/consumers/operator_sql.hpp>
#include <host/consumers/overview.hpp>

namespace radd::consumers {

std::vector<ConsumerStatus> consumer_overview(db::Session& session,
                                              const OverviewContext& context) {
    std::optional<std::string> loaded;
    if (context.loaded) loaded = text_array(*context.loaded);
    std::vector<ConsumerStatus> list;
    const Rows rows = session.query(sql::overview,
                                    context.head,
                                    loaded,
                                    stalled_after_seconds,
                                    context.waiting_on.has_value(),
                                    ConsumerStatus::skipped_counted_max + 1);
    for (const auto row : rows) {
        list.push_back({.name = row.text("name"),
                        .plugin = row.text("plugin"),
                        .task = row.text("kind") == "task",
                        .last_event_id = row.integer("cursor"),
                        .stream_head = context.head,
                        .lag = row.integer("lag"),
                        .approximate = row.boolean("approximate"),
                        .seconds_since_update = row.integer("seconds_since_update"),
                        .state = row.text("state"),
                        .owner = row.optional_text("owner"),
                        .waiting_on = {},
                        .skipped = row.integer("skipped"),
                        .oldest_age_s = row.optional_integer("oldest_age_s"),
                        .overdue_event_id = row.optional_integer("overdue_event_id"),
                        .paused_until = row.optional_text("paused_until"),
                        .pause_reason = row.optional_text("pause_reason"),
                        .handled_count = row.integer("handled_count")});
        if (list.back().state == "waiting") list.back().waiting_on = context.waiting_on;
    }
    return list;
}

}  // namespace radd::consumers

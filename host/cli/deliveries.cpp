#include <algorithm>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include <host/cli/deliveries.hpp>
#include <host/cli/opened.hpp>
#include <host/cli/table.hpp>
#include <host/delivery/delivery_json.hpp>
#include <host/delivery/operations.hpp>
#include <radd/terminal_text.hpp>

namespace radd::cli {
namespace {

using delivery::DeliveryOperations;
using delivery::QueueStatus;
using delivery::StoredDelivery;
using nlohmann::ordered_json;

constexpr const char* by_operator = "cancelled by hand";

/// "2026-11-30 12:34", or a dash.
std::string minute_of(const std::optional<std::string>& time) {
    constexpr std::size_t minutes = 16;
    if (!time) return "-";
    auto when = time->substr(0, minutes);
    std::ranges::replace(when, 'T', ' ');
    return when;
}

Cell dead_cell(std::int64_t dead, const std::string& mark = {}) {
    return {std::to_string(dead) + mark, dead > 0 ? Tone::bad : Tone::plain};
}

Tone tone_of(const StoredDelivery& one) {
    if (one.state == "delivered") return Tone::good;
    if (one.state == "pending") return Tone::busy;
    return one.state == "dead" && !one.replayed_as ? Tone::bad : Tone::quiet;
}

template <typename Status>
void print_list(Invocation& invocation, const std::vector<Status>& all) {
    auto list = ordered_json::array();
    for (const auto& status : all) list.push_back(to_json(status));
    invocation.out << list.dump(2, ' ', false, ordered_json::error_handler_t::replace) << '\n';
}

Table table_of(const std::vector<StoredDelivery>& all) {
    constexpr std::size_t lane_width_min = 6;
    constexpr std::size_t reason_width_min = 20;
    Table table{{{"ID", Align::right},
                 {"QUEUE"},
                 {"LANE", Align::left, lane_width_min},
                 {"STATE"},
                 {"TRIES", Align::right},
                 {"NEXT (UTC)"},
                 {"EVENT", Align::right},
                 {"REASON", Align::left, reason_width_min}}};
    for (const auto& one : all) {
        std::string state = one.under_way ? "under way" : one.state;
        if (one.replayed_as) state += " -> " + std::to_string(*one.replayed_as);
        table.add({std::to_string(one.id),
                   terminal_text(one.queue),
                   terminal_text(one.lane),
                   Cell{state, tone_of(one)},
                   std::to_string(one.attempts),
                   minute_of(one.next_attempt_at),
                   one.event_id ? std::to_string(*one.event_id) : "-",
                   terminal_text(one.last_error.value_or("-"))});
    }
    return table;
}

void print_fields(std::ostream& out, const StoredDelivery& one) {
    const auto row = [&](const char* name, const std::string& value) {
        fmt::print(out, "{:<16} {}\n", name, terminal_text(value));
    };
    const ordered_json fields = to_json(one);
    for (const auto& [name, value] : fields.items()) {
        if (!value.is_null())
            row(name.c_str(), value.is_string() ? value.get<std::string>() : value.dump());
    }
}

/// Of one queue. What was replayed is zero while it is not confirmed.
struct Replay {
    std::string queue;
    delivery::DeadLetters letters;
    std::int64_t replayed = 0;
};

Replay replay_of(DeliveryOperations& operations,
                 const std::string& queue,
                 const DeliveryReplayOptions& options) {
    const ReplayFilter filter{
        .lane = options.lane, .first_id = options.first_id, .last_id = options.last_id};
    Replay replay{.queue = queue, .letters = operations.preview_dead(queue, filter)};
    constexpr auto at_once = static_cast<std::int64_t>(deliveries_replayed_max);
    for (std::int64_t last = at_once; options.confirmed && last == at_once;) {
        last = operations.replay_dead(queue, filter);
        replay.replayed += last;
    }
    return replay;
}

int print_replays(Invocation& invocation, const std::vector<Replay>& all, bool confirmed) {
    if (invocation.json) {
        auto list = ordered_json::array();
        for (const auto& one : all) {
            ordered_json object{{"queue", one.queue}};
            object.update(to_json(one.letters));
            object["replayed"] = one.replayed;
            list.push_back(std::move(object));
        }
        invocation.out << list.dump(2, ' ', false, ordered_json::error_handler_t::replace) << '\n';
        return exit_ok;
    }
    bool some = false;
    for (const auto& one : all) {
        if (one.letters.deliveries == 0) continue;
        some = true;
        const bool capped =
            one.letters.deliveries == static_cast<std::int64_t>(deliveries_replayed_max);
        fmt::print(invocation.out,
                   "{}: {}{} dead letters, {} to {}, {} queued again for {} receivers\n",
                   terminal_text(one.queue),
                   confirmed ? one.replayed : one.letters.deliveries,
                   capped && !confirmed ? " or more" : "",
                   one.letters.first_id.value_or(0),
                   one.letters.last_id.value_or(0),
                   confirmed ? "are" : "would be",
                   one.letters.lanes);
    }
    if (!some) invocation.err << "there are no dead letters that were not replayed\n";
    if (some && !confirmed) invocation.err << "nothing was done; repeat it with --yes\n";
    return exit_ok;
}

/// In slices, each a transaction of its own, until as many are cancelled as waited: not without
/// end while others are queued.
std::int64_t cancel_all(DeliveryOperations& operations,
                        const DeliveryCancelOptions& options,
                        std::int64_t waiting) {
    std::int64_t cancelled = 0;
    while (cancelled < waiting) {
        const auto some = operations.cancel_lane(options.queue, options.lane, by_operator);
        if (some == 0) break;
        cancelled += some;
    }
    return cancelled;
}

}  // namespace

int deliveries_queues(Invocation& invocation) {
    Opened opened{invocation, "deliveries queues"};
    const auto all = DeliveryOperations{opened.session()}.queues();
    if (invocation.json) {
        print_list(invocation, all);
        return exit_ok;
    }
    if (all.empty()) {
        invocation.err << "nothing was ever queued here\n";
        return exit_ok;
    }
    Table table{{{"QUEUE"},
                 {"PENDING", Align::right},
                 {"DUE", Align::right},
                 {"UNDER WAY", Align::right},
                 {"DEAD", Align::right},
                 {"OLDEST", Align::right}}};
    for (const auto& status : all) {
        const auto counted = [&](std::int64_t count) {
            return std::to_string(count) + (count == QueueStatus::counted_max ? "+" : "");
        };
        table.add({terminal_text(status.name),
                   counted(status.pending),
                   counted(status.due),
                   std::to_string(status.under_way),
                   dead_cell(status.dead, status.dead == QueueStatus::counted_max ? "+" : ""),
                   status.oldest_due_s ? std::to_string(*status.oldest_due_s) + "s" : "-"});
    }
    table.print(invocation.out, invocation.terminal);
    const bool has_dead =
        std::ranges::any_of(all, [](const QueueStatus& status) { return status.dead > 0; });
    if (has_dead)
        invocation.err << "`radd deliveries list --state dead` tells why, `radd deliveries replay "
                          "--dead` sends them again\n";
    return exit_ok;
}

int deliveries_lanes(Invocation& invocation, const std::string& queue) {
    Opened opened{invocation, "deliveries lanes"};
    const auto all = DeliveryOperations{opened.session()}.lanes(queue);
    if (invocation.json) {
        print_list(invocation, all);
        return exit_ok;
    }
    if (all.empty()) {
        fmt::print(invocation.err, "{}: nothing waits, and nothing is dead\n", queue);
        return exit_ok;
    }
    constexpr std::size_t lane_width_min = 12;
    Table table{{{"LANE", Align::left, lane_width_min},
                 {"PENDING", Align::right},
                 {"DUE", Align::right},
                 {"UNDER WAY", Align::right},
                 {"DEAD", Align::right},
                 {"NEXT (UTC)"}}};
    for (const auto& status : all) {
        table.add({terminal_text(status.lane),
                   std::to_string(status.pending),
                   std::to_string(status.due),
                   std::to_string(status.under_way),
                   dead_cell(status.dead),
                   minute_of(status.next_attempt_at)});
    }
    table.print(invocation.out, invocation.terminal);
    return exit_ok;
}

int deliveries_list(Invocation& invocation, const DeliveryListOptions& options) {
    Opened opened{invocation, "deliveries list"};
    const auto all = DeliveryOperations{opened.session()}.list({.queue = options.queue,
                                                                .lane = options.lane,
                                                                .state = options.state,
                                                                .event_id = options.event,
                                                                .before = options.before},
                                                               options.limit);
    if (invocation.json) {
        print_list(invocation, all);
        return exit_ok;
    }
    if (all.empty()) {
        invocation.err << "no delivery is like that\n";
        return exit_ok;
    }
    table_of(all).print(invocation.out, invocation.terminal);
    if (static_cast<std::int64_t>(all.size()) == options.limit)
        fmt::print(invocation.err, "there may be more: --before {}\n", all.back().id);
    return exit_ok;
}

int deliveries_show(Invocation& invocation, std::int64_t id) {
    Opened opened{invocation, "deliveries show"};
    DeliveryOperations operations{opened.session()};
    const auto one = operations.find(id);
    const auto payload = operations.payload_text(id);
    if (invocation.json) {
        invocation.out << json_text(one, payload) << '\n';
        return exit_ok;
    }
    print_fields(invocation.out, one);
    fmt::print(invocation.out, "{:<16} {}\n", "payload", terminal_text(payload));
    return exit_ok;
}

int deliveries_replay(Invocation& invocation, const DeliveryReplayOptions& options) {
    Opened opened{invocation, "deliveries replay"};
    DeliveryOperations operations{opened.session()};
    if (options.id) {
        const auto made = operations.replay(*options.id);
        if (invocation.json)
            invocation.out << ordered_json{{"replayed_as", made}}.dump(2) << '\n';
        else
            fmt::print(invocation.out, "{} is queued again as {}\n", *options.id, made);
        return exit_ok;
    }
    std::vector<std::string> queues;
    if (options.queue) {
        queues.push_back(*options.queue);
    } else {
        for (const auto& status : operations.queues()) queues.push_back(status.name);
    }
    std::vector<Replay> all;
    for (const auto& queue : queues) all.push_back(replay_of(operations, queue, options));
    return print_replays(invocation, all, options.confirmed);
}

int deliveries_cancel(Invocation& invocation, const DeliveryCancelOptions& options) {
    Opened opened{invocation, "deliveries cancel"};
    DeliveryOperations operations{opened.session()};
    if (options.id) {
        operations.cancel(*options.id, by_operator);
        if (invocation.json)
            invocation.out << ordered_json{{"cancelled", 1}}.dump(2) << '\n';
        else
            fmt::print(invocation.err, "{} is cancelled\n", *options.id);
        return exit_ok;
    }
    const auto waiting = operations.waiting_in(options.queue, options.lane);
    const auto cancelled = options.confirmed ? cancel_all(operations, options, waiting) : 0;
    if (invocation.json) {
        invocation.out << ordered_json{{"cancelled", cancelled}, {"waiting", waiting}}.dump(2)
                       << '\n';
        return exit_ok;
    }
    fmt::print(invocation.out,
               "{} to {}: {} {}\n",
               options.queue,
               terminal_text(options.lane),
               options.confirmed ? cancelled : waiting,
               options.confirmed ? "are cancelled" : "would be cancelled");
    if (!options.confirmed) {
        invocation.err << "nothing was done; repeat it with --yes\n";
        return exit_ok;
    }
    if (const auto left = operations.waiting_in(options.queue, options.lane); left > 0)
        fmt::print(invocation.err,
                   "{} are left, which are being recorded or were queued meanwhile; repeat it\n",
                   left);
    return exit_ok;
}

}  // namespace radd::cli

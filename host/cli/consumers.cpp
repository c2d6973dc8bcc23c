// radd consumers list, skipped: seeing how consumers keep up, and what they could not do.

#include <algorithm>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include <host/cli/commands.hpp>
#include <host/cli/opened.hpp>
#include <host/cli/table.hpp>
#include <host/config/scalars.hpp>
#include <host/consumers/consumer_json.hpp>
#include <host/consumers/operations.hpp>
#include <host/consumers/overview.hpp>
#include <radd/terminal_text.hpp>

namespace radd::cli {
namespace {

using consumers::ConsumerStatus;
using nlohmann::ordered_json;

constexpr std::int64_t limit_max = 1000;

/// "12s", "3m", "5h", "2d": one unit is enough to see whether to worry.
std::string short_age(std::int64_t seconds) {
    if (seconds < 120) return fmt::format("{}s", seconds);
    if (seconds < 120 * 60) return fmt::format("{}m", seconds / 60);
    if (seconds < 48 * 3600) return fmt::format("{}h", seconds / 3600);
    return fmt::format("{}d", seconds / 86400);
}

/// Without the random part, which tells two starts of one process id apart.
std::string short_owner(const std::optional<std::string>& owner) {
    if (!owner) return "-";
    return owner->substr(0, owner->rfind(':'));
}

Tone tone_of(const std::string& state) {
    if (state == "ok") return Tone::good;
    if (state == "catching_up" || state == "waiting") return Tone::busy;
    if (state == "paused" || state == "retired") return Tone::quiet;
    return Tone::bad;
}

std::string counted(std::int64_t events, bool approximate) {
    return fmt::format("{}{}", approximate ? "~" : "", events);
}

std::string counted_skips(std::int64_t skipped) {
    if (skipped <= ConsumerStatus::skipped_counted_max) return std::to_string(skipped);
    return std::to_string(ConsumerStatus::skipped_counted_max) + "+";
}

void print_notes(std::ostream& err, const std::vector<ConsumerStatus>& all) {
    for (const ConsumerStatus& status : all) {
        if (status.overdue_event_id) {
            fmt::print(err,
                       "{}: the {} has outlived its deadline\n",
                       status.name,
                       *status.overdue_event_id == 0
                           ? "tick of the task"
                           : "handler of event " + std::to_string(*status.overdue_event_id));
        }
        if (status.state == "beyond_head") {
            fmt::print(err,
                       "{}: cursor {} lies beyond the head {}: was an older backup restored? "
                       "`radd consumers seek {} head` lets it go on\n",
                       status.name,
                       status.last_event_id,
                       status.stream_head,
                       status.name);
        }
        if (status.skipped > 0) {
            fmt::print(
                err,
                "{}: {} skipped; `radd consumers skipped {}` tells why, `radd consumers retry {} "
                "--all` plans them again\n",
                status.name,
                counted_skips(status.skipped),
                status.name,
                status.name);
        }
        if (status.pause_reason && !status.pause_reason->empty())
            fmt::print(err, "{}: paused: {}\n", status.name, terminal_text(*status.pause_reason));
    }
    for (const ConsumerStatus& status : all) {
        if (!status.waiting_on) continue;
        const auto& holder = *status.waiting_on;
        fmt::print(err,
                   "the stream waits at event {} for the transaction of {} ({}), open for {} s\n",
                   holder.hole_id,
                   holder.pid ? fmt::format("pid {}", *holder.pid) : "a prepared transaction",
                   terminal_text(holder.application_name),
                   holder.age.count() / 1000);
        break;  // One holder holds them all.
    }
}

Table table_of(const std::vector<ConsumerStatus>& all) {
    constexpr std::size_t name_width_min = 20;
    constexpr std::size_t owner_width_min = 12;
    Table table{{{"CONSUMER", Align::left, name_width_min},
                 {"STATE"},
                 {"CURSOR", Align::right},
                 {"LAG", Align::right},
                 {"SKIPPED", Align::right},
                 {"MOVED", Align::right},
                 {"OWNER", Align::left, owner_width_min}}};
    for (const ConsumerStatus& status : all) {
        const Cell state{status.state, tone_of(status.state)};
        if (status.task) {
            table.add({status.name, state, "-", "-", "-", "-", short_owner(status.owner)});
            continue;
        }
        const Tone skipped_tone = status.skipped > 0 ? Tone::bad : Tone::plain;
        table.add({status.name,
                   state,
                   std::to_string(status.last_event_id),
                   counted(status.lag, status.approximate),
                   Cell{counted_skips(status.skipped), skipped_tone},
                   short_age(status.seconds_since_update),
                   short_owner(status.owner)});
    }
    return table;
}

Table table_of(const std::vector<consumers::SkippedEvent>& all) {
    constexpr std::size_t type_width_min = 12;
    constexpr std::size_t error_width_min = 20;
    constexpr std::size_t minutes = 16;  // 2026-11-30T12:34
    Table table{{{"EVENT", Align::right},
                 {"TYPE", Align::left, type_width_min},
                 {"PHASE"},
                 {"TRIES", Align::right},
                 {"LAST SKIPPED (UTC)"},
                 {"ERROR", Align::left, error_width_min}}};
    for (const auto& skipped : all) {
        auto when = skipped.skipped_at.substr(0, minutes);
        std::ranges::replace(when, 'T', ' ');
        if (skipped.retry_requested) when += " retrying";
        table.add({std::to_string(skipped.event_id),
                   terminal_text(skipped.event_type),
                   skipped.phase,
                   std::to_string(skipped.attempts),
                   when,
                   Cell{terminal_text(skipped.error), Tone::bad}});
    }
    return table;
}

}  // namespace

int consumers_list(Invocation& invocation) {
    Opened opened{invocation, "consumers list"};
    const auto all = consumers::consumer_overview(
        opened.session(), {.head = opened.head(), .waiting_on = opened.waiting_on()});
    if (invocation.json) {
        ordered_json list = ordered_json::array();
        for (const ConsumerStatus& status : all) list.push_back(to_json(status));
        invocation.out << list.dump(2) << '\n';
        return exit_ok;
    }
    auto table = table_of(all);
    if (table.empty()) {
        invocation.err << "no consumer has ever started here; `radd serve` starts them"
                       << (opened.installation().settings().run_workers
                               ? "\n"
                               : " where run_workers is true; here it is false\n");
        return exit_ok;
    }
    table.print(invocation.out, invocation.terminal);
    print_notes(invocation.err, all);
    return exit_ok;
}

int consumers_skipped(Invocation& invocation, const std::string& name, std::int64_t limit) {
    Opened opened{invocation, "consumers skipped"};
    const auto all = consumers::ConsumerOperations{opened.session()}.skipped(name, limit);
    if (invocation.json) {
        // Put together as text: the copies of the events keep every digit of their numbers.
        std::string list = "[";
        for (const auto& skipped : all)
            list.append(list.size() > 1 ? ",\n" : "\n").append(json_text(skipped));
        invocation.out << list << (all.empty() ? "]\n" : "\n]\n");
        return exit_ok;
    }
    if (all.empty()) {
        fmt::print(invocation.err, "{}: nothing was skipped\n", name);
        return exit_ok;
    }
    table_of(all).print(invocation.out, invocation.terminal);
    if (static_cast<std::int64_t>(all.size()) == limit)
        fmt::print(invocation.err, "there may be more: --limit {}\n", limit_max);
    return exit_ok;
}

}  // namespace radd::cli

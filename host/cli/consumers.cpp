// radd consumers …: seeing how consumers keep up, and repairing them.

#include <charconv>
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

namespace radd::cli {
namespace {

using consumers::ConsumerStatus;
using nlohmann::ordered_json;

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

std::string counted(std::int64_t events, bool approximate) {
    return fmt::format("{}{}", approximate ? "~" : "", events);
}

void print_notes(std::ostream& err, const std::vector<ConsumerStatus>& all) {
    for (const ConsumerStatus& status : all) {
        if (status.overdue_event_id) {
            fmt::print(err,
                       "{}: the handler of event {} has outlived its deadline\n",
                       status.name,
                       *status.overdue_event_id);
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
            fmt::print(err,
                       "{}: {} skipped; `radd consumers retry {} --all` plans them again\n",
                       status.name,
                       status.skipped,
                       status.name);
        }
        if (status.pause_reason && !status.pause_reason->empty())
            fmt::print(err, "{}: paused: {}\n", status.name, *status.pause_reason);
    }
    for (const ConsumerStatus& status : all) {
        if (!status.waiting_on) continue;
        const auto& holder = *status.waiting_on;
        fmt::print(err,
                   "the stream waits at event {} for the transaction of {} ({}), open for {} s\n",
                   holder.hole_id,
                   holder.pid ? fmt::format("pid {}", *holder.pid) : "a prepared transaction",
                   holder.application_name,
                   holder.age.count() / 1000);
        break;  // One holder holds them all.
    }
}

consumers::SeekTarget target_from(const std::string& to) {
    if (to == "head") return consumers::SeekTo::head;
    if (to == "beginning") return consumers::SeekTo::beginning;
    std::int64_t id = 0;
    const auto [end, error] = std::from_chars(to.data(), to.data() + to.size(), id);
    if (error != std::errc{} || end != to.data() + to.size())
        throw InvalidInput{"target", "'" + to + "' is not head, beginning or an event id"};
    return id;
}

std::string told(const std::string& name, const consumers::Seek& seek) {
    const bool replay = seek.to < seek.from;
    return fmt::format("{}: cursor {} -> {}: {} events will be {}",
                       name,
                       seek.from,
                       seek.to,
                       counted(seek.events, seek.approximate),
                       replay ? "replayed" : "passed without being handled");
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
    Table table{{{"CONSUMER"},
                 {"STATE"},
                 {"CURSOR", Align::right},
                 {"LAG", Align::right},
                 {"SKIPPED", Align::right},
                 {"MOVED", Align::right},
                 {"OWNER"}}};
    for (const ConsumerStatus& status : all) {
        if (status.task) {
            table.add({status.name, status.state, "-", "-", "-", "-", short_owner(status.owner)});
            continue;
        }
        table.add({status.name,
                   status.state,
                   std::to_string(status.last_event_id),
                   counted(status.lag, status.approximate),
                   std::to_string(status.skipped),
                   short_age(status.seconds_since_update),
                   short_owner(status.owner)});
    }
    if (table.empty()) {
        invocation.err << "no consumer has ever started here; `radd serve` starts them\n";
        return exit_ok;
    }
    table.print(invocation.out);
    print_notes(invocation.err, all);
    return exit_ok;
}

int consumers_pause(Invocation& invocation,
                    const std::string& name,
                    const std::optional<std::string>& duration,
                    const std::string& reason) {
    std::optional<std::chrono::milliseconds> how_long;
    if (duration) how_long = parse_duration("for", *duration);
    Opened opened{invocation, "consumers pause"};
    consumers::ConsumerOperations{opened.session()}.pause(name, how_long, reason);
    fmt::print(invocation.err,
               "{}: paused {}\n",
               name,
               duration ? "for " + *duration : std::string{"until resumed"});
    return exit_ok;
}

int consumers_resume(Invocation& invocation, const std::string& name) {
    Opened opened{invocation, "consumers resume"};
    const auto moved = consumers::ConsumerOperations{opened.session()}.resume(name, opened.head());
    if (moved && moved->from != moved->to) invocation.err << told(name, *moved) << '\n';
    fmt::print(invocation.err, "{}: resumed\n", name);
    return exit_ok;
}

int consumers_seek(Invocation& invocation,
                   const std::string& name,
                   const std::string& to,
                   bool confirmed) {
    const auto target = target_from(to);
    Opened opened{invocation, "consumers seek"};
    consumers::ConsumerOperations operations{opened.session()};
    const std::int64_t head = opened.head();
    const auto seek = confirmed ? operations.seek(name, target, head)
                                : operations.preview_seek(name, target, head);
    if (invocation.json) {
        auto object = to_json(name, seek);
        object["done"] = confirmed;
        invocation.out << object.dump(2) << '\n';
    } else {
        invocation.out << told(name, seek) << '\n';
        if (!confirmed) invocation.err << "nothing was done; repeat it with --yes\n";
    }
    return exit_ok;
}

int consumers_retry(Invocation& invocation,
                    const std::string& name,
                    const std::optional<std::int64_t>& event) {
    Opened opened{invocation, "consumers retry"};
    const auto found = consumers::ConsumerOperations{opened.session()}.retry(name, event);
    if (invocation.json) {
        invocation.out << ordered_json{{"name", name}, {"requested", found}}.dump(2) << '\n';
    } else if (found > 0) {
        fmt::print(invocation.out, "{}: {} skipped events will be planned again\n", name, found);
    }
    if (found > 0) return exit_ok;
    if (event) {
        fmt::print(invocation.err, "{}: event {} is not among the skipped\n", name, *event);
    } else {
        fmt::print(invocation.err, "{}: nothing was skipped\n", name);
    }
    return event ? exit_failed : exit_ok;
}

int consumers_retire(Invocation& invocation, const std::string& name, bool confirmed) {
    Opened opened{invocation, "consumers retire"};
    if (!confirmed) {
        fmt::print(invocation.err,
                   "{}: would be run no more, on any host, until it is resumed; nothing was done, "
                   "repeat it with --yes\n",
                   name);
        return exit_ok;
    }
    consumers::ConsumerOperations{opened.session()}.retire(name);
    fmt::print(invocation.err, "{}: retired\n", name);
    return exit_ok;
}

}  // namespace radd::cli

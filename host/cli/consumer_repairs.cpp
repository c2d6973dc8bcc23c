// radd consumers pause, resume, seek, retry, retire: what an operator does about them.

#include <charconv>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include <host/cli/commands.hpp>
#include <host/cli/opened.hpp>
#include <host/consumers/consumer_json.hpp>
#include <host/consumers/operations.hpp>

namespace radd::cli {
namespace {

using nlohmann::ordered_json;

void print(Invocation& invocation, const ordered_json& object) {
    invocation.out << object.dump(2) << '\n';
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
                       (seek.approximate ? "~" : "") + std::to_string(seek.events),
                       replay ? "replayed" : "passed without being handled");
}

}  // namespace

int consumers_pause(Invocation& invocation,
                    const std::string& name,
                    const std::optional<std::string>& duration,
                    const std::string& reason) {
    std::optional<std::chrono::milliseconds> how_long;
    if (duration) how_long = parse_duration("for", *duration);
    Opened opened{invocation, "consumers pause"};
    consumers::ConsumerOperations{opened.session()}.pause(name, how_long, reason);
    if (invocation.json) {
        print(invocation,
              {{"name", name},
               {"state", "paused"},
               {"for", duration ? ordered_json(*duration) : ordered_json()},
               {"pause_reason", reason}});
        return exit_ok;
    }
    fmt::print(invocation.err,
               "{}: paused {}\n",
               name,
               duration ? "for " + *duration : std::string{"until resumed"});
    return exit_ok;
}

int consumers_resume(Invocation& invocation, const std::string& name) {
    Opened opened{invocation, "consumers resume"};
    const auto moved = consumers::ConsumerOperations{opened.session()}.resume(name, opened.head());
    if (invocation.json) {
        print(invocation,
              {{"name", name},
               {"state", "resumed"},
               {"moved", moved ? to_json(name, *moved) : ordered_json()}});
        return exit_ok;
    }
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
        print(invocation, object);
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
    if (event && found == 0) {
        throw InvalidInput{name,
                           "event " + std::to_string(*event) +
                               " is not among the skipped; `radd consumers skipped " + name +
                               "` lists them"};
    }
    if (invocation.json) {
        print(invocation, {{"name", name}, {"requested", found}});
    } else if (found > 0) {
        fmt::print(invocation.out, "{}: {} skipped events will be planned again\n", name, found);
    } else {
        fmt::print(invocation.err, "{}: nothing was skipped\n", name);
    }
    return exit_ok;
}

int consumers_retire(Invocation& invocation, const std::string& name, bool confirmed) {
    Opened opened{invocation, "consumers retire"};
    consumers::ConsumerOperations operations{opened.session()};
    if (confirmed) {
        operations.retire(name);
    } else {
        operations.require_known(name);
    }
    if (invocation.json) {
        print(invocation, {{"name", name}, {"state", "retired"}, {"done", confirmed}});
    } else if (confirmed) {
        fmt::print(invocation.err, "{}: retired\n", name);
    } else {
        fmt::print(invocation.err,
                   "{}: would be run no more, on any host, until it is resumed; nothing was done, "
                   "repeat it with --yes\n",
                   name);
    }
    return exit_ok;
}

}  // namespace radd::cli

#include "session.hpp"

#include <utility>

namespace realtime {
namespace {

constexpr std::int64_t read_rows = 200;

}  // namespace

radd::StreamMessage message_of(const radd::EventLog& log, const radd::Event& event) {
    return radd::StreamMessage{log.json_line(event), {}, std::to_string(event.id)};
}

Session::Session(Hub& hub,
                 radd::EventLog& log,
                 radd::Role reader,
                 Filter filter,
                 std::optional<std::int64_t> last_seen)
    : hub_{hub}, log_{log}, reader_{reader}, filter_{std::move(filter)}, after_{last_seen} {}

Session::~Session() {
    hub_.leave(*this);
}

void Session::refill(radd::StreamClient& client) {
    hub_.leave(*this);  // Nobody but this call touches `after_` from here on.
    client_ = &client;
    for (;;) {
        const auto position = hub_.position();
        if (!position) throw radd::Unavailable{"the stream has not been read yet"};
        if (!begin(*position)) return;
        if (hub_.join(*this) != Hub::Joined::behind) return;
        if (!catch_up(*position)) return;
    }
}

/// Makes sure that what lies between `after_` and `position` can be sent, or tells the client that
/// it cannot. False: the client takes no more.
bool Session::begin(std::int64_t position) {
    if (!after_) return tell("ready", {}, position);
    if (*after_ > position && !is_ahead_) {
        is_ahead_ = is_there(*after_);
        if (!is_ahead_) return tell("reset", "beyond", position);
    }
    if (position - *after_ > resume_ids_max) return tell("reset", "too_old", position);
    return true;
}

/// Sends what is stored up to `position`, a piece at a time.
bool Session::catch_up(std::int64_t position) {
    if (const auto oldest = log_.oldest(); *after_ + 1 < oldest && *after_ > 0)
        return tell("reset", "too_old", position);
    while (*after_ < position) {
        const auto events = log_.read(*after_, position, read_rows);
        for (const auto& event : events) {
            if (event.silent || !wants(event)) {
                after_ = event.id;
            } else if (!offer(event, message_of(log_, event))) {
                return false;
            }
        }
        if (events.empty()) after_ = position;
    }
    return true;
}

bool Session::wants(const radd::Event& event) const {
    return filter_.matches(event) && log_.may_read(reader_, event.type);
}

bool Session::offer(const radd::Event& event, const radd::StreamMessage& message) {
    if (event.id <= *after_) return true;
    if (wants(event) && !client_->send(message)) return false;
    after_ = event.id;
    return true;
}

bool Session::tell(std::string_view name, std::string_view reason, std::int64_t head) {
    radd::json about{{"head", head}};
    if (!reason.empty()) about["reason"] = reason;
    const radd::json data{{std::string{name}, std::move(about)}};
    // With the id of the head, so that who comes again without having seen an event goes on here.
    if (!client_->send(radd::StreamMessage{data.dump(), name, std::to_string(head)})) return false;
    after_ = head;
    return true;
}

bool Session::is_there(std::int64_t id) {
    return !log_.read(id - 1, id, 1).empty();
}

}  // namespace realtime

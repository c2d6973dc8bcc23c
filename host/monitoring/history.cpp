#include <algorithm>
#include <ranges>
#include <utility>

#include <nlohmann/json.hpp>

#include <host/monitoring/history.hpp>

namespace radd::monitoring {
namespace {

using nlohmann::ordered_json;

/// Place of `text` in `list`, where it is entered if it is new; past the end if there is no room.
std::size_t place_of(const std::string& text, std::vector<std::string>& list, std::size_t max) {
    const auto found = std::ranges::find(list, text);
    const auto place = static_cast<std::size_t>(found - list.begin());
    if (found == list.end() && list.size() < max) list.push_back(text);
    return place;
}

}  // namespace

void History::add(std::int64_t unix_s,
                  std::int64_t stream_head,
                  const std::vector<consumers::ConsumerStatus>& consumers) {
    Sample sample{.at = unix_s, .stream_head = stream_head};
    for (const auto& status : consumers) {
        if (status.task) continue;
        const std::size_t place = place_of(status.name, names_, consumers_max);
        if (place >= names_.size()) continue;
        if (sample.points.size() <= place) sample.points.resize(place + 1);
        sample.points[place] = {.lag = status.lag,
                                .last_event_id = status.last_event_id,
                                .state = place_of(status.state, states_, consumers_max)};
    }
    push(std::move(sample));
}

void History::add_unknown(std::int64_t unix_s) {
    push({.at = unix_s});
}

void History::push(Sample sample) {
    samples_.push_back(std::move(sample));
    if (samples_.size() > samples_max) samples_.pop_front();
}

std::string History::json(std::optional<std::int64_t> after) const {
    const auto wanted = [&](const Sample& sample) { return !after || sample.at > *after; };
    ordered_json document{{"interval_s", interval_s},
                          {"at", ordered_json::array()},
                          {"stream_head", ordered_json::array()},
                          {"consumers", ordered_json::object()}};
    for (const Sample& sample : samples_ | std::views::filter(wanted)) {
        document["at"].push_back(sample.at);
        document["stream_head"].push_back(sample.stream_head ? ordered_json(*sample.stream_head)
                                                             : ordered_json());
    }
    for (std::size_t place = 0; place < names_.size(); ++place) {
        ordered_json lag = ordered_json::array();
        ordered_json last_event_id = ordered_json::array();
        ordered_json state = ordered_json::array();
        for (const Sample& sample : samples_ | std::views::filter(wanted)) {
            const bool known = place < sample.points.size() && sample.points[place].lag >= 0;
            const Point point = known ? sample.points[place] : Point{};
            lag.push_back(known ? ordered_json(point.lag) : ordered_json());
            last_event_id.push_back(known ? ordered_json(point.last_event_id) : ordered_json());
            state.push_back(known ? ordered_json(states_[point.state]) : ordered_json());
        }
        document["consumers"][names_[place]] = {{"lag", std::move(lag)},
                                                {"last_event_id", std::move(last_event_id)},
                                                {"state", std::move(state)}};
    }
    return document.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace radd::monitoring

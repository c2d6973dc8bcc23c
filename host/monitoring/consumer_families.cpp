#include <string_view>
#include <utility>

#include <host/monitoring/consumer_families.hpp>
#include <host/monitoring/family.hpp>

namespace radd::monitoring {
namespace {

double number(std::int64_t value) {
    return static_cast<double>(value);
}

/// One sample per state, 1 for the present one: a change of state then starts no new series.
void add_state(Family& family, const consumers::ConsumerStatus& status, std::string_view kind) {
    for (const std::string_view state : consumers::consumer_states) {
        family.add(status.state == state ? 1 : 0,
                   {{"consumer", status.name}, {"kind", kind}, {"state", state}});
    }
}

}  // namespace

std::vector<prometheus::MetricFamily> consumer_families(const Snapshot& snapshot) {
    auto state = Family::gauge("radd_consumer_state", "1 for the state it is in.");
    auto cursor = Family::gauge("radd_consumer_cursor", "Id of the last event it has settled.");
    auto lag = Family::gauge("radd_consumer_lag_events",
                             "Events between cursor and head; above 10000 the distance of ids.");
    auto age = Family::gauge("radd_consumer_oldest_age_seconds",
                             "Age of the first event it has not settled; 0: there is none.");
    auto moved =
        Family::gauge("radd_consumer_last_move_age_seconds", "How long ago its cursor moved.");
    auto handled =
        Family::gauge("radd_consumer_handled_events",
                      "Receipt: events handled since it began or was last moved by hand.");
    auto skipped = Family::gauge("radd_consumer_skipped_open", "Records of failures still open.");
    for (const auto& status : snapshot.consumers) {
        add_state(state, status, status.task ? "task" : "consumer");
        if (status.task) continue;
        const Labels consumer = {{"consumer", status.name}};
        cursor.add(number(status.last_event_id), consumer);
        lag.add(number(status.lag), consumer);
        age.add(number(status.oldest_age_s.value_or(0)), consumer);
        moved.add(number(status.seconds_since_update), consumer);
        handled.add(number(status.handled_count), consumer);
        skipped.add(number(status.skipped), consumer);
    }
    std::vector<prometheus::MetricFamily> families;
    auto head = Family::gauge("radd_stream_head", "Id of the last event that is final.");
    head.add(number(snapshot.stream_head));
    auto bytes = Family::gauge("radd_events_bytes",
                               "What the stream takes on disk with its indexes; once a minute.");
    bytes.add(number(snapshot.events_bytes));
    for (Family* one : {&head, &bytes, &state, &cursor, &lag, &age, &moved, &handled, &skipped})
        families.push_back(std::move(*one).take());
    return families;
}

}  // namespace radd::monitoring

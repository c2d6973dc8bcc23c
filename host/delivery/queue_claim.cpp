#include <algorithm>

#include <host/consumers/failure.hpp>
#include <host/db/failpoint.hpp>
#include <host/delivery/queue_sql.hpp>
#include <host/delivery/queue_state.hpp>

namespace radd::delivery {
namespace {

std::string int_array(const std::vector<std::int32_t>& numbers) {
    std::string array = "{";
    for (const auto number : numbers)
        array += (array.size() > 1 ? "," : "") + std::to_string(number);
    return array + "}";
}

Claimed claimed_of(const Row& row) {
    return {
        .delivery = {.id = row.integer("id"),
                     .uid = row.text("uid"),
                     .lane = row.text("lane"),
                     .payload_text = row.text("payload"),
                     .event_id = row.optional_integer("event_id"),
                     .attempt = static_cast<std::int32_t>(row.integer("attempts")),
                     .created_at = Timestamp{std::chrono::microseconds{row.integer("created_us")}},
                     .replay_of = row.optional_integer("replay_of")},
        .spent = row.boolean("spent")};
}

}  // namespace

QueueRunner::State::State(QueueSetup with, RunnerParts parts_of)
    : setup{std::move(with)},
      parts{parts_of},
      lanes{{.concurrency = setup.spec.concurrency,
             .lane_concurrency = setup.spec.lane_concurrency,
             .breaker_after = setup.spec.breaker_after,
             .breaker_for = setup.spec.breaker_for}} {
    totals.name = setup.spec.name;
}

std::vector<std::chrono::seconds> QueueRunner::State::schedule() const {
    return setup.spec.schedule ? setup.spec.schedule(*setup.services)
                               : std::vector<std::chrono::seconds>{};
}

std::size_t QueueRunner::State::claim() {
    bool in_doubt = false;
    {
        const std::scoped_lock lock{mutex};
        if (stopping) return 0;
        in_doubt = lanes.doubtful_in_flight() > 0;
    }
    if (!in_doubt) return claim_of(Lanes::Kind::all, all_walked_to);
    // Those that answer well first, so that the others cannot take their room.
    return claim_of(Lanes::Kind::answering, answering_walked_to) +
           claim_of(Lanes::Kind::doubtful, all_walked_to);
}

std::size_t QueueRunner::State::claim_of(Lanes::Kind kind, std::string& walked_to) {
    // What lies before the place where this look begins is looked at after the end of the lanes.
    bool from_the_first = walked_to.empty();
    for (;;) {
        Lanes::Room room;
        {
            const std::scoped_lock lock{mutex};
            if (stopping) return 0;
            room = lanes.room(kind, now());
        }
        const bool none_known = std::ranges::all_of(room.may, [](auto may) { return may == 0; });
        if (room.in_all <= 0 || (room.unknown_lane == 0 && none_known)) return 0;

        const auto count = walk(room, walked_to);
        if (count > 0) return count;
        if (!walked_to.empty()) continue;
        if (from_the_first) return 0;
        from_the_first = true;
    }
}

std::size_t QueueRunner::State::walk(const Lanes::Room& room, std::string& walked_to) {
    const std::chrono::milliseconds claim_for = setup.spec.timeout + claim_margin;
    const auto began_at = now();
    const auto rungs = schedule().size();
    Rows rows;
    {
        auto session = parts.pool.lease("deliveries of " + setup.spec.name);
        RADD_FAILPOINT("delivery.claiming", setup.spec.name);
        rows = session->query(sql::claim,
                              setup.spec.name,
                              walked_to,
                              text_array(room.lanes),
                              int_array(room.may),
                              room.in_all,
                              claim_for.count(),
                              lanes_per_walk_max,
                              std::min<std::size_t>(rungs + 1, attempts_max),
                              room.unknown_lane,
                              attempts_max);
    }
    if (!rows[0].is_null("id")) RADD_FAILPOINT("delivery.claimed", setup.spec.name);
    walked_to = rows[0].optional_text("ended_at").value_or("");
    std::size_t count = 0;
    {
        const std::scoped_lock lock{mutex};
        for (const Row row : rows) {
            if (row.is_null("id")) continue;
            waiting.push_back(claimed_of(row));
            waiting.back().until = began_at + claim_for;
            lanes.begin(waiting.back().delivery.lane);
            ++count;
        }
    }
    if (count > 0) changed.notify_all();
    return count;
}

void QueueRunner::State::give_back() {
    std::deque<Claimed> unbegun;
    {
        const std::scoped_lock lock{mutex};
        unbegun.swap(waiting);
        for (const Claimed& one : unbegun)
            lanes.end(one.delivery.lane, true, std::chrono::milliseconds{0}, now());
    }
    if (unbegun.empty()) return;
    try {
        auto session = parts.pool.lease("deliveries of " + setup.spec.name);
        RADD_FAILPOINT("delivery.giving_back", setup.spec.name);
        for (const Claimed& one : unbegun)
            session->query(sql::give_back, one.delivery.id, one.delivery.attempt, one.spent);
        RADD_FAILPOINT("delivery.given_back", setup.spec.name);
    } catch (...) {
        parts.log.warn("queue " + setup.spec.name + ": " + std::to_string(unbegun.size()) +
                       " deliveries that were not begun could not be given back: " +
                       consumers::describe_current_exception() +
                       "; they are due again when their claim has passed");
    }
}

}  // namespace radd::delivery
